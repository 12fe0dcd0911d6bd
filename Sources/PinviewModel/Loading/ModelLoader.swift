/// Finds out what a model is stored as, and reads it.
///
/// ```
/// Name.xcdatamodeld/              versions of a model, as Xcode edits them
///     .xccurrentversion           a property list with the name of the current one
///     Name.xcdatamodel/contents   a version, XML
/// Name.momd/                      the same, compiled
///     VersionInfo.plist           the current version's name, the version hashes of all of them
///     Name.mom                    a version, a keyed archive
/// ```
package enum ModelLoader {
    package enum Loaded: Sendable {
        case contents(ModelContents)
        /// JSON is read by a floor above, with SQLite.
        case json([UInt8])
    }

    /// - Parameter version: of a folder with several versions; nil for the current one.
    /// - Throws: `invalidArgument` for a path at which there is no model, and a version that is not
    ///   there; `badModel` for a file that is damaged.
    package static func load(path: String, version: String? = nil) throws(PinviewError) -> Loaded {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw PinviewError(.invalidArgument, "'\(path)' is not a path.")
        }
        if let bundle = try ModelBundle(path: path) { return try bundle.load(version: version) }
        if let version {
            throw PinviewError(
                .invalidArgument, "'\(path)' is a single model, so there is no version \(version.quotedForPeople) to choose.")
        }
        return try load(file: ModelBundle.file(ofModelAt: path))
    }

    /// The versions in a folder of them; nil for any other model.
    package static func versions(ofModelAt path: String) throws(PinviewError) -> ModelVersions? { try ModelBundle(path: path)?.versions }

    static func load(file path: String) throws(PinviewError) -> Loaded {
        let bytes = try ModelFile.bytes(path)
        do throws(PinviewError) {
            return try load(bytes: bytes)
        } catch {
            throw error.with(message: "The model file '\(path)' cannot be read. \(error.message)")
        }
    }

    /// - Throws: `badModel` for bytes that are not a model, or a damaged one.
    package static func load(bytes: [UInt8]) throws(PinviewError) -> Loaded {
        guard !bytes.isEmpty else { throw .badModel("The model is empty: it has no bytes.") }
        if bytes.starts(with: Array("bplist".utf8)) { return .contents(try ArchivedModelReader.read(archive: bytes)) }
        let isText = !bytes.starts(with: [0xFE, 0xFF]) && !bytes.starts(with: [0xFF, 0xFE])
        // In UTF-16 only XML is read.
        guard isText, let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }) else {
            return .contents(try XMLModelReader.read(bytes))
        }
        switch first {
        case UInt8(ascii: "<"): return .contents(try XMLModelReader.read(bytes))
        case UInt8(ascii: "{"): return .json(bytes)
        default:
            throw .badModel(
                "Unknown kind of model: JSON begins with {, Xcode's XML with <, a compiled model with bplist00.")
        }
    }

    /// Reads the model from a store's table `Z_MODELCACHE`.
    /// - Throws: `badModel` for one that is damaged.
    package static func load(modelCache bytes: [UInt8]) throws(PinviewError) -> ModelContents {
        guard let archive = Inflate.raw(bytes, limit: 64 << 20) else {
            throw .badModel("The model cache is damaged: it is not compressed data, or more than 64 MB of it.")
        }
        return try ArchivedModelReader.read(archive: archive)
    }
}

/// The versions in a model folder.
public struct ModelVersions: Hashable, Sendable {
    /// The names, sorted; numbers in them by their values.
    public let names: [String]
    /// The version that is read if none is named.
    public let currentName: String?
}
