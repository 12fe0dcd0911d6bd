import PinviewModel

/// How deep predicates and lists may nest. The walks over the trees recurse; at this depth they need 512 KiB of stack (1.5 MiB
/// without optimisation), where threads have 8 MiB.
enum NestingLimit {
    static let maximumDepth = 1000

    static let problem = "nests deeper than \(maximumDepth) levels; a chain of ANDs or of ORs is one level, of any length"

    static var error: PinviewError { PinviewError(.badPredicate, "The predicate \(problem).") }
}
