/// Identifies a record within one model: cheap to copy, compare and hash.
package struct ObjectKey: Sendable {
    /// The store's number in `StoreNumbers`; `temporaryStoreNumber` until the object has been
    /// saved.
    package let storeNumber: Int32
    /// `Entity.rootIndex`: all entities of a hierarchy share one sequence of primary keys.
    package let rootEntity: Int32
    /// `Z_PK`; for a temporary key, a serial number that is unique in the process.
    package let primaryKey: Int64

    package static let temporaryStoreNumber: Int32 = -1

    package init(storeNumber: Int32, rootEntity: Int32, primaryKey: Int64) {
        self.storeNumber = storeNumber
        self.rootEntity = rootEntity
        self.primaryKey = primaryKey
    }

    /// A new temporary key for an object of the given hierarchy.
    package static func temporary(rootEntity: Int32) -> ObjectKey {
        ObjectKey(storeNumber: temporaryStoreNumber, rootEntity: rootEntity, primaryKey: TemporaryKeys.next())
    }

    package var isTemporary: Bool { storeNumber == Self.temporaryStoreNumber }
}

extension ObjectKey: Hashable {
    package static func == (left: ObjectKey, right: ObjectKey) -> Bool {
        left.primaryKey == right.primaryKey && left.rootEntity == right.rootEntity && left.storeNumber == right.storeNumber
    }

    /// A well-mixed hash for the library's own hash tables, several times as fast as `Hasher`.
    package var mixedHash: UInt64 {
        var hash = UInt64(bitPattern: primaryKey) &* 0x9E37_79B9_7F4A_7C15
        hash ^= UInt64(UInt32(bitPattern: storeNumber)) << 32 | UInt64(UInt32(bitPattern: rootEntity))
        hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return hash ^ (hash >> 32)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(mixedHash)
    }
}

/// The identity of a record, valid in every context and, once permanent, in every process that
/// opens the store.
///
/// Immutable; any thread may use it. IDs are equal if they identify the same record of the same
/// store, whichever coordinator or model instance they come from.
public final class ManagedObjectID: Sendable {
    /// The entity of the record.
    public let entity: Entity
    package let key: ObjectKey
    /// The UUID of the store; nil for a temporary ID.
    public let storeIdentifier: String?

    package init(entity: Entity, key: ObjectKey, storeIdentifier: String?) {
        self.entity = entity
        self.key = key
        self.storeIdentifier = storeIdentifier
    }

    /// Whether the record has not been saved yet; saving gives it a permanent ID.
    public var isTemporaryID: Bool { key.isTemporary }

    /// `x-coredata://<store UUID>/<entity>/p<primary key>`, or `x-coredata:///<entity>/t<serial>`
    /// for a temporary ID, which is only meaningful in this process.
    public var uriRepresentation: String {
        ObjectURI.text(storeIdentifier: storeIdentifier, entityName: entity.name, key: key)
    }
}

extension ManagedObjectID: Hashable {
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        if left === right { return true }
        guard left.key.primaryKey == right.key.primaryKey, left.key.storeNumber == right.key.storeNumber else { return false }
        return left.entity === right.entity || left.entity.hasSameRoot(as: right.entity)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.primaryKey)
        hasher.combine(key.storeNumber)
        // Not the key's root index: another version of the model may number its entities
        // differently.
        hasher.combine(entity.rootNameHash)
    }
}

extension ManagedObjectID: CustomStringConvertible {
    public var description: String { uriRepresentation }
}
