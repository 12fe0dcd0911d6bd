import Pinview

/// The expected content of a context, in the simplest form: complete copies of the committed state
/// and of the state in memory. Insertions, updates and deletions are the differences between the
/// two.
struct NaiveContext {
    /// As committed one store up, when the context last saw it.
    var base: NaiveGraph = [:]
    /// How often the committed rows had been written then.
    var versions: [Int: Int] = [:]
    /// The state in memory. Records that are not alive keep their last state.
    var rows: NaiveGraph = [:]
    var alive: Set<Int> = []
    var undoGroups: [NaiveUndoGroup] = []
    var redoGroups: [NaiveUndoGroup] = []
    var openGroup = NaiveUndoGroup()
    var levelsOfUndo = 0
    /// Whether objects have the hooks of `NaiveHooks`.
    var hasHooks = false
    private var deletesToPropagate: [Int] = []
    private var propagated: Set<Int> = []

    // MARK: What follows from it

    var inserted: Set<Int> { alive.subtracting(base.keys) }
    var deleted: Set<Int> { Set(base.keys).subtracting(alive) }
    var updated: Set<Int> { alive.filter { base[$0] != nil && base[$0] != rows[$0] } }
    var hasChanges: Bool { !inserted.isEmpty || !deleted.isEmpty || !updated.isEmpty }

    func entity(_ number: Int) -> String { rows[number]?.entity ?? "" }

    /// What is alive and of an entity, in order.
    func candidates(_ entity: String) -> [Int] {
        alive.filter { NaiveSchema.isKind(self.entity($0), of: entity) }.sorted()
    }

    // MARK: Changing

    mutating func insert(_ number: Int, entity: String) {
        record { context in
            context.rows[number] = NaiveRow(entity: entity)
            if context.hasHooks { context.rows[number]?.attributes["age"] = .integer(NaiveHooks.bornAge) }
            context.alive.insert(number)
        }
    }

    mutating func set(_ number: Int, _ attribute: String, _ value: Value) {
        record { $0.rows[number]?.attributes[attribute] = value }
    }

    mutating func setToOne(_ number: Int, _ relationship: NaiveSchema.Relationship, _ destination: Int?) {
        record { $0.relate(number, relationship, destination) }
    }

    private mutating func relate(_ number: Int, _ relationship: NaiveSchema.Relationship, _ destination: Int?) {
        let name = relationship.name, inverse = NaiveSchema.inverse(of: relationship)
        let old = rows[number]?.toOne[name]
        if old == destination { return }
        rows[number]?.toOne[name] = destination
        if inverse.isToMany {
            if let old { rows[old]?.remove(number, from: inverse) }
            if let destination { rows[destination]?.add(number, to: inverse) }
            return
        }
        if let old, rows[old]?.toOne[inverse.name] == number { rows[old]?.toOne[inverse.name] = nil }
        guard let destination, let previous = Optional(rows[destination]?.toOne[inverse.name]), previous != number else { return }
        rows[destination]?.toOne[inverse.name] = number
        if let previous, rows[previous]?.toOne[name] == destination { rows[previous]?.toOne[name] = nil }
    }

    mutating func addMember(_ owner: Int, _ relationship: NaiveSchema.Relationship, _ member: Int, at index: Int? = nil) {
        record { context in
            let inverse = NaiveSchema.inverse(of: relationship)
            if !inverse.isToMany, let previous = context.rows[member]?.toOne[inverse.name], previous != owner {
                context.rows[previous]?.remove(member, from: relationship)
            }
            context.rows[owner]?.add(member, to: relationship, at: index)
            if inverse.isToMany { context.rows[member]?.add(owner, to: inverse) } else { context.rows[member]?.toOne[inverse.name] = owner }
        }
    }

    mutating func removeMember(_ owner: Int, _ relationship: NaiveSchema.Relationship, _ member: Int) {
        record { context in
            let inverse = NaiveSchema.inverse(of: relationship)
            context.rows[owner]?.remove(member, from: relationship)
            if inverse.isToMany {
                context.rows[member]?.remove(owner, from: inverse)
            } else {
                context.rows[member]?.toOne[inverse.name] = nil
            }
        }
    }

