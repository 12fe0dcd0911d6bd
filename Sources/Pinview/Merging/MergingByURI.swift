import PinviewModel

extension ManagedObjectContext {
    /// Merges a save made elsewhere, given as the URIs of IDs under the keys `inserted`, `updated`
    /// and `deleted`, as another process sends them, into several contexts. Objects of stores that
    /// a context's coordinator does not have are passed over.
    ///
    /// - Throws: `invalidArgument` for a key or a URI that is none, `unknownEntity`. Nothing is
    ///   merged into any context then.
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
