import Foundation

/// Leaves out steps of a sequence that fails, as long as it still fails (delta debugging).
struct StackShrinker {
    let fails: ([StackStep]) throws -> String?
    var seconds = 40.0

    /// The shortest sequence found, and how it fails.
    func shrink(_ steps: [StackStep], _ failure: String) throws -> ([StackStep], String) {
        var best = steps, shortest = failure, size = max(1, steps.count / 2)
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            var start = 0, isShorter = false
            while start < best.count, Date() < deadline {
                var candidate = best
                candidate.removeSubrange(start..<min(start + size, best.count))
                if let failure = try fails(candidate), Self.kind(failure) == Self.kind(shortest) {
                    best = candidate
                    shortest = failure
                    isShorter = true
                } else {
                    start += size
                }
            }
            if Date() >= deadline || size == 1 && !isShorter { return (best, shortest) }
            if size > 1 { size /= 2 }
        }
    }

    /// The part of the message that failures of one kind share: all but contexts, numbers and
    /// names.
    static func kind(_ failure: String) -> String {
        let words = failure.split(separator: " ").filter { $0.allSatisfy { $0.isLetter || $0 == "-" || $0 == ":" } || $0.hasPrefix("ONE-") }
        return words.dropFirst().prefix(3).joined(separator: " ")
    }
}
