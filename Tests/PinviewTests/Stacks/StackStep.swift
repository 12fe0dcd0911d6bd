/// One step of a sequence: words, so that a sequence is printed, kept and read again as it is.
///
/// A step whose operands do not exist when it comes is passed over, so that any step may be left
/// out of a sequence:
///
///     A = root 1 error auto        a root context of coordinator 1, its merge policy, what else is switched on
///     B = child A                  a child
///     A insert 3                   record 3 is a Person: `StackSchema.entity(3)`
///     A set 3 age 2 · A link 3 boss 4 · A unlink 3 boss
///     A add 3 friends 4 · A remove 3 friends 4 · A assign 3 friends 4,5 · A move 3 tasks 12 0
///     A delete 3
///     A process · A save · A rollback · A reset · A undo · A redo · A begin · A end
///     A refresh 3 merging · A refresh 3 dropping · A refreshAll
///     A merge B                    what B saved last, from its notification; `A remote B` by IDs
///     A obtain · A pin · A unpin · A token B
///     A fetch Person · A read 3 · A readAll · A lookUp 3 · A forget
///     P set 3 age 2                the other process does it and commits; also insert, link, delete
///
/// A word `direct` in front makes a change a direct call, which ends no event.
struct StackStep: Hashable, CustomStringConvertible {
    let words: [String]
    init(_ words: [String]) { self.words = words }

    var description: String { words.joined(separator: " ") }

    /// The steps of a text, one a line; what follows a `#` is a remark.
    static func steps(_ text: String) -> [StackStep] {
        text.split(separator: "\n").compactMap { line in
            let words = (line.split(separator: "#", omittingEmptySubsequences: false).first ?? "").split(separator: " ").map(String.init)
            return words.isEmpty ? nil : StackStep(words)
        }
    }
}

/// A difference between the library and the naive model.
struct StackMismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Kinds of operations that a sequence may be made of.
enum StackFeature: String, CaseIterable {
    case deletes, undo, groups, children, merging, automatic, refreshing, pins, secondCoordinator, process, policies, unique, noInverse
    case oneToOne, ordered, reset, obtain, direct, forget
    /// Relationships are compared also in contexts that have not merged all commits of others.
    case strict
}
