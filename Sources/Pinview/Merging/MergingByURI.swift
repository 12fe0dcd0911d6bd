import PinviewModel

extension ManagedObjectContext {
    /// Merges a save made elsewhere, such as in another process, into several contexts. The objects
    /// are given by their URIs under the keys `inserted`, `updated` and `deleted`. Objects of
    /// stores that a context's coordinator does not have are ignored.
    ///
    /// - Throws: `invalidArgument` for another key or an invalid URI, `unknownEntity`. Then nothing
    ///   is merged into any context.
    public static func mergeChanges(
        fromRemoteContextSaveURIs changes: [String: [String]], into contexts: [ManagedObjectContext]
    ) throws(PinviewError) {
        var found: [(context: ManagedObjectContext, changes: [String: [ManagedObjectID]])] = []
        for context in contexts {
            var objectIDs: [String: [ManagedObjectID]] = [:]
            for (key, uris) in changes {
                objectIDs[key] = []
                for uri in uris {
                    guard let objectID = try context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) else {
                        continue
                    }
                    objectIDs[key]?.append(objectID)
                }
            }
            found.append((context, objectIDs))
        }
        for (context, objectIDs) in found { try mergeChanges(fromRemoteContextSave: objectIDs, into: [context]) }
    }
}
