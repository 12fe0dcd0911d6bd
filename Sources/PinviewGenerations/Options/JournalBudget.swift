/// How long old pins may make the journal of a store, and what happens beyond that.
package struct JournalBudget: Sendable, Equatable {
    package enum Policy: String, Sendable, CaseIterable {
        /// Nothing.
        case off
        /// A `JournalEvent`.
        case warn
        /// The old generations are copied aside, and the journal is let go.
        case detach
    }

    package var policy = Policy.detach
    /// Bytes of the journal's frames; nil: the share decides. If both are given, the smaller of the two counts.
    package var bytes: Int64?
    /// As a share of the store's size, yet never less than 32 MiB; nil: 1, unless `bytes` is given.
    package var share: Double?
    /// Seconds that an old generation may hold the journal back; nil: without a limit.
    package var age: Double?

    package init() {}

    private static let leastShare = 32.0 * 1024 * 1024

    /// The bytes that a journal may have beside a store of a size.
    func limit(storeBytes: Int64) -> Int64 {
        let shared = share ?? (bytes == nil ? 1 : nil)
        let ofStore = shared.map { Int64(min(max(Self.leastShare, $0 * Double(storeBytes)), 1e18)) }
        return min(bytes ?? .max, ofStore ?? .max)
    }

    /// The size down to which SQLite cuts the journal's file when it begins the journal anew.
    var journalSizeLimit: Int64 { max(64 << 10, min(16 << 20, (bytes ?? .max) / 2)) }
}

/// News of a journal that old generations have made long, or have held back for long.
public struct JournalEvent: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// The journal is over its budget, or an old generation over its age, and the policy is to warn. With a reason: detached copies and
        /// the history alone are over it.
        case budgetExceeded
        /// Old generations were copied aside.
        case detached
        /// They could not be copied, or other programs hold the journal as well, as the reason says. It will be tried again.
        case detachFailed
    }

    public let kind: Kind
    /// Of the store.
    public let path: String
    /// Of the journal's frames when it was found too long.
    public let journalBytes: Int64
    public let budgetBytes: Int64
    /// How many old generations held the journal, or were detached.
    public let generations: Int
    /// Of the copy's files, or with the kind `budgetExceeded` of all copies; 0 without one.
    public let copyBytes: Int64
    /// Why a copy failed, which programs hold the journal, or what takes the space besides the journal.
    public let reason: String?

    /// The line of the log.
    var line: String {
        let holders = generations == 1 ? "1 older generation" : "\(generations) older generations"
        let state = "\(path)-wal has \(journalBytes) bytes of frames (budget: \(budgetBytes))"
        switch kind {
        case .budgetExceeded:
            return "journal budget exceeded: \(state), " + (reason ?? "held by \(holders)")
        case .detached: return "detached \(holders) into a copy of \(copyBytes) bytes: \(state)"
        case .detachFailed: return "could not let go of the journal, held by \(holders): \(reason ?? "unknown error"): \(state)"
        }
    }
}
