import Pinview

/// A naive model of how merge policies resolve uniqueness conflicts: all rows in memory, compared
/// with each other one by one.
struct UniquenessModel {
    static let keys = ["mail", "phone", "name", "age"]
    /// The constraints are the first two.
    static let constraints = [0, 1]

    struct Row {
        var cells: [Value]
        /// As it is in the store; nil for a new one.
        var current: [Value]?
        var isSet: [Bool]
        var isWritten: [Bool]
        /// When it was changed last; 0 for a row that has no changes.
        var sequence = 0
        var target: Int?
        var hasAbsorbed = false
        var isDeleted = false

        var isNew: Bool { current == nil }
    }

    /// By primary key, and below 0 for new ones.
    private(set) var rows: [Int: Row] = [:]

    init(stored: [Int: [Value]]) {
        for (key, cells) in stored {
            rows[key] = Row(cells: cells, current: cells, isSet: cells.map { _ in false }, isWritten: cells.map { _ in false })
        }
    }

    mutating func insert(_ number: Int, _ cells: [Value], isSet: [Bool], sequence: Int) {
        rows[number] = Row(cells: cells, isSet: isSet, isWritten: cells.map { _ in true }, sequence: sequence)
    }

    mutating func update(_ key: Int, _ cells: [Value], sequence: Int) {
        guard let current = rows[key]?.current else { return }
        guard rows[key]?.cells != cells else { return }
        let changed = zip(cells, current).map { $0 != $1 }
        rows[key]?.cells = cells
        rows[key]?.isSet = changed
        rows[key]?.isWritten = changed
        // What was changed back is not pending any more.
        rows[key]?.sequence = changed.contains(true) ? sequence : 0
    }

    mutating func delete(_ key: Int) { rows[key]?.isDeleted = true }

    private func final(_ key: Int) -> Int {
        var key = key
        while let target = rows[key]?.target { key = target }
        return key
    }

    /// The keys of rows that collide, in each constraint, first the one that is kept.
    private func collisions() -> [(constraint: Int, keys: [Int])] {
        let live = rows.filter { $0.value.target == nil && !$0.value.isDeleted }
            .sorted {
                ($0.value.sequence == 0 ? 1 : 0, $0.value.sequence, $0.key) < ($1.value.sequence == 0 ? 1 : 0, $1.value.sequence, $1.key)
            }
        var found: [(constraint: Int, keys: [Int])] = []
        for constraint in Self.constraints {
            var seen: [Value] = []
            for (_, row) in live where (row.isNew || row.isWritten[constraint]) && !row.cells[constraint].isNull {
                let value = row.cells[constraint]
                if seen.contains(value) { continue }
                seen.append(value)
                let same = live.filter { $0.value.cells[constraint] == value }
                guard same.count > 1 else { continue }
                let holders = same.filter { !$0.value.isNew && !$0.value.isWritten[constraint] }
                let claimants = same.filter { $0.value.isNew || $0.value.isWritten[constraint] }.sorted {
                    $0.value.sequence < $1.value.sequence
                }
                found.append((constraint, (holders + claimants).map(\.key)))
            }
        }
        return found
    }

    /// - Returns: false where the save has to fail.
    mutating func resolve(by policy: MergePolicy) -> Bool {
        while true {
            let found = collisions()
            if found.isEmpty { return true }
            if policy == .error { return false }
            var touched: Set<Int> = []
            for (constraint, keys) in found where touched.isDisjoint(with: keys) {
                touched.formUnion(keys)
                var standing = keys[0]
                for memory in keys.dropFirst() {
                    guard merge(memory, standing, constraint, policy) else { return false }
                    standing = final(standing)
                }
            }
        }
    }

    private mutating func merge(_ memory: Int, _ standing: Int, _ constraint: Int, _ policy: MergePolicy) -> Bool {
        guard let mine = rows[memory], let theirs = rows[standing] else { return false }
        let isInsertion = mine.isNew
        switch policy {
        case .rollback:
            if isInsertion { absorb(memory, standing) { _ in false } } else { return revert(memory, Array(Self.keys.indices)) }
        case .mergeByPropertyStoreTrump:
            if isInsertion { absorb(memory, standing) { theirs.cells[$0].isNull } } else { return revert(memory, [constraint]) }
        default:
            let takesAll = policy == .overwrite
            if theirs.isNew, !isInsertion {
                absorb(standing, memory) { !takesAll && theirs.isSet[$0] && !mine.isSet[$0] }
            } else {
                if !isInsertion, mine.sequence == 0 || mine.hasAbsorbed { return false }
                absorb(memory, standing) { takesAll || mine.isSet[$0] }
            }
        }
        return true
    }

    private mutating func absorb(_ loser: Int, _ winner: Int, _ takes: (Int) -> Bool) {
        for index in Self.keys.indices where takes(index) {
            guard let cell = rows[loser]?.cells[index] else { continue }
            if rows[loser]?.isSet[index] == true { rows[winner]?.isSet[index] = true }
            if rows[winner]?.cells[index] != cell {
                rows[winner]?.cells[index] = cell
                rows[winner]?.isWritten[index] = true
            }
        }
        rows[loser]?.target = winner
        rows[winner]?.hasAbsorbed = true
    }

    private mutating func revert(_ key: Int, _ indexes: [Int]) -> Bool {
        guard let current = rows[key]?.current else { return false }
        var isChanged = false
        for index in indexes where rows[key]?.isWritten[index] == true {
            rows[key]?.cells[index] = current[index]
            rows[key]?.isWritten[index] = false
            rows[key]?.isSet[index] = false
            isChanged = true
        }
        return isChanged
    }

    /// The rows after the save.
    var remaining: [Int: [Value]] { rows.filter { $0.value.target == nil && !$0.value.isDeleted }.mapValues(\.cells) }
    /// What a reference to a row leads to after the save.
    func remaining(_ key: Int) -> [Value]? { rows[final(key)].flatMap { $0.isDeleted ? nil : $0.cells } }
}
