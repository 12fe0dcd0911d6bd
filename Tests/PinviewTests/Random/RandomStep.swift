import Pinview
import RandomSupport

/// One step of a random sequence. Its numbers choose among the records and contexts at that moment;
/// a step that is not applicable is skipped, so that any step may be left out of a sequence.
struct RandomStep {
    enum Kind: String, CaseIterable {
        case insert, setAttribute, setToOne, addMember, removeMember, setMembers, moveMember, delete
        case several, groups, undo, redo, save, rollback, reset
        case refreshMerging, refreshDropping, refreshAll, obtainIDs, letGo
        case pushChild, popChild, editParent
        case pinCurrent, pinThenCommit, unpin, takeToken, giveToken, readerPins, readerReads
        case commitAttributes, commitShape, commitAndMerge
        case fetch, read, compareAll

        var weight: Int {
            switch self {
            case .setAttribute, .setToOne, .addMember, .save: 8
            case .insert, .setMembers, .removeMember, .moveMember, .several, .undo: 6
            case .delete, .redo, .fetch, .read, .popChild: 5
            case .refreshMerging, .refreshDropping, .refreshAll, .groups, .commitAttributes, .commitShape: 3
            case .commitAndMerge, .pinCurrent, .letGo: 3
            case .rollback, .pushChild, .editParent, .pinThenCommit, .unpin, .takeToken, .giveToken, .readerPins, .readerReads, .compareAll:
                2
            case .reset, .obtainIDs: 1
            }
        }
    }

    let kind: Kind
    let numbers: [Int]

    static let bag = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    static func random(_ kinds: [Kind], using generator: inout SeededGenerator) -> RandomStep {
        RandomStep(
            kind: kinds.randomElement(using: &generator) ?? .insert,
            numbers: (0..<12).map { _ in .random(in: 0..<1 << 20, using: &generator) })
    }
}

/// Hands out the numbers of a step one after the other.
struct StepNumbers {
    private let numbers: [Int]
    private var position = 0

    init(_ numbers: [Int]) { self.numbers = numbers }

    mutating func next(below limit: Int) -> Int {
        defer { position += 1 }
        return limit <= 0 ? 0 : numbers[position % numbers.count] / (1 + position / numbers.count) % limit
    }

    mutating func pick<T>(_ candidates: [T]) -> T? {
        candidates.isEmpty ? nil : candidates[next(below: candidates.count)]
    }
}

/// What a whole sequence keeps to.
struct RandomScenario {
    let seed: UInt64
    /// Not everything is read after each step, so that most steps act on faults.
    let isLazy: Bool
    /// Whether the other program's commits come through a coordinator of its own.
    let hasSecondCoordinator: Bool
    let levelsOfUndo: Int
    let retainsObjects: Bool
    /// What the context under test does about conflicts.
    let policy: MergePolicy
    /// Whether it merges by itself what others save.
    let mergesAutomatically: Bool
    /// Whether entities have hooks that change their objects; see `NaiveHooks`.
    let hasHooks: Bool
    var steps: [RandomStep]

    init(seed: UInt64, count: Int) {
        var generator = SeededGenerator(seed: seed)
        self.seed = seed
        isLazy = .random(using: &generator)
        hasSecondCoordinator = .random(using: &generator)
        levelsOfUndo = Int.random(in: 0..<4, using: &generator) == 0 ? 3 : 0
        retainsObjects = Int.random(in: 0..<4, using: &generator) == 0
        policy = Bool.random(using: &generator) ? .error : MergePolicy.constants.randomElement(using: &generator) ?? .error
        mergesAutomatically = Int.random(in: 0..<4, using: &generator) == 0
        hasHooks = Int.random(in: 0..<3, using: &generator) == 0
        // First some records to play with, related and saved.
        let relating: [RandomStep.Kind] = [.setToOne, .addMember, .setMembers, .setAttribute]
        let first = Array(repeating: [RandomStep.Kind.insert], count: 12) + Array(repeating: relating, count: 14) + [[.save]]
        steps = first.map { .random($0, using: &generator) } + (0..<count).map { _ in .random(RandomStep.bag, using: &generator) }
    }
}

/// A difference between the library and the naive model.
struct Mismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
