import PinviewGenerations
import PinviewModel

/// Members of to-many relationships without a to-one inverse, and the order of ordered ones.
extension SaveTransaction {
    /// Adds members to, and removes members from, a many-to-many relationship or one without an
    /// inverse. New members come last.
    package func changeMembers(
        of relationship: Property, owner: Reference, inserted: [Reference], removed: [Reference]
    ) throws(PinviewError) {
        try write { connection in
            switch store.schema.storage(of: relationship) {
            case .join(let side):
                try remove(removed, from: side, of: relationship, owner: owner.primaryKey, connection)
                try insert(inserted, into: side, of: relationship, owner: owner.primaryKey, connection)
            case .toMany(let foreignKey) where !foreignKey.hasInverse:
                try release(removed, from: foreignKey, owner: owner.primaryKey, connection)
                try claim(inserted, for: foreignKey, owner: owner.primaryKey, connection)
            default:
                throw PinviewError(
                    .invalidArgument, "\(relationship.qualifiedName) has no members of its own: its inverse is a to-one relationship.")
            }
        }
        guard let history, !inserted.isEmpty || !removed.isEmpty else { return }
        history.changedMembers(of: relationship, owner)
        guard let inverse = store.schema.inverse(of: relationship) else { return }
        for member in inserted + removed { history.changedMembers(of: inverse, member) }
    }

    package var keepsHistory: Bool { history != nil }

    /// Records members that are lost with the deletion of their own rows in the history.
    package func noteChangedMembers(of relationship: Property, owner: Reference) {
        history?.changedMembers(of: relationship, owner)
    }

    private func remove(
        _ members: [Reference], from side: JoinSide, of relationship: Property, owner: Int64, _ connection: Connection
    ) throws {
        guard !members.isEmpty else { return }
        let names = JoinNames(side)
        var condition = "\(names.owner) = ?1 AND \(names.member) = ?2"
        // The other side has a row of its own, which need not be saved together with this one: a
        // policy may have kept it.
        if isOwnInverse(relationship) { condition += " OR \(names.owner) = ?2 AND \(names.member) = ?1" }
        let statement = try connection.statement("DELETE FROM \(names.table) WHERE \(condition)")
        for member in members {
            try statement.bind(1, owner)
            try statement.bind(2, member.primaryKey)
            try statement.run()
        }
    }

    private func insert(
        _ members: [Reference], into side: JoinSide, of relationship: Property, owner: Int64, _ connection: Connection
    ) throws {
        guard !members.isEmpty else { return }
        let names = JoinNames(side)
        var columns = "\(names.owner), \(names.member)"
        var values = "?1, ?2"
        if let order = names.order {
            columns += ", \(order)"
            values += ", " + Self.nextPosition(order, names.table, "\(names.owner) = ?1")
        }
        if let order = inverseOrder(of: relationship) {
            columns += ", \(order)"
            values += ", " + Self.nextPosition(order, names.table, "\(names.member) = ?2")
        }
        let statement = try connection.statement("INSERT OR IGNORE INTO \(names.table) (\(columns)) VALUES (\(values))")
        for member in members {
            try statement.bind(1, owner)
            try statement.bind(2, member.primaryKey)
            try statement.run()
        }
    }

    private func isOwnInverse(_ relationship: Property) -> Bool { store.schema.inverse(of: relationship) === relationship }

    /// The column with the positions on the other side.
    private func inverseOrder(of relationship: Property) -> String? {
        guard let inverse = store.schema.inverse(of: relationship), inverse !== relationship,
            case .join(let side) = store.schema.storage(of: inverse)
        else { return nil }
        return side.order.map(SQLIdentifier.quoted)
    }

    private static func nextPosition(_ order: String, _ table: String, _ condition: String) -> String {
        "(SELECT IFNULL(MAX(\(order)), \(RelationshipOrder.first - RelationshipOrder.step)) + \(RelationshipOrder.step) "
            + "FROM \(table) WHERE \(condition))"
    }

    private func claim(_ members: [Reference], for foreignKey: ForeignKey, owner: Int64, _ connection: Connection) throws {
        guard !members.isEmpty else { return }
        let table = SQLIdentifier.quoted(foreignKey.table)
        let key = SQLIdentifier.quoted(foreignKey.key)
        var assignment = "\(key) = ?1"
        if let order = foreignKey.order.map(SQLIdentifier.quoted) {
            assignment += ", \(order) = " + Self.nextPosition(order, table, "\(key) = ?1")
        }
        let statement = try connection.statement("UPDATE \(table) SET \(assignment) WHERE Z_PK = ?2")
        for member in members {
            try statement.bind(1, owner)
            try statement.bind(2, member.primaryKey)
            try statement.run()
        }
    }

