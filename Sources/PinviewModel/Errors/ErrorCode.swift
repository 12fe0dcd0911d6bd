extension PinviewError {
    /// An error's number. Core Data's own numbers belong to `cocoaErrorDomain`, those below 1000 to
    /// `pinviewErrorDomain`. Errors that come from elsewhere may have any number.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number itself.
        public let rawValue: Int

        /// Names any number as a code.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The domain in which Pinview uses this number.
        public var domain: String {
            rawValue < 1000 ? PinviewError.pinviewErrorDomain : PinviewError.cocoaErrorDomain
        }
    }
}

/// Core Data's numbers: the data or the store is at fault.
extension PinviewError.Code {
    /// A validation rule of the application rejected a value.
    public static let validation = Self(rawValue: 1550)
    /// Several validation errors; `detailedErrors` has each of them.
    public static let validationMultipleErrors = Self(rawValue: 1560)
    /// A property that is not optional has no value.
    public static let validationMissingMandatoryProperty = Self(rawValue: 1570)
    /// A to-many relationship has fewer objects than `minimumCount`.
    public static let relationshipLacksMinimumCount = Self(rawValue: 1580)
    /// A to-many relationship has more objects than `maximumCount`.
    public static let relationshipExceedsMaximumCount = Self(rawValue: 1590)
    /// An object with the delete rule `deny` is still related to others.
    public static let relationshipDeniedDelete = Self(rawValue: 1600)
    /// A number is above the attribute's maximum.
    public static let numberTooLarge = Self(rawValue: 1610)
    /// A number is below the attribute's minimum.
    public static let numberTooSmall = Self(rawValue: 1620)
    /// A date is after the attribute's maximum.
    public static let dateTooLate = Self(rawValue: 1630)
    /// A date is before the attribute's minimum.
    public static let dateTooSoon = Self(rawValue: 1640)
    /// A date is infinite or not a number.
    public static let invalidDate = Self(rawValue: 1650)
    /// A text has more characters than the attribute's maximum length.
    public static let stringTooLong = Self(rawValue: 1660)
    /// A text has fewer characters than the attribute's minimum length.
    public static let stringTooShort = Self(rawValue: 1670)
    /// A text does not match the attribute's regular expression.
    public static let stringPatternMatching = Self(rawValue: 1680)
    /// A URI contains a space or a control character.
    public static let invalidURI = Self(rawValue: 1690)
    /// A call was cancelled or interrupted.
    public static let userCancelled = Self(rawValue: 3072)
    /// An object's row does not exist in the generation that was read.
    public static let managedObjectReferentialIntegrity = Self(rawValue: 133000)
    /// A relationship between objects of different stores.
    public static let externalRelationship = Self(rawValue: 133010)
    /// Rows have changed in the store since the context read them; see `conflicts`.
    public static let managedObjectMerge = Self(rawValue: 133020)
    /// Values are not unique although a constraint demands it; see `constraintConflicts`.
    public static let managedObjectConstraintMerge = Self(rawValue: 133021)
    /// Saving failed for a reason that has no code of its own, such as a full disk.
    public static let persistentStoreSave = Self(rawValue: 134030)
    /// An operation on a store failed.
    public static let persistentStoreOperation = Self(rawValue: 134070)
    /// A store could not be opened.
    public static let persistentStoreOpen = Self(rawValue: 134080)
    /// The store does not support a request of this kind.
    public static let persistentStoreUnsupportedRequest = Self(rawValue: 134091)
    /// The store was made with a model that is incompatible with the coordinator's.
    public static let persistentStoreIncompatibleVersionHash = Self(rawValue: 134100)
    /// A store could not be migrated to the model: its rows do not fit, or a step failed.
    public static let migration = Self(rawValue: 134110)
    /// A store could not be migrated: values are not unique although the new model demands it.
    public static let migrationConstraintViolation = Self(rawValue: 134111)
    /// A migration was cancelled.
    public static let migrationCancelled = Self(rawValue: 134120)
    /// A store could not be migrated: it does not hold the model that it was made with.
    public static let migrationMissingSourceModel = Self(rawValue: 134130)
    /// How to migrate a store cannot be inferred; the message says what would settle it.
    public static let inferredMappingModel = Self(rawValue: 134190)
    /// SQLite reported an error; see `sqliteCode`.
    public static let sqlite = Self(rawValue: 134180)
    /// The history that a token refers to has been purged.
    public static let historyTokenExpired = Self(rawValue: 134301)
}

