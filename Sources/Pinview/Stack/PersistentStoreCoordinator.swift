import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore
import Synchronization

/// Connects a model with persistent stores, and serves any number of contexts
/// (`NSPersistentStoreCoordinator`). All members may be used on any thread.
public final class PersistentStoreCoordinator: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// The model of the coordinator's stores and contexts.
    public let managedObjectModel: ManagedObjectModel

    let rowCache = RowCache()
    let journalObservers = JournalObservers()
    let generationTable = GenerationTable()
    let generationObservers = GenerationObservers()
    /// The model's hooks at the time when the coordinator was made; nil if there are none.
    let hookTable: HookTable?
    /// Identifies the coordinator in tokens.
    let serial: UInt64
    /// A monotonic clock in seconds, by which staleness intervals are measured. Tests substitute
    /// their own.
    package var clock: @Sendable () -> Double {
        get { lock.withLock { _clock } }
        set {
            lock.withLock { _clock = newValue }
            hasClockOfTests.store(true, ordering: .releasing)
        }
    }
    /// The current time of the clock.
    var time: Double { hasClockOfTests.load(ordering: .acquiring) ? clock() : monotonicSeconds() }
    private let hasClockOfTests = Atomic<Bool>(false)

    private let lock = Lock()
    /// Held while a save commits to several stores, so that a generation falls either before or
    /// after all of it.
    private let commitLock = Lock()
    @exclusivity(unchecked) private var _persistentStores: [PersistentStore] = [] {
        didSet {
            _stores = _persistentStores.map(\.store)
            _hasSeveralStores.store(_stores.count > 1, ordering: .releasing)
        }
    }
    /// Each save asks.
    private let _hasSeveralStores = Atomic<Bool>(false)
    @exclusivity(unchecked) private var _stores: [any IncrementalStore] = []
    private var storeIdentifiers: [Int: String] = [:]
    private var contexts = LightReferences<ContextState>()
    private var _name: String?
    private var _clock: @Sendable () -> Double = monotonicSeconds

    private static let serials = Counter()

    /// Makes a coordinator without stores. The model's hooks cannot be changed any more after that.
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

    /// The stores, in the order in which they were added.
    public var persistentStores: [PersistentStore] { lock.withLock { _persistentStores } }
    var hasSeveralStores: Bool { _hasSeveralStores.load(ordering: .acquiring) }
    /// The stores behind `persistentStores`.
    var stores: [any IncrementalStore] { lock.withLock { _stores } }

    /// Opens a store, creating its file if there is none, and adds it.
    ///
    /// - Parameters:
    ///   - type: an SQLite file or an in-memory store.
    ///   - configuration: the model configuration whose entities the store holds; nil for all
    ///     entities.
    ///   - path: the store's file, in an existing folder. Nil for an in-memory store.
    ///   - options: `NSReadOnlyPersistentStoreOption` (Boolean), `journalMode` (`wal` by default),
    ///     `synchronous` (`normal` by default), `cacheSize` (pages that each connection keeps in
    ///     memory, or KiB if negative; SQLite's default is -2000), `busyTimeout` (seconds to wait
    ///     for other writers, 5 by default), `NSPersistentHistoryTrackingKey` (Boolean: keep a
    ///     persistent history), `NSPersistentStoreRemoteChangeNotificationPostOptionKey` (Boolean;
    ///     see `addRemoteChangeObserver`). Limits for what generations other than the newest hold
    ///     back: `journalBudgetBytes` (0 by default, meaning that only the share counts; with both,
    ///     the smaller one does), `journalBudgetShare` (of the store's size, 1.0 by default, but at
    ///     least 32 MiB) and `generationAgeBudget` (seconds for which such a generation may hold
    ///     the journal back; 0, the default, means no limit). `journalBudgetPolicy` decides what
    ///     happens at a limit: `off`, `warn` (observers and the log are told) or `detach` (the
    ///     default: the generations are copied to files beside the store, in the background, and no
    ///     longer hold the journal back; see `addJournalObserver`). Stores of the process on the
    ///     same file use the strongest policy and the smallest budget among them. `trustedSchema`
    ///     (Boolean, false by default): whether triggers, views and generated columns that others
    ///     have added to the file may run; without it, a file with any of them on the store's
    ///     tables is refused. `allowMissing` (Boolean, false by default): whether a store that is
    ///     opened for reading only may lack entities and properties of the model; see
    ///     ``PersistentStore/missing``.
    ///
    ///     A store of another version of the model is refused, unless `migrateStoreAutomatically`
    ///     (Boolean, also `NSMigratePersistentStoresAutomaticallyOption`) is set: it is migrated in
    ///     place then, in one transaction. `constraintPolicy` (`error`, `keepNewest` or
    ///     `keepOldest`) decides what happens to rows with equal values under a new uniqueness
    ///     constraint, `confirmedRemovals` (text such as `"Person.name, Car"`) lists what was
    ///     removed rather than renamed, `allowOlderModel` (Boolean) lets a store go back to a
    ///     version from which it was migrated, and `eraseOnModelChange` (Boolean, for development)
    ///     empties the store instead. `modelVersions` (text) is the path of a `.momd` or
    ///     `.xcdatamodeld` with the versions that a store of Core Data may have. See
    ///     `docs/migration.md`.
    /// - Throws: 134080 if the file cannot be opened or is not a database, 134100 if it was written
    ///   with another model, `invalidArgument` for unknown options. Nothing is added then.
    @discardableResult
    public func addPersistentStore(
        type: StoreType, configuration: String? = nil, at path: String? = nil, options: [String: Value] = [:]
    ) throws(PinviewError) -> PersistentStore {
        try addPersistentStore(type: type, configuration: configuration, at: path, try StoreOptions(parsing: options))
    }

    func addPersistentStore(
        type: StoreType, configuration: String?, at path: String?, _ given: StoreOptions
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
            throw PinviewError(.invalidArgument, "An in-memory store has no file, but the path '\(path)' was given.")
        }
        var options = given
        options.findVersions()
        options.journalObserver = { [journalObservers] in journalObservers.tell($0) }
        let opened = try SQLStore.open(location, model: managedObjectModel, configuration: configuration, options: options)
        let store: PersistentStore
        do throws(PinviewError) {
            store = try add(opened)
        } catch {
            opened.close()
            throw error
        }
        for observer in generationObservers.all { observer.listen(to: opened) }
        return store
    }

    /// Adds a store that is open.
    @discardableResult
    func add(_ opened: any IncrementalStore) throws(PinviewError) -> PersistentStore {
        let store = PersistentStore(store: opened)
        let twin = lock.withLock { () -> PersistentStore? in
            if let twin = _persistentStores.first(where: { $0.store.number == opened.number }) { return twin }
            _persistentStores.append(store)
            storeIdentifiers[Int(opened.number)] = opened.identifier
            return nil
        }
        if let twin {
            throw PinviewError(
                .persistentStoreOpen,
                "The store \(opened.identifier) is already on the coordinator, from '\(twin.path ?? "memory")'."
            ).with(affectedStores: [opened.identifier])
        }
        return store
    }

    /// Removes a store from the coordinator and closes it.
    ///
    /// Its rows are not fetched any more. Its objects in contexts become invalid and are announced
    /// under `NSInvalidatedObjectsKey`, their pending changes are dropped, and generations release
    /// its journal. In the middle of a save to the store, from a merge policy or a closure that
    /// supplies rows, it makes the save fail, of which nothing is written.
    /// - Throws: `unknownStore` if the store is not on this coordinator.
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

    func store(number: Int32) -> (any IncrementalStore)? {
        lock.withLock { _stores.first { $0.number == number } }
    }

    /// The stores that hold an entity, in order; only wanted ones if a request names stores.
    func stores(holding entity: Entity, among wanted: [PersistentStore]? = nil) -> [any IncrementalStore] {
        lock.withLock {
            _persistentStores.filter { $0.store.holds(entityIndex: entity.index) && (wanted?.contains($0) ?? true) }.map(\.store)
        }
    }

    /// The identifier of a store that is or has been on the coordinator.
    func storeIdentifier(number: Int32) -> String? { lock.withLock { storeIdentifiers[Int(number)] } }

    /// The object ID of a URI, equal to the one that the URI was made from; nil if its store is not
    /// on this coordinator. Does not check whether the row exists.
    ///
    /// - Throws: `invalidArgument` for text that is not a valid object URI, and for a URI whose
    ///   entity differs from that of the row with the key; `unknownEntity` for an entity that is
    ///   not in the model.
    public func managedObjectID(forURIRepresentation uri: String) throws(PinviewError) -> ManagedObjectID? {
        guard let parts = ObjectURI(uri) else {
            throw PinviewError(
                .invalidArgument, "'\(uri)' is not a valid object URI; expected x-coredata://<store UUID>/<entity>/p<number>.")
        }
        guard let entity = managedObjectModel.entity(named: parts.entityName) else {
            throw PinviewError(.unknownEntity, "The object URI '\(uri)' has the entity '\(parts.entityName)', which is not in the model.")
        }
        guard let identifier = parts.storeIdentifier, let primaryKey = parts.primaryKey else {
            throw PinviewError(.invalidArgument, "'\(uri)' is the URI of a temporary ID; only permanent IDs can be looked up.")
        }
        guard let store = lock.withLock({ _persistentStores.first { $0.identifier == identifier } }) else { return nil }
        if let actual = try store.store.entity(ofKey: primaryKey, inHierarchyOf: entity), actual !== entity {
            throw PinviewError(
                .invalidArgument,
                "The object URI \(uri.quotedForPeople) has the entity \(entity.name), but the row with the key \(primaryKey) is of the "
                    + "entity \(actual.name).")
        }
        let key = ObjectKey(storeNumber: store.store.number, rootEntity: Int32(entity.rootIndex), primaryKey: primaryKey)
        // The store's text, not the equal one of the URI, which each ID would keep for itself.
        return ManagedObjectID(entity: entity, key: key, storeIdentifier: store.identifier)
    }

    /// The model that a store file was written with, read from the file.
    public static func managedObjectModel(ofStoreAt path: String) throws(PinviewError) -> ManagedObjectModel {
        try SQLStore.model(ofStoreAt: path)
    }

    /// Runs the commits of a save so that no generation is taken between those of two stores.
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

    /// Called when a context of the coordinator ends.
    func contextEnded() {
        let living = lock.withLock { contexts.noteEnd() }
        withExtendedLifetime(living) {}
    }

    /// The contexts whose parent store is the coordinator.
    var rootContexts: [ContextState] { lock.withLock { contexts.objects } }
}

/// Returns 1, 2, 3, … Any thread.
final class Counter: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var value: UInt64 = 0

    func next() -> UInt64 {
        lock.withLock {
            value += 1
            return value
        }
    }

    /// Skips numbers.
    /// - Returns: the number returned last before that.
    func skip(_ count: Int) -> Int {
        lock.withLock {
            let given = Int(value)
            value += UInt64(count)
            return given
        }
    }
}

/// Seconds of the monotonic clock.
@Sendable func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

extension StoreOptions {
    /// Lets a migration read the versions of the model that the options name, when it needs them.
    mutating func findVersions() {
        guard let path = modelVersionsPath else { return }
        stages = MigrationStages(versions: stages.versions, stages: stages.stages) { try ManagedObjectModel.allVersions(ofModelAt: path) }
    }
}
