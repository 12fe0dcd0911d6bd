import Foundation
import Pinview

/// One state of the store, as the naive model knows it.
struct NaiveStore {
    var rows: NaiveGraph = [:]
    /// How often each row was written, for conflicts.
    var versions: [Int: Int] = [:]
}

/// Drives a context with the steps of a scenario, and a naive model beside it, and compares the two
/// after each step.
///
/// The context under test is the lowest of `levels`, with its child contexts above it. Other
/// contexts commit and read beside it.
final class RandomRun {
    struct Level {
        let context: ManagedObjectContext
        var naive = NaiveContext()
        /// Objects that the test itself refers to.
        var handles: [Int: ManagedObject] = [:]
    }

    enum Pin: Equatable {
        case unpinned
        case onRead(isAnnounced: Bool)
        case pinned(Int)
    }

    let scenario: RandomScenario
    let coordinator: PersistentStoreCoordinator
    let foreignCoordinator: PersistentStoreCoordinator
    var levels: [Level] = []
    /// All states of the store, in order; a pin is an index of it.
    var history: [NaiveStore] = [NaiveStore()]
    var pin = Pin.unpinned
    /// A context that only reads, at generations of its own.
    let reader: ManagedObjectContext
    var readerPin = Pin.unpinned
    /// Before this state some records had other IDs; no step goes back there.
    var oldestUsable = 0
    /// The record of each ID, and the present ID of each record.
    var numbers: [ManagedObjectID: Int] = [:]
    var identifiers: [Int: ManagedObjectID] = [:]
    var lastNumber = 0
    private(set) var log: [String] = []

