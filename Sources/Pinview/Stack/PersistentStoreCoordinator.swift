import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore
import Synchronization

/// Joins a model with persistent stores and serves any number of contexts
/// (`NSPersistentStoreCoordinator`). All members may be used from any thread.
public final class PersistentStoreCoordinator: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// The model of the coordinator's stores and contexts.
    public let managedObjectModel: ManagedObjectModel

    let rowCache = RowCache()
    let journalObservers = JournalObservers()
    let generationTable = GenerationTable()
    let generationObservers = GenerationObservers()
    /// The hooks of the model as they were when the coordinator was made; nil when there are none.
    let hookTable: HookTable?
    /// Names the coordinator in tokens.
    let serial: UInt64
    /// Seconds that only grow; the staleness interval is measured with it. Tests put in their own.
    package var clock: @Sendable () -> Double {
        get { lock.withLock { _clock } }
        set {
            lock.withLock { _clock = newValue }
            hasClockOfTests.store(true, ordering: .releasing)
        }
    }
    /// What the clock shows.
    var time: Double { hasClockOfTests.load(ordering: .acquiring) ? clock() : monotonicSeconds() }
    private let hasClockOfTests = Atomic<Bool>(false)

    private let lock = Lock()
    /// Held while a save commits to several stores, so that a generation falls before or after all
    /// of it.
    private let commitLock = Lock()
    private var _persistentStores: [PersistentStore] = [] {
        didSet { _stores = _persistentStores.map(\.store) }
    }
    private var _stores: [SQLStore] = []
    private var storeIdentifiers: [Int32: String] = [:]
    private var contexts = LightReferences<ContextState>()
    private var _name: String?
    private var _clock: @Sendable () -> Double = monotonicSeconds

    private static let serials = Counter()

    /// Makes a coordinator without stores. The hooks of the model's entities can not be set any
    /// more then.
    public init(managedObjectModel: ManagedObjectModel) {
        self.managedObjectModel = managedObjectModel
        hookTable = HookTable(managedObjectModel)
        serial = Self.serials.next()
        CoordinatorList.shared.add(self)
    }

    deinit { contexts.release() }

    /// A name for logs and diagnostics.
    public var name: String? {
        get { lock.withLock { _name } }
        set { lock.withLock { _name = newValue } }
    }

    // MARK: Stores

    /// The stores in the order in which they were added.
    public var persistentStores: [PersistentStore] { lock.withLock { _persistentStores } }
    /// What is behind them.
    var stores: [SQLStore] { lock.withLock { _stores } }

    /// Opens a store, making its file where there is none, and adds it.
    ///
    /// - Parameters:
    ///   - type: an SQLite file or a store in memory.
    ///   - configuration: the configuration of the model whose entities the store holds; nil for
    ///     all.
    ///   - path: the store's file; its folder has to exist. Nil for a store in memory.
    ///   - options: `NSReadOnlyPersistentStoreOption` (Boolean), `journalMode` (`wal` by default),
    ///     `synchronous` (`normal` by default), `cacheSize` (pages that each connection keeps in
    ///     memory, or KiB if negative; SQLite's default is -2000), `busyTimeout` (seconds to wait
    ///     for other writers, 5 by default), `NSPersistentHistoryTrackingKey` (Boolean: keep a
    ///     persistent history), `NSPersistentStoreRemoteChangeNotificationPostOptionKey` (Boolean;
    ///     see `addRemoteChangeObserver`). How long generations that are not the newest may make
    ///     the journal: `journalBudgetBytes` (0 by default: the share decides; with both the
    ///     smaller one counts), `journalBudgetShare` (of the store's size, 1.0 by default, yet
    ///     never less than 32 MiB), and `generationAgeBudget` (seconds that such a generation may
    ///     hold the journal back, 0 by default: without a limit). And what happens then,
    ///     `journalBudgetPolicy`: `off`, `warn` (observers and the log are told) or `detach` (the
    ///     default: they are copied aside in the background, beside the store, and hold the journal
    ///     no more; see `addJournalObserver`). Stores of the process on the same file agree on the
    ///     strongest policy and the smallest budget. `trustedSchema` (Boolean, false by default):
    ///     whether triggers, views and generated columns that somebody has put into the file may
    ///     run; a file that has any on the store's tables is refused otherwise.
    /// - Throws: 134080 when the file cannot be opened or is no database, 134100 when it was
    ///   written with another model, `invalidArgument` for options that do not exist. Nothing is
    ///   added then.
    @discardableResult
    public func addPersistentStore(
        type: StoreType, configuration: String? = nil, at path: String? = nil, options: [String: Value] = [:]
    ) throws(PinviewError) -> PersistentStore {
        let location: SQLStore.Location
        switch (type, path) {
        case (.sqlite, let path?) where !path.isEmpty:
            location = .file(path: path)
        case (.sqlite, _):
            throw PinviewError(.invalidArgument, "A store of type SQLite needs the path of its file.")
        case (.inMemory, nil):
            location = .inMemory
        case (.inMemory, let path?):
            throw PinviewError(.invalidArgument, "A store in memory has no file, but the path '\(path)' was given.")
        }
        var options = try StoreOptions(parsing: options)
        options.journalObserver = { [journalObservers] in journalObservers.tell($0) }
        let opened = try SQLStore.open(location, model: managedObjectModel, configuration: configuration, options: options)
        let store = PersistentStore(store: opened)
        let twin = lock.withLock { () -> PersistentStore? in
            if let twin = _persistentStores.first(where: { $0.store.number == opened.number }) { return twin }
            _persistentStores.append(store)
            storeIdentifiers[opened.number] = opened.identifier
            return nil
        }
        if let twin {
            opened.close()
            throw PinviewError(
                .persistentStoreOpen,
                "The store \(opened.identifier) is on the coordinator already, from '\(twin.path ?? "memory")'."
            ).with(affectedStores: [opened.identifier])
        }
        for observer in generationObservers.all { observer.listen(to: opened) }
        return store
    }

    /// Takes a store off the coordinator and closes it.
    ///
    /// Its rows are fetched no more, the objects that contexts have of it become invalid and are
    /// announced under `NSInvalidatedObjectsKey`, their pending changes are dropped, and every
    /// generation's hold on its journal ends.
    /// - Throws: `unknownStore` when the store is not on this coordinator.
    public func remove(_ store: PersistentStore) throws(PinviewError) {
        let states = lock.withLock { () -> [ContextState]? in
            guard let index = _persistentStores.firstIndex(of: store) else { return nil }
            _persistentStores.remove(at: index)
            return contexts.objects
        }
        guard let states else {
            throw PinviewError(.unknownStore, "The store \(store.identifier) is not on this coordinator.")
                .with(affectedStores: [store.identifier])
        }
        for observer in generationObservers.all { observer.forget(store.store) }
        for set in generationTable.all { set.dropStore(store.store) }
        rowCache.invalidateAll(storeNumber: store.store.number)
        for state in states { state.storeWasRemoved(store.store) }
        store.store.close()
    }

    func store(number: Int32) -> SQLStore? {
        lock.withLock { _stores.first { $0.number == number } }
    }

    /// The stores that hold an entity, in order; only the wanted ones where a request names stores.
    func stores(holding entity: Entity, among wanted: [PersistentStore]? = nil) -> [SQLStore] {
        lock.withLock {
            _persistentStores.filter { $0.store.holds(entityIndex: entity.index) && (wanted?.contains($0) ?? true) }.map(\.store)
        }
    }

    /// The identifier of a store that is or was on the coordinator.
    func storeIdentifier(number: Int32) -> String? { lock.withLock { storeIdentifiers[number] } }

    /// The object ID that a URI names, equal to the one it was made from, or nil when its store is
    /// not on this coordinator. It says nothing about whether the row exists.
    ///
    /// - Throws: `invalidArgument` for a text that is no object URI, and for one whose entity is
    ///   not that of the row which has the key now; `unknownEntity` for an entity that the model
    ///   lacks.
    public func managedObjectID(forURIRepresentation uri: String) throws(PinviewError) -> ManagedObjectID? {
        guard let parts = ObjectURI(uri) else {
            throw PinviewError(
                .invalidArgument, "'\(uri)' is no object URI; one looks like x-coredata://<store UUID>/<entity>/p<number>.")
        }
        guard let entity = managedObjectModel.entity(named: parts.entityName) else {
            throw PinviewError(.unknownEntity, "The object URI '\(uri)' names the entity '\(parts.entityName)', which the model lacks.")
        }
        guard let identifier = parts.storeIdentifier, let primaryKey = parts.primaryKey else {
            throw PinviewError(.invalidArgument, "'\(uri)' is the URI of a temporary ID; only permanent IDs can be looked up.")
        }
        guard let store = lock.withLock({ _persistentStores.first { $0.identifier == identifier } }) else { return nil }
        if let actual = try store.store.entity(ofKey: primaryKey, inHierarchyOf: entity), actual !== entity {
            throw PinviewError(
                .invalidArgument,
                "The object URI \(uri.quotedForPeople) names the entity \(entity.name), but what has the key \(primaryKey) in that store is of the "
                    + "entity \(actual.name).")
        }
        let key = ObjectKey(storeNumber: store.store.number, rootEntity: Int32(entity.rootIndex), primaryKey: primaryKey)
        return ManagedObjectID(entity: entity, key: key, storeIdentifier: identifier)
    }

    /// The model that a store file was written with, read from the file itself.
    public static func managedObjectModel(ofStoreAt path: String) throws(PinviewError) -> ManagedObjectModel {
        try SQLStore.model(ofStoreAt: path)
    }

    /// Runs the commits of one save, so that no generation is taken between those of two stores.
    func committing<R>(toSeveralStores: Bool, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        if toSeveralStores { commitLock.lock() }
        defer { if toSeveralStores { commitLock.unlock() } }
        return try body()
    }

    // MARK: Contexts

    func add(_ state: ContextState) {
        let living = lock.withLock { contexts.add(state) }
        withExtendedLifetime(living) {}
    }

    /// A context of the coordinator is ending.
    func contextEnded() {
        let living = lock.withLock { contexts.noteEnd() }
        withExtendedLifetime(living) {}
    }

    /// The contexts whose parent store is the coordinator itself.
    var rootContexts: [ContextState] { lock.withLock { contexts.objects } }
}

/// Hands out 1, 2, 3, … to any thread.
final class Counter: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var value: UInt64 = 0

    func next() -> UInt64 {
        lock.withLock {
            value += 1
            return value
        }
    }

    /// Moves on at once.
    /// - Returns: how many numbers were given before.
    func skip(_ count: Int) -> Int {
        lock.withLock {
            let given = Int(value)
            value += UInt64(count)
            return given
        }
    }
}

/// Seconds of the clock that is never set back.
@Sendable func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