    /// `members` has no number twice.
    mutating func setMembers(_ owner: Int, _ relationship: NaiveSchema.Relationship, _ members: [Int]) {
        for member in (rows[owner]?.toMany[relationship.name] ?? []) where !members.contains(member) {
            removeMember(owner, relationship, member)
        }
        for member in members { addMember(owner, relationship, member) }
        record { $0.rows[owner]?.toMany[relationship.name] = relationship.isOrdered ? members : members.sorted() }
    }

    mutating func move(_ owner: Int, _ relationship: NaiveSchema.Relationship, _ member: Int, to index: Int) {
        record { context in
            context.rows[owner]?.remove(member, from: relationship)
            context.rows[owner]?.add(member, to: relationship, at: index)
        }
    }

    // MARK: Deleting

    mutating func delete(_ number: Int) {
        record { $0.deleteUnrecorded(number) }
    }

    private mutating func deleteUnrecorded(_ number: Int) {
        guard alive.remove(number) != nil else { return }
        if hasHooks { rows[number]?.attributes["name"] = .string(NaiveHooks.lastName) }
        if base[number] == nil { applyRules(number) } else { deletesToPropagate.append(number) }
    }

    private mutating func applyRules(_ number: Int) {
        for relationship in NaiveSchema.relationships(of: entity(number)) {
            let inverse = NaiveSchema.inverse(of: relationship)
            let related =
                relationship.isToMany ? rows[number]?.toMany[relationship.name] : rows[number]?.toOne[relationship.name].map { [$0] }
            for destination in related ?? [] where destination != number && !propagated.contains(destination) {
                if relationship.rule == .cascade { deleteUnrecorded(destination) }
                guard relationship.rule == .nullify else { continue }
                if inverse.isToMany {
                    rows[destination]?.remove(number, from: inverse)
                } else if rows[destination]?.toOne[inverse.name] == number {
                    rows[destination]?.toOne[inverse.name] = nil
                }
            }
        }
    }

    /// The end of an event: delete rules are applied, and all changes form one group.
    mutating func endEvent() {
        record { context in
            while let number = context.deletesToPropagate.first {
                context.applyRules(number)
                context.propagated.insert(number)
                context.deletesToPropagate.removeFirst()
            }
        }
        propagated = []
        closeGroup()
    }

    /// What hooks do before a save: to whatever is saved.
    mutating func willSave() {
        guard hasHooks else { return }
        record { context in
            for number in context.inserted.union(context.updated)
            where context.rows[number]?.attributes["name"] == .string(NaiveHooks.draft) {
                context.rows[number]?.attributes["name"] = .string(NaiveHooks.fair)
            }
        }
        closeGroup()
    }

    // MARK: Undo

    /// Adds the changes of `change` to the open group, and drops everything that could be redone.
    private mutating func record(_ change: (inout NaiveContext) -> Void) {
        let before = (rows, alive)
        change(&self)
        if openGroup.note(from: before, to: (rows, alive)) { redoGroups = [] }
    }

    mutating func closeGroup() {
        if !openGroup.isEmpty { undoGroups.append(openGroup) }
        if levelsOfUndo > 0, undoGroups.count > levelsOfUndo { undoGroups.removeFirst() }
        openGroup = NaiveUndoGroup()
    }

    mutating func undo() {
        guard var group = undoGroups.popLast() else { return }
        group.apply(undoing: true, to: &self)
        if !group.isEmpty { redoGroups.append(group) }
    }

    mutating func redo() {
        guard var group = redoGroups.popLast() else { return }
        group.apply(undoing: false, to: &self)
        if !group.isEmpty { undoGroups.append(group) }
    }

    mutating func removeAllActions() {
        undoGroups = []
        redoGroups = []
        openGroup = NaiveUndoGroup()
    }

    /// A child context has saved: this context now has the child's state.
    mutating func take(from child: NaiveContext) {
        record { context in
            for number in child.inserted.union(child.updated) { context.rows[number] = child.rows[number] }
            context.alive.formUnion(child.inserted)
            context.alive.subtract(child.deleted)
        }
        closeGroup()
    }

    /// Everything has been saved one store up.
    mutating func markSaved() {
        for number in inserted.union(updated) { base[number] = rows[number] }
        for number in deleted { base[number] = nil }
    }

    // MARK: Discarding and rereading

    mutating func rollback() {
        removeAllActions()
        for (number, row) in base { rows[number] = row }
        alive = Set(base.keys)
    }

