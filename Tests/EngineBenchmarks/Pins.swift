import BenchmarkSupport
import PinviewGenerations

/// Taking, sharing, moving and releasing pins, while another connection commits.
func measurePins(_ cell: Cell) throws {
    let store = try StoreFile.open(path: cell.store, options: StoreFileOptions())
    defer { store.close() }
    let writer = try Writer(cell.store)
    let commits = Int64(try cell.parameter("commits")), repeats = try cell.parameter("repeats")
    var pins: [Double] = [], releases: [Double] = [], advances: [Double] = []
    var sum: Int64 = 0
    for commit in 1...commits {
        try writer.set(1, commit)
        var generation: Generation?
        pins.append(try nanoseconds { generation = try store.currentGeneration() })
        if let generation { sum += try store.value(1, at: generation) }
        releases.append(nanoseconds { generation = nil })
    }
    var pinned = try store.currentGeneration()
    let shared = try nanoseconds {
        for _ in 0..<repeats { pinned = try store.currentGeneration() }
    }
    for commit in 1...commits {
        try writer.set(1, commit)
        advances.append(
            try nanoseconds {
                pinned = try store.currentGeneration()
                sum += try store.value(1, at: pinned)
            })
    }
    try cell.measure("pin", medianOf: pins)
    cell.measure("shared", shared / Double(repeats))
    try cell.measure("advance", medianOf: advances)
    try cell.measure("release", medianOf: releases)
    cell.checksum("values", sum)
}
