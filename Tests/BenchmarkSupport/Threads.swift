import Glibc

/// A part of a workload that threads did together.
public struct Slice: Sendable {
    public let operations: Int64
    public let nanoseconds: Int64
    /// How long the threads waited for a processor meanwhile, all together.
    public let waited: Int64
    /// Of everything that was read.
    public let sum: Int64

    public init(operations: Int64, nanoseconds: Int64, waited: Int64, sum: Int64) {
        self.operations = operations
        self.nanoseconds = nanoseconds
        self.waited = waited
        self.sum = sum
    }

    var speed: Double { Double(operations) / (Double(nanoseconds) / 1e9) }
    var share: Double { Double(waited) / Double(nanoseconds) }
}

extension Cell {
    /// Does operations in slices and reports how many there are in a second. Slices in which a
    /// thread had to wait for a processor do not count; if there are no others, the one with the
    /// least waiting does.
    public func measure(
        _ name: String, checksum: String, operations: Int, slices: Int = 40, _ body: (_ first: Int64, _ end: Int64) throws -> Slice
    ) throws {
        let length = max(2, operations / slices)
        var done: [Slice] = []
        for first in stride(from: 0, to: operations, by: length) {
            done.append(try body(Int64(first), Int64(min(first + length, operations))))
        }
        let undisturbed = done.filter { $0.share < 0.02 }.map(\.speed)
        guard let speed = median(undisturbed) ?? done.min(by: { $0.share < $1.share })?.speed else {
            throw BenchmarkError("\(name) was not measured")
        }
        measure(name, speed)
        self.checksum(checksum, done.reduce(0) { $0 + $1.sum })
    }
}

/// Nanoseconds that the calling thread has waited for a processor since it began.
private func waitingTime() -> Int64 {
    let file = open("/proc/thread-self/schedstat", O_RDONLY)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    let text = withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
        String(decoding: buffer[..<max(0, read(file, buffer.baseAddress, buffer.count))], as: UTF8.self)
    }
    let words = text.split(separator: " ")
    return words.count > 1 ? Int64(words[1]) ?? 0 : 0
}

/// Runs the operations from `first` up to `end` on so many threads, each of them every so-many-th
/// one.
///
/// - Parameter body: does one operation; gives what it read, as a number.
public func onThreads(
    _ count: Int, from first: Int64, to end: Int64, _ body: (_ thread: Int, _ operation: Int64) throws -> Int64
) throws -> Slice {
    try withoutActuallyEscaping(body) { body in
        let start = try StartLine(threads: count)
        let shares = (0..<count).map { thread in
            Share(start) {
                var sum: Int64 = 0
                for operation in stride(from: first + Int64(thread), to: end, by: count) { sum += try body(thread, operation) }
                return sum
            }
        }
        var threads: [pthread_t] = []
        for share in shares { threads.append(try share.begin()) }
        for thread in threads { pthread_join(thread, nil) }
        return try withExtendedLifetime(shares) {
            let sums = try shares.map { try $0.result.get() }
            return Slice(
                operations: end - first,
                nanoseconds: (shares.map(\.ended).max() ?? 0) - (shares.map(\.began).min() ?? 0),
                waited: shares.reduce(0) { $0 + $1.waited }, sum: sums.reduce(0, +))
        }
    }
}

/// Lets threads go only when all of them are there.
private final class StartLine: @unchecked Sendable {  // made for sharing
    private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

    init(threads: Int) throws(BenchmarkError) {
        guard pthread_barrier_init(barrier, nil, UInt32(threads)) == 0 else { throw BenchmarkError("no barrier for \(threads) threads") }
    }

    deinit {
        pthread_barrier_destroy(barrier)
        barrier.deallocate()
    }

    func wait() { pthread_barrier_wait(barrier) }
}

/// What one thread does of a slice.
private final class Share: @unchecked Sendable {  // written by its thread, read when that has ended
    private let start: StartLine
    private let work: () throws -> Int64
    private(set) var result = Result<Int64, any Error>.success(0)
    private(set) var began: Int64 = 0, ended: Int64 = 0, waited: Int64 = 0

    init(_ start: StartLine, _ work: @escaping () throws -> Int64) {
        self.start = start
        self.work = work
    }

    func begin() throws(BenchmarkError) -> pthread_t {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Share>.fromOpaque(argument).takeUnretainedValue().run() }
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
        guard code == 0 else { throw BenchmarkError("no thread could be started (\(code))") }
        return thread
    }

    private func run() {
        start.wait()
        let before = waitingTime()
        began = now()
        result = Result { try work() }
        ended = now()
        waited = waitingTime() - before
    }
}
