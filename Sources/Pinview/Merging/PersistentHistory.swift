import FoundationEssentials
import PinviewGenerations
import PinviewModel
import PinviewStore

/// A place in the history of some stores (`NSPersistentHistoryToken`): everything up to it has been
/// seen.
///
/// Unlike a query generation token it lasts: its bytes mean the same in every process, today and
/// tomorrow.
public struct PersistentHistoryToken: Hashable, Sendable, CustomStringConvertible {
    /// The number of the last transaction, by store identifier.
    public let transactionNumbers: [String: Int64]

    init(_ transactionNumbers: [String: Int64]) { self.transactionNumbers = transactionNumbers }

    /// The token as bytes, to be kept in a file; ``init(data:)`` reads them.
    ///
    ///     "PVHISTRY" | property list: store identifier -> number | checksum of all bytes before it, little-endian
    ///         8      |                                           |    8
    public func data() -> [UInt8] {
        let list = PropertyListValue.dictionary(transactionNumbers.mapValues { .integer($0) }).binaryPropertyList()
        let bytes = Self.signature + list
        return bytes + Self.bytes(Self.checksum(bytes[...]))
    }

    /// - Throws: `invalidArgument` for bytes that are no history token, or were truncated or
    ///   altered.
    public init(data: [UInt8]) throws(PinviewError) {
        guard let list = Self.propertyList(data), let members = (try? PropertyListValue(binary: Array(list)))?.dictionaryValue,
            let numbers = Self.numbers(members)
        else {
            throw PinviewError(
                .invalidArgument,
                "The \(data.count) bytes are no persistent history token, or were truncated or altered. Read the store anew.")
        }
        transactionNumbers = numbers
    }

    private static let signature = Array("PVHISTRY".utf8)

    /// The property list, if the checksum holds. Earlier versions wrote it alone: damage of their
    /// tokens cannot be seen.
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

/// What happened to a row (`NSPersistentHistoryChangeType`).
public enum PersistentHistoryChangeType: Int, Hashable, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// What one write transaction did to one row (`NSPersistentHistoryChange`).
public struct PersistentHistoryChange: Hashable, Sendable {
    /// Rises with each change of a store.
    public let changeID: Int64
    /// Of the transaction that it belongs to.
    public let transactionNumber: Int64
    public let changeType: PersistentHistoryChangeType
    public let changedObjectID: ManagedObjectID
    /// Of updates: the names of the properties that changed.
    public let updatedProperties: [String]
    /// Of deletions: the values of the attributes that the model keeps in the history.
    public let tombstone: [String: Value]
}

/// One write transaction of a store (`NSPersistentHistoryTransaction`).
public struct PersistentHistoryTransaction: Hashable, Sendable {
    /// Rises with each transaction of a store.
    public let transactionNumber: Int64
    public let timestamp: Date
    public let storeIdentifier: String
    /// The `transactionAuthor` of the context that saved, as it was then.
    public let author: String?
    /// The `name` of that context.
    public let contextName: String?
    /// The program, and the process with its number.
    public let bundleID: String?
    public let processID: String?
    /// Empty if the request asked for none.
    public let changes: [PersistentHistoryChange]

    /// The place right after the transaction, in its store.
    public var token: PersistentHistoryToken { PersistentHistoryToken([storeIdentifier: transactionNumber]) }
}

/// What a history request gives (`NSPersistentHistoryResultType`).
public enum PersistentHistoryResultType: Int, Hashable, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
    case transactionsOnly = 3
    case changesOnly = 4
    case transactionsAndChanges = 5
}

/// Reads the history of the coordinator's stores, or deletes its beginning
/// (`NSPersistentHistoryChangeRequest`).
///
/// For `ManagedObjectContext.execute(_:)`. It is no read of a generation: it sees the newest state
/// and pins nothing. Stores that were added without the option `NSPersistentHistoryTrackingKey` are
/// an error (134091) unless `affectedStores` leaves them out.
public struct PersistentHistoryChangeRequest: PersistentStoreRequest, Sendable {
    enum Place: Sendable {
        case token(PersistentHistoryToken?)
        case transaction(PersistentHistoryTransaction)
        case date(Date)
    }

    let place: Place
    /// Where what is read ends, if not at the newest transaction.
    private(set) var end: Place?
    let deletes: Bool
    public var resultType = PersistentHistoryResultType.transactionsAndChanges
    /// Transactions of these authors only, nil in the list standing for those without one; nil for
    /// all.
    public var authors: [String?]?
    /// No transactions of these authors.
    public var excludedAuthors: [String?] = []
    /// Changes of these entities and their sub-entities only, and transactions with such changes;
    /// nil for all.
    public var entityNames: [String]?
    /// Whether deleting goes past what a consumer known by name has still to read. It stops short
    /// of that unless this is set.
    public var passesConsumers = false
    /// Whether deleting is refused, instead of stopping short, where a consumer known by name has
    /// still to read some of it: an error (134070) names the slowest one, and nothing is deleted
    /// from that store.
    public var refusesToPassConsumers = false
    /// nil for all stores of the coordinator.
    public var affectedStores: [PersistentStore]?

    private init(_ place: Place, deletes: Bool) {
        self.place = place
        self.deletes = deletes
        if deletes { resultType = .statusOnly }
    }

    /// - Parameter token: nil for all of the history.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self { Self(.token(token), deletes: false) }
    /// Of the transaction's store only.
    public static func fetchHistory(after transaction: PersistentHistoryTransaction) -> Self {
        Self(.transaction(transaction), deletes: false)
    }
    public static func fetchHistory(after date: Date) -> Self { Self(.date(date), deletes: false) }

    /// The same request for the transactions before the one that a token stands for, which is left
    /// out.
    public func before(_ token: PersistentHistoryToken) -> Self { ending(at: .token(token)) }
    /// The same request for the transactions of the transaction's store before it.
    public func before(_ transaction: PersistentHistoryTransaction) -> Self { ending(at: .transaction(transaction)) }
    /// The same request for the transactions before a moment, which is left out.
    public func before(_ date: Date) -> Self { ending(at: .date(date)) }

    private func ending(at place: Place) -> Self {
        var request = self
        request.end = place
        return request
    }

    /// Without a beginning.
    public static func fetchHistory(before token: PersistentHistoryToken) -> Self { fetchHistory(after: nil).before(token) }
    public static func fetchHistory(before transaction: PersistentHistoryTransaction) -> Self {
        fetchHistory(after: nil).before(transaction)
    }
    public static func fetchHistory(before date: Date) -> Self { fetchHistory(after: nil).before(date) }

    /// Deletes the transactions before the one that a token stands for; that one stays. With a
    /// count as the result it says how many.
    public static func deleteHistory(before token: PersistentHistoryToken) -> Self { Self(.token(token), deletes: true) }
    public static func deleteHistory(before transaction: PersistentHistoryTransaction) -> Self {
        Self(.transaction(transaction), deletes: true)
    }
    public static func deleteHistory(before date: Date) -> Self { Self(.date(date), deletes: true) }
}
