import PinviewGenerations
import PinviewModel
import Synchronization

/// A notification posted by a context (`NSNotification` with the keys of `NSManagedObjectContext`).
///
/// Its objects may be used during the observer's call on the context's queue; their IDs anywhere,
/// and later too.
public struct PinviewNotification: @unchecked Sendable {  // immutable; its objects follow the rules of objects
    /// The names of notifications that contexts post.
    public struct Name: RawRepresentable, Hashable, Sendable {
        /// The text of the name, which is that of Core Data.
        public let rawValue: String
        /// Makes a name from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Posted before a save with changes writes anything.
        public static let willSave = Name(rawValue: "NSManagedObjectContextWillSaveNotification")
        /// Posted after a save has committed.
        public static let didSave = Name(rawValue: "NSManagedObjectContextDidSaveNotification")
        /// Posted after the changes of an event have been processed.
        public static let objectsDidChange = Name(rawValue: "NSManagedObjectContextObjectsDidChangeNotification")
    }

    /// The name of the notification.
    public let name: Name
    /// The context that posts the notification.
    public let object: ManagedObjectContext
    /// Objects that were inserted: in the event for objects-did-change, in the save for did-save.
    public internal(set) var insertedObjects: Set<ManagedObject> = []
    /// Objects that were updated, likewise.
    public internal(set) var updatedObjects: Set<ManagedObject> = []
    /// Objects that were deleted, likewise.
    public internal(set) var deletedObjects: Set<ManagedObject> = []
    /// Objects that were refreshed and have no local changes.
    public internal(set) var refreshedObjects: Set<ManagedObject> = []
    /// Objects of a removed store.
    public internal(set) var invalidatedObjects: Set<ManagedObject> = []
    /// The IDs of the objects discarded by a reset; nil in all other notifications.
    public internal(set) var invalidatedAllObjectIDs: [ManagedObjectID]?
    /// In a did-save notification of a pinned context, a generation that includes the save. It can
    /// be set on other contexts during the call.
    public internal(set) var queryGenerationToken: QueryGenerationToken?
    /// The IDs by which inserted, updated and deleted objects are known one store up. Usable on any
    /// thread.
    public internal(set) var insertedObjectIDs: [ManagedObjectID] = []
    /// The IDs of updated objects; see ``insertedObjectIDs``.
    public internal(set) var updatedObjectIDs: [ManagedObjectID] = []
    /// The IDs of deleted objects; see ``insertedObjectIDs``.
    public internal(set) var deletedObjectIDs: [ManagedObjectID] = []

    /// The keys of these IDs in `userInfo`.
    public static let insertedObjectsKey = "inserted"
    /// The key of ``updatedObjects`` in `userInfo`.
    public static let updatedObjectsKey = "updated"
    /// The key of ``deletedObjects`` in `userInfo`.
    public static let deletedObjectsKey = "deleted"
    /// The key of ``refreshedObjects`` in `userInfo`.
    public static let refreshedObjectsKey = "refreshed"
    /// The key of ``invalidatedObjects`` in `userInfo`.
    public static let invalidatedObjectsKey = "invalidated"
    /// The key of ``invalidatedAllObjectIDs`` in `userInfo`.
    public static let invalidatedAllObjectsKey = "invalidatedAll"
    /// The key of ``queryGenerationToken`` in `userInfo`.
    public static let queryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

    init(name: Name, object: ManagedObjectContext) {
        self.name = name
        self.object = object
    }

    /// The notification's content as a dictionary. Keys of empty sets are absent.
    public var userInfo: [String: Any] {
        var info: [String: Any] = [:]
        let sets = [
            (Self.insertedObjectsKey, insertedObjects), (Self.updatedObjectsKey, updatedObjects), (Self.deletedObjectsKey, deletedObjects),
            (Self.refreshedObjectsKey, refreshedObjects), (Self.invalidatedObjectsKey, invalidatedObjects),
        ]
        for (key, objects) in sets where !objects.isEmpty { info[key] = objects }
        if let invalidatedAllObjectIDs { info[Self.invalidatedAllObjectsKey] = invalidatedAllObjectIDs }
        if let queryGenerationToken { info[Self.queryGenerationKey] = queryGenerationToken }
        return info
    }

