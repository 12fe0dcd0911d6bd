import Dispatch
import PinviewGenerations

/// One or two threads read one old generation.
func measureParallelReads(_ cell: Cell) throws {
    let rows = try cell.parameter("rows")
    let writer = try Writer(cell.store)
    let store = try StoreFile.open(path: cell.store, options: StoreFileOptions())
    defer { store.close() }
    try writer.set(1, 1)
    let generation = try store.currentGeneration()
    for commit in 0..<(try cell.parameter("commits")) { try writer.set(key(commit, rows: rows), commit) }
    for (name, operations, sql) in [
        ("points", try cell.parameter("points"), "SELECT ZVALUE FROM ZITEM WHERE Z_PK = ?1"),
        ("ranges", try cell.parameter("ranges"), "SELECT ZVALUE, ZTEXT FROM ZITEM WHERE Z_PK BETWEEN ?1 AND ?1 + 99"),
        ("scans", try cell.parameter("scans"), "SELECT sum(ZVALUE + length(ZTEXT)) FROM ZITEM"),
        ("counts", try cell.parameter("scans"), "SELECT count(*) FROM ZITEM WHERE ZVALUE = ?1"),
    ] {
        for threads in [1, 2] {
            // The fastest of several slices: two threads are two only while nobody else has the processors.
            var speed = 0.0, sum: Int64 = 0
            let length = max(2, operations / 20)
            for first in stride(from: 0, to: operations, by: length) {
                let end = min(first + length, operations)
                let start = now()
                sum += try onThreads(threads) { thread in
                    var sum: Int64 = 0
                    for operation in stride(from: first + thread, to: end, by: threads) {
                        sum += try store.read(at: generation) { try read($0, name, sql, key(operation, rows: rows)) }
                    }
                    return sum
                }
                speed = max(speed, Double(end - first) / (Double(now() - start) / 1e9))
            }
            cell.measure("\(name)\(threads)", speed)
            cell.checksum(name, sum)
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

/// Runs the body on so many threads at once.
///
/// - Returns: the sum of what they gave.
private func onThreads(_ count: Int, _ body: @Sendable (Int) throws -> Int64) throws -> Int64 {
    var results = [Result<Int64, any Error>](repeating: .success(0), count: count)
    results.withUnsafeMutableBufferPointer { buffer in
        nonisolated(unsafe) let buffer = buffer  // each thread has a place of its own
        DispatchQueue.concurrentPerform(iterations: count) { thread in buffer[thread] = Result { try body(thread) } }
    }
    return try results.reduce(0) { $0 + (try $1.get()) }
}
