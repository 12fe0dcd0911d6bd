import Foundation

/// Starts so many threads, which do a body at once.
///
/// - Parameter body: given the thread's number.
/// - Returns: what is left when all of them have ended.
package func startThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> DispatchGroup {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        let thread = Thread {
            body(number)
            group.leave()
        }
        thread.stackSize = 4 << 20
        thread.start()
    }
    return group
}

/// Seconds that the calling thread has had a processor for. Those who have it meanwhile, on a busy machine, do not count.
package func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
