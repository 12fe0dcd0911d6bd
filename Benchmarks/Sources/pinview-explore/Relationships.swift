import Pinview
import RawSQLite

extension Kind {
    static var relationships: [Kind] {
        [
            walk("one to many", "one-to-many", isPrefetched: false),
            walk("one to many prefetched", "one-to-many", isPrefetched: true),
            walk("ordered members", "one-to-many ordered", isPrefetched: false),
            walk("ordered members prefetched", "one-to-many ordered", isPrefetched: true),
            walk("many to many", "many-to-many", isPrefetched: false),
            walk("many to many prefetched", "many-to-many", isPrefetched: true),
            walk("members beside a writer", "one-to-many", isPrefetched: false, isBesideWriter: true),
            Kind(name: "to one") { each in
                let relation = try each.relation("one-to-many"), context = try each.context()
                let owners = each.schema.table(relation.owner), members = each.schema.table(relation.member)
                return (
                    {
                        // Each owner is read once, when the first of its members asks for it.
                        var known: [Int64: Int64] = [:], sum: Int64 = 0
                        each.sql.forEachRow("SELECT Z_PK, \(relation.column ?? "") FROM \(members)") { member in
                            guard sqlite3_column_type(member, 1) != SQLITE_NULL else { return }
                            let key = sqlite3_column_int64(member, 1)
                            if known[key] == nil { known[key] = each.sql.value("SELECT ZA0 FROM \(owners) WHERE Z_PK = ?", key) }
                            sum += known[key] ?? 0
                        }
                        return sum
                    },
                    {
                        var sum: Int64 = 0
                        for member in try context.fetch(FetchRequest(entityName: relation.member)) {
                            if let owner = try member.relatedObject(forKey: relation.inverse) {
                                sum += try owner.attributeValue(forKey: "a0").summand
                            }
                        }
                        return sum
                    }
                )
            },
        ]
    }

    /// From all owners to their members, reading an attribute of each; by hand a statement for each owner.
    ///
    /// - Parameter isBesideWriter: whether an unpinned context has all members, and another context has written since.
    private static func walk(_ name: String, _ kind: String, isPrefetched: Bool, isBesideWriter: Bool = false) -> Kind {
        Kind(name: name) { each in
            let relation = try each.relation(kind), context = try each.context(isPinned: !isBesideWriter)
            var known: [ManagedObject] = []
            if isBesideWriter {
                var request = FetchRequest(entityName: relation.member)
                request.returnsObjectsAsFaults = false
                known = Array(try context.fetch(request))
                let other = try each.context(isPinned: false)
                try other.fetch(request).first?.setAttributeValue(.string("changed"), forKey: "a1")
                try other.save()
            }
            let owners = each.schema.table(relation.owner), members = each.schema.table(relation.member)
            let sql: String
            if let join = relation.join {
                sql = "SELECT m.Z_PK, m.ZA0 FROM \(join.table) j JOIN \(members) m ON m.Z_PK = j.\(join.member) WHERE j.\(join.owner) = ?"
            } else {
                sql =
                    "SELECT Z_PK, ZA0 FROM \(members) WHERE \(relation.column ?? "") = ?"
                    + (relation.order.map { " ORDER BY \($0)" } ?? "")
            }
            return (
                {
                    var sum: Int64 = 0
                    each.sql.forEachRow("SELECT Z_PK, ZA0 FROM \(owners)") { owner in
                        each.sql.forEachRow(sql, sqlite3_column_int64(owner, 0)) { sum += sqlite3_column_int64($0, 1) }
                    }
                    return sum
                },
                {
                    var request = FetchRequest(entityName: relation.owner), sum: Int64 = 0
                    if isBesideWriter, known.isEmpty { throw ExploreError("\(relation.member) has no objects") }
                    if isPrefetched { request.relationshipKeyPathsForPrefetching = [relation.name] }
                    for owner in try context.fetch(request) {
                        for member in try owner.relatedObjects(forKey: relation.name) {
                            sum += try member.attributeValue(forKey: "a0").summand
                        }
                    }
                    return sum
                }
            )
        }
    }
}
