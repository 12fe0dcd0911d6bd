import FoundationEssentials
import PinviewModel
import PinviewStore

/// What a store says about itself: Core Data's entries, and those of the program.
extension PersistentStore {
    /// The metadata as they are in the store now: `NSStoreModelVersionHashes`,
    /// `NSStoreModelVersionIdentifiers`, `NSPersistenceFrameworkVersion`, what else Core Data has
    /// put there, and the program's own entries.
    public func metadata() throws(PinviewError) -> [String: PropertyListValue] { try store.metadata() }

    /// Writes entries of the program's own; nil removes one. Other entries stay, including those of
    /// Core Data that the library does not know.
    ///
    /// - Throws: `invalidArgument` for a key that is Core Data's or the library's own (those that
    ///   begin with `NSStoreModel`, `NSPersistence` or `_NS`, `NSStoreType` and `PinviewModel`);
    ///   134030 for a store that is read-only.
    public func setMetadata(_ changes: [String: PropertyListValue?]) throws(PinviewError) { try store.changeMetadata(changes) }
}

extension PersistentStoreCoordinator {
    /// The metadata of a store file, which needs no model and changes nothing
    /// (`metadataForPersistentStore(ofType:at:)`).
    ///
    /// - Throws: 134080 for a file that is not a store.
    public static func metadata(forStoreAt path: String) throws(PinviewError) -> [String: PropertyListValue] {
        try SQLStore.metadata(ofStoreAt: path)
    }

    /// Writes entries of the program's own to a store file that need not be open; nil removes one.
    ///
    /// - Throws: as ``PersistentStore/setMetadata(_:)``, and 134080 for a file that is not a store.
    public static func setMetadata(_ changes: [String: PropertyListValue?], forStoreAt path: String) throws(PinviewError) {
        try SQLStore.setMetadata(changes, ofStoreAt: path)
    }

    /// A model made of a store's tables alone, for stores whose model is not known. It has the
    /// entities with their hierarchy, an attribute for each column, and the relationships that
    /// columns and join tables name; all names of properties are in lower case. What could not be
    /// determined is listed in ``ManagedObjectModel/warnings``. A store opens read-only with it,
    /// unless the option `NSReadOnlyPersistentStoreOption` is false.
    ///
    /// - Throws: 134080 for a file that is not a store.
    public static func managedObjectModel(ofTablesAt path: String) throws(PinviewError) -> ManagedObjectModel {
        try SQLStore.schemaModel(ofStoreAt: path)
    }
}

// MARK: For bindings

/// Metadata as the bytes of a binary property list, and single entries as values.
extension PersistentStore {
    package func metadataPropertyList() throws(PinviewError) -> [UInt8] {
        PropertyListValue.dictionary(try metadata()).binaryPropertyList()
    }

    /// Lists and dictionaries are given as property lists.
    package func metadataValue(forKey key: String) throws(PinviewError) -> Value {
        switch try metadata()[key] {
        case nil, .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let integer): .integer(integer)
        case .unsigned(let integer): .decimal(DecimalNumber(String(integer)) ?? .zero)
        case .uid(let number): .integer(Int64(clamping: number))
        case .real(let double): .double(double)
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let bytes): .binary(bytes)
        case .string(let text): .string(text)
        case .array, .set, .dictionary:
            .binary((try metadata()[key] ?? .null).binaryPropertyList())
        }
    }

    package func setMetadataValue(_ value: Value, forKey key: String) throws(PinviewError) {
        try setMetadata([key: value == .null ? PropertyListValue?.none : PropertyListValue(value)])
    }

    package func setMetadata(propertyList bytes: [UInt8]) throws(PinviewError) { try setMetadata(try StoreMetadata.entries(bytes)) }
}

/// The same for files that are not open.
package enum StoreMetadata {
    package static func propertyList(ofStoreAt path: String) throws(PinviewError) -> [UInt8] {
        PropertyListValue.dictionary(try PersistentStoreCoordinator.metadata(forStoreAt: path)).binaryPropertyList()
    }

    package static func set(propertyList bytes: [UInt8], ofStoreAt path: String) throws(PinviewError) {
        try PersistentStoreCoordinator.setMetadata(try entries(bytes), forStoreAt: path)
    }

    fileprivate static func entries(_ bytes: [UInt8]) throws(PinviewError) -> [String: PropertyListValue?] {
        do {
            if let entries = try PropertyListValue(binary: bytes).dictionaryValue { return entries.mapValues { $0 } }
        } catch {
            throw PinviewError(.invalidArgument, "The metadata are not a binary property list: \(error).")
        }
        throw PinviewError(.invalidArgument, "The metadata are a property list, but not a dictionary.")
    }
}
