import FoundationEssentials
import PinviewGenerations
import PinviewModel
import PinviewStore

/// A position in the history of some stores (`NSPersistentHistoryToken`), up to which everything
/// has been read.
///
/// Unlike a query generation token it can be kept: its bytes mean the same in every process and at
/// any time.
public struct PersistentHistoryToken: Hashable, Sendable, CustomStringConvertible {
    /// The number of the last transaction read, by store identifier.
    public let transactionNumbers: [String: Int64]

    init(_ transactionNumbers: [String: Int64]) { self.transactionNumbers = transactionNumbers }

    /// The token as bytes, which can be kept in a file; ``init(data:)`` reads them.
    ///
    ///     "PVHISTRY" | property list: store identifier -> number | checksum of all bytes before it, little-endian
    ///         8      |                                           |    8
    public func data() -> [UInt8] {
        let list = PropertyListValue.dictionary(transactionNumbers.mapValues { .integer($0) }).binaryPropertyList()
        let bytes = Self.signature + list
        return bytes + Self.bytes(Self.checksum(bytes[...]))
    }

    /// - Throws: `invalidArgument` for bytes that are not a history token, or were truncated or
    ///   altered.
    public init(data: [UInt8]) throws(PinviewError) {
        guard let list = Self.propertyList(data), let members = (try? PropertyListValue(binary: Array(list)))?.dictionaryValue,
            let numbers = Self.numbers(members)
        else {
            throw PinviewError(
                .invalidArgument,
                "The \(data.count) bytes are not a persistent history token, or were truncated or altered. Read the store again and start with a new token."
            )
        }
        transactionNumbers = numbers
    }

    private static let signature = Array("PVHISTRY".utf8)

    /// The property list, if the checksum matches. Early versions wrote the list alone, so damage
    /// to their tokens goes unnoticed.
    private static func propertyList(_ data: [UInt8]) -> ArraySlice<UInt8>? {
        if data.starts(with: Array("bplist00".utf8)) { return data[...] }
        guard data.count >= 16, data.starts(with: signature), Array(data.suffix(8)) == bytes(checksum(data.dropLast(8))) else { return nil }
        return data.dropFirst(8).dropLast(8)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 { GenerationName.hash(bytes.lazy.map { UInt64($0) }) }

    private static func bytes(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) } }

    private static func numbers(_ members: [String: PropertyListValue]) -> [String: Int64]? {
        let numbers = members.compactMapValues(\.integerValue).filter { $0.value >= 0 }
        return numbers.count == members.count ? numbers : nil
    }

    public var description: String {
        let places = transactionNumbers.sorted { $0.key < $1.key }.map { "\($0.key.prefix(8)): \($0.value)" }
        return "<PersistentHistoryToken \(places.joined(separator: ", "))>"
    }
}

/// What one write transaction did to one row (`NSPersistentHistoryChange`).
public struct PersistentHistoryChange: Hashable, Sendable {
    /// Increases with each change in a store.
    public let changeID: Int64
    /// The number of the transaction that the change belongs to.
    public let transactionNumber: Int64
    /// What happened to the row.
    public let changeType: PersistentHistoryChangeType
    /// The ID of the row's object.
    public let changedObjectID: ManagedObjectID
    /// For updates, the names of the changed properties.
    public let updatedProperties: [String]
    /// For deletions, the values of attributes that the model preserves in the history.
    public let tombstone: [String: Value]
}

/// One write transaction of a store (`NSPersistentHistoryTransaction`).
public struct PersistentHistoryTransaction: Hashable, Sendable {
    /// Increases with each transaction of a store.
    public let transactionNumber: Int64
    /// When the transaction was committed, by the clock of the machine that wrote it.
    public let timestamp: Date
    /// The UUID of the store.
    public let storeIdentifier: String
    /// The `transactionAuthor` of the saving context at that time.
    public let author: String?
    /// The `name` of the saving context at that time.
    public let contextName: String?
    /// The program and its process ID.
    public let bundleID: String?
    /// The process that wrote the transaction.
    public let processID: String?
    /// Empty if the request did not ask for changes.
    public let changes: [PersistentHistoryChange]

