import PinviewModel

/// How the save of a root context resolves conflicts: with rows that others have changed or deleted
/// since the context read them, and with rows that would have the same values in a uniqueness
/// constraint.
///
/// Whether there is a conflict depends only on the row's version; which side changed which property
/// depends on the values that the object was loaded with (`NSMergePolicy` in Core Data). There are
/// no conflicts between a child and its parent: the child's values are used.
///
/// **Uniqueness.** Under `error`, the save fails and lists the conflicts
/// (``PinviewError/constraintConflicts``). Under the others, two records with the same values in a
/// constraint become one: a new object becomes the existing row, and every reference to it, in
/// memory and in the file, leads to that row. The policies differ in the values that the row gets:
///
/// | | a new object meets a row | an updated object runs into another row |
/// | --- | --- | --- |
/// | `mergeByPropertyObjectTrump` | the values that were set on the object | the changed values; the object's own row is deleted |
/// | `mergeByPropertyStoreTrump` | the row's; those that are nil there are filled | both rows stay, the constraint's properties as in the store |
/// | `overwrite` | all values of the object | all values of the object; its own row is deleted |
/// | `rollback` | the row's | both rows stay as they are in the store |
///
/// If the context already has an object for the row, that object stays, and the other one is gone
/// as if it had been deleted; otherwise the new object becomes the row's. If all objects are part
/// of the same save, the one inserted or changed last counts as the object, the others as the row.
/// To-many relationships are united. A new object that matches two rows, under two constraints,
/// fails the save under object trump and overwrite, since nothing tells which of them it is.
public struct MergePolicy: Hashable, Sendable {
    enum Kind: Hashable {
        case error, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback
        case custom(Resolver)
    }

    /// The program's function, equal only to itself.
    final class Resolver: Hashable, Sendable {
        let resolve: @Sendable ([MergeConflict]) throws -> [MergeResolution]
        init(_ resolve: @escaping @Sendable ([MergeConflict]) throws -> [MergeResolution]) { self.resolve = resolve }
        static func == (left: Resolver, right: Resolver) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let kind: Kind

    /// The default: the save fails with `PinviewError.Code.managedObjectMerge` and lists the
    /// conflicts.
    public static let error = MergePolicy(kind: .error)
    /// A property changed on both sides takes the store's value; one changed on one side takes that
    /// side's value.
    public static let mergeByPropertyStoreTrump = MergePolicy(kind: .mergeByPropertyStoreTrump)
    /// A property changed on both sides takes the object's value; one changed on one side takes
    /// that side's value.
    public static let mergeByPropertyObjectTrump = MergePolicy(kind: .mergeByPropertyObjectTrump)
    /// The object's whole state replaces the stored row.
    public static let overwrite = MergePolicy(kind: .overwrite)
    /// The stored row stays, and the object takes its values.
    public static let rollback = MergePolicy(kind: .rollback)

    /// A policy with a function of the program's.
    ///
    /// ```swift
    /// context.mergePolicy = .custom { conflicts in
    ///     conflicts.map { conflict in
    ///         guard let theirs = conflict.theirs, !conflict.isDeletion else { return .policy(.rollback) }
    ///         return .values(["count": max(conflict.mine["count"], theirs["count"])])
    ///     }
    /// }
    /// ```
    ///
    /// If uniqueness constraints are violated, the function is called again for those conflicts,
    /// each of which has a ``MergeConflict/constraint``. A resolution may collide with another row;
    /// then the function is called for that too.
    ///
    /// - Parameter resolve: gets all conflicts of a save, and returns a resolution for each, in
    ///   their order. If it throws, the save fails, and nothing is written. It runs inside the
    ///   save's write transaction, on the thread of the save, and must be quick, since all other
    ///   writers of the stores wait. Calls of the context being saved, and of its objects, fail
    ///   with `invalidArgument`. Saves of other contexts to the same stores fail on this thread and
    ///   wait on others, so it must not wait for such a thread.
    public static func custom(_ resolve: @escaping @Sendable ([MergeConflict]) throws -> [MergeResolution]) -> MergePolicy {
        MergePolicy(kind: .custom(Resolver(resolve)))
    }

    /// The built-in policies, in the order of their numbers.
    public static let constants: [MergePolicy] = [error, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback]

    /// The number of a built-in policy; 5 for a policy of the program's own.
    public var rawValue: Int { Self.constants.firstIndex(of: self) ?? Self.constants.count }

    /// The built-in policy with a number; nil if there is none.
    public init?(rawValue: Int) {
        guard Self.constants.indices.contains(rawValue) else { return nil }
        self = Self.constants[rawValue]
    }

    private init(kind: Kind) { self.kind = kind }
}

/// How a program's merge policy resolves one conflict.
public enum MergeResolution: Hashable, Sendable {
    /// As a built-in policy does; `.error` leaves the conflict unresolved, which fails the save.
    case policy(MergePolicy)
    /// These properties are written with these values (for a to-one relationship, the ID of its
    /// destination); the others keep the store's. A deleted row is written again, with the other
    /// properties from memory; an object that was to be deleted stays. In a uniqueness conflict,
    /// values that differ in the constraint keep the object apart, and it is saved with them; other
    /// values are written to the one row that both become.
    case values([String: Value])
}

extension PinviewError {
    /// The error of a save with unresolved conflicts; there is at least one.
    package static func conflict(_ conflicts: [MergeConflict]) -> PinviewError {
        guard let first = conflicts.first(where: { $0.constraint == nil }) else {
            var seen: Set<ConstraintConflict> = []
            return .constraintConflict(conflicts.compactMap(\.constraint).filter { seen.insert($0).inserted }, mergeConflicts: conflicts)
        }
        let what = first.newVersion == 0 ? "deleted" : "changed"
        return PinviewError(
            .managedObjectMerge,
            "\(first.objectID) was \(what) in the store since this context read it"
                + (conflicts.count > 1 ? ", and so were \(conflicts.count - 1) more objects" : "")
                + ". Refresh it, or set a merge policy other than error."
        ).with(conflicts: conflicts).with(affectedObjectIDs: conflicts.map(\.objectID))
    }
}
