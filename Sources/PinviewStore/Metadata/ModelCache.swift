import PinviewGenerations
import PinviewModel

/// The table `Z_MODELCACHE` of Core Data's stores: the compiled model, compressed.
enum ModelCache {
    private static let table = "Z_MODELCACHE"

    /// - Returns: nil for a store without the table, and for one that is empty.
    static func read(_ connection: Connection, _ contents: StoreContents) throws -> [UInt8]? {
        guard contents.tables.columns(of: table)?.contains("Z_CONTENT") == true else { return nil }
        let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        let bytes = statement.withBytes(0) { Array($0) }
        return bytes.isEmpty ? nil : bytes
    }

    /// - Parameter metadata: of the store, which has the version hashes of the model's entities.
    static func model(_ cache: [UInt8], metadata: [String: PropertyListValue]) throws(PinviewError) -> ManagedObjectModel {
        var contents = try ModelLoader.load(modelCache: cache)
        let hashes = metadata[MetadataKey.versionHashes]?.dictionaryValue ?? [:]
        for index in contents.entities.indices {
            if let hash = hashes[contents.entities[index].name]?.dataValue, hash.count == 32 { contents.entities[index].versionHash = hash }
        }
        return try ManagedObjectModel(contents, checking: .lenient)
    }
}