    /// The position right after the transaction, in its store.
    public var token: PersistentHistoryToken { PersistentHistoryToken([storeIdentifier: transactionNumber]) }
}

/// What a history request returns (`NSPersistentHistoryResultType`).
public enum PersistentHistoryResultType: Int, Hashable, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
    case transactionsOnly = 3
    case changesOnly = 4
    case transactionsAndChanges = 5
}

/// Reads the history of the coordinator's stores, or deletes its oldest part
/// (`NSPersistentHistoryChangeRequest`).
///
/// For `ManagedObjectContext.execute(_:)`. History is always read at the newest state, and nothing
/// is pinned. Stores added without the option `NSPersistentHistoryTrackingKey` are an error
/// (134091), unless `affectedStores` leaves them out.
public struct PersistentHistoryChangeRequest: PersistentStoreRequest, Sendable {
    enum Place: Sendable {
        case token(PersistentHistoryToken?)
        case transaction(PersistentHistoryTransaction)
        case date(Date)
    }

    let place: Place
    /// The end of what is read, if not the newest transaction.
    private(set) var end: Place?
    let deletes: Bool
    /// What to return.
    public var resultType = PersistentHistoryResultType.transactionsAndChanges
    /// Only transactions of these authors, where nil means transactions without an author; nil for
    /// all.
    public var authors: [String?]?
    /// Authors whose transactions are left out.
    public var excludedAuthors: [String?] = []
    /// Only changes of these entities and their sub-entities, and transactions with such changes;
    /// nil for all.
    public var entityNames: [String]?
    /// Whether deleting may remove what a named consumer has not read yet, instead of stopping
    /// short of it.
    public var passesConsumers = false
    /// Whether deleting fails, instead of stopping short, if a named consumer has not read all of
    /// it: an error (134070) names the slowest one, and nothing is deleted from that store.
    public var refusesToPassConsumers = false
    /// The stores to use; nil for all stores of the coordinator.
    public var affectedStores: [PersistentStore]?

    private init(_ place: Place, deletes: Bool) {
        self.place = place
        self.deletes = deletes
        if deletes { resultType = .statusOnly }
    }

    /// Requests the history after a token.
    ///
    /// - Parameter token: nil for the whole history.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self { Self(.token(token), deletes: false) }
    /// Requests the history after a transaction, in its store only.
    public static func fetchHistory(after transaction: PersistentHistoryTransaction) -> Self {
        Self(.transaction(transaction), deletes: false)
    }
    /// Requests the history after a time.
    public static func fetchHistory(after date: Date) -> Self { Self(.date(date), deletes: false) }

    /// Limits the request to transactions before the one of a token, which is excluded.
    public func before(_ token: PersistentHistoryToken) -> Self { ending(at: .token(token)) }
    /// Limits the request to transactions before another one, in its store only.
    public func before(_ transaction: PersistentHistoryTransaction) -> Self { ending(at: .transaction(transaction)) }
    /// Limits the request to transactions before a time, which is excluded.
    public func before(_ date: Date) -> Self { ending(at: .date(date)) }

    private func ending(at place: Place) -> Self {
        var request = self
        request.end = place
        return request
    }

    /// Requests the history from its beginning.
    public static func fetchHistory(before token: PersistentHistoryToken) -> Self { fetchHistory(after: nil).before(token) }
    /// Requests the history before a transaction, in its store only.
    public static func fetchHistory(before transaction: PersistentHistoryTransaction) -> Self {
        fetchHistory(after: nil).before(transaction)
    }
    /// Requests the history before a time, which is excluded.
    public static func fetchHistory(before date: Date) -> Self { fetchHistory(after: nil).before(date) }

    /// Requests deletion of the transactions before the one of a token, which is kept. With the
    /// result type count, returns how many.
    public static func deleteHistory(before token: PersistentHistoryToken) -> Self { Self(.token(token), deletes: true) }
    /// Requests deletion of the transactions before another one, in its store only.
    public static func deleteHistory(before transaction: PersistentHistoryTransaction) -> Self {
        Self(.transaction(transaction), deletes: true)
    }
    /// Requests deletion of the transactions before a time.
    public static func deleteHistory(before date: Date) -> Self { Self(.date(date), deletes: true) }
}
