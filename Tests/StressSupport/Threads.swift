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
