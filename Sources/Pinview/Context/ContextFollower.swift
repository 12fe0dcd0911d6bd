import PinviewModel

/// Keeps what it has fetched from a context up to date. A context refers weakly to its followers.
protocol ContextFollower: AnyObject, Sendable {
    /// Whether objects of an entity concern the follower. Merging registers such objects even if
    /// nothing else in the context refers to them.
    func follows(_ entity: Entity) -> Bool

    /// Called on the context's queue when the context reads another generation.
    func generationDidChange()
}
