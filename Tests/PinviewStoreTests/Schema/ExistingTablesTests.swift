import XCTest

@testable import PinviewStore

/// Names in a file are the same where SQLite takes them for the same.
final class ExistingTablesTests: XCTestCase {
    func test_namesDifferInNothingButTheCaseOfASCII() {
        var tables = ExistingTables()
        tables.add("zPerson", columns: [("zName", "VARCHAR"), ("ZAGE", "INTEGER")])

        XCTAssertEqual(tables["ZPerson"]?.columns.map(\.name), ["zName", "ZAGE"])
        XCTAssertEqual(tables.column("ZNAME", of: "ZPERSON"), "zName")
        XCTAssertEqual(tables["zperson"]?.column(named: "zage")?.type, "INTEGER")
        XCTAssertNil(tables.column("ZNAMES", of: "ZPERSON"))
        XCTAssertNil(tables["ZPERSONS"])
    }

    /// Swift takes them for equal texts.
    func test_twoSpellingsOfAnAccentedLetterAreTwoNames() {
        let oneScalar = "ZCAF\u{c9}", twoScalars = "ZCAFE\u{301}"
        XCTAssertEqual(oneScalar, twoScalars)
        var tables = ExistingTables()
        for name in [oneScalar, twoScalars] { tables.add(name, columns: [(name, name == oneScalar ? "TEXT" : "")]) }

        XCTAssertEqual(tables.all.count, 2)
        for name in [oneScalar, twoScalars] {
            XCTAssertEqual(tables[name].map { Array($0.name.utf8) }, Array(name.utf8))
            XCTAssertEqual(tables[name]?.column(named: name).map { Array($0.name.utf8) }, Array(name.utf8))
        }
        XCTAssertNil(tables[oneScalar]?.column(named: twoScalars))
    }

    /// Other letters than those of ASCII have no case for SQLite.
    func test_anAccentedLetterInAnotherCaseIsAnotherName() {
        var tables = ExistingTables()
        tables.add("ZT", columns: [("Z\u{c9}", "TEXT")])

        XCTAssertNil(tables.column("Z\u{e9}", of: "ZT"))
        XCTAssertEqual(tables.column("z\u{c9}", of: "zt"), "Z\u{c9}")
    }
}
