import PinviewGenerations
import PinviewModel

/// Reads a table in pages of so many keys each, with a second thread beside the one that asks for
/// them, and gives them in order.
///
/// At most three pages are on their way. Whoever has nothing to do takes the next page that nobody
/// has begun, so that it goes on when there is no second thread.
final class PageRelay: @unchecked Sendable {  // guarded by `lock`
    /// The rows of a page: several batches where they have many bytes.
    typealias Page = Result<[PackedBatch], PinviewError>

    private let lock = Lock()
    private let changed = ConditionVariable()
    private let read: @Sendable (Int) throws(PinviewError) -> [PackedBatch]
    private let runInBackground: BackgroundRunner
    /// Not begun, in order.
    private var pending: [Int] = []
    private var finished: [Int: Page] = [:]
    private var hasHelper = false
    /// The next page to begin, and the next one to give.
    private var firstUnknown = 0
    private var firstNotGiven = 0
    private var isEnding = false

    private static let pagesOnTheirWay = 3

    /// - Parameter read: reads one page, by any thread.
    init(runInBackground: @escaping BackgroundRunner, read: @escaping @Sendable (Int) throws(PinviewError) -> [PackedBatch]) {
        self.read = read
        self.runInBackground = runInBackground
    }

    /// The next page; nil when all that were begun before ``end()`` have been given.
    ///
    /// - Throws: what reading it has failed with. It is read anew by the next call.
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

    /// Begins no further page.
    /// - Returns: the number of the first page that was not begun.
    func end() -> Int {
        lock.withLock {
            isEnding = true
            return firstUnknown
        }
    }

    /// Forgets what nobody has begun: nobody will ask for it.
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

    /// Called with the lock, and has it again at the end.
    private func readUnlocked(_ number: Int) {
        lock.unlock()
        let page = Page { () throws(PinviewError) in try read(number) }
        lock.lock()
        finished[number] = page
    }

    /// What was stopped while nobody waited for it, or with a page that was waited for, is not the
    /// next call's failure.
    private func beginFailedPagesAnew() {
        let failed = finished.compactMap { number, page -> Int? in
            if case .failure = page { number } else { nil }
        }
        guard !failed.isEmpty else { return }
        for number in failed { finished[number] = nil }
        pending = (pending + failed).sorted()
    }
}

/// Runs a body on another thread, sooner or later.
package typealias BackgroundRunner = @Sendable (@escaping @Sendable () -> Void) -> Void
