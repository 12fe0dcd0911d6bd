import PinviewModel

/// How deep predicates and lists may nest. The walks over the trees recurse; with this they fit on the smallest thread stacks in use.
enum NestingLimit {
    static let maximumDepth = 1000

    static let problem = "nests deeper than \(maximumDepth) levels; a chain of ANDs or of ORs is one level, of any length"

    static var error: PinviewError { PinviewError(.badPredicate, "The predicate \(problem).") }
}
