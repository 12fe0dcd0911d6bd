/// How long old pins may make the journal of a store, and what happens when they make it longer.
package struct JournalBudget: Sendable, Equatable {
    package enum Policy: String, Sendable, CaseIterable {
        /// Nothing is done.
        case off
        /// A `JournalEvent` is sent.
        case warn
        /// The old generations are moved to a copy, and the journal is released.
        case detach
    }

    package var policy = Policy.detach
    /// The limit for the journal's frames in bytes; if nil, the share decides. If both are given,
    /// the smaller of the two applies.
    package var bytes: Int64?
    /// The limit as a share of the store's size, at least 32 MiB. Nil means 1 unless `bytes` is
    /// given.
    package var share: Double?
    /// The number of seconds that an old generation may hold the journal; no limit if nil.
    package var age: Double?

    package init() {}

    private static let leastShare = 32.0 * 1024 * 1024

    /// The limit for the journal of a store with this size, in bytes.
    func limit(storeBytes: Int64) -> Int64 {
        let shared = share ?? (bytes == nil ? 1 : nil)
        let ofStore = shared.map { Int64(min(max(Self.leastShare, $0 * Double(storeBytes)), 1e18)) }
        return min(bytes ?? .max, ofStore ?? .max)
    }

    /// The size to which SQLite truncates the journal's file when it restarts the journal.
    var journalSizeLimit: Int64 { max(64 << 10, min(16 << 20, (bytes ?? .max) / 2)) }
}

/// Reports that old generations have made a journal long, or have held it for a long time.
public struct JournalEvent: Sendable, Equatable {
    /// What happened to a long journal.
    public enum Kind: String, Sendable {
        /// The journal exceeds its budget, or an old generation its age, and the policy is to warn.
        /// With a reason: detached copies and the history alone exceed the budget.
        case budgetExceeded
        /// Old generations were moved to a copy.
        case detached
        /// They could not be copied, or other programs hold the journal as well; see the reason.
        /// Pinview tries again.
        case detachFailed
    }

    /// What happened.
    public let kind: Kind
    /// The path of the store.
    public let path: String
    /// Bytes of the journal's frames when it was found too long.
    public let journalBytes: Int64
    /// The budget in bytes.
    public let budgetBytes: Int64
    /// The number of old generations that held the journal, or that were detached.
    public let generations: Int
    /// Bytes of the copy's files, or of all copies for `budgetExceeded`; 0 if there is none.
    public let copyBytes: Int64
    /// Why a copy failed, which programs hold the journal, or what takes space besides the journal;
    /// nil otherwise.
    public let reason: String?

    /// The line in the log.
    var line: String {
        let holders = generations == 1 ? "1 older generation" : "\(generations) older generations"
        let state = "\(path)-wal has \(journalBytes) bytes of frames (budget: \(budgetBytes))"
        switch kind {
        case .budgetExceeded:
            return "journal budget exceeded: \(state), " + (reason ?? "held by \(holders)")
        case .detached: return "detached \(holders) into a copy of \(copyBytes) bytes: \(state)"
        case .detachFailed: return "could not release the journal, held by \(holders): \(reason ?? "unknown error"): \(state)"
        }
    }
}
