import PinviewGenerations
import RandomSupport
import XCTest

@testable import PinviewStore

/// What a plain statement's text says is what SQLite makes of it; statements of any other form are
/// left to SQLite.
final class PlainStatementTests: XCTestCase {
    func test_theLibrarysOwnStatementsArePlain() throws {
        let table = try XCTUnwrap(
            PlainStatement("CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZAT TIMESTAMP)")?
                .columns)

        XCTAssertEqual(table.map(\.name), ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZAT"])
        XCTAssertEqual(table.map(\.type), ["INTEGER", "INTEGER", "INTEGER", "VARCHAR", "TIMESTAMP"])
        for index in ["(ZNAME)", "(ZNAME COLLATE BINARY ASC, ZAT DESC)", "( ZNAME,ZAT )"] {
            XCTAssertEqual(PlainStatement("CREATE INDEX Z_Tag_byName ON ZTAG \(index)")?.isIndexOfColumns, true, index)
        }
    }

    func test_expressionsAreNotPlain() {
        for index in [
            "(lower(ZNAME))", "(ZNAME || 1)", "(ZNAME IS NULL)", "(ZNAME LIKE ZAT)", "(NULL)", "(ZNAME) WHERE ZAT > 1", "(\"ZNAME\")",
            "(ZNAME AND ZAT)", "(-ZAT)", "()", "(ZNAME, )", "(ZNAME /* , */)", "(CASE ZNAME)", "(ZNAME", "ZNAME)",
        ] {
            XCTAssertNotEqual(PlainStatement("CREATE INDEX i ON ZTAG \(index)")?.isIndexOfColumns, true, index)
        }
        let tables = [
            "(ZA INTEGER UNIQUE)", "(ZA)", "(ZA ANY)", "(ZA INTEGER, PRIMARY KEY (ZA))", "(ZA INTEGER AS (1))", "(ZA INTEGER) STRICT",
        ]
        for columns in tables {
            XCTAssertNil(PlainStatement("CREATE TABLE ZT \(columns)")?.columns, columns)
        }
    }

    /// Up to `count` of the parts, with commas between them in one of the ways that they are written.
    private func list(_ random: inout SeededGenerator, _ parts: [String], count: Int) -> String {
        (0..<1 + random.below(count)).map { _ in parts[random.below(parts.count)] }.joined(separator: [", ", ",", " , "][random.below(3)])
    }

    func test_randomTablesHaveTheColumnsThatTheirTextSays() throws {
        var random = SeededGenerator.announced("PlainStatementTests.tables")
        let names = ["ZT", "ZT", "ZT", "\"Z(T\"", "ZT/* (ZX INTEGER) */", "[ZT (ZX INTEGER)]", "select1"]
        let columns = [
            "ZA INTEGER", "ZB VARCHAR", "ZC FLOAT", "ZD TIMESTAMP", "Z_PK INTEGER PRIMARY KEY", "ZE BLOB", "ZF DECIMAL", "ZG VARCHAR(255)",
            "ZH", "ZI integer", "zj INTEGER", "\"ZK\" INTEGER", "ZL INTEGER UNIQUE", "ZM INTEGER AS (1)", "ZN VARCHAR DEFAULT 'x'",
            "B INTEGER",
            "ZO INTEGER NOT NULL", "CHECK(ZA > 1)", "UNIQUE(ZB)", "ZP INTEGER -- (\n", "ZQ INTEGER GENERATED ALWAYS AS (ZA + 1) STORED",
        ]
        let ends = ["", "", "", "", " WITHOUT ROWID", " STRICT", " -- (ZX INTEGER)"]
        let store = try StoreFile.openInMemory(options: StoreFileOptions())
        var plain = 0, others = 0
        for _ in 0..<3_000 {
            let few = random.oneIn(2) ? Array(columns[..<7]) : columns
            let sql = "CREATE TABLE \(names[random.below(names.count)]) (\(list(&random, few, count: 4)))\(ends[random.below(ends.count)])"
            let transaction = try store.beginWrite()
            defer { transaction.rollback() }
            let connection = transaction.connection
            // Many are no SQL, or have one column twice.
            guard (try? connection.execute(sql)) != nil else { continue }
            let text = try XCTUnwrap(connection.value("SELECT sql FROM sqlite_master WHERE type = 'table'"))
            let name = try XCTUnwrap(connection.value("SELECT name FROM sqlite_master WHERE type = 'table'"))
            var expected: [String] = []
            try connection.forEachRow("SELECT name, type, hidden FROM pragma_table_xinfo('\(name)')") { row in
                if row.int64(2) == 0 { expected.append("\(row.string(0)) \(row.string(1))") }
            }
            if let columns = PlainStatement(text)?.columns {
                XCTAssertEqual(columns.map { "\($0.name) \($0.type)" }, expected, text)
                plain += 1
            } else {
                others += 1
            }
            let found = try SchemaObjects(connection)
            XCTAssertEqual(found.tables[name]?.columns.map { "\($0.name) \($0.type)" }, expected, text)
            XCTAssertEqual(found.active.contains { $0.kind == .generatedColumn }, text.contains(" AS ("), text)
        }
        XCTAssertGreaterThan(plain, 100)
        XCTAssertGreaterThan(others, 100)
    }

    func test_randomIndexesOfExpressionsAreFound() throws {
        var random = SeededGenerator.announced("PlainStatementTests.indexes")
        let columns = [
            "ZA", "ZB COLLATE BINARY ASC", "ZA DESC", "ZB ASC", "ZA COLLATE NOCASE", "\"ZA\"", "(ZA)", "ZA + 1", "lower(ZB)", "ZA IS NULL",
            "ZA AND ZB", "NULL", "-ZA", "za", "ZB /* ( */", "ZA ISNULL", "ZA COLLATE BINARY OR ZB",
        ]
        let ends = ["", "", "", " WHERE ZA > 1", " -- (ZA)"]
        let store = try StoreFile.openInMemory(options: StoreFileOptions())
        var plain = 0, expressions = 0
        for _ in 0..<3_000 {
            let few = random.oneIn(2) ? Array(columns[..<4]) : columns
            let sql = "CREATE INDEX i ON ZT (\(list(&random, few, count: 3)))\(ends[random.below(ends.count)])"
            let transaction = try store.beginWrite()
            defer { transaction.rollback() }
            let connection = transaction.connection
            try connection.execute("CREATE TABLE ZT (ZA INTEGER, ZB VARCHAR)")
            guard (try? connection.execute(sql)) != nil else { continue }
            let hasExpression = try connection.value("SELECT EXISTS (SELECT 1 FROM pragma_index_xinfo('i') WHERE cid = -2)") == "1"
            if hasExpression { expressions += 1 }
            if PlainStatement(sql)?.isIndexOfColumns == true {
                XCTAssertFalse(hasExpression, sql)
                plain += 1
            }
            XCTAssertEqual(try SchemaObjects(connection).active.contains { $0.kind == .index }, hasExpression, sql)
        }
        XCTAssertGreaterThan(plain, 100)
        XCTAssertGreaterThan(expressions, 100)
    }
}
