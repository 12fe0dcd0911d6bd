import PinviewModel

/// Finds the join table of a many-to-many relationship in a file that somebody else made.
///
/// The table is named after either end, and its columns after the relationship whose members they
/// hold. Both carry the number of an entity, and a digit where another name was the same:
///
///     Z_4TASK (Z_4NOTES, Z_11TASK)          Note.task (4) ⇄ Task.notes (11)
///     Z_24TRUSTEDBY (Z_24TRUSTED, Z_24TRUSTEDBY1)
///     Z_7FRIENDS (Z_7FRIENDS, REFLEXIVE)    Person.friends, its own inverse
struct JoinTableMatching {
    /// One end of the relationship as names in a file spell it.
    struct End {
        /// Upper case.
        let name: String
        /// `Z_ENT` of the entity that declares the relationship, and of the one that the other end
        /// names as its destination; mostly the same.
        let numbers: Set<Int32>

        func names(_ name: String) -> [String] { numbers.map { "Z_\($0)\(name)" } }
    }

    let existing: ExistingTables
    /// The property whose table is looked for, and its inverse: the same where it is its own.
    let relationship: End
    let inverse: End

    struct Match: Equatable {
        let table: String
        /// Holds the objects that have the relationship: its inverse's members.
        let owner: String
        let member: String
    }

    /// How well a name fits: 0 not at all, 2 exactly, 1 with digits at its end.
    private static func fit(_ actual: String, _ expected: String) -> Int {
        let actual = ExistingTables.folded(actual).utf8, expected = ExistingTables.folded(expected).utf8
        guard actual.starts(with: expected) else { return 0 }
        if actual.count == expected.count { return 2 }
        return actual.dropFirst(expected.count).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? 1 : 0
    }

    private static func fit(_ actual: String, _ expected: [String]) -> Int { expected.map { fit(actual, $0) }.max() ?? 0 }

    /// The tables that could be meant, the best first; several only if the file does not tell
    /// which.
    func matches() -> [Match] {
        var best: [Match] = []
        var bestFit = 0
        for table in existing.joinTableNames {
            let tableFit = max(
                Self.fit(table, relationship.names(relationship.name)), Self.fit(table, inverse.names(inverse.name)))
            guard tableFit > 0, let (match, columnFit) = columns(of: table) else { continue }
            // Columns tell more than the table's name: a digit there is rare.
            let fit = columnFit * 3 + tableFit
            if fit > bestFit { best = [] }
            if fit >= bestFit { best.append(match) }
            bestFit = max(fit, bestFit)
        }
        return best
    }

    private func columns(of table: String) -> (match: Match, fit: Int)? {
        let columns = (existing.columns(of: table) ?? []).filter { !$0.uppercased().hasPrefix("Z_FOK_") }
        guard columns.count == 2 else { return nil }
        let isOwnInverse = relationship.name == inverse.name && relationship.numbers == inverse.numbers
        // A column is named after the relationship whose members it holds, with the number of the
        // entity at the other end.
        let memberNames = inverse.names(relationship.name)
        let ownerNames = relationship.names(inverse.name)
        if isOwnInverse {
            // Both columns are the relationship's: which is which makes no difference, but has to
            // be the same each time.
            if let reflexive = columns.first(where: { $0.uppercased() == "REFLEXIVE" }),
                let other = columns.first(where: { $0 != reflexive }), Self.fit(other, memberNames) > 0
            {
                return (Match(table: table, owner: other, member: reflexive), 2 + Self.fit(other, memberNames))
            }
            let fits = columns.map { Self.fit($0, memberNames) }
            guard fits[0] > 0, fits[1] > 0 else { return nil }
            let ownerFirst = fits[0] >= fits[1]
            return (Match(table: table, owner: columns[ownerFirst ? 0 : 1], member: columns[ownerFirst ? 1 : 0]), fits[0] + fits[1])
        }
        let straight = (Self.fit(columns[0], ownerNames), Self.fit(columns[1], memberNames))
        let crossed = (Self.fit(columns[1], ownerNames), Self.fit(columns[0], memberNames))
        let straightFit = straight.0 > 0 && straight.1 > 0 ? straight.0 + straight.1 : 0
        let crossedFit = crossed.0 > 0 && crossed.1 > 0 ? crossed.0 + crossed.1 : 0
        guard straightFit != crossedFit else { return nil }
        let isStraight = straightFit > crossedFit
        return (Match(table: table, owner: columns[isStraight ? 0 : 1], member: columns[isStraight ? 1 : 0]), max(straightFit, crossedFit))
    }
}
