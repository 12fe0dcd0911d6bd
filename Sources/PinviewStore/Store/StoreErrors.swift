import CSQLite
import Glibc
import PinviewGenerations
import PinviewModel

/// What was being done when SQLite reported an error, since result codes mean different things.
enum StoreActivity {
    case opening, reading, writing
}

extension PinviewError {
    /// Converts an error of SQLite or of generations to one of the library (ERR-03).
    init(_ error: SQLiteError, while activity: StoreActivity, store: StoreName) {
        // A wait for a lock that the thread's monitor has ended.
        if error.kind == .busy, ReadMonitor.current?.isStopped == true {
            self.init(.interrupted(path: error.path), while: activity, store: store)
            return
        }
        switch error.kind {
        case .generationLost:
            self = .make(
                .generationLost, "The pinned generation of \(store) was lost: \(error.message). Pin to the current one.", error, store)
        case .generationExpired:
            self = .make(
                .generationExpired, "The generation of \(store) has expired: \(error.message). Pin to the current one.", error, store)
        case .forked:
            self = .make(.forked, "\(store): \(error.message).", error, store)
        case .closed:
            self = .make(.persistentStoreOperation, "\(store) is closed. Add it again to use it.", error, store)
        case .notWAL:
            self = .make(.persistentStoreOperation, "\(store) has no generations: \(error.message).", error, store)
        case .corrupt where error.extendedCode == UnreadableData.code: self = .unreadableData(error.message, store.affected.first)
        case .interrupted where ReadMonitor.currentHasTimedOut:
            let message =
                activity == .writing
                ? "Writing to \(store) took longer than the timeout of the context; nothing was written. Allow more time, or write less at "
                    + "once." : "Reading \(store) took longer than its timeout. Allow more time, or read less."
            self = .make(.timedOut, message, error, store)
        case .interrupted:
            let message =
                activity == .writing ? "Writing to \(store) was cancelled; nothing was written." : "Reading \(store) was cancelled."
            self = .make(.userCancelled, message, error, store)
        case .sqlite where error.extendedCode == SQLFunctions.badPredicateCode:
            self = .make(.badPredicate, error.message, error, store)
        default:
            switch activity {
            case .opening: self = .whileOpening(error, store)
            case .reading: self = .make(.sqlite, "Reading \(store.within) failed: \(Self.reason(error)).", error, store)
            case .writing: self = .whileWriting(error, store)
            }
        }
    }

    static func unreadableData(_ message: String, _ store: String?) -> PinviewError {
        .sqlite(.sqlite, message, sqliteCode: SQLITE_CORRUPT, sqliteMessage: message, store: store)
    }

    private static func make(_ code: Code, _ message: String, _ error: SQLiteError, _ store: StoreName) -> PinviewError {
        .sqlite(code, message, sqliteCode: error.extendedCode, sqliteMessage: error.message, store: nil)
            .with(affectedStores: store.affected)
    }

    private static func whileOpening(_ error: SQLiteError, _ store: StoreName) -> PinviewError {
        make(.persistentStoreOpen, "\(store) cannot be opened as a store: \(missingFolder(of: store) ?? reason(error)).", error, store)
    }

    /// SQLite says only that it is unable to open the file.
    private static func missingFolder(of store: StoreName) -> String? {
        guard let path = store.affected.first, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        let folder = String(path[..<slash])
        return access(folder, F_OK) == 0 || errno != ENOENT ? nil : "the folder '\(folder)' does not exist"
    }

    private static func whileWriting(_ error: SQLiteError, _ store: StoreName) -> PinviewError {
        switch error.kind {
        case .notADatabase, .corrupt:
            make(.sqlite, "Writing to \(store.within) failed: \(reason(error)).", error, store)
        case .busy:
            make(
                .persistentStoreSave,
                "\(store) is locked by another program; nothing was written. Try again, or increase the busy timeout.",
                error, store)
        case .readOnly:
            make(.persistentStoreSave, "\(store) is read-only; nothing was written.", error, store)
        case .full:
            make(.persistentStoreSave, "The disk of \(store.within) is full; nothing was written. Make room and try again.", error, store)
        case .lockLost:
            make(.locksLost, "Writing to \(store.within) was refused: \(error.message). Nothing was written.", error, store)
        case .replaced:
            make(.persistentStoreSave, "\(error.message). Nothing was written.", error, store)
        case .constraint:
            make(
                .managedObjectConstraintMerge,
                "\(store) already has a row with the same values: \(error.message). Change one of the objects; nothing was written.", error,
                store)
        default:
            make(.persistentStoreSave, "Writing to \(store.within) failed: \(reason(error)). Nothing was written.", error, store)
        }
    }

    private static func reason(_ error: SQLiteError) -> String {
        switch error.kind {
        case .notADatabase: "it is not an SQLite database"
        case .corrupt: "the file is damaged (\(error.message)); restore it from a backup"
        default: error.message
        }
    }

    /// Converts any error thrown by a closure to one of the library.
    init(any error: any Error, while activity: StoreActivity, store: StoreName) {
        switch error {
        case let error as PinviewError: self = error
        case let error as SQLiteError: self.init(error, while: activity, store: store)
        case let damage as StoreDamage:
            self = .sqlite(
                .sqlite,
                "\(store) is damaged: \(damage.description). That row cannot be read, but others can; restore the "
                    + "file from a backup, or repair the row with SQLite's tools.", sqliteCode: SQLITE_CORRUPT,
                sqliteMessage: damage.description,
                store: nil
            ).with(affectedStores: store.affected)
        default: self = PinviewError(.sqlite, "Using \(store.within) failed: \(error).").with(affectedStores: store.affected)
        }
    }
}
