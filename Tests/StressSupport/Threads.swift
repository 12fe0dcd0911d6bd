import Foundation

/// Starts threads that run a body at the same time.
///
/// - Parameter body: receives the thread's number.
/// - Returns: a group that is empty when all of them have ended.
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

/// The processor time of the calling thread in seconds, which does not depend on other work on the
/// machine.
package func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
