import BenchmarkSupport
import CHeap
import CPlatform
import PinviewGenerations

/// Many generations at once, a commit between each, none of them being read: what they cost, and
/// that each still reads its own data.
func measureIdleGenerations(_ cell: Cell) throws {
    try limitDescriptors(to: try cell.parameter("descriptorLimit"))
    let writer = try Writer(cell.store)
    let descriptors = try descriptorCount()
    let store = try StoreFile.open(path: cell.store, options: StoreFileOptions())
    defer { store.close() }
    for (name, suffix) in [("few", "Few"), ("many", "Many")] {
        let count = try cell.parameter(name)
        // The memory that the first commits, the first pin and the first read allocate for good is
        // not counted for the generations.
        for commit in 0..<Int64(100) { try writer.set(1, commit) }
        for commit in 0..<Int64(8) {
            try writer.set(1, commit)
            _ = try store.value(1, at: try store.currentGeneration())
        }
        var live: [Generation] = []
        live.reserveCapacity(count)
        let memory = heapBytes()
        var pins = 0.0
        for number in 1...count {
            try writer.set(1, Int64(number))
            pins += try nanoseconds { live.append(try store.currentGeneration()) }
        }
        if name == "few" { cell.measure("takeFew", pins / Double(count)) }
        cell.measure("bytes" + suffix, Double(heapBytes() - memory) / Double(count))
        for number in stride(from: 0, to: count, by: max(1, count / 100)) {
            let value = try store.value(1, at: live[number])
            guard value == Int64(number + 1) else { throw BenchmarkError("generation \(number + 1) reads \(value), which is not its own") }
        }
        cell.measure("descriptors" + suffix, Double(try descriptorCount() - descriptors))
    }
}

/// Bytes of the heap that the process uses.
private func heapBytes() -> Int {
    let heap = mallinfo2()
    return heap.uordblks + heap.hblkhd
}
