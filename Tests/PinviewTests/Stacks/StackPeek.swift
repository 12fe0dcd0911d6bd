@testable import Pinview
import PinviewModel

/// The content of a context, read without loading anything: the only part of the test that uses
/// internals of the library.
extension ManagedObject {
    /// What identifies the row in all contexts and coordinators: the permanent key as soon as there
    /// is one.
    var rowName: String { Self.rowName(objectID) }

    static func rowName(_ objectID: ManagedObjectID) -> String {
        let key = PermanentKeys.shared.permanentKey(for: objectID.key)
        if key.isTemporary { return "new/\(key.primaryKey)" }
        return rowName(root: StackSchema.root(objectID.entity.name), key.primaryKey)
    }

    static func rowName(root: String, _ primaryKey: Int64) -> String { "\(root)/\(primaryKey)" }

    /// The object has a row of its own, and is still registered in its context.
    var isLive: Bool { managedObjectContext != nil && flags.isDisjoint(with: [.deleted, .inaccessible, .invalidated]) }
    var isInaccessible: Bool { flags.contains(.inaccessible) }

    /// The destination of a to-one relationship, if the object has it in memory.
    func loadedDestination(_ name: String) throws -> ManagedObject?? {
        guard let property = entity.property(named: name), !flags.contains(.fault) else { return .none }
        if case .toOne(let destination) = slot(property.index) { return .some(destination) }
        if flags.contains(.inserted) { return .some(nil) }
        guard let reference = try state.committedReference(of: self, property) else { return .some(nil) }
        // An object that does not exist counts as not loaded.
        return state.registry.object(PermanentKeys.shared.permanentKey(for: reference.key)).map { .some($0) } ?? .none
    }

    /// The members of a to-many relationship, if it is loaded.
    func loadedMembers(_ name: String) -> [ManagedObject]? {
        guard let property = entity.property(named: name) else { return nil }
        switch slot(property.index) {
        case .toMany(let contents): return contents.isLoaded ? contents.members : nil
        case .noMembers: return []
        case .unloaded, .value, .toOne: return nil
        }
    }

    /// The pending additions to and removals from a to-many relationship, loaded or not.
    func pendingMembers(_ name: String) -> (added: [ManagedObject], removed: [ManagedObject], isChanged: Bool) {
        guard let property = entity.property(named: name), case .toMany(let contents) = slot(property.index) else { return ([], [], false) }
        return (contents.inserted, contents.removed, contents.hasChanges)
    }

    func isChanged(_ name: String) -> Bool { entity.property(named: name).map { changed.contains($0.index) } ?? false }

    /// All objects that can be reached from the object without loading anything.
    func loadedNeighbours() throws -> [ManagedObject] {
        var found: [ManagedObject] = []
        for property in entity.relationships {
            if property.isToMany {
                found += loadedMembers(property.name) ?? []
                let pending = pendingMembers(property.name)
                found += pending.added + pending.removed
            } else if case .some(.some(let destination)) = try loadedDestination(property.name) {
                found.append(destination)
            }
        }
        return found
    }
}

extension ManagedObject {
    /// The row that a to-one relationship leads to one store up.
    func committedRowName(_ name: String) throws -> String? {
        guard let property = entity.property(named: name), let reference = try state.committedReference(of: self, property) else {
            return nil
        }
        let key = PermanentKeys.shared.permanentKey(for: reference.key)
        if key.isTemporary { return "new/\(key.primaryKey)" }
        return Self.rowName(
            root: StackSchema.root(state.coordinator?.managedObjectModel.entities[reference.entityIndex].name ?? ""), key.primaryKey)
    }
}
