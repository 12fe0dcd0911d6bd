import BenchmarkSupport
import GRDB
import RawSQLite

private func value(_ pool: DatabasePool, _ sql: String) throws -> Int64 { try pool.read { try Int64.fetchOne($0, sql: sql) ?? 0 } }

func insert(_ cell: Cell) throws {
    let first = try cell.parameter("persons") + 1, rows = try cell.parameter("rows"), pool = try openPool(cell, "people.sqlite")
    let time = try processorNanoseconds {
        try pool.write { database in
            for number in first..<first + rows {
                var person = Person(number: number)
                try person.insert(database)
            }
        }
    }
    cell.measure("objects", time / Double(rows))
    cell.checksum(
        "objects",
        try value(pool, "SELECT count(*) + sum(ZAGE + length(ZFIRSTNAME) + length(ZLASTNAME) + length(ZEMAIL)) FROM ZPERSON"))
}

func update(_ cell: Cell) throws {
    let rows = try cell.parameter("rows"), pool = try openPool(cell, "people.sqlite")
    let persons = try pool.read { try Person.limit(rows).fetchAll($0) }
    let time = try processorNanoseconds {
        try pool.write { database in
            for var person in persons {
                try person.updateChanges(database) {
                    $0.age += 1
                    $0.version += 1
                }
            }
        }
    }
    cell.measure("update", time / Double(rows))
    cell.checksum("update", try value(pool, "SELECT sum(ZAGE) FROM ZPERSON"))
    cell.checksum("versions", try value(pool, "SELECT sum(Z_OPT) FROM ZPERSON"))
}

func delete(_ cell: Cell) throws {
    let rows = try cell.parameter("rows"), pool = try openPool(cell, "people.sqlite")
    let cars = try pool.read { try Car.limit(rows).fetchAll($0) }
    let time = try processorNanoseconds {
        try pool.write { database in
            for car in cars { try car.delete(database) }
        }
    }
    cell.measure("delete", time / Double(rows))
    cell.checksum("delete", try value(pool, "SELECT count(*) + sum(Z_PK) FROM ZCAR"))
}

func bulkUpdate(_ cell: Cell) throws {
    let pool = try openFlights(cell), columns = Flight.Columns.self
    let time = try processorNanoseconds {
        _ = try pool.write { database in
            try Flight.filter(columns.distance > 500).updateAll(database, columns.airTime += 1, columns.version += 1)
        }
    }
    cell.measure("update", time / Double(allRows))
    cell.checksum("update", try value(pool, "SELECT sum(ZAIRTIME) FROM ZFLIGHT"))
    cell.checksum("versions", try value(pool, "SELECT sum(Z_OPT) FROM ZFLIGHT"))
}
