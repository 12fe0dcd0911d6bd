import PinviewGenerations
import PinviewModel
import XCTest

@testable import PinviewStore

/// Cells that are bound to the parameters of a statement.
final class CellBindingTests: StoreTestCase {
    private let cells: [StoredCell] = [.null, .integer(-7), .real(2.5), .text("ü"), .blob([]), .blob([0, 255])]

    func test_everyKindOfCellArrivesAsItIs() throws {
        let store = try openStore(try TestModels.notes())
        let read = try store.read(at: nil) { connection in
            try cells.map { cell in
                let statement = try connection.statement("SELECT typeof(?1) || ' ' || quote(?1)")
                defer { statement.reset() }
                try statement.bind(1, cell)
                XCTAssertTrue(try statement.step())
                return statement.string(0)
            }
        }
        XCTAssertEqual(read, ["null NULL", "integer -7", "real 2.5", "text 'ü'", "blob X''", "blob X'00FF'"])
    }

    /// What cannot be bound must not be stored as NULL.
    func test_aCellThatCannotBeBoundIsAnErrorOfEveryKind() throws {
        let store = try openStore(try TestModels.notes())
        try store.read(at: nil) { connection in
            let statement = try connection.statement("SELECT ?1")
            defer { statement.reset() }
            for cell in cells { XCTAssertThrowsError(try statement.bind(2, cell), "\(cell)") }
            XCTAssertThrowsError(try statement.bind(cells))
        }
    }
}
