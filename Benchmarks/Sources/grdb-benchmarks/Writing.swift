import BenchmarkSupport
import GRDB
import RawSQLite

private let personsSum = "SELECT count(*) + sum(ZAGE + length(ZFIRSTNAME) + length(ZLASTNAME) + length(ZEMAIL)) FROM ZPERSON"

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
    cell.checksum("objects", try value(pool, personsSum))
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

/// Records know nothing of versions: a condition checks them.
func saveOften(_ cell: Cell) throws {
    let saves = try cell.parameter("saves"), pool = try openPool(cell, "people.sqlite"), columns = Person.Columns.self
    var persons = try pool.read { try Person.limit(1000).fetchAll($0) }
    let time = try processorNanoseconds {
        for save in 0..<saves {
            let place = save % persons.count, person = persons[place]
            let changed = try pool.write { database in
                try Person.filter(key: person.key).filter(columns.version == person.version)
                    .updateAll(database, columns.age.set(to: person.age + 1), columns.version.set(to: person.version + 1))
            }
            guard changed == 1 else { throw BenchmarkError("somebody else has changed \(person.email)") }
            persons[place].age += 1
            persons[place].version += 1
        }
    }
    cell.measure("save", time / Double(saves))
    cell.checksum("save", try value(pool, "SELECT sum(ZAGE) FROM ZPERSON"))
    cell.checksum("versions", try value(pool, "SELECT sum(Z_OPT) FROM ZPERSON"))
}

/// The form that lets the version rise gives a record back; the smallest one will do.
func upsert(_ cell: Cell) throws {
    let persons = try cell.parameter("persons"), rows = try cell.parameter("rows"), pool = try openPool(cell, "people.sqlite")
    let first = persons - rows / 2 + 1, columns = Person.Columns.self
    let time = try processorNanoseconds {
        try pool.write { database in
            for number in first..<first + rows {
                var person = Person(number: number)
                person.age = (number + 1) % 90
                _ = try person.upsertAndFetch(database, as: PersonKey.self, onConflict: ["ZEMAIL"]) { _ in
                    [columns.version += 1, columns.entity.noOverwrite]
                }
            }
        }
    }
    cell.measure("batch", time / Double(rows))
    cell.checksum("batch", try value(pool, personsSum))
}
