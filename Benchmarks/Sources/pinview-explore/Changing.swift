import Pinview
import RawSQLite

/// Work beside unsaved changes, with the members of relationships, and with changes that are taken back.
extension Kind {
    static var changing: [Kind] {
        [
            pageBesideChanges("page beside other changes", order: "a1"),
            pageBesideChanges("page beside changes of its order", order: "a0"),
            takenBack("undo changes") { try $0.undo() },
            takenBack("roll changes back") { try $0.rollback() },
            Kind(name: "save a child and its parent", writes: true, pinviewFirst: true) { each in
                let written = try WrittenRows(each, count: 300)
                let child = ManagedObjectContext(concurrencyType: .privateQueue)
                try child.setParent(written.context)
                let objects = try written.objects.map { try child.object(with: $0.objectID) }
                for object in objects { _ = try object.attributeValue(forKey: "a0") }
                return (
                    {
                        each.sql.transaction {
                            each.sql.execute("SAVEPOINT child")
                            for (key, version) in written.versions() { each.sql.run(written.updateSQL, version + 1, 7, key, version) }
                            each.sql.execute("RELEASE child")
                        }
                        return 0
                    },
                    {
                        for object in objects { try object.setAttributeValue(.integer(8), forKey: "a0") }
                        try child.save()
                        try written.context.save()
                        return 0
                    }
                )
            },
            Kind(name: "save each move of an ordered member", writes: true, pinviewFirst: true) { each in
                let owner = try LargestOwner(each, "one-to-many ordered"), name = owner.relation.name
                return (
                    {
                        for _ in 0..<20 {
                            each.sql.transaction {
                                let moved = each.sql.value(owner.select("Z_PK", "DESC"), owner.key)
                                let place = each.sql.value(owner.select(owner.order, "ASC"), owner.key)
                                each.sql.run("UPDATE \(owner.table) SET \(owner.order) = ? WHERE Z_PK = ?", place - 1, moved)
                            }
                        }
                        return 0
                    },
                    {
                        for _ in 0..<20 {
                            guard let last = try owner.object.relatedObjects(forKey: name).last else { break }
                            try owner.object.insertRelatedObject(last, at: 0, forKey: name)
                            try owner.context.save()
                        }
                        return 0
                    }
                )
            },
            Kind(name: "save each removal of an ordered member", writes: true, pinviewFirst: true) { each in
                let owner = try LargestOwner(each, "one-to-many ordered"), name = owner.relation.name
                let removal =
                    "UPDATE \(owner.table) SET Z_OPT = Z_OPT + 1, \(owner.column) = NULL, \(owner.order) = NULL WHERE Z_PK = ?"
                return (
                    {
                        for _ in 0..<5 {
                            each.sql.transaction { each.sql.run(removal, each.sql.value(owner.select("Z_PK", "DESC"), owner.key)) }
                        }
                        return 0
                    },
                    {
                        for _ in 0..<5 {
                            guard let last = try owner.object.relatedObjects(forKey: name).last else { break }
                            try owner.object.removeRelatedObject(last, forKey: name)
                            try owner.context.save()
                        }
                        return 0
                    }
                )
            },
            Kind(name: "owners of a member") { each in
                let relation = try each.relation("many-to-many"), context = try each.context()
                guard let join = relation.join else { throw ExploreError("\(relation.name) has no join table") }
                var few = FetchRequest(entityName: relation.member)
                few.fetchLimit = 20
                let chosen = Array(try context.fetch(few)), owners = each.schema.table(relation.owner)
                let sql = "SELECT o.ZA0 FROM \(join.table) j JOIN \(owners) o ON o.Z_PK = j.\(join.owner) WHERE j.\(join.member) = ?"
                return (
                    {
                        var sum: Int64 = 0
                        for one in chosen { each.sql.forEachRow(sql, each.key(one)) { sum += sqlite3_column_int64($0, 0) } }
                        return sum
                    },
                    {
                        var sum: Int64 = 0
                        for one in chosen {
                            var request = FetchRequest(entityName: relation.owner)
                            request.predicate = try PinviewPredicate(format: "ANY \(relation.name) == %@", one)
                            for owner in try context.fetch(request) { sum += try owner.attributeValue(forKey: "a0").summand }
                        }
                        return sum
                    }
                )
            },
            Kind(name: "owners of members with a value") { each in
                let relation = try each.relation("many-to-many"), context = try each.context()
                guard let join = relation.join else { throw ExploreError("\(relation.name) has no join table") }
                let values = (0..<20).map { _ in Int64.random(in: -500..<500, using: &each.chance) }
                let sql =
                    "SELECT count(DISTINCT j.\(join.owner)) FROM \(each.schema.table(relation.member)) m "
                    + "JOIN \(join.table) j ON j.\(join.member) = m.Z_PK WHERE m.ZA0 = ?"
                return (
                    { values.reduce(0) { $0 + each.sql.value(sql, $1) } },
                    {
                        var sum: Int64 = 0
                        for value in values {
                            var request = FetchRequest(entityName: relation.owner)
                            request.predicate = try PinviewPredicate(format: "ANY \(relation.name).a0 == %@", value)
                            sum += Int64(try context.count(for: request))
                        }
                        return sum
                    }
                )
            },
            Kind(name: "save many to many members", writes: true) { each in
                let relation = try each.relation("many-to-many"), context = try each.context(isPinned: false)
                guard let join = relation.join else { throw ExploreError("\(relation.name) has no join table") }
                var request = FetchRequest(entityName: relation.owner)
                request.fetchLimit = 200
                request.relationshipKeyPathsForPrefetching = [relation.name]
                let owners = Array(try context.fetch(request)),
                    members = Array(try context.fetch(FetchRequest(entityName: relation.member)))
                let added = members.shuffled(using: &each.chance), others = each.randomKeys(owners.count)
                let sql = "INSERT OR IGNORE INTO \(join.table) (\(join.owner), \(join.member)) VALUES (?, ?)"
                let keys = owners.map(each.key)
                return (
                    {
                        each.sql.transaction { for (owner, member) in zip(keys, others) { each.sql.run(sql, owner, member) } }
                        return 0
                    },
                    {
                        for (owner, member) in zip(owners, added) { try owner.addRelatedObject(member, forKey: relation.name) }
                        try context.save()
                        return 0
                    }
                )
            },
            Kind(name: "fetch ids") { each in
                let context = try each.context()
                return (
                    { Int64(each.sql.rows("SELECT Z_PK FROM \(each.entity.table)").count) },
                    { Int64(try context.fetchObjectIDs(FetchRequest(entityName: each.entity.name)).count) }
                )
            },
            Kind(name: "refresh and read again") { each in
                let context = try each.context(isPinned: false),
                    objects = Array(try context.fetch(FetchRequest(entityName: each.entity.name)))
                return (
                    {
                        var sum: Int64 = 0
                        each.sql.forEachRow("SELECT ZA0 FROM \(each.entity.table)") { sum += sqlite3_column_int64($0, 0) }
                        return sum
                    },
                    {
                        try context.refreshAllObjects()
                        var sum: Int64 = 0
                        for object in objects { sum += try object.attributeValue(forKey: "a0").summand }
                        return sum
                    }
                )
            },
        ]
    }

