import Pinview

/// A context of a random stack, and what the naive model knows of it.
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

    /// Changes of the source that the context may not have taken in: commits of others, or what the
    /// parent did.
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
    /// The next comparison takes what the library says for what is pending: the steps since were of
    /// a kind of which the model says only what must hold in any case.
    var adopts = false
    /// Others' changes were taken in: what is changed here may turn out, when it is loaded, to be
    /// so in the source by now.
    var absorbs = false

    // MARK: Undo

    /// What an undo is to give: nil when that is not promised.
    struct Group {
        var before: StackPending?
        /// The values of attributes before the group, which an undo gives also after a save.
        var attributes: [String: (number: Int, name: String, value: Value)] = [:]
        /// Whether a child has set attributes in it, whose former values were not recorded.
        var hasUnknownAttributes = false
    }
    var undoGroups: [Group] = []
    var redoGroups: [StackPending?] = []
    /// There may be groups below those of `undoGroups` of which the model knows nothing.
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

    /// Nothing is promised of what is undone from here on, but values of attributes if
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
                // What was changed in it before is forgotten here, but not in the context.
                openGroup?.hasUnknownAttributes = true
            }
        }
        redoGroups = redoGroups.map { _ in nil }
    }
}