    private func release(_ members: [Reference], from foreignKey: ForeignKey, owner: Int64, _ connection: Connection) throws {
        guard !members.isEmpty else { return }
        let statement = try connection.statement(Self.releaseText(foreignKey) + " AND Z_PK = ?2")
        for member in members {
            try statement.bind(1, owner)
            try statement.bind(2, member.primaryKey)
            try statement.run()
        }
    }

    private static func releaseText(_ foreignKey: ForeignKey) -> String {
        let key = SQLIdentifier.quoted(foreignKey.key)
        let order = foreignKey.order.map { ", \(SQLIdentifier.quoted($0)) = NULL" } ?? ""
        return "UPDATE \(SQLIdentifier.quoted(foreignKey.table)) SET \(key) = NULL\(order) WHERE \(key) = ?1"
    }

    /// Removes a deleted row from tables that do not belong to a to-one relationship of another
    /// object.
    func removeMembers(of relationship: Property, owner: Int64, _ connection: Connection) throws {
        switch store.schema.storage(of: relationship) {
        case .join(let side):
            let names = JoinNames(side)
            let condition = isOwnInverse(relationship) ? "\(names.owner) = ?1 OR \(names.member) = ?1" : "\(names.owner) = ?1"
            let statement = try connection.statement("DELETE FROM \(names.table) WHERE \(condition)")
            try statement.bind(1, owner)
            try statement.run()
        case .toMany(let foreignKey) where !foreignKey.hasInverse:
            let statement = try connection.statement(Self.releaseText(foreignKey))
            try statement.bind(1, owner)
            try statement.run()
        default: break
        }
    }

    // MARK: Order

    /// Writes the order of an ordered relationship. Only positions that must change are written.
    /// References that are not members are ignored.
    package func setOrder(of relationship: Property, owner: Reference, members: [Reference]) throws(PinviewError) {
        try write { connection in
            let texts = try orderTexts(of: relationship)
            let reading = try connection.statement(texts.reading)
            try reading.bind(1, owner.primaryKey)
            var positions: [Int64: Int64?] = [:]
            do {
                defer { reading.reset() }
                while try reading.step() { positions[reading.int64(0)] = .some(reading.isNull(1) ? nil : reading.int64(1)) }
            }
            var seen: Set<Int64> = []
            let keys = members.map(\.primaryKey).filter { positions[$0] != nil && seen.insert($0).inserted }
            let current = keys.map { positions[$0] ?? nil }
            try setPositions(
                of: relationship, owner, zip(keys, zip(current, RelationshipOrder.positions(current: current))).map { ($0, $1.0, $1.1) },
                texts, connection)
        }
    }

    /// Members of an ordered relationship that follow each other, and those between which they get
    /// their places; nil at the ends of the order.
    package struct OrderRun {
        package let predecessor: Reference?
        package let members: [Reference]
        package let successor: Reference?

        package init(predecessor: Reference?, members: [Reference], successor: Reference?) {
            (self.predecessor, self.members, self.successor) = (predecessor, members, successor)
        }
    }

    /// Writes the places of some members of an ordered relationship, of which all others stay where
    /// they are. Nothing else of it is read, however many members there are.
    ///
    /// - Returns: false, having written nothing, if the positions in the file leave no room for them;
    ///   then the whole order has to be written.
    package func setOrder(of relationship: Property, owner: Reference, runs: [OrderRun]) throws(PinviewError) -> Bool {
        try write { connection in
            let texts = try orderTexts(of: relationship)
            let reading = try connection.statement(texts.readingOne)
            /// Whether an object is a member, and its position; nil if it has none.
            func position(of member: Reference) throws -> (isMember: Bool, position: Int64?) {
                try reading.bind(1, owner.primaryKey)
                try reading.bind(2, member.primaryKey)
                defer { reading.reset() }
                guard try reading.step() else { return (false, nil) }
                return (true, reading.isNull(0) ? nil : reading.int64(0))
            }
            var changes: [(key: Int64, old: Int64?, new: Int64)] = []
            for run in runs {
                var bounds: [Int64?] = []
                for neighbour in [run.predecessor, run.successor] {
                    guard let neighbour else {
                        bounds.append(nil)
                        continue
                    }
                    guard let position = try position(of: neighbour).position, position > 0 else { return false }
                    bounds.append(position)
                }
                guard let positions = RelationshipOrder.between(bounds[0], bounds[1], count: run.members.count) else { return false }
                for (member, new) in zip(run.members, positions) {
                    let found = try position(of: member)
                    guard found.isMember else { return false }
                    changes.append((member.primaryKey, found.position, new))
                }
            }
            try setPositions(of: relationship, owner, changes, texts, connection)
            return true
        }
    }

