/// What a transaction did to a row (`NSPersistentHistoryChangeType`).
public enum PersistentHistoryChangeType: Int, Hashable, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}
