import Foundation
import Pinview

/// One sequence of steps, performed by the library and followed by the naive model.
final class StackRun {
    let features: Set<StackFeature>
    let folder: String
    let coordinators: [PersistentStoreCoordinator]
    let file: StackFile
    /// What was in the file after each commit.
    private(set) var history: [StackGraph] = [[:]]
    var levels: [String: StackLevel] = [:]
    var order: [StackLevel] = []
    /// Records by the names of their rows, and their present and former IDs.
    var numbers: [String: Int] = [:]
    var identifiers: [Int: ManagedObjectID] = [:]
    var temporaryIDs: [Int: [ManagedObjectID]] = [:]
    var used: Set<Int> = []
    var log: [String] = []
    var stepNumber = 0
    var stepCount = 0
    /// The file has content that only a stricter rule would have prevented: the following steps
    /// cannot be checked.
    var isAbandoned = false
    private var process: StackOtherProcess?
    private var observers: [PinviewNotificationCenter.Observer] = []

    init(folder: String, features: Set<StackFeature>) throws {
        self.folder = folder
        self.features = features
        let path = folder + "/stack.sqlite", model = try StackSchema.model()
        coordinators = try (0..<2).map { _ in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .sqlite, at: path)
            return coordinator
        }
        file = try StackFile(path: path)
    }

    deinit {
        for observer in observers { PinviewNotificationCenter.default.removeObserver(observer) }
        // Levels refer to their parents, and these to them.
        for level in order { level.children = [] }
    }

    func run(_ steps: [StackStep]) throws {
        for (index, step) in steps.enumerated() {
            stepNumber = index
            stepCount += 1
            let before = log.count
            do {
                let untouched = try untouched(by: step)
                let isDone = try perform(step)
                try compareUntouched(untouched)
                // Also a step that does not fit may have read.
                for level in order where level.parent == nil { noticePin(level) }
                if isDone { try checkAll() } else { log.append("# passed over: \(step)") }
            } catch {
                if log.count == before { log.append("\(step)") }
                throw error
            }
            if isAbandoned { return }
        }
    }

    func note(_ step: StackStep) { log.append(step.description) }
    func has(_ feature: StackFeature) -> Bool { features.contains(feature) }

    var newest: StackGraph { history[history.count - 1] }

    func mismatch(_ level: StackLevel, _ text: String) -> StackMismatch { StackMismatch("\(level.name): \(text)") }

    // MARK: Records

    func number(of object: ManagedObject) throws -> Int {
        if let number = numbers[object.rowName] { return number }
        throw StackMismatch("nobody made \(object)")
    }

    /// The record of a new object: an object whose saved deletion was undone is a new record.
    func numberOfNew(_ object: ManagedObject) -> Int {
        if let number = numbers[object.rowName] { return number }
        let first = (0..<StackSchema.period).first { StackSchema.entity($0) == object.entity.name } ?? 0
        let number = (2...).lazy.map { first + $0 * StackSchema.period }.first { !self.used.contains($0) } ?? first
        used.insert(number)
        learn(object, number)
        return number
    }

    func learn(_ object: ManagedObject, _ number: Int) {
        let objectID = object.objectID
        numbers[object.rowName] = number
        numbers[ManagedObject.rowName(objectID)] = number
        identifiers[number] = objectID
        if objectID.isTemporaryID, temporaryIDs[number]?.contains(objectID) != true { temporaryIDs[number, default: []].append(objectID) }
    }

    /// New objects may have other IDs after an undo, a redo or a save.
    func learn(_ level: StackLevel) {
        for (number, object) in level.handles where object.managedObjectContext != nil && object.isLive {
            if let other = numbers[object.rowName], other != number, !object.objectID.isTemporaryID {
                // The new object has become the row that had its values (UNQ-02).
                level.handles[number] = nil
                level.handles[other] = object
            } else if let known = identifiers[number], !known.isTemporaryID, object.rowName.hasPrefix("new/") {
                level.handles[number] = nil
                level.handles[numberOfNew(object)] = object
            } else if numbers[object.rowName] != number || !object.objectID.isTemporaryID {
                learn(object, number)
            }
        }
    }

    /// The records that a context reads from one store up.
    func existing(_ level: StackLevel) -> Set<Int> {
        if let parent = level.parent { return shown(parent) }
        return Set(graph(level).keys)
    }

    /// What a root context reads.
    func graph(_ level: StackLevel) -> StackGraph {
        if case .at(let index) = level.root.pin { return history[index] }
        return newest
    }

    /// The content of a context's source: the store, with the pending changes of the contexts
    /// above.
    func source(_ level: StackLevel) -> StackGraph {
        guard let parent = level.parent else { return graph(level) }
        return parent.pending.committed(on: source(parent))
    }

    /// The records that a fetch in a context finds.
    func shown(_ level: StackLevel) -> Set<Int> {
        existing(level).subtracting(level.pending.deleted).union(level.pending.inserted.keys)
    }

    /// The object of a record in a context; nil where there is none.
    func object(_ number: Int, _ level: StackLevel) throws -> ManagedObject? {
        if let handle = level.handles[number], handle.isLive, try level.context.registeredObject(for: handle.objectID) === handle {
            if !handle.isFault || shown(level).contains(number) { return handle }
        }
        guard shown(level).contains(number), let objectID = identifiers[number] else { return nil }
        let coordinator = coordinators[level.coordinator]
        let known = objectID.isTemporaryID ? objectID : try coordinator.managedObjectID(forURIRepresentation: objectID.uriRepresentation)
        guard let known else { return nil }
        let object = try level.context.object(with: known)
        guard object.isLive else { return nil }
        level.handles[number] = object
        return object
    }

    func numbers(of objects: some Sequence<ManagedObject>) throws -> Set<Int> { Set(try objects.map(number)) }

    // MARK: Contexts

    static func policy(_ name: String) -> MergePolicy {
        switch name {
        case "store": .mergeByPropertyStoreTrump
        case "object": .mergeByPropertyObjectTrump
        case "overwrite": .overwrite
        case "rollback": .rollback
        case "custom": .custom { $0.map { _ in .policy(.mergeByPropertyObjectTrump) } }
        default: .error
        }
    }

    func makeLevel(_ name: String, _ words: [String]) throws -> Bool {
        guard levels[name] == nil, words.count >= 2 else { return false }
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        let level: StackLevel, flags = Set(words.dropFirst(2))
        if words[0] == "child" {
            guard let parent = levels[words[1]] else { return false }
            try context.setParent(parent.context)
            level = StackLevel(
                name: name, context: context, parent: parent, coordinator: parent.coordinator, policy: "error",
                isAutomatic: flags.contains("auto"))
            level.pin = .unpinned
            parent.children.append(level)
        } else {
            let index = words[1] == "2" ? 1 : 0
            try context.setPersistentStoreCoordinator(coordinators[index])
            let policy = words.count > 2 ? words[2] : "error"
            level = StackLevel(
                name: name, context: context, parent: nil, coordinator: index, policy: policy, isAutomatic: flags.contains("auto"))
            context.mergePolicy = Self.policy(policy)
        }
        // Commits of another coordinator or process are read with the next read.
        context.stalenessInterval = 0
        context.retainsRegisteredObjects = flags.contains("retains")
        context.name = name
        try context.setAutomaticallyMergesChangesFromParent(level.isAutomatic)
        observers.append(
            PinviewNotificationCenter.default.addObserver(forName: .didSave, object: context) { [weak level, weak self] notification in
                level?.lastSave = (self?.history.count ?? 0, notification)
            })
        levels[name] = level
        order.append(level)
        return true
    }

    // MARK: Commits

    /// The file has changed: its present content is one more commit.
    func readCommit() throws {
        history.append(try readFile())
        for level in order where level.parent == nil { noticePin(level) }
    }

    func readFile() throws -> StackGraph {
        try file.graph { [self] root, key in
            let name = ManagedObject.rowName(root: root, key)
            guard let number = numbers[name] else { throw StackMismatch("the file has \(name), which nobody saved") }
            return number
        }
    }

    func replaceNewest(_ graph: StackGraph) { history[history.count - 1] = graph }

    /// A context that reads for the first time has its generation from then on.
    func noticePin(_ level: StackLevel) {
        guard level.pin == .onRead, let token = level.context.queryGenerationToken, !token.isCurrent else { return }
        level.pin = .at(history.count - 1)
    }

    /// A commit that a context has not made itself.
    func noteForeignCommit(by author: StackLevel?) {
        for level in order where level !== author && level.parent == nil {
            if level.isAutomatic, author?.coordinator == level.coordinator, author != nil {
                noteMerged(level, commit: nil)
            } else if !level.context.registeredObjects.isEmpty || level.pending.hasChanges || level.isAtGeneration {
                // A context that has read nothing has missed nothing; a child's reads also fix the
                // generation of a pinned context.
                level.missed.insert(history.count - 1)
                level.mayConflict = true
            }
            noteSourceChanged(level)
        }
        if let author { noteSourceChanged(author) }
    }

    /// The content of a context has changed: its children have not seen it.
    func noteSourceChanged(_ level: StackLevel) {
        for child in level.descendants where !child.context.registeredObjects.isEmpty || child.pending.hasChanges {
            child.missed.insert(stepNumber + 1_000_000)
        }
    }

    /// The context has taken in what others did.
    func noteMerged(_ level: StackLevel, commit: Int?) {
        if let commit { level.missed.remove(commit) }
        if level.pin != .unpinned { level.pin = .onRead }
        level.isAnnounced = true
        level.forgetGroups(keepingAttributes: false)
        // Merged deletions conflict with rows written again since.
        if !level.pending.deleted.isEmpty { level.mayConflict = true }
        level.adopts = true
        level.absorbs = true
        for child in level.descendants where child.isAutomatic {
            child.forgetGroups(keepingAttributes: false)
            child.adopts = true
            child.absorbs = true
        }
    }

    var otherProcess: StackOtherProcess {
        get throws {
            if let process { return process }
            let started = try StackOtherProcess(path: folder + "/stack.sqlite")
            process = started
            return started
        }
    }
}