    /// Gives new members of an ordered relationship places after those of all others. The positions
    /// of the others are read, their rows are not.
    ///
    /// - Returns: false, having written nothing, if there is no room after the others; then the whole
    ///   order has to be written.
    package func appendToOrder(of relationship: Property, owner: Reference, members: [Reference]) throws(PinviewError) -> Bool {
        try write { connection in
            // Those of a join table have come last already.
            if case .join = store.schema.storage(of: relationship) { return true }
            let texts = try orderTexts(of: relationship)
            let reading = try connection.statement(texts.reading)
            try reading.bind(1, owner.primaryKey)
            let appended = Set(members.map(\.primaryKey))
            var present: [Int64: Int64?] = [:]
            var last: Int64?
            do {
                defer { reading.reset() }
                while try reading.step() {
                    let key = reading.int64(0), position = reading.isNull(1) ? nil : reading.int64(1)
                    if appended.contains(key) { present[key] = .some(position) } else { last = max(last ?? 0, position ?? 0) }
                }
            }
            let keys = members.map(\.primaryKey).filter { present[$0] != nil }
            guard let positions = RelationshipOrder.between(last, nil, count: keys.count) else { return false }
            try setPositions(of: relationship, owner, zip(keys, positions).map { ($0, present[$0] ?? nil, $1) }, texts, connection)
            return true
        }
    }

    private func orderTexts(of relationship: Property) throws(PinviewError) -> OrderTexts {
        guard let texts = OrderTexts(store.schema.storage(of: relationship)) else {
            throw PinviewError(.invalidArgument, "\(relationship.qualifiedName) is not an ordered to-many relationship.")
        }
        return texts
    }

    private func setPositions(
        of relationship: Property, _ owner: Reference, _ changes: [(key: Int64, old: Int64?, new: Int64)], _ texts: OrderTexts,
        _ connection: Connection
    ) throws {
        var statement: Statement?
        for (key, old, new) in changes where old != new {
            let writing = try statement ?? connection.statement(texts.writing)
            statement = writing
            try writing.bind(1, new)
            try writing.bind(2, key)
            try writing.bind(3, owner.primaryKey)
            try writing.run()
        }
        if statement != nil { history?.changedMembers(of: relationship, owner) }
    }

    private struct OrderTexts {
        /// Selects the members of an owner, and their positions.
        let reading: String
        /// Selects the position of one member. Binds owner and member.
        let readingOne: String
        /// Binds position, member and owner.
        let writing: String

        init?(_ storage: PropertyStorage) {
            switch storage {
            case .toMany(let foreignKey):
                guard let order = foreignKey.order.map(SQLIdentifier.quoted) else { return nil }
                let table = SQLIdentifier.quoted(foreignKey.table)
                let key = SQLIdentifier.quoted(foreignKey.key)
                reading = "SELECT Z_PK, \(order) FROM \(table) WHERE \(key) = ?"
                readingOne = "SELECT \(order) FROM \(table) WHERE Z_PK = ?2 AND \(key) = ?1"
                writing = "UPDATE \(table) SET \(order) = ?1 WHERE Z_PK = ?2 AND \(key) = ?3"
            case .join(let side):
                let names = JoinNames(side)
                guard let order = names.order else { return nil }
                reading = "SELECT \(names.member), \(order) FROM \(names.table) WHERE \(names.owner) = ?"
                readingOne = "SELECT \(order) FROM \(names.table) WHERE \(names.member) = ?2 AND \(names.owner) = ?1"
                writing = "UPDATE \(names.table) SET \(order) = ?1 WHERE \(names.member) = ?2 AND \(names.owner) = ?3"
            default: return nil
            }
        }
    }
}
