import Foundation
import Pinview
import StressSupport

/// A second process with a stack of its own on the file, which commits the changes that it is sent,
/// each time as one save.
final class StackOtherProcess {
    private let process: ForeignProcess

    init(path: String) throws { process = try .stackProcess(path) }

    deinit { process.finish() }

    func run(_ line: String) throws -> String {
        let answer = try process.run(line)
        if answer.hasPrefix("error") { throw StackMismatch("the other process: \(line): \(answer)") }
        return answer
    }

    func run(_ line: String, wanting expected: String) throws {
        let answer = try run(line)
        if answer != expected { throw StackMismatch("the other process: \(line): \(answer)") }
    }
}
