import PinviewGenerations
import PinviewModel

/// Reads a table in pages with a fixed number of keys, on the calling thread and a second one, and
/// returns them in order.
///
/// At most three pages are being read or waiting. An idle thread takes the next page that nobody
/// has begun, so reading also works without the second thread.
final class ParallelPageReader: @unchecked Sendable {  // guarded by `lock`
    /// The rows of a page: several batches if they have many bytes.
    typealias Page = Result<[PackedBatch], PinviewError>

    private let lock = Lock()
    private let changed = ConditionVariable()
    private let read: @Sendable (Int) throws(PinviewError) -> [PackedBatch]
    private let runInBackground: BackgroundRunner
    /// Pages not begun, in order.
    private var pending: [Int] = []
    private var finished: [Int: Page] = [:]
    private var hasHelper = false
    /// The next page to begin, and the next one to return.
    private var firstUnknown = 0
    private var firstNotGiven = 0
    private var isEnding = false

    private static let pagesOnTheirWay = 3

    /// - Parameter read: reads a page, on any thread.
    init(runInBackground: @escaping BackgroundRunner, read: @escaping @Sendable (Int) throws(PinviewError) -> [PackedBatch]) {
        self.read = read
        self.runInBackground = runInBackground
    }

    /// The next page; nil once all pages begun before ``end()`` have been returned.
    ///
    /// - Throws: the error of reading the page. The next call reads it again.
    func next() throws(PinviewError) -> [PackedBatch]? {
        lock.lock()
        defer { lock.unlock() }
        beginFailedPagesAnew()
        while true {
            while !isEnding, firstUnknown - firstNotGiven < Self.pagesOnTheirWay {
                pending.append(firstUnknown)
                firstUnknown += 1
            }
            if pending.count > 1, !hasHelper {
                hasHelper = true
                runInBackground { [self] in help() }
            }
            if let page = finished.removeValue(forKey: firstNotGiven) {
                if case .failure = page { pending.insert(firstNotGiven, at: 0) }
                let batches = try page.get()
                firstNotGiven += 1
                return batches
            }
            if let page = pending.first {
                pending.removeFirst()
                readUnlocked(page)
            } else if firstNotGiven < firstUnknown {
                lock.wait(on: changed.pointer)
            } else {
                return nil
            }
        }
    }

    /// Begins no more pages.
    /// - Returns: the number of the first page that was not begun.
    func end() -> Int {
        lock.withLock {
            isEnding = true
            return firstUnknown
        }
    }

    /// Drops pages that nobody has begun, since they are no longer needed.
    func abandon() {
        lock.withLock {
            isEnding = true
            pending = []
        }
    }

    private func help() {
        lock.lock()
        defer { lock.unlock() }
        while let page = pending.first {
            pending.removeFirst()
            readUnlocked(page)
            changed.broadcast()
        }
        hasHelper = false
    }

    /// Requires the lock, and holds it again at the end.
    private func readUnlocked(_ number: Int) {
        lock.unlock()
        let page = Page { () throws(PinviewError) in try read(number) }
        lock.lock()
        finished[number] = page
    }

    /// A page that was interrupted while nobody waited for it, or together with another page, must
    /// not fail the next call.
    private func beginFailedPagesAnew() {
        let failed = finished.compactMap { number, page -> Int? in
            if case .failure = page { number } else { nil }
        }
        guard !failed.isEmpty else { return }
        for number in failed { finished[number] = nil }
        pending = (pending + failed).sorted()
    }
}

/// Runs a body on another thread at some time.
package typealias BackgroundRunner = @Sendable (@escaping @Sendable () -> Void) -> Void
