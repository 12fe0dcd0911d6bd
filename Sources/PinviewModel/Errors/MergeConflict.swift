/// A row that has changed in the store since the context that saves it last read it.
public struct MergeConflict: Sendable {
    /// The object whose row is in conflict.
    public let objectID: ManagedObjectID
    /// The row version that the context's changes are based on.
    public let oldVersion: Int64
    /// The current row version in the store; 0 if the row has been deleted.
    public let newVersion: Int64
    /// The values that the context last read.
    public let base: [String: Value]
    /// The values to be saved.
    public let mine: [String: Value]
    /// The current values in the store; nil if the row has been deleted.
    public let theirs: [String: Value]?
    /// Whether the object is to be deleted; `mine` is then equal to `base`.
    public let isDeletion: Bool
    /// The uniqueness constraint that the object would violate, in the list passed to a custom
    /// merge policy; nil for a row that others changed. `theirs` then has the values of the object
    /// that already has the constraint's values, in the store or in the same context.
    public let constraint: ConstraintConflict?

    /// The properties that the context changed.
    public var keysChangedByMine: Set<String> { Set(mine.keys.filter { mine[$0] != base[$0] }) }
    /// The properties that others changed; all of them if the row has been deleted.
    public var keysChangedByTheirs: Set<String> {
        guard let theirs else { return Set(base.keys) }
        return Set(theirs.keys.filter { theirs[$0] != base[$0] })
    }

    /// Creates a description of a conflict.
    public init(
        objectID: ManagedObjectID, oldVersion: Int64, newVersion: Int64, base: [String: Value], mine: [String: Value],
        theirs: [String: Value]?, isDeletion: Bool = false, constraint: ConstraintConflict? = nil
    ) {
        self.objectID = objectID
        self.oldVersion = oldVersion
        self.newVersion = newVersion
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.isDeletion = isDeletion
        self.constraint = constraint
    }
}
