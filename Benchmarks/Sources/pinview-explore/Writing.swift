import Pinview
import RawSQLite

extension Kind {
    /// By hand with the versions and the primary keys that the store's format asks for.
    static var writing: [Kind] {
        [
            Kind(name: "insert many objects", writes: true) { each in
                let context = try each.context(isPinned: false), name = each.entity.name, table = each.entity.table
                let number = each.sql.value("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'")
                let sql = "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZA0, ZA1) VALUES (?, ?, 1, ?, 'somebody')"
                return (
                    {
                        each.sql.transaction {
                            let last = each.sql.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'")
                            each.sql.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last + 300) WHERE Z_NAME = '\(name)'")
                            for place in 0..<Int64(300) { each.sql.run(sql, last + 1 + place, number, place) }
                        }
                        return 0
                    },
                    {
                        for place in 0..<Int64(300) {
                            let object = try context.insertNewObject(forEntityName: name)
                            try object.setAttributeValue(.integer(place), forKey: "a0")
                            try object.setAttributeValue(.string("somebody"), forKey: "a1")
                        }
                        try context.save()
                        return 0
                    }
                )
            },
            Kind(name: "update many objects", writes: true, pinviewFirst: true) { each in
                let written = try WrittenRows(each, count: 300)
                return (
                    {
                        each.sql.transaction {
                            for (key, version) in written.versions() { each.sql.run(written.updateSQL, version + 1, 7, key, version) }
                        }
                        return 0
                    },
                    {
                        for object in written.objects { try object.setAttributeValue(.integer(8), forKey: "a0") }
                        try written.context.save()
                        return 0
                    }
                )
            },
            Kind(name: "save each change", writes: true, pinviewFirst: true) { each in
                let written = try WrittenRows(each, count: 50)
                return (
                    {
                        for (key, version) in written.versions() {
                            each.sql.transaction { each.sql.run(written.updateSQL, version + 1, 5, key, version) }
                        }
                        return 0
                    },
                    {
                        for object in written.objects {
                            try object.setAttributeValue(.integer(6), forKey: "a0")
                            try written.context.save()
                        }
                        return 0
                    }
                )
            },
            Kind(name: "delete objects", writes: true, pinviewFirst: true) { each in
                let written = try WrittenRows(each, count: 40)
                let statements = deletions(of: each)
                return (
                    {
                        // The rows after them, which have as many members.
                        let following = written.following(40)
                        each.sql.transaction {
                            for sql in statements { for key in following { each.sql.run(sql, key) } }
                        }
                        return 0
                    },
                    {
                        for object in written.objects { try written.context.delete(object) }
                        try written.context.save()
                        return 0
                    }
                )
            },
            Kind(name: "batch update", writes: true) { each in
                let context = try each.context(isPinned: false)
                return (
                    {
                        each.sql.transaction {
                            each.sql.execute("UPDATE \(each.entity.table) SET ZA0 = ZA0 + 1, Z_OPT = Z_OPT + 1 WHERE ZA0 > 100")
                        }
                        return 0
                    },
                    {
                        var request = BatchUpdateRequest(entityName: each.entity.name)
                        request.predicate = try PinviewPredicate(format: "a0 > 100")
                        request.expressionsToUpdate = ["a0": try PinviewExpression(format: "a0 + 1")]
                        _ = try context.execute(request)
                        return 0
                    }
                )
            },
        ]
    }

    /// What is done with each key when its row is deleted: what refers to the row lets go of it first.
    private static func deletions(of each: Case) -> [String] {
        var statements: [String] = []
        for relation in each.schema.relations {
            if let join = relation.join {
                if relation.owner == each.entity.name { statements.append("DELETE FROM \(join.table) WHERE \(join.owner) = ?") }
                if relation.member == each.entity.name { statements.append("DELETE FROM \(join.table) WHERE \(join.member) = ?") }
                continue
            }
            if relation.owner == each.entity.name, let column = relation.column {
                let members = each.schema.table(relation.member)
                statements.append("UPDATE \(members) SET \(column) = NULL, Z_OPT = Z_OPT + 1 WHERE \(column) = ?")
            }
            if relation.member == each.entity.name, let column = relation.ownerColumn {
                let owners = each.schema.table(relation.owner)
                statements.append("UPDATE \(owners) SET \(column) = NULL, Z_OPT = Z_OPT + 1 WHERE \(column) = ?")
            }
        }
        return statements + ["DELETE FROM \(each.entity.table) WHERE Z_PK = ?"]
    }
}

/// Objects that are changed, and by hand the same rows.
struct WrittenRows {
    let context: ManagedObjectContext
    let objects: [ManagedObject]
    let keys: [Int64]
    private let each: Case

    init(_ each: Case, count: Int) throws {
        self.each = each
        context = try each.context(isPinned: false)
        var request = FetchRequest(entityName: each.entity.name)
        request.predicate = try PinviewPredicate(format: "a0 != nil")
        request.fetchLimit = count
        request.returnsObjectsAsFaults = false
        objects = Array(try context.fetch(request))
        keys = objects.map(each.key)
    }

    /// An update of a row that must have the version that was read.
    var updateSQL: String { "UPDATE \(each.entity.table) SET Z_OPT = ?, ZA0 = ? WHERE Z_PK = ? AND Z_OPT = ?" }

    /// The keys with the versions that the rows have now.
    func versions() -> [(key: Int64, version: Int64)] {
        keys.map { key in (key, each.sql.value("SELECT Z_OPT FROM \(each.entity.table) WHERE Z_PK = ?", key)) }
    }

    func following(_ count: Int) -> [Int64] {
        var found: [Int64] = []
        let sql = "SELECT Z_PK FROM \(each.entity.table) WHERE ZA0 IS NOT NULL AND Z_PK > ? ORDER BY Z_PK LIMIT \(count)"
        each.sql.forEachRow(sql, keys.max() ?? 0) { found.append(sqlite3_column_int64($0, 0)) }
        return found
    }
}
