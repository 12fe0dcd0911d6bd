import Pinview

/// A context of a random stack, and the naive model's state of it.
final class StackLevel {
    let name: String
    let context: ManagedObjectContext
    let parent: StackLevel?
    let coordinator: Int
    let policy: String
    let isAutomatic: Bool
    var children: [StackLevel] = []

    /// The objects that the test holds on to, by their records.
    var handles: [Int: ManagedObject] = [:]
    var pending = StackPending()

    /// The generation: an index of the history of commits.
    enum Pin: Equatable { case unpinned, onRead, at(Int) }
    var pin = Pin.unpinned {
        didSet { isPinnedBack = false }
    }
    var isAtGeneration: Bool { if case .at = pin { true } else { false } }
    /// Whether the token is to be nil until the next read.
    var isAnnounced = false

    /// Changes of the source that the context may not have merged: commits of others, or changes of
    /// the parent.
    var missed: Set<Int> = []
    /// Whether both sides of all relationships come from one state of the source.
    var isInStep: Bool {
        guard parent?.isInStep != false else { return false }
        if case .at(let index) = pin { return missed.allSatisfy { $0 > index } }
        return missed.isEmpty
    }

    /// Whether it was so when it was last saved.
    var wasInStep = true
    /// Rows that this context shows may have been written since: by others, or by itself at a newer
    /// generation.
    var mayConflict: Bool {
        get { mayHaveMissedWrites || isPinnedBack }
        set { mayHaveMissedWrites = newValue }
    }
    private var mayHaveMissedWrites = false
    /// Whether a token has pinned the context to a generation that was not the newest.
    var isPinnedBack = false
    /// The next comparison takes the pending changes from the library, because the model cannot
    /// predict the steps since and checks only what must always hold.
    var adopts = false
    /// Others' changes were merged: when it is loaded, a change here may turn out to be in the
    /// source by now.
    var absorbs = false

    // MARK: Undo

    /// What an undo is to give: nil when that is not promised.
    struct Group {
        var before: StackPending?
        /// The values of attributes before the group, which an undo restores also after a save.
        var attributes: [String: (number: Int, name: String, value: Value)] = [:]
        /// Whether a child has set attributes in it, whose former values were not recorded.
        var hasUnknownAttributes = false
    }
    var undoGroups: [Group] = []
    var redoGroups: [StackPending?] = []
    /// There may be groups below those of `undoGroups` that the model does not know.
    var hasUnknownGroups = false
    var openGroup: Group?
    var explicitDepth = 0
    /// Deletions whose rules are not applied yet.
    var hasPendingDeletes = false
    var lastSave: (commit: Int, notification: PinviewNotification)?

    init(name: String, context: ManagedObjectContext, parent: StackLevel?, coordinator: Int, policy: String, isAutomatic: Bool) {
        self.name = name
        self.context = context
        self.parent = parent
        self.coordinator = coordinator
        self.policy = policy
        self.isAutomatic = isAutomatic
    }

    var root: StackLevel { parent?.root ?? self }
    var descendants: [StackLevel] { children + children.flatMap(\.descendants) }

    func noteGroup() {
        if openGroup == nil { openGroup = Group(before: pending) }
        redoGroups = []
    }

    /// The event is over: what it did is one group.
    func closeGroup() {
        guard explicitDepth == 0, let group = openGroup else { return }
        undoGroups.append(group)
        openGroup = nil
    }

    /// The result of undoing is unspecified from here on, except for values of attributes if
    /// `keepingAttributes`.
    func forgetGroups(keepingAttributes: Bool) {
        if keepingAttributes {
            for index in undoGroups.indices { undoGroups[index].before = nil }
            openGroup?.before = nil
        } else {
            undoGroups = []
            hasUnknownGroups = true
            if openGroup != nil {
                openGroup = Group(before: nil)
                // Its former changes are dropped from the model, but not from the context.
                openGroup?.hasUnknownAttributes = true
            }
        }
        redoGroups = redoGroups.map { _ in nil }
    }
}