/// Programmer errors, for which Core Data raises an exception.
extension PinviewError.Code {
    /// A context with a parent context cannot be pinned.
    public static let nestedPin = Self(rawValue: 1)
    /// The token belongs to another coordinator.
    public static let foreignToken = Self(rawValue: 2)
    /// No context keeps the token's generation alive any more.
    public static let generationExpired = Self(rawValue: 3)
    /// The call came from a thread that does not own the context.
    public static let wrongQueue = Self(rawValue: 4)
    /// The object belongs to another context.
    public static let wrongContext = Self(rawValue: 5)
    /// The object is already saved in another store, or the store does not hold its entity.
    public static let wrongStore = Self(rawValue: 6)
    /// The context has neither a coordinator nor a parent.
    public static let noCoordinator = Self(rawValue: 7)
    /// A context's coordinator or parent cannot be set to nil.
    public static let coordinatorNil = Self(rawValue: 8)
    /// A context of this concurrency type cannot be a parent.
    public static let confinementParent = Self(rawValue: 9)
    /// A context of this concurrency type has no queue to perform blocks on.
    public static let confinementPerform = Self(rawValue: 10)
    /// A context would become its own ancestor.
    public static let parentCycle = Self(rawValue: 11)
    /// The object's context no longer exists.
    public static let contextGone = Self(rawValue: 12)
    /// The object has been invalidated by a reset or by removing its store.
    public static let objectInvalidated = Self(rawValue: 13)
    /// There is no current context.
    public static let noCurrentContext = Self(rawValue: 14)
    /// A pinned context cannot merge changes automatically.
    public static let pinnedAutoMerge = Self(rawValue: 15)
    /// The model has no entity of that name.
    public static let unknownEntity = Self(rawValue: 16)
    /// The entity has no property of that name.
    public static let unknownKey = Self(rawValue: 17)
    /// A value is not of the property's type.
    public static let wrongType = Self(rawValue: 18)
    /// A predicate, expression or sort descriptor cannot be parsed or evaluated.
    public static let badPredicate = Self(rawValue: 19)
    /// The model is inconsistent.
    public static let badModel = Self(rawValue: 20)
    /// A context was unlocked by a thread that does not hold its lock.
    public static let notLocked = Self(rawValue: 21)
    /// A handle passed to the C interface is null, released or of the wrong type.
    public static let invalidHandle = Self(rawValue: 101)
    /// An argument is out of range or contradicts another.
    public static let invalidArgument = Self(rawValue: 102)
    /// Bytes passed as text are not valid UTF-8.
    public static let invalidUTF8 = Self(rawValue: 103)
    /// The generation's journal contents have been lost, for instance with the file's locks.
    public static let generationLost = Self(rawValue: 104)
    /// The process was forked after the store had been opened.
    public static let forked = Self(rawValue: 105)
    /// There is not enough memory.
    public static let outOfMemory = Self(rawValue: 106)
    /// The store does not belong to the coordinator.
    public static let unknownStore = Self(rawValue: 107)
    /// A callback of the application asked to stop.
    public static let stopped = Self(rawValue: 108)
    /// A call took longer than its timeout.
    public static let timedOut = Self(rawValue: 109)
    /// Waiting would deadlock: the context's thread is waiting for this one.
    public static let deadlock = Self(rawValue: 110)
    /// Somebody has migrated the store to another model; this coordinator reads only generations
    /// from before.
    public static let storeMigrated = Self(rawValue: 111)
    /// Other code of the process, such as a second copy of SQLite, has dropped the locks of a
    /// store, or can do so at any time. Nothing was written.
    public static let locksLost = Self(rawValue: 112)
}
