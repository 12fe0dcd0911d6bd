import PinviewModel
import PinviewStore

/// Tells that somebody else has committed to a store (`NSPersistentStoreRemoteChangeNotification`):
/// another coordinator of this process, or another process.
public struct PersistentStoreRemoteChange: Sendable {
    /// Core Data's name of the notification, for programs that pass it on.
    public static let notificationName = "NSPersistentStoreRemoteChangeNotification"
    /// The keys of ``userInfo``, as Core Data has them.
    public static let storeIdentifierKey = "storeUUID"
    public static let storeURLKey = "storeURL"
    public static let historyTokenKey = "historyToken"

    /// The store, which is on the coordinator that was asked.
    public let store: PersistentStore
    /// The end of the store's history now: fetch the history after the token that was seen last.
    /// Nil for a store that keeps none, or whose history could not be read just now. A program that
    /// keeps no history, such as the sqlite3 tool, leaves it as it was.
    public let historyToken: PersistentHistoryToken?

    /// The same as a dictionary.
    public var userInfo: [String: any Sendable] {
        var info: [String: any Sendable] = [Self.storeIdentifierKey: store.identifier]
        if let path = store.path { info[Self.storeURLKey] = path }
        if let historyToken { info[Self.historyTokenKey] = historyToken }
        return info
    }
}

/// A registration for remote changes.
public typealias RemoteChangeObserver = GenerationObserver

extension PersistentStoreCoordinator {
    /// Calls back when somebody else has committed to one of the stores that were added with the
    /// option `NSPersistentStoreRemoteChangeNotificationPostOptionKey`: another coordinator of this
    /// process, or another process, the sqlite3 tool included. What this coordinator's own contexts
    /// and batch requests commit is not told.
    ///
    /// The body runs on a thread of the library, within about a millisecond of the commit; commits
    /// in a quick row are told of as one, for each store. It may call everything, but should not
    /// take long: all observers of the process share the thread. Nothing runs while nobody
    /// observes. Stores in memory and those that are not in WAL mode give no news. The call waits
    /// for a save to such a store that is under way.
    ///
    /// - Returns: the registration, which lasts until ``removeRemoteChangeObserver(_:)`` or the end
    ///   of the coordinator.
    @discardableResult
    public func addRemoteChangeObserver(_ body: @escaping @Sendable (PersistentStoreRemoteChange) -> Void) -> RemoteChangeObserver {
        addRemoteChangeObserver(body, onEnd: nil)
    }

    private func addRemoteChangeObserver(
        _ body: @escaping @Sendable (PersistentStoreRemoteChange) -> Void, onEnd: (@Sendable () -> Void)?
    ) -> RemoteChangeObserver {
        add(
            GenerationObserver(onEnd: onEnd) { [weak self] store in
                store.listenToRemoteChanges { [weak self, weak store] in
                    guard let store, let known = self?.persistentStores.first(where: { $0.store === store }) else { return }
                    let number = store.tracksHistory ? try? store.lastHistoryTransaction() : nil
                    body(
                        PersistentStoreRemoteChange(
                            store: known, historyToken: number.map { PersistentHistoryToken([store.identifier: $0]) }))
                }
            })
    }

    /// Ends a registration, as ``removeGenerationObserver(_:)`` does.
    public func removeRemoteChangeObserver(_ observer: RemoteChangeObserver) { removeGenerationObserver(observer) }

    #if !PINVIEW_C_LIBRARY
        /// An element for each time that ``addRemoteChangeObserver(_:)`` would call back. Ends with
        /// the coordinator.
        public var remoteChanges: AsyncStream<PersistentStoreRemoteChange> {
            AsyncStream { continuation in
                let observer = addRemoteChangeObserver({ continuation.yield($0) }, onEnd: { continuation.finish() })
                continuation.onTermination = { [weak self, weak observer] _ in
                    if let observer { self?.removeRemoteChangeObserver(observer) }
                }
            }
        }
    #endif
}
