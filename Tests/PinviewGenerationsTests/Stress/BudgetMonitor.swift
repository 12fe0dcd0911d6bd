import CPlatform
import Foundation

@testable import PinviewGenerations

/// Observes a journal from outside, a few hundred times a second, and compares it with the limit
/// that the README promises (issue 15, 2): twice the budget plus what was written in the second
/// before, not counting what was written while a process copied.
final class BudgetMonitor: @unchecked Sendable {  // what changes belongs to its thread, and is read when that has ended
    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let budget: Int64
    private let seconds: Double
    private let thread: Thread
    private let stop = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
    private var written: [(time: Double, bytes: Int64)] = []
    private var salt: UInt32 = 0, frames: UInt32 = 0, apart: Int64 = 0
    private(set) var longest: Int64 = 0, excess: Int64 = 0

    /// - Parameters:
    ///   - path: of a store that is open, and stays open until the monitor has ended.
    ///   - seconds: how much of what was written last may be in the journal besides: more than one
    ///     where there are more busy threads than processors, and the process that has to release
    ///     its pin is scheduled late.
    init(path: String, budget: Int64, seconds: Double = 1) {
        self.budget = budget
        self.seconds = seconds
        descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        memory = mmap(nil, WALIndex.regionSize, PROT_READ, MAP_SHARED, descriptor, 0)
        let body = Body()
        thread = Thread { body.run() }
        body.monitor = self
        thread.start()
    }

    private final class Body: @unchecked Sendable {
        weak var monitor: BudgetMonitor?
        func run() { monitor?.watch() }
    }

    private func watch() {
        while stop.wait(timeout: .now() + .milliseconds(3)) == .timedOut { observe() }
        ended.signal()
    }

    private func observe() {
        guard let header = WALIndex(memory: memory).header else { return }
        let now = ProcessInfo.processInfo.systemUptime
        if header.salt1 != salt { (salt, frames, apart) = (header.salt1, 0, 0) }
        let frameBytes = Int64(Journal.frameSize(pageSize: header.pageSize))
        let new = Int64(header.frame - min(frames, header.frame)) * frameBytes
        frames = header.frame
        written.append((now, new))
        written.removeAll { now - $0.time > seconds }
        if pinview_finds_lock(descriptor, ReleaseLocks.Byte.copying.rawValue) == 1 { apart += new }
        let journal = Int64(frames) * frameBytes
        longest = max(longest, journal)
        excess = max(excess, journal - apart - written.reduce(0) { $0 + $1.bytes })
    }

    /// Ends the monitor. The descriptor stays open: closing it would drop the locks of this
    /// process.
    func end() {
        stop.signal()
        ended.wait()
    }

    /// Whether the limit was never exceeded.
    var isKept: Bool { excess / 2 < budget }
    var text: String { "journal up to \(longest) bytes, \(excess) beyond the last \(seconds) seconds' and the copies' (budget \(budget))" }
}