    mutating func takeIDs() {
        insertedObjectIDs = insertedObjects.map(\.objectID)
        updatedObjectIDs = updatedObjects.map(\.objectID)
        deletedObjectIDs = deletedObjects.map(\.objectID)
    }
}

/// Delivers notifications to observers (`NSNotificationCenter`).
///
/// Observers are called synchronously on the context's queue, in order of registration, before the
/// posting call returns. Notifications that a main-queue context posts because of another thread (a
/// child's save, a merge) are delivered later, on the main queue. All members may be used on any
/// thread and in observers.
public final class PinviewNotificationCenter: @unchecked Sendable {  // guarded by `lock`
    /// The center to which all contexts post.
    public static let `default` = PinviewNotificationCenter()

    /// A registration, used to remove the observer.
    public final class Observer: Hashable, @unchecked Sendable {  // `isRemoved` and `runningThreads` are guarded by the centre's lock
        let name: PinviewNotification.Name?
        let contextIdentifier: ObjectIdentifier?
        let block: (PinviewNotification) -> Void
        fileprivate var isRemoved = false
        fileprivate var runningThreads: [UInt] = []

        init(name: PinviewNotification.Name?, contextIdentifier: ObjectIdentifier?, block: @escaping (PinviewNotification) -> Void) {
            self.name = name
            self.contextIdentifier = contextIdentifier
            self.block = block
        }

        public static func == (left: Observer, right: Observer) -> Bool { left === right }
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let lock = Lock()
    private let runEnded = ConditionVariable()
    private var observers: [Observer] = []
    /// How many there are: contexts ask at each event and each save.
    private let observerCount = Atomic<Int>(0)

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - name: nil for all names.
    ///   - object: the context to observe; nil for all contexts.
    ///   - block: called as described for the class. It may merge into any context, since a merge
    ///     never deadlocks. Waiting in other ways, by `performAndWait` or a direct call, for the
    ///     queue of a context that waits for this one fails with `deadlock`.
    public func addObserver(
        forName name: PinviewNotification.Name?, object: ManagedObjectContext?, using block: @escaping (PinviewNotification) -> Void
    ) -> Observer {
        // The state rather than the context, since it outlives the context as long as anything
        // refers to it.
        let observer = Observer(name: name, contextIdentifier: object.map { ObjectIdentifier($0.state) }, block: block)
        lock.withLock {
            observers.append(observer)
            observerCount.store(observers.count, ordering: .relaxed)
        }
        return observer
    }

    /// Removes an observer. When this returns the observer is not called any more: a call on
    /// another thread is waited for, unless this is that call itself.
    public func removeObserver(_ observer: Observer) {
        lock.lock()
        observer.isRemoved = true
        observers.removeAll { $0 === observer }
        observerCount.store(observers.count, ordering: .relaxed)
        let thread = CurrentThread.identifier
        while observer.runningThreads.contains(where: { $0 != thread }) { lock.wait(on: runEnded.pointer) }
        lock.unlock()
    }

    func post(_ notification: PinviewNotification) {
        let contextIdentifier = ObjectIdentifier(notification.object.state)
        let interested = lock.withLock {
            observers.filter {
                ($0.name == nil || $0.name == notification.name)
                    && ($0.contextIdentifier == nil || $0.contextIdentifier == contextIdentifier)
            }
        }
        let thread = CurrentThread.identifier
        for observer in interested {
            let mayRun = lock.withLock {
                if observer.isRemoved { return false }
                observer.runningThreads.append(thread)
                return true
            }
            guard mayRun else { continue }
            observer.block(notification)
            lock.withLock {
                if let index = observer.runningThreads.firstIndex(of: thread) { observer.runningThreads.remove(at: index) }
                runEnded.broadcast()
            }
        }
    }

    /// Whether anyone would be called, so that saves need not collect the objects.
    func hasObservers(for name: PinviewNotification.Name, state: ContextState) -> Bool {
        guard observerCount.load(ordering: .relaxed) > 0 else { return false }
        return lock.withLock {
            observers.contains {
                ($0.name == nil || $0.name == name) && ($0.contextIdentifier == nil || $0.contextIdentifier == ObjectIdentifier(state))
            }
        }
    }
}
