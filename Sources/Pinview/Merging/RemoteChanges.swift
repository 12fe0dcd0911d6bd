import PinviewModel
import PinviewStore

/// Another coordinator, in this process or another, has committed to a store
/// (`NSPersistentStoreRemoteChangeNotification`).
public struct PersistentStoreRemoteChange: Sendable {
    /// Core Data's name of the notification, for programs that forward it.
    public static let notificationName = "NSPersistentStoreRemoteChangeNotification"
    /// The keys of ``userInfo``, as in Core Data.
    public static let storeIdentifierKey = "storeUUID"
    /// The key of the store's path.
    public static let storeURLKey = "storeURL"
    /// The key of ``historyToken``.
    public static let historyTokenKey = "historyToken"

    /// The store, on the observed coordinator.
    public let store: PersistentStore
    /// The current end of the store's history: fetch the history after the last token seen. Nil for
    /// a store that keeps none, or whose history could not be read. Commits of programs that keep
    /// no history, such as the sqlite3 tool, do not advance it.
    public let historyToken: PersistentHistoryToken?

    /// The change as a dictionary.
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
    /// Calls a body when another coordinator of this process or another process, such as the
    /// sqlite3 tool, has committed to one of the stores added with the option
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Commits by this coordinator's own
    /// contexts and batch requests are not reported.
    ///
    /// The body runs on a thread of the library, within about a millisecond of the commit; commits
    /// to a store in quick succession are reported once. It may call anything, but should not take
    /// long, since all observers of the process share the thread. Without observers, nothing runs.
    /// Stores in memory and those not in WAL mode report nothing. The call waits for a running save
    /// to such a store.
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