    /// Everything is read again; what was changed here stays (RFR-08).
    mutating func refreshAll(from graph: NaiveGraph, versions: [Int: Int]) {
        for (number, row) in graph { see(number, row, keepingChanges: true) }
        for number in base.keys where graph[number] == nil {
            base[number] = nil
            alive.remove(number)
        }
        for number in graph.keys { self.versions[number] = versions[number] }
    }

    /// One record is read again.
    mutating func see(_ number: Int, _ row: NaiveRow, keepingChanges: Bool) {
        guard let old = base[number] else {
            base[number] = row
            if !alive.contains(number) { rows[number] = row }
            alive.insert(number)
            return
        }
        base[number] = row
        guard keepingChanges, let mine = rows[number] else {
            rows[number] = row
            alive.insert(number)
            return
        }
        var merged = row
        for (name, value) in mine.attributes where value != old.attributes[name] { merged.attributes[name] = value }
        for relationship in NaiveSchema.relationships(of: row.entity) {
            let name = relationship.name
            if mine.toOne[name] != old.toOne[name] { merged.toOne[name] = mine.toOne[name] }
            if mine.toMany[name] != old.toMany[name] { merged.toMany[name] = mine.toMany[name] }
        }
        rows[number] = merged
    }

    /// Records that the context has not met before.
    mutating func seeNew(in graph: NaiveGraph, versions: [Int: Int]) {
        for (number, row) in graph where base[number] == nil {
            see(number, row, keepingChanges: true)
            self.versions[number] = versions[number]
        }
    }
}

/// The changes of one event: the states before and after it.
struct NaiveUndoGroup {
    private struct Place: Hashable {
        let number: Int
        let property: String
    }

    private var lives: [Int: (before: Bool, after: Bool)] = [:]
    private var attributes: [Place: (before: Value, after: Value)] = [:]
    private var destinations: [Place: (before: Int?, after: Int?)] = [:]
    private var members: [Place: (before: [Int], after: [Int])] = [:]

    var isEmpty: Bool { lives.isEmpty && attributes.isEmpty && destinations.isEmpty && members.isEmpty }
    var numbers: Set<Int> {
        Set(lives.keys).union(attributes.keys.map(\.number)).union(destinations.keys.map(\.number)).union(members.keys.map(\.number))
    }

    typealias Memory = (rows: NaiveGraph, alive: Set<Int>)

    /// Adds the differences; records that are in it already keep their first state. Returns whether
    /// there are any.
    mutating func note(from old: Memory, to new: Memory) -> Bool {
        var differs = false
        for number in old.alive.symmetricDifference(new.alive) {
            differs = true
            lives[number] = (lives[number]?.before ?? old.alive.contains(number), new.alive.contains(number))
        }
        for (number, row) in new.rows where old.rows[number] != row {
            differs = true
            // A new record begins empty.
            guard let before = old.rows[number] else { continue }
            for (name, value) in row.attributes where before.attributes[name] != value {
                let place = Place(number: number, property: name)
                attributes[place] = (attributes[place]?.before ?? before.attributes[name] ?? .null, value)
            }
            for relationship in NaiveSchema.relationships(of: row.entity) {
                let name = relationship.name, place = Place(number: number, property: relationship.name)
                if before.toOne[name] != row.toOne[name] {
                    destinations[place] = (destinations[place].map(\.before) ?? before.toOne[name], row.toOne[name])
                }
                if before.toMany[name] != row.toMany[name] {
                    members[place] = (members[place]?.before ?? before.toMany[name] ?? [], row.toMany[name] ?? [])
                }
            }
        }
        return differs
    }

    /// Restores the states before (or after) the event; records that have that state already are
    /// dropped.
    mutating func apply(undoing: Bool, to context: inout NaiveContext) {
        for (number, life) in lives {
            let (from, to) = undoing ? (life.after, life.before) : (life.before, life.after)
            if context.alive.contains(number) != from, life.before != life.after { lives[number] = nil }
            if to { context.alive.insert(number) } else { context.alive.remove(number) }
        }
        for (place, value) in attributes { context.rows[place.number]?.attributes[place.property] = undoing ? value.before : value.after }
        for (place, value) in destinations { context.rows[place.number]?.toOne[place.property] = undoing ? value.before : value.after }
        for (place, value) in members { context.rows[place.number]?.toMany[place.property] = undoing ? value.before : value.after }
    }
}
