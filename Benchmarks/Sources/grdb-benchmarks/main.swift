import BenchmarkSupport
import Foundation

// The workloads of Workloads.md with GRDB: a peer of pinview-benchmarks.

let workloads: [String: (Cell) throws -> Void] = [
    "w1-read-all": readAll, "w1p-columns": readColumns, "w2-index-sorted": readSorted, "w3-by-key": readByKey, "w4-follow": follow,
    "w4-prefetch": prefetch, "w5-insert": insert, "w6-update": update, "w7-delete": delete, "w8-count": count,
    "w9-bulk-update": bulkUpdate, "w10-snapshot": snapshots, "w11-memory": weigh, "w12-threads": twoThreads, "w13-latency": latency,
    "w14-walk": walk, "w15-walk-prefetched": walkPrefetched, "w16-tags": tags, "w16-tags-prefetched": tagsPrefetched,
    "w17-small-saves": saveOften, "w18-stream": stream, "w21-upsert": upsert,
]

let arguments = CommandLine.arguments
do {
    if arguments.count == 3, arguments[1] == "change-flights" {
        changeFlights(arguments[2])
    } else {
        guard arguments.count >= 5, arguments[1] == "cell", let work = workloads[arguments[2]] else {
            throw BenchmarkError("usage: grdb-benchmarks cell WORKLOAD PEER FOLDER NAME=NUMBER…")
        }
        try work(Cell(folder: arguments[4], parameters: arguments.dropFirst(5)))
    }
} catch {
    fflush(nil)
    FileHandle.standardError.write(Data("grdb-benchmarks: \(error)\n".utf8))
    exit(1)
}
