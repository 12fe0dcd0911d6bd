import PinviewModel

/// The result of a request (`NSPersistentStoreResult`).
public enum PersistentStoreResult {
    case objects(FetchResult)
    case objectIDs([ManagedObjectID])
    case dictionaries(DictionaryResult)
    case count(Int)
    /// The result of a history request.
    case transactions([PersistentHistoryTransaction])
    case changes([PersistentHistoryChange])
    /// A fetch that is still running.
    case asynchronous(AsynchronousFetchResult)
    case success
}
