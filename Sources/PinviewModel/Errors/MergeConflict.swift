/// One row that a save found changed since its context last saw it.
public struct MergeConflict: Sendable {
    public let objectID: ManagedObjectID
    /// The row version on which the context's changes are based.
    public let oldVersion: Int64
    /// The row version in the store now; 0 if the row has been deleted.
    public let newVersion: Int64
    /// The values that the context last saw.
    public let base: [String: Value]
    /// The values that the context wants to save.
    public let mine: [String: Value]
    /// The values in the store now; nil if the row has been deleted.
    public let theirs: [String: Value]?
    /// Whether the context wants to delete the object; `mine` is the same as `base` then.
    public let isDeletion: Bool
    /// The uniqueness constraint that the object would violate, in the list that a custom merge policy gets; nil for a row that others
    /// changed. `theirs` holds the values of the object that has the constraint's values already, in the store or in the same context.
    public let constraint: ConstraintConflict?

    /// The properties that the context changed.
    public var keysChangedByMine: Set<String> { Set(mine.keys.filter { mine[$0] != base[$0] }) }
    /// The properties that others changed; all of them if the row has been deleted.
    public var keysChangedByTheirs: Set<String> {
        guard let theirs else { return Set(base.keys) }
        return Set(theirs.keys.filter { theirs[$0] != base[$0] })
    }

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
