import Pinview

/// What a context has loaded changes only by its own steps, or by automatic merges (CTX-05, NST-03,
/// MRG-09).
extension StackRun {
    /// The loaded state of the contexts that a step does not concern.
    func untouched(by step: StackStep) throws -> [(StackLevel, [ObjectIdentifier: [String]])] {
        let acting = levels[step.words[0]]
        var found: [(StackLevel, [ObjectIdentifier: [String]])] = []
        for level in order where !level.isAutomatic && (acting == nil || level.root !== acting?.root) {
            found.append((level, try loaded(level)))
        }
        return found
    }

    func compareUntouched(_ before: [(StackLevel, [ObjectIdentifier: [String]])]) throws {
        for (level, values) in before {
            let now = try loaded(level)
            for (identifier, old) in values {
                guard let new = now[identifier], new != old else { continue }
                // Lines of what was not loaded end with a space.
                let changed = zip(old, new).filter { $0 != $1 && !$0.hasSuffix(" ") && !$1.hasSuffix(" ") }.map { "\($0) has become \($1)" }
                if changed.isEmpty { continue }
                throw mismatch(level, "another context's step has changed what it shows: \(changed.joined(separator: ", "))")
            }
        }
    }

    private func loaded(_ level: StackLevel) throws -> [ObjectIdentifier: [String]] {
        var values: [ObjectIdentifier: [String]] = [:]
        for object in level.context.registeredObjects where object.isLive && !object.isFault {
            var words: [String] = []
            for name in StackSchema.attributes { words.append("\(name) \(try object.attributeValue(forKey: name))") }
            for relationship in StackSchema.relationships(of: object.entity.name) {
                if relationship.isToMany {
                    let members = object.loadedMembers(relationship.name)
                    words.append("\(relationship.name) \(members.map { "\($0.map(describe))" } ?? "")")
                } else if case .some(let destination) = try object.loadedDestination(relationship.name) {
                    words.append("\(relationship.name) \(destination.map(describe) ?? "nil")")
                } else {
                    words.append("\(relationship.name) ")
                }
            }
            values[ObjectIdentifier(object)] = words
        }
        return values
    }
}
