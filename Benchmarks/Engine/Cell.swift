import CHeap
import Glibc

/// What the program that runs the benchmarks has asked for, and the way back to it.
struct Cell {
    private let folder: String
    private var parameters: [String: Int] = [:]

    init(folder: String, parameters: some Sequence<String>) throws(BenchmarkError) {
        self.folder = folder
        for parameter in parameters {
            let parts = parameter.split(separator: "=")
            guard parts.count == 2, let value = Int(parts[1]) else { throw BenchmarkError("no parameter: \(parameter)") }
            self.parameters[String(parts[0])] = value
        }
    }

    func parameter(_ name: String) throws(BenchmarkError) -> Int {
        guard let value = parameters[name] else { throw BenchmarkError("there is no parameter \(name)") }
        return value
    }

    /// A store with the table ZITEM.
    var store: String { folder + "/items.sqlite" }

    func measure(_ name: String, _ value: Double) { print("measure \(name) \(value)") }
    func checksum(_ name: String, _ value: Int64) { print("checksum \(name) \(value)") }

    /// Reports the median of single times.
    func measure(_ name: String, medianOf times: [Double]) {
        let sorted = times.sorted(), middle = sorted.count / 2
        measure(name, sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2)
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func complain(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }

/// Nanoseconds of the clock that is never set back.
func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Nanoseconds that something takes.
@inline(__always)
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return Double(now() - start)
}

/// Bytes on the heap.
func heapBytes() -> Int {
    let heap = mallinfo2()
    return heap.uordblks + heap.hblkhd
}

/// Open file descriptors.
func descriptorCount() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}

/// The key that the n-th operation reads first; the loops by hand reckon the same.
func key(_ operation: Int, rows: Int) -> Int64 { 1 + Int64(UInt64(operation) &* 2_654_435_761 % UInt64(rows - 99)) }
