import PinviewGenerations
import PinviewModel

/// How a store is opened.
package struct StoreOptions: Sendable {
    /// Core Data's name for `isReadOnly`.
    package static let readOnlyKey = "NSReadOnlyPersistentStoreOption"
    /// Core Data's name for a group of pragmas; single ones are given as
    /// `NSSQLitePragmasOption.journal_mode` and the like.
    package static let pragmasKey = "NSSQLitePragmasOption"
    /// Core Data's name for `tracksHistory`.
    package static let historyTrackingKey = "NSPersistentHistoryTrackingKey"
    /// Core Data's name for `postsRemoteChanges`.
    package static let remoteChangesKey = "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
    /// The options as `pinview.h` spells them, which is how errors name them.
    package static let readOnly = "readOnly"
    package static let historyTracking = HistorySchema.optionName
    package static let remoteChanges = "remoteChanges"
    package static let cacheSizeKey = "cacheSize"
    package static let busyTimeoutKey = "busyTimeout"
    package static let synchronousKey = "synchronous"
    package static let journalModeKey = "journalMode"
    package static let journalBudgetPolicyKey = "journalBudgetPolicy"
    package static let journalBudgetBytesKey = "journalBudgetBytes"
    package static let journalBudgetShareKey = "journalBudgetShare"
    package static let generationAgeBudgetKey = "generationAgeBudget"
    package static let trustedSchemaKey = "trustedSchema"
    package static let immutableKey = "immutable"
    package static let allowMissingKey = "allowMissing"

    /// Core Data's name for `migrates`.
    package static let migrationKey = "NSMigratePersistentStoresAutomaticallyOption"
    /// Core Data's name for `infersMapping`.
    package static let inferenceKey = "NSInferMappingModelAutomaticallyOption"
    package static let migrateAutomatically = "migrateStoreAutomatically"
    package static let inferMapping = "inferMappingModelAutomatically"
    package static let constraintPolicyKey = "constraintPolicy"
    package static let confirmedRemovalsKey = "confirmedRemovals"
    package static let olderModelKey = "allowOlderModel"
    package static let eraseKey = "eraseOnModelChange"
    package static let modelVersionsKey = "modelVersions"

    package var isReadOnly = false
    /// Whether a store of another version of the model is migrated when it is opened.
    package var migrates = false
    /// Whether the migration may be worked out from the two models.
    package var infersMapping = true
    /// What happens to rows with equal values under a new uniqueness constraint.
    package var constraintPolicy = ConstraintPolicy.error
    /// Entities (`Person`) and properties (`Person.name`) of the store's model that are gone, and
    /// not renamed.
    package var confirmedRemovals: Set<String> = []
    /// Whether a store may be migrated back to a version from which it was migrated before.
    package var allowsOlderModel = false
    /// Whether a store of another version of the model is emptied, instead of being migrated.
    package var erasesOnModelChange = false
    /// A `.momd` or `.xcdatamodeld` with versions of the model.
    package private(set) var modelVersionsPath: String?
    /// The versions of the model that the program knows, and its steps between them.
    package var stages = MigrationStages()
    /// Told how far a migration is, from 0 to 1, and what was done last; false cancels it.
    package var migrationProgress: (@Sendable (_ share: Double, _ step: String) -> Bool)?
    /// Whether the program asked to write to the store.
    private(set) var isWritingWanted = false
    /// Whether nobody changes the file meanwhile, so that it is read without locks and without
    /// anything left beside it. Implies `isReadOnly`.
    package var isImmutable = false
    /// Whether a store that is only read may lack entities and properties of the model.
    package var allowsMissing = false
    /// Whether a persistent history is written.
    package var tracksHistory = false
    /// Whether observers are told of commits that others make.
    package var postsRemoteChanges = false
    /// `wal`, `delete`, `truncate`, `persist`, `memory` or `off`.
    package var journalMode = "wal"
    /// `off`, `normal`, `full` or `extra`.
    package var synchronous = "normal"
    /// How many pages each connection keeps in memory, or how many KiB if negative (SQLite's
    /// `cache_size`); nil: SQLite's default.
    package var cacheSize: Int64?
    /// Seconds to wait for other programs that write.
    package var busyTimeout = 5.0
    /// How long old generations may make the journal, and what happens then.
    package var journalBudget = JournalBudget()
    /// Told when they did, on a thread of the library.
    package var journalObserver: (@Sendable (JournalEvent) -> Void)?
    /// Whether triggers, views, generated columns and functions in the file's schema may run.
    package var trustsSchema = false
    /// Entries for the metadata of a store that is created by opening it.
    package var metadata: [String: PropertyListValue] = [:]

    package init() {}

    /// For reading the state before a migration beside its transaction.
    var forReadingSource: StoreOptions {
        var options = StoreOptions()
        options.isReadOnly = true
        options.journalMode = journalMode
        options.busyTimeout = busyTimeout
        options.trustsSchema = trustsSchema
        return options
    }

    /// - Throws: `invalidArgument` for an option that does not exist or a value that it does not
    ///   take.
    package init(parsing options: [String: Value]) throws(PinviewError) {
        self.init()
        for (name, value) in options.sorted(by: { $0.key < $1.key }) { try set(name, to: value) }
        guard isReadOnly || !allowsMissing else {
            throw PinviewError(
                .invalidArgument,
                "The store option \(Self.allowMissingKey) also needs \(Self.readOnly) or \(Self.immutableKey).")
        }
    }

    private static let names = [
        readOnly, historyTracking, remoteChanges, journalModeKey, synchronousKey, cacheSizeKey, busyTimeoutKey, journalBudgetPolicyKey,
        journalBudgetBytesKey, journalBudgetShareKey, generationAgeBudgetKey, trustedSchemaKey, immutableKey, migrateAutomatically,
        inferMapping, constraintPolicyKey, confirmedRemovalsKey, olderModelKey,
        eraseKey, modelVersionsKey, allowMissingKey,
    ]
    private static let journalModes = ["wal", "delete", "truncate", "persist", "memory", "off"]
    private static let synchronousModes = StoreFileOptions.Synchronous.allCases.map(\.rawValue)

    private mutating func set(_ name: String, to value: Value) throws(PinviewError) {
        switch name {
        case Self.readOnly, Self.readOnlyKey:
            isReadOnly = try Self.boolean(value, name) || isImmutable
            isWritingWanted = !isReadOnly
        case Self.immutableKey:
            isImmutable = try Self.boolean(value, name)
            isReadOnly = isReadOnly || isImmutable
        case Self.allowMissingKey:
            allowsMissing = try Self.boolean(value, name)
        case Self.historyTracking, Self.historyTrackingKey:
            tracksHistory = try Self.boolean(value, name)
        case Self.remoteChanges, Self.remoteChangesKey:
            postsRemoteChanges = try Self.boolean(value, name)
        case Self.migrateAutomatically, Self.migrationKey:
            migrates = try Self.boolean(value, name)
        case Self.inferMapping, Self.inferenceKey:
            infersMapping = try Self.boolean(value, name)
        case Self.olderModelKey:
            allowsOlderModel = try Self.boolean(value, name)
        case Self.eraseKey:
            erasesOnModelChange = try Self.boolean(value, name)
        case Self.constraintPolicyKey:
            // The words are compared without case.
            let words = ConstraintPolicy.allCases.map { $0.rawValue.lowercased() }
            let word = try Self.word(value, name, among: words)
            constraintPolicy = ConstraintPolicy.allCases.first { $0.rawValue.lowercased() == word } ?? .error
        case Self.confirmedRemovalsKey:
            guard case .string(let text) = value else {
                throw PinviewError(
                    .invalidArgument, "The store option \(name) must be a list of names such as \"Person.name, Car\", got \(value).")
            }
            confirmedRemovals = Set(text.split { $0 == "," || $0 == " " }.map(String.init))
        case Self.modelVersionsKey:
            guard case .string(let text) = value else {
                throw PinviewError(.invalidArgument, "The store option \(name) must be the path of a .momd or .xcdatamodeld, got \(value).")
            }
            modelVersionsPath = text
        case Self.trustedSchemaKey:
            trustsSchema = try Self.boolean(value, name)
        case Self.journalModeKey, "journal_mode", Self.pragmasKey + ".journal_mode":
            journalMode = try Self.word(value, name, among: Self.journalModes)
        case Self.synchronousKey, Self.pragmasKey + ".synchronous":
            synchronous = try Self.word(value, name, among: Self.synchronousModes)
        case Self.cacheSizeKey, "cache_size", Self.pragmasKey + ".cache_size":
            guard case .integer(let size) = value, (-1 << 31..<1 << 31).contains(size) else {
                throw PinviewError(
                    .invalidArgument,
                    "The store option \(name) must be a number of pages or, if negative, of KiB such as -2000, got \(value).")
            }
            cacheSize = size
        case Self.busyTimeoutKey:
            busyTimeout = try Self.number(value, name, "a number of seconds", upTo: 86400)
        case Self.journalBudgetPolicyKey:
            journalBudget.policy =
                JournalBudget.Policy(rawValue: try Self.word(value, name, among: JournalBudget.Policy.allCases.map(\.rawValue))) ?? .detach
        case Self.journalBudgetBytesKey:
            guard case .integer(let bytes) = value, bytes >= 0 else {
                throw PinviewError(
                    .invalidArgument, "The store option \(name) must be a whole number of bytes, or 0 for no limit, got \(value).")
            }
            journalBudget.bytes = bytes == 0 ? nil : bytes
        case Self.journalBudgetShareKey:
            journalBudget.share = try Self.number(value, name, "a share of the store's size", upTo: 1_000_000)
        case Self.generationAgeBudgetKey:
            let seconds = try Self.number(value, name, "a number of seconds", upTo: 1_000_000_000)
            journalBudget.age = seconds == 0 ? nil : seconds
        default:
            throw PinviewError(
                .invalidArgument,
                "Unknown store option \(name.quotedForPeople); expected one of \(Self.names.joined(separator: ", ")), or Core Data's name "
                    + "for it.")
        }
    }

    /// Whether two names are names of one option of migrations.
    package static func areSame(_ left: String, _ right: String) -> Bool {
        let names = [migrationKey: migrateAutomatically, inferenceKey: inferMapping]
        return names[left, default: left] == names[right, default: right]
    }

    private static func boolean(_ value: Value, _ name: String) throws(PinviewError) -> Bool {
        switch value {
        case .boolean(let flag): return flag
        case .integer(0): return false
        case .integer(1): return true
        default: throw PinviewError(.invalidArgument, "The store option \(name) must be true or false, got \(value).")
        }
    }

    private static func word(_ value: Value, _ name: String, among words: [String]) throws(PinviewError) -> String {
        if case .string(let text) = value, let word = words.first(where: { $0 == text.lowercased() }) { return word }
        throw PinviewError(.invalidArgument, "The store option \(name) must be one of \(words.joined(separator: ", ")), got \(value).")
    }

    private static func number(_ value: Value, _ name: String, _ what: String, upTo most: Double) throws(PinviewError) -> Double {
        let number: Double? =
            switch value {
            case .integer(let integer): Double(integer)
            case .double(let double): double
            default: nil
            }
        guard let number, number >= 0, number <= most else {
            throw PinviewError(.invalidArgument, "The store option \(name) must be \(what) from 0 to \(Int(most)), got \(value).")
        }
        return number
    }
}
