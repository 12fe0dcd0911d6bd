import PinviewModel

/// What a root context's save does with a row that somebody else changed or deleted since the
/// context read it, and with rows that would have the same values in a uniqueness constraint.
///
/// Whether there is a conflict is decided by the row version alone; which properties changed on
/// which side is decided by the values the object was loaded with (`NSMergePolicy` in Core Data). A
/// conflict between a child and its parent does not exist: the child's values are taken.
///
/// **Uniqueness.** Under `error` the save fails and lists the conflicts
/// (``PinviewError/constraintConflicts``). Under the others, two records that have the same values
/// in a constraint are one: a new object becomes the row that has its values already, and every
/// reference to it, of objects and in the file, leads there. What differs is whose values the row
/// has then:
///
/// | | a new object meets a row | an updated object runs into another row | | --- | --- | --- | |
/// `mergeByPropertyObjectTrump` | the values that were set on the object | the changed values; the
/// object's own row is deleted | | `mergeByPropertyStoreTrump` | the row's; those that are nil
/// there are filled | both rows stay, the constraint's properties as in the store | | `overwrite` |
/// all values of the object | all values of the object; its own row is deleted | | `rollback` | the
/// row's | both rows stay as they are in the store |
///
/// Where the context has an object for the row already, that object stays, and the other one is
/// gone as if it had been deleted; otherwise the new object is the row's from then on. Where all
/// objects are part of the same save, the one that was inserted or changed last counts as the
/// object, the others as the row. To-many relationships are united. A new object that names two
/// rows, by two constraints, fails the save under object trump and overwrite: nothing says which of
/// the two it is.
public struct MergePolicy: Hashable, Sendable {
    enum Kind: Hashable {
        case error, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback
        case custom(Resolver)
    }

    /// The program's function, equal to itself only.
    final class Resolver: Hashable, Sendable {
        let resolve: @Sendable ([MergeConflict]) throws -> [MergeResolution]
        init(_ resolve: @escaping @Sendable ([MergeConflict]) throws -> [MergeResolution]) { self.resolve = resolve }
        static func == (left: Resolver, right: Resolver) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let kind: Kind

    /// The save fails with `PinviewError.Code.managedObjectMerge` and lists the conflicts. The
    /// default.
    public static let error = MergePolicy(kind: .error)
    /// A property changed on both sides takes the store's value, one changed on one side that
    /// side's.
    public static let mergeByPropertyStoreTrump = MergePolicy(kind: .mergeByPropertyStoreTrump)
    /// A property changed on both sides takes the object's value, one changed on one side that
    /// side's.
    public static let mergeByPropertyObjectTrump = MergePolicy(kind: .mergeByPropertyObjectTrump)
    /// The object's whole state replaces the stored row.
    public static let overwrite = MergePolicy(kind: .overwrite)
    /// The stored row stays and the object takes its values.
    public static let rollback = MergePolicy(kind: .rollback)

    /// A policy that the program decides itself.
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
    /// Where uniqueness constraints are violated, the function is called again for those: such a
    /// conflict has a ``MergeConflict/constraint``. What it resolves may run into another row; then
    /// it is called for that, too.
    ///
    /// - Parameter resolve: gets the conflicts of a save together, and gives a resolution for each,
    ///   in their order. What it throws fails the save: nothing is written then. It runs inside the
    ///   save's write transaction, on the thread of the save. It must be quick, as every other
    ///   writer of the stores waits for it; calls of the context that is being saved, and of its
    ///   objects, give `invalidArgument`, saves of other contexts to the same stores fail or, on
    ///   other threads, wait: it must not wait for such a thread.
    public static func custom(_ resolve: @escaping @Sendable ([MergeConflict]) throws -> [MergeResolution]) -> MergePolicy {
        MergePolicy(kind: .custom(Resolver(resolve)))
    }

    /// The constants in the order of their numbers.
    public static let constants: [MergePolicy] = [error, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback]

    /// The number of a constant; 5 for a policy of the program's own.
    public var rawValue: Int { Self.constants.firstIndex(of: self) ?? Self.constants.count }

    /// The constant of a number; nil when there is none.
    public init?(rawValue: Int) {
        guard Self.constants.indices.contains(rawValue) else { return nil }
        self = Self.constants[rawValue]
    }

    private init(kind: Kind) { self.kind = kind }
}

/// How a program's own merge policy resolves one conflict.
public enum MergeResolution: Hashable, Sendable {
    /// As one of the constants does; `.error` leaves the conflict, and fails the save.
    case policy(MergePolicy)
    /// These properties are written with these values, a to-one relationship with the ID of its
    /// destination; the others keep what the store has. A row that has been deleted is written
    /// anew, the other properties from memory; an object that was to be deleted stays. Of a
    /// uniqueness conflict: values that differ in the constraint keep the object apart, which is
    /// saved with them; others are written to the one row that both become.
    case values([String: Value])
}

/// On which thread the work of a context runs (`NSManagedObjectContextConcurrencyType`).
public enum ManagedObjectContextConcurrencyType: Int, Hashable, Sendable {
    /// The context belongs to the thread that made it. Deprecated: take `.privateQueue`.
    case confinement = 0
    /// The context is its own serial queue.
    case privateQueue = 1
    /// The context's work runs on the process's main thread, or the main actor: ``MainQueue``.
    case mainQueue = 2
}

extension PinviewError {
    /// The error of a save whose conflicts are not resolved; there is at least one.
    package static func conflict(_ conflicts: [MergeConflict]) -> PinviewError {
        guard let first = conflicts.first(where: { $0.constraint == nil }) else {
            var seen: Set<ConstraintConflict> = []
            return .constraintConflict(conflicts.compactMap(\.constraint).filter { seen.insert($0).inserted }, mergeConflicts: conflicts)
        }
        let what = first.newVersion == 0 ? "deleted" : "changed"
        return PinviewError(
            .managedObjectMerge,
            "\(first.objectID) was \(what) in the store since this context read it"
                + (conflicts.count > 1 ? ", and \(conflicts.count - 1) more objects likewise" : "")
                + ". Refresh it, or set a merge policy other than error."
        ).with(conflicts: conflicts).with(affectedObjectIDs: conflicts.map(\.objectID))
    }
}