    init(_ scenario: RandomScenario, folder: String) throws {
        self.scenario = scenario
        let model = try NaiveSchema.model(hooks: scenario.hasHooks ? NaiveHooks.entityHooks : nil), path = folder + "/store.sqlite"
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: path)
        if scenario.hasSecondCoordinator {
            foreignCoordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try foreignCoordinator.addPersistentStore(type: .sqlite, at: path)
        } else {
            foreignCoordinator = coordinator
        }
        reader = try Self.context(coordinator)
        let root = try Self.context(coordinator)
        root.retainsRegisteredObjects = scenario.retainsObjects
        root.mergePolicy = scenario.policy
        try root.setAutomaticallyMergesChangesFromParent(scenario.mergesAutomatically)
        // Only a program that never uses cached rows sees the commits of another coordinator at
        // once (RFR-17).
        if scenario.hasSecondCoordinator {
            root.stalenessInterval = 0
            reader.stalenessInterval = 0
        }
        push(root)
    }

    static func context(_ coordinator: PersistentStoreCoordinator) throws -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        return context
    }

    func push(_ context: ManagedObjectContext) {
        context.undoManager?.levelsOfUndo = scenario.levelsOfUndo
        levels.append(Level(context: context, naive: newNaiveContext()))
    }

    func newNaiveContext() -> NaiveContext {
        var naive = NaiveContext()
        naive.levelsOfUndo = scenario.levelsOfUndo
        naive.hasHooks = scenario.hasHooks
        return naive
    }

    /// Runs all steps.
    func run() throws {
        for step in scenario.steps { try run(step) }
        try settle()
        for index in levels.indices { try compareAll(index) }
    }

    private func run(_ step: RandomStep) throws {
        var numbers = StepNumbers(step.numbers)
        do {
            try perform(step.kind, &numbers)
            try settle()
            for index in levels.indices {
                try compareState(index)
                if !scenario.isLazy { try compareAll(index) }
            }
        } catch let error as PinviewError {
            throw Mismatch("step \(step.kind): \(error)")
        }
    }

    func note(_ line: String) { log.append(line) }

    // MARK: Shortcuts

    var top: Int { levels.count - 1 }
    var naive: NaiveContext {
        get { levels[top].naive }
        set { levels[top].naive = newValue }
    }
    var context: ManagedObjectContext { levels[top].context }
    var newest: NaiveStore { history[history.count - 1] }

    /// The state that the root reads, or would read now.
    var storeOfRoot: NaiveStore {
        if case .pinned(let index) = pin { return history[index] }
        return newest
    }

    /// What a context reads: the store at its generation, or the parent.
    func source(_ index: Int) -> NaiveStore {
        guard index > 0 else { return storeOfRoot }
        let parent = levels[index - 1].naive
        return NaiveStore(rows: parent.rows.filter { parent.alive.contains($0.key) })
    }

    /// Whether relationships may be changed: not while those in the context differ from those in
    /// the store.
    var mayRelate: Bool {
        levels[0].naive.base.hasSameShape(as: newest.rows)
    }

    /// Whether the root may read the newest state: objects with pending changes do not lose their
    /// rows.
    func mayMove(to store: NaiveStore) -> Bool {
        if awaitsMergedDeletions { return false }
        return levels[0].naive.base.hasSameShape(as: store.rows) || !levels.contains { $0.naive.hasChanges }
    }

    /// Whether records are to be deleted here because others have deleted them.
    var awaitsMergedDeletions: Bool { levels[0].naive.deleted.contains { newest.rows[$0] == nil } }

    var hasPendingChanges: Bool { levels.contains { $0.naive.hasChanges } }

    // MARK: Objects

    func object(_ number: Int, _ index: Int? = nil) throws -> ManagedObject {
        let index = index ?? top
        if let object = levels[index].handles[number] { return object }
        guard let identifier = identifiers[number] else { throw Mismatch("the test knows no ID of record \(number)") }
        let object = try levels[index].context.object(with: identifier)
        levels[index].handles[number] = object
        return object
    }

    func number(of object: ManagedObject) throws -> Int {
        guard let number = numbers[object.objectID] else { throw Mismatch("nobody made \(object)") }
        return number
    }

    func numbers(of objects: some Sequence<ManagedObject>) throws -> Set<Int> {
        Set(try objects.map(number))
    }

    func learnIdentifier(of object: ManagedObject, _ number: Int) {
        numbers[object.objectID] = number
        identifiers[number] = object.objectID
    }

    /// New objects may have other IDs after an undo, a redo or a save.
    func learnIdentifiersOfNewObjects() {
        for (number, object) in levels[top].handles where naive.alive.contains(number) { learnIdentifier(of: object, number) }
    }

    // MARK: Moving on

    /// Makes the root read the present state where the test must not depend on when it does: in a
    /// lazy run always, otherwise if records are gone from there.
    func settle() throws {
        if case .onRead = pin {
            // The first read fixes the generation.
            _ = try levels[0].context.count(for: FetchRequest(entityName: "Club"))
            pin = .pinned(history.count - 1)
        }
        if !scenario.isLazy, !storeOfRoot.rows.hasSameShape(as: levels[0].naive.base), !hasPendingChanges { forgetHistory() }
        let store = storeOfRoot, base = levels[0].naive.base
        let isGone = base.keys.contains { store.rows[$0] == nil && levels[0].naive.alive.contains($0) }
        guard isGone || scenario.isLazy, store.rows != base else { return }
        guard levels.count == 1, !awaitsMergedDeletions else { return }
        note("  refreshAllObjects")
        try refreshAll()
    }

    func refreshAll() throws {
        let store = source(top), hasSameShape = naive.base.hasSameShape(as: store.rows)
        try context.refreshAllObjects()
        naive.refreshAll(from: store.rows, versions: store.versions)
        guard !hasSameShape else { return }
        // Records may be gone.
        forgetHistory()
        for index in levels.indices { levels[index].handles = [:] }
    }

    /// Nothing done so far can be undone any more.
    func forgetHistory() {
        for index in levels.indices {
            levels[index].context.undoManager?.removeAllActions()
            levels[index].naive.removeAllActions()
            let alive = levels[index].naive.alive
            levels[index].handles = levels[index].handles.filter { alive.contains($0.key) }
        }
    }
}
