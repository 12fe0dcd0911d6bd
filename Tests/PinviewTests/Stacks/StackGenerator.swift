import RandomSupport
/// Random steps.
struct StackGenerator {
    private var generator: SeededGenerator
    private let features: Set<StackFeature>
    private var names: [String] = []
    private var roots: [String] = []
    private var open: Set<String> = []
    /// A sequence uses only a few relationships and records, so that its steps affect each other.
    private var toOnes: [StackSchema.Relationship] = []
    private var toManys: [StackSchema.Relationship] = []
    private var records: [Int] = []

    init(seed: UInt64, features: Set<StackFeature>) {
        generator = SeededGenerator(seed: seed)
        self.features = features
        let fitting = StackSchema.relationships.filter {
            (features.contains(.ordered) || !$0.isOrdered && StackSchema.inverse(of: $0)?.isOrdered != true)
                && (features.contains(.oneToOne) || $0.isToMany || StackSchema.inverse(of: $0)?.isToMany != false)
                && (features.contains(.noInverse) || $0.inverse != nil)
                && (features.contains(.unique) || $0.entity != "Tag" && $0.destination != "Tag")
        }
        let count = 1 + below(3)
        let chosen = (0..<count).map { _ in pick(fitting) }
        let both = chosen + chosen.compactMap { StackSchema.inverse(of: $0) }
        toOnes = both.filter { !$0.isToMany }
        toManys = both.filter(\.isToMany)
        let entities = Set(both.flatMap { [$0.entity, $0.destination] } + (features.contains(.unique) && chance(2) ? ["Tag"] : []))
        records = (0..<StackSchema.period).filter { number in entities.contains { StackSchema.isKind(StackSchema.entity(number), of: $0) } }
        while records.count > 8 { records.remove(at: below(records.count)) }
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    private mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
    private mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
    private func has(_ feature: StackFeature) -> Bool { features.contains(feature) }

    mutating func steps(_ count: Int) -> [StackStep] {
        var steps = contexts()
        // First some records to play with.
        for number in records where !chance(4) { steps.append(StackStep([names[0], "insert", "\(number)"])) }
        for _ in 0..<3 { steps.append(StackStep([names[0]] + relating())) }
        steps.append(StackStep([names[0], "save"]))
        for _ in 0..<count { steps.append(StackStep(step())) }
        return steps
    }

    private mutating func contexts() -> [StackStep] {
        var steps: [StackStep] = []
        func add(_ words: [String]) { steps.append(StackStep(words)) }
        let count = 1 + below(3)
        for name in ["A", "B", "C"].prefix(count) {
            let policies = ["error", "store", "object", "overwrite", "rollback", "custom"]
            var words = [name, "=", "root", has(.secondCoordinator) && chance(3) ? "2" : "1", has(.policies) ? pick(policies) : "error"]
            if has(.automatic), chance(3) { words.append("auto") }
            if chance(5) { words.append("retains") }
            add(words)
            names.append(name)
            roots.append(name)
        }
        guard has(.children) else { return steps }
        for name in ["D", "E", "F"].prefix(below(4)) {
            var words = [name, "=", "child", pick(names)]
            if has(.automatic), chance(3) { words.append("auto") }
            add(words)
            names.append(name)
        }
        return steps
    }

    // MARK: Operands

    /// Few records, so that the same ones are met again and again.
    private mutating func record() -> Int { pick(records) + (chance(8) ? StackSchema.period : 0) }

    private mutating func record(_ entity: String) -> Int {
        let fitting = records.filter { StackSchema.isKind(StackSchema.entity($0), of: entity) }
        let all = (0..<StackSchema.period).filter { StackSchema.isKind(StackSchema.entity($0), of: entity) }
        return pick(fitting.isEmpty ? all : fitting) + (chance(10) ? StackSchema.period : 0)
    }

    private mutating func relating() -> [String] {
        if toManys.isEmpty || !toOnes.isEmpty && chance(2) {
            let relationship = pick(toOnes)
            let owner = "\(record(relationship.entity))"
            if chance(6) { return ["unlink", owner, relationship.name] }
            return ["link", owner, relationship.name, "\(record(relationship.destination))"]
        }
        return members()
    }

    private mutating func value() -> [String] {
        switch below(has(.unique) ? 4 : 2) {
        case 0: return ["age", "\(below(4))"]
        case 1: return ["name", pick(["x", "y", "z", "nil"])]
        default: return ["code", pick(["k", "l", "m", "nil"])]
        }
    }

    // MARK: Steps

    private mutating func step() -> [String] {
        let name = pick(names)
        if has(.process), chance(16) { return elsewhere() }
        let words: [String]
        switch below(100) {
        case 0..<9: words = ["insert", "\(record())"]
        case 9..<24:
            let value = value()
            words = ["set", "\(value[0] == "code" ? record("Tag") : record())"] + value
        case 24..<50: words = relating()
        case 50..<54: words = has(.deletes) ? ["delete", "\(record())"] : ["process"]
        case 54..<66: return [name, "save"]
        case 66..<84: return [name] + reading()
        case 84..<92 where has(.merging): return [name, chance(3) ? "remote" : "merge", pick(names)]
        case 92..<96 where has(.undo): return [name, chance(3) ? "redo" : "undo"]
        case 96..<98 where has(.groups):
            if open.remove(name) != nil { return [name, "end"] }
            open.insert(name)
            return [name, "begin"]
        case 98:
            if has(.reset) { return [name, chance(3) ? "reset" : "rollback"] }
            return [name, "process"]
        default:
            if has(.pins) { return [pick(roots)] + (chance(3) ? ["unpin"] : chance(3) ? ["token", pick(roots)] : ["pin"]) }
            return [name, "save"]
        }
        return [name] + (has(.direct) && chance(5) ? ["direct"] : []) + words
    }

    private mutating func members() -> [String] {
        let relationship = pick(toManys)
        let owner = "\(record(relationship.entity))", member = "\(record(relationship.destination))"
        switch below(8) {
        case 0...3: return ["add", owner, relationship.name, member] + (relationship.isOrdered && chance(2) ? ["\(below(3))"] : [])
        case 4, 5: return ["remove", owner, relationship.name, member]
        case 6:
            let members = (0...below(4)).map { _ in "\(record(relationship.destination))" }
            return ["assign", owner, relationship.name, members.joined(separator: ",")]
        default:
            guard relationship.isOrdered else { return ["add", owner, relationship.name, member] }
            return ["move", owner, relationship.name, member, "\(below(3))"]
        }
    }

    private mutating func reading() -> [String] {
        switch below(11) {
        case 0, 1: return ["fetch", pick(StackSchema.entities)]
        case 2, 3: return ["read", "\(record())"]
        case 4: return ["readAll"]
        case 5: return ["lookUp", "\(record())"]
        case 6: return has(.forget) ? ["forget"] : ["process"]
        case 7: return has(.obtain) ? ["obtain"] : ["process"]
        case 8 where has(.refreshing): return ["refresh", "\(record())", chance(2) ? "merging" : "dropping"]
        case 9 where has(.refreshing): return ["refreshAll"]
        default: return ["process"]
        }
    }

    private mutating func elsewhere() -> [String] {
        switch below(6) {
        case 0: return ["P", "insert", "\(record())"]
        case 1, 2: return ["P", "set", "\(record())", "age", "\(below(4))"]
        case 3, 4:
            guard !toOnes.isEmpty else { return ["P", "set", "\(record())", "age", "\(below(4))"] }
            let relationship = pick(toOnes)
            return ["P", "link", "\(record(relationship.entity))", relationship.name, "\(record(relationship.destination))"]
        default: return has(.deletes) ? ["P", "delete", "\(record())"] : ["P", "set", "\(record())", "name", "x"]
        }
    }
}