    /// Sorted pages while half of the objects have unsaved changes of `a0`; by hand, in the transaction that made them.
    private static func pageBesideChanges(_ name: String, order: String) -> Kind {
        Kind(name: name) { each in
            let context = try each.context()
            for (place, object) in try context.fetch(FetchRequest(entityName: each.entity.name)).enumerated() where place % 2 == 0 {
                try object.setAttributeValue(.integer(Int64(place * 37 % 1000 - 500)), forKey: "a0")
            }
            let offsets = (0..<5).map { _ in Int.random(in: 0..<each.rows, using: &each.chance) }
            let column = "Z" + order.uppercased()
            let sql = "SELECT * FROM \(each.entity.table) ORDER BY \(column) LIMIT 50 OFFSET ?"
            let place = each.sql.place(of: column, in: sql)
            var keys: [Int64] = []
            each.sql.forEachRow("SELECT Z_PK FROM \(each.entity.table) ORDER BY Z_PK") { keys.append(sqlite3_column_int64($0, 0)) }
            each.sql.execute("BEGIN")
            for (place, key) in keys.enumerated() where place % 2 == 0 {
                each.sql.run("UPDATE \(each.entity.table) SET ZA0 = ? WHERE Z_PK = ?", Int64(place * 37 % 1000 - 500), key)
            }
            return (
                {
                    var sum: Int64 = 0
                    for offset in offsets { sum += each.sql.rows(sql, Int64(offset)).checksum([Int(place)]) }
                    each.sql.execute("ROLLBACK")
                    return sum
                },
                {
                    var sum: Int64 = 0
                    for offset in offsets {
                        var request = FetchRequest(entityName: each.entity.name)
                        request.sortDescriptors = [PinviewSortDescriptor(keyPath: order)]
                        request.fetchLimit = 50
                        request.fetchOffset = offset
                        for object in try context.fetch(request) { sum += try object.attributeValue(forKey: order).summand }
                    }
                    return sum
                }
            )
        }
    }

    /// Changes that are taken back.
    private static func takenBack(_ name: String, _ takeBack: @escaping (ManagedObjectContext) throws -> Void) -> Kind {
        Kind(name: name) { each in
            let written = try WrittenRows(each, count: 300)
            return (
                {
                    each.sql.execute("BEGIN")
                    for key in written.keys { each.sql.run("UPDATE \(each.entity.table) SET ZA0 = ? WHERE Z_PK = ?", 7, key) }
                    each.sql.execute("ROLLBACK")
                    return 0
                },
                {
                    for object in written.objects { try object.setAttributeValue(.integer(7), forKey: "a0") }
                    try takeBack(written.context)
                    return 0
                }
            )
        }
    }
}

/// The owner with the most members of a relationship, as an object of an unpinned context with its members loaded.
private struct LargestOwner {
    let context: ManagedObjectContext
    let relation: ExploredSchema.Relation
    let object: ManagedObject
    let key: Int64
    let table: String
    let column: String
    let order: String

    init(_ each: Case, _ kind: String) throws {
        context = try each.context(isPinned: false)
        relation = try each.relation(kind)
        var request = FetchRequest(entityName: relation.owner), most = -1
        request.relationshipKeyPathsForPrefetching = [relation.name]
        var largest: ManagedObject?
        for owner in try context.fetch(request) {
            let count = try owner.countOfRelatedObjects(forKey: relation.name)
            if count > most { (largest, most) = (owner, count) }
        }
        guard let largest else { throw ExploreError("\(relation.owner) has no objects") }
        object = largest
        key = each.key(largest)
        table = each.schema.table(relation.member)
        column = relation.column ?? ""
        order = relation.order ?? "Z_PK"
    }

    /// Selects something of the first or the last member of the owner.
    func select(_ what: String, _ way: String) -> String {
        "SELECT \(what) FROM \(table) WHERE \(column) = ? ORDER BY \(order) \(way) LIMIT 1"
    }
}
