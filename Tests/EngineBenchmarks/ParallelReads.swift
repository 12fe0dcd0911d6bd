import BenchmarkSupport
import PinviewGenerations

/// One or two threads read one old generation.
func measureParallelReads(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows"))
    let writer = try Writer(cell.store)
    let store = try StoreFile.open(path: cell.store, options: StoreFileOptions())
    defer { store.close() }
    try writer.set(1, 1)
    let generation = try store.currentGeneration()
    for commit in 0..<Int64(try cell.parameter("commits")) { try writer.set(key(commit, rows: rows), commit) }
    for (name, operations, sql) in [
        ("points", try cell.parameter("points"), "SELECT ZVALUE FROM ZITEM WHERE Z_PK = ?1"),
        ("ranges", try cell.parameter("ranges"), "SELECT ZVALUE, ZTEXT FROM ZITEM WHERE Z_PK BETWEEN ?1 AND ?1 + 99"),
        ("scans", try cell.parameter("scans"), "SELECT sum(ZVALUE + length(ZTEXT)) FROM ZITEM"),
        ("counts", try cell.parameter("scans"), "SELECT count(*) FROM ZITEM WHERE ZVALUE = ?1"),
    ] {
        for threads in [1, 2] {
            try cell.measure("\(name)\(threads)", checksum: name, operations: operations) { first, end in
                try onThreads(threads, from: first, to: end) { _, operation in
                    try store.read(at: generation) { try read($0, name, sql, key(operation, rows: rows)) }
                }
            }
        }
    }
}

/// Reads once.
///
/// - Returns: the sum of what was read.
private func read(_ connection: Connection, _ name: String, _ sql: String, _ key: Int64) throws -> Int64 {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    if name != "scans" { try statement.bind(1, name == "counts" ? key % 1000 : key) }
    var sum: Int64 = 0
    while try statement.step() {
        sum += statement.int64(0)
        if name == "ranges" { sum += statement.withBytes(1) { Int64($0.count) } }
    }
    return sum
}
