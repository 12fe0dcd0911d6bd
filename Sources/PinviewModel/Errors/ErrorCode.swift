extension PinviewError {
    /// The number of an error. Core Data's own numbers belong to `cocoaErrorDomain`, the small ones to `pinviewErrorDomain`.
    ///
    /// An open list: an error that comes from elsewhere may carry any number.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The domain in which Pinview uses this number.
        public var domain: String {
            rawValue < 1000 ? PinviewError.pinviewErrorDomain : PinviewError.cocoaErrorDomain
        }
    }
}

/// Core Data's numbers: something in the data or the store went wrong.
extension PinviewError.Code {
    public static let validation = Self(rawValue: 1550)
    public static let validationMultipleErrors = Self(rawValue: 1560)
    public static let validationMissingMandatoryProperty = Self(rawValue: 1570)
    public static let relationshipLacksMinimumCount = Self(rawValue: 1580)
    public static let relationshipExceedsMaximumCount = Self(rawValue: 1590)
    public static let relationshipDeniedDelete = Self(rawValue: 1600)
    public static let numberTooLarge = Self(rawValue: 1610)
    public static let numberTooSmall = Self(rawValue: 1620)
    public static let dateTooLate = Self(rawValue: 1630)
    public static let dateTooSoon = Self(rawValue: 1640)
    public static let invalidDate = Self(rawValue: 1650)
    public static let stringTooLong = Self(rawValue: 1660)
    public static let stringTooShort = Self(rawValue: 1670)
    public static let stringPatternMatching = Self(rawValue: 1680)
    public static let invalidURI = Self(rawValue: 1690)
    /// A fetch was cancelled or interrupted.
    public static let userCancelled = Self(rawValue: 3072)
    /// There is no such row.
    public static let managedObjectReferentialIntegrity = Self(rawValue: 133000)
    /// A relationship between objects of different stores.
    public static let externalRelationship = Self(rawValue: 133010)
    public static let managedObjectMerge = Self(rawValue: 133020)
    public static let managedObjectConstraintMerge = Self(rawValue: 133021)
    public static let persistentStoreSave = Self(rawValue: 134030)
    public static let persistentStoreOperation = Self(rawValue: 134070)
    public static let persistentStoreOpen = Self(rawValue: 134080)
    public static let persistentStoreUnsupportedRequest = Self(rawValue: 134091)
    public static let persistentStoreIncompatibleVersionHash = Self(rawValue: 134100)
    public static let sqlite = Self(rawValue: 134180)
    public static let historyTokenExpired = Self(rawValue: 134301)
}

/// Programmer errors: what Core Data answers with an exception.
extension PinviewError.Code {
    public static let nestedPin = Self(rawValue: 1)
    public static let foreignToken = Self(rawValue: 2)
    public static let generationExpired = Self(rawValue: 3)
    public static let wrongQueue = Self(rawValue: 4)
    public static let wrongContext = Self(rawValue: 5)
    public static let wrongStore = Self(rawValue: 6)
    public static let noCoordinator = Self(rawValue: 7)
    public static let coordinatorNil = Self(rawValue: 8)
    public static let confinementParent = Self(rawValue: 9)
    public static let confinementPerform = Self(rawValue: 10)
    public static let parentCycle = Self(rawValue: 11)
    public static let contextGone = Self(rawValue: 12)
    public static let objectInvalidated = Self(rawValue: 13)
    public static let noCurrentContext = Self(rawValue: 14)
    public static let pinnedAutoMerge = Self(rawValue: 15)
    public static let unknownEntity = Self(rawValue: 16)
    public static let unknownKey = Self(rawValue: 17)
    public static let wrongType = Self(rawValue: 18)
    public static let badPredicate = Self(rawValue: 19)
    public static let badModel = Self(rawValue: 20)
    public static let notLocked = Self(rawValue: 21)
    public static let invalidHandle = Self(rawValue: 101)
    public static let invalidArgument = Self(rawValue: 102)
    public static let invalidUTF8 = Self(rawValue: 103)
    public static let generationLost = Self(rawValue: 104)
    public static let forked = Self(rawValue: 105)
    public static let outOfMemory = Self(rawValue: 106)
    public static let unknownStore = Self(rawValue: 107)
    public static let stopped = Self(rawValue: 108)
    /// A fetch took longer than its timeout.
    public static let timedOut = Self(rawValue: 109)
    /// The thread would have waited for a context whose thread waits for it.
    public static let deadlock = Self(rawValue: 110)
}
