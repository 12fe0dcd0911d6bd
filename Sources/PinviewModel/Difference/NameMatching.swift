/// Pairs the named parts of two model versions: entities with entities, properties with properties.
///
/// A part keeps its identity through its name or its renaming identifier. Going back to an older
/// version works too: there the old part has the identifier.
struct NameMatching {
    /// A part as far as matching is concerned.
    struct Part {
        let name: String
        let renamingIdentifier: String?
        /// Only parts of the same kind match.
        let kind: Int
    }

    /// By index of the new part: the index of the old one.
    private(set) var sources: [Int?]
    /// What is wrong with the identifiers, for people.
    private(set) var mistakes: [String] = []
    private let new: [Part]
    private let old: [Part]
    private var taken: [Bool]
    /// The new parts whose old ones were given.
    private let given: Set<Int>

    /// - Parameter given: by index of a new part, the index of the old one that it is, or nil for a
    ///   part that is none of them.
    init(_ new: [Part], from old: [Part], given: [Int: Int?] = [:]) {
        self.new = new
        self.old = old
        self.given = Set(given.keys)
        sources = new.map { _ in nil }
        taken = old.map { _ in false }
        for (index, source) in given.sorted(by: { $0.key < $1.key }) {
            guard let source else { continue }
            sources[index] = source
            taken[source] = true
        }
        // A rename that an earlier version already had.
        match { $0.renamingIdentifier != nil && $0.name == $1.name && $0.renamingIdentifier == $1.renamingIdentifier }
        matchIdentifiers()
        match { $0.name == $1.name }
        match { $1.renamingIdentifier == $0.name }
        match { Self.folded($0.name) == Self.folded($1.name) }
        findCircles()
    }

    /// SQLite's names are the same in upper and lower case.
    private static func folded(_ name: String) -> String { name.uppercased() }

    private mutating func match(_ fits: (_ new: Part, _ old: Part) -> Bool) {
        for index in new.indices where sources[index] == nil && !given.contains(index) {
            guard let source = old.indices.first(where: { !taken[$0] && old[$0].kind == new[index].kind && fits(new[index], old[$0]) })
            else { continue }
            sources[index] = source
            taken[source] = true
        }
    }

    private mutating func matchIdentifiers() {
        for index in new.indices where sources[index] == nil && !given.contains(index) {
            guard let identifier = new[index].renamingIdentifier, identifier != new[index].name else { continue }
            guard
                let source = old.indices.first(where: { old[$0].name == identifier && old[$0].kind == new[index].kind })
                    ?? old.indices.first(where: { old[$0].renamingIdentifier == identifier && old[$0].kind == new[index].kind })
            else { continue }
            if taken[source] {
                let other = sources.firstIndex(of: source).map { new[$0].name } ?? ""
                mistakes.append("both \(other) and \(new[index].name) claim to be \(old[source].name) renamed; only one of them can")
                continue
            }
            sources[index] = source
            taken[source] = true
        }
    }

    private mutating func findCircles() {
        var next: [String: String] = [:]
        for index in new.indices {
            guard let source = sources[index], old[source].name != new[index].name, !given.contains(index) else { continue }
            next[old[source].name] = new[index].name
        }
        var seen: Set<String> = []
        for start in next.keys.sorted() where !seen.contains(start) {
            var path = [start]
            while let following = next[path[path.count - 1]], seen.insert(following).inserted {
                path.append(following)
                guard following == start else { continue }
                mistakes.append(
                    "the names \(path.joined(separator: " → ")) are renamed in a circle; rename them in two versions, over a name that is free"
                )
                break
            }
        }
    }
}
