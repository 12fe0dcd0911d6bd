/// A folder with the versions of a model: `.xcdatamodeld` or, compiled, `.momd`.
struct ModelBundle {
    private let path: String
    /// Whether it is a `.momd`.
    private let isCompiled: Bool
    private let names: [String]
    private var currentName: String?
    /// Version name → entity → hash.
    private var hashes: [String: [String: [UInt8]]] = [:]

    private static let sourceSuffix = ".xcdatamodel"
    private static let compiledSuffix = ".mom"

    /// Nil for a path at which there is something else.
    init?(path: String) throws(PinviewError) {
        guard ModelFile.isFolder(path) else { return nil }
        self.path = path
        let files = try ModelFile.names(inFolder: path)
        let sources = files.filter { $0.hasSuffix(Self.sourceSuffix) && ModelFile.isFolder("\(path)/\($0)") }
        let compiled = files.filter { $0.hasSuffix(Self.compiledSuffix) }
        if !sources.isEmpty {
            isCompiled = false
            names = sources.map { String($0.dropLast(Self.sourceSuffix.count)) }.sorted(by: VersionNameOrder.precedes)
            guard files.contains(".xccurrentversion") else { return }
            let members = try Self.propertyList("\(path)/.xccurrentversion")
            currentName = members["_XCCurrentVersionName"]?.stringValue.map {
                $0.hasSuffix(Self.sourceSuffix) ? String($0.dropLast(Self.sourceSuffix.count)) : $0
            }
        } else if !compiled.isEmpty {
            isCompiled = true
            names = compiled.map { String($0.dropLast(Self.compiledSuffix.count)) }.sorted(by: VersionNameOrder.precedes)
            guard files.contains("VersionInfo.plist") else { return }
            let members = try Self.propertyList("\(path)/VersionInfo.plist")
            currentName = members["NSManagedObjectModel_CurrentVersionName"]?.stringValue
            for (version, entities) in members["NSManagedObjectModel_VersionHashes"]?.dictionaryValue ?? [:] {
                hashes[version] = (entities.dictionaryValue ?? [:]).compactMapValues(\.dataValue)
            }
        } else {
            return nil
        }
    }

    private static func propertyList(_ path: String) throws(PinviewError) -> [String: PropertyListValue] {
        let bytes = try ModelFile.bytes(path)
        do throws(PropertyListError) {
            guard let members = try PropertyListValue(propertyList: bytes).dictionaryValue else {
                throw PropertyListError(description: "it is not a dictionary")
            }
            return members
        } catch {
            throw .badModel("The file '\(path)' cannot be read: \(error.description).")
        }
    }

    var versions: ModelVersions {
        ModelVersions(
            names: names, currentName: currentName.flatMap { names.contains($0) ? $0 : nil } ?? (names.count == 1 ? names[0] : nil))
    }

    func load(version: String?) throws(PinviewError) -> ModelLoader.Loaded {
        let versions = versions
        guard let name = version ?? versions.currentName else {
            throw PinviewError(
                .invalidArgument,
                "The model '\(path)' does not say which of its versions is the current one; choose one of \(names.joined(separator: ", "))."
            )
        }
        guard names.contains(name) else {
            throw PinviewError(
                .invalidArgument,
                "The model '\(path)' has no version \(name.quotedForPeople), but \(names.joined(separator: ", ")).")
        }
        guard isCompiled else { return try ModelLoader.load(file: Self.file(ofModelAt: "\(path)/\(name)\(Self.sourceSuffix)")) }
        let loaded = try ModelLoader.load(file: "\(path)/\(name)\(Self.compiledSuffix)")
        guard case .contents(var contents) = loaded, let known = hashes[name] else { return loaded }
        for index in contents.entities.indices {
            if let hash = known[contents.entities[index].name], hash.count == 32 { contents.entities[index].versionHash = hash }
        }
        return .contents(contents)
    }

    /// The file to read for a single model at a path, a file or a `.xcdatamodel` folder.
    static func file(ofModelAt path: String) throws(PinviewError) -> String {
        guard ModelFile.isFolder(path) else { return path }
        let contents = "\(path)/contents"
        if ModelFile.exists(contents) { return contents }
        if ModelFile.exists("\(path)/elements") {
            throw PinviewError(
                .badModel,
                "The model '\(path)' is in the binary format of Xcode 3, which is not read. Open and save it with Xcode 4 or newer, or use the compiled model (.mom)."
            )
        }
        throw PinviewError(
            .invalidArgument,
            "The folder '\(path)' holds no model: neither a file \"contents\" nor folders .xcdatamodel nor files .mom.")
    }
}

extension ManagedObjectModel {
    /// The versions in a folder `.xcdatamodeld` or `.momd`.
    /// - Throws: `invalidArgument` for anything else; `badModel` for a damaged list of versions.
    public static func versions(ofModelAt path: String) throws(PinviewError) -> ModelVersions {
        guard let bundle = try ModelBundle(path: path) else {
            throw PinviewError(.invalidArgument, "'\(path)' is not a folder with versions of a model (.xcdatamodeld or .momd).")
        }
        return bundle.versions
    }
}
