import PinviewModel

extension ManagedObjectModel {
    /// Identifies the version of the model by the version hashes of all its entities
    /// (`NSManagedObjectModel.versionChecksum`): 64 hexadecimal digits, the same in every process.
    public var versionChecksum: String {
        ManagedObjectModel.versionDigest(of: entities).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// Reads all versions of a `.momd` or `.xcdatamodeld`, in the order of their names; of another
    /// model, the only one.
    ///
    /// - Throws: as `init(contentsOf:)`.
    public static func allVersions(ofModelAt path: String) throws(PinviewError) -> [ManagedObjectModel] {
        guard let bundle = try ModelLoader.versions(ofModelAt: path) else { return [try ManagedObjectModel(contentsOf: path)] }
        var versions: [ManagedObjectModel] = []
        for name in bundle.names { versions.append(try ManagedObjectModel(contentsOf: path, version: name)) }
        return versions
    }
}
