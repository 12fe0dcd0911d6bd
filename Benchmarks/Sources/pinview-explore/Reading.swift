import Pinview
import RawSQLite

extension Kind {
    static var reading: [Kind] {
        [
            Kind(name: "fetch objects and read") { each in
                let context = try each.context(), sql = "SELECT * FROM \(each.entity.table)"
                let places = each.attributes.map { Int(each.sql.place(of: $0.column, in: sql)) }
                return (
                    { each.sql.rows(sql).checksum(places) },
                    { try each.checksum(try context.fetch(FetchRequest(entityName: each.entity.name))) }
                )
            },
            Kind(name: "fetch by a condition") { each in
                let context = try each.context(), limit = Int64.random(in: -500..<500, using: &each.chance)
                return (
                    { each.sql.rows("SELECT \(each.columns) FROM \(each.entity.table) WHERE ZA0 > ?", limit).checksum(each.columnPlaces) },
                    {
                        var request = FetchRequest(entityName: each.entity.name)
                        request.predicate = try PinviewPredicate(format: "a0 > %@", limit)
                        return try each.checksum(try context.fetch(request))
                    }
                )
            },
            Kind(name: "fetch a sorted page") { each in
                let context = try each.context(), offset = Int.random(in: 0..<each.rows, using: &each.chance)
                let sql = "SELECT \(each.columns) FROM \(each.entity.table) ORDER BY ZA1, Z_PK LIMIT 50 OFFSET ?"
                return (
                    { each.sql.rows(sql, Int64(offset)).checksum(each.columnPlaces) },
                    {
                        var request = FetchRequest(entityName: each.entity.name)
                        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "a1")]
                        request.fetchLimit = 50
                        request.fetchOffset = offset
                        return try each.checksum(try context.fetch(request))
                    }
                )
            },
            Kind(name: "count by a condition") { each in
                let context = try each.context(), limit = Int64.random(in: -500..<500, using: &each.chance)
                return (
                    { each.sql.value("SELECT count(*) FROM \(each.entity.table) WHERE ZA0 > ? AND ZA1 IS NOT NULL", limit) },
                    {
                        var request = FetchRequest(entityName: each.entity.name)
                        request.predicate = try PinviewPredicate(format: "a0 > %@ AND a1 != nil", limit)
                        return Int64(try context.count(for: request))
                    }
                )
            },
            Kind(name: "rows of columns") { each in
                let context = try each.context()
                return (
                    { each.sql.rows("SELECT \(each.columns) FROM \(each.entity.table)").checksum(each.columnPlaces) },
                    {
                        var request = FetchRequest(entityName: each.entity.name)
                        request.propertiesToFetch = each.attributes.map { .keyPath($0.name) }
                        let stream = try context.fetchColumns(request)
                        var sum: Int64 = 0
                        while let batch = try stream.next() {
                            for column in batch.columns {
                                for value in column { sum += value.summand }
                            }
                        }
                        return sum
                    }
                )
            },
            Kind(name: "group and sum") { each in
                let context = try each.context()
                return (
                    {
                        var groups: Int64 = 0
                        each.sql.forEachRow("SELECT ZA0, count(Z_PK), max(ZA1) FROM \(each.entity.table) GROUP BY ZA0") { _ in groups += 1 }
                        return groups
                    },
                    {
                        var request = FetchRequest(entityName: each.entity.name)
                        request.propertiesToFetch = [
                            "a0", .expression(ExpressionDescription(name: "n", expression: try PinviewExpression(format: "count:(a0)"))),
                            .expression(ExpressionDescription(name: "most", expression: try PinviewExpression(format: "max:(a1)"))),
                        ]
                        request.propertiesToGroupBy = ["a0"]
                        return Int64(try context.fetchDictionaries(request).count)
                    }
                )
            },
            Kind(name: "objects by key") { each in
                let context = try each.context(), keys = each.randomKeys(300), ids = try each.objectIDs(keys)
                let sql = "SELECT * FROM \(each.entity.table) WHERE Z_PK = ?", place = each.sql.place(of: "ZA0", in: sql)
                return (
                    {
                        var sum: Int64 = 0
                        for key in keys { each.sql.forEachRow(sql, key) { sum += sqlite3_column_int64($0, place) } }
                        return sum
                    },
                    {
                        var sum: Int64 = 0
                        for id in ids { sum += try context.existingObject(with: id).attributeValue(forKey: "a0").summand }
                        return sum
                    }
                )
            },
            Kind(name: "condition over a relationship") { each in
                let relation = try each.relation("one-to-many"), context = try each.context()
                let members = each.schema.table(relation.member), owners = each.schema.table(relation.owner)
                let sql = "SELECT count(*) FROM \(members) m JOIN \(owners) o ON o.Z_PK = m.\(relation.column ?? "") WHERE o.ZA0 > 0"
                return (
                    { each.sql.value(sql) },
                    {
                        var request = FetchRequest(entityName: relation.member)
                        request.predicate = try PinviewPredicate(format: "\(relation.inverse).a0 > 0")
                        return Int64(try context.count(for: request))
                    }
                )
            },
            Kind(name: "pin and read") { each in
                let context = try each.context(isPinned: false), keys = each.randomKeys(1)
                guard let key = keys.first, let id = try each.objectIDs(keys).first else { throw ExploreError("no row") }
                return (
                    {
                        for _ in 0..<50 {
                            each.sql.execute("BEGIN")
                            each.sql.forEachRow("SELECT * FROM \(each.entity.table) WHERE Z_PK = ?", key) { _ in }
                            each.sql.execute("ROLLBACK")
                        }
                        return 0
                    },
                    {
                        for _ in 0..<50 {
                            try context.setQueryGeneration(from: .current)
                            _ = try context.object(with: id).attributeValue(forKey: "a0")
                            try context.setQueryGeneration(from: nil)
                        }
                        return 0
                    }
                )
            },
        ]
    }
}
