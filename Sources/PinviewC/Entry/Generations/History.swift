import CPinview
import FoundationEssentials
import Pinview

// The section "History" of the header.

final class HistoryTokenBox {
    let token: PersistentHistoryToken
    let data = TextStorage()

    init(_ token: PersistentHistoryToken) {
        self.token = token
        token.data().withUnsafeBytes { data.set($0) }
    }
}

/// Transactions, and the texts of them that have been handed out.
final class HistoryBox {
    let transactions: [PersistentHistoryTransaction]
    private let lock = ThreadLock()
    private var texts: [String: TextStorage] = [:]

    init(_ transactions: [PersistentHistoryTransaction]) { self.transactions = transactions }

    /// Keeps each distinct text once.
    func view(_ text: String?) -> pinview_string {
        guard let text else { return .absent }
        return lock.withLock {
            if let known = texts[text] { return known.view }
            let storage = TextStorage(text)
            texts[text] = storage
            return storage.view
        }
    }

    func transaction(_ index: UInt64) throws(PinviewError) -> PersistentHistoryTransaction {
        guard index < UInt64(transactions.count) else {
            throw PinviewError(.invalidArgument, "The index \(index) is out of range: the history has \(transactions.count) transactions.")
        }
        return transactions[Int(index)]
    }

    func change(_ transactionIndex: UInt64, _ index: UInt64) throws(PinviewError) -> PersistentHistoryChange {
        let transaction = try transaction(transactionIndex)
        guard index < UInt64(transaction.changes.count) else {
            throw PinviewError(
                .invalidArgument,
                "The index \(index) is out of range: transaction \(transaction.transactionNumber) has \(transaction.changes.count) changes."
            )
        }
        return transaction.changes[Int(index)]
    }
}

private func historyToken(_ handle: OpaquePointer?) throws(PinviewError) -> PersistentHistoryToken {
    try Handles.box(handle, .historyToken, HistoryTokenBox.self).token
}

private func history(_ handle: OpaquePointer?) throws(PinviewError) -> HistoryBox { try Handles.box(handle, .history, HistoryBox.self) }

// MARK: Tokens

@c @implementation
public func pinview_history_token_retain(_ token: OpaquePointer?) -> pinview_status { Handles.retain(token, .historyToken) }

@c @implementation
public func pinview_history_token_release(_ token: OpaquePointer?) -> pinview_status { Handles.release(token, .historyToken) }

@c @implementation
public func pinview_history_token_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .historyToken, HistoryTokenBox.self) { $0.token == $1.token }
}

@c @implementation
public func pinview_history_token_data(
    _ token: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_binary>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_binary(data: nil, size: 0)
        out.pointee = try Handles.box(token, .historyToken, HistoryTokenBox.self).data.binary
    }
}

@c @implementation
public func pinview_history_token_create_from_data(
    _ data: pinview_binary, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let bytes = Array(try elements(data.data, data.size, "data"))
        out.pointee = try HandleTable.make(.historyToken, HistoryTokenBox(try PersistentHistoryToken(data: bytes)))
    }
}

@c @implementation
public func pinview_coordinator_history_token(
    _ coordinator: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let token = try Handles.coordinator(coordinator).currentPersistentHistoryToken()
        out.pointee = try HandleTable.make(.historyToken, HistoryTokenBox(token))
    }
}

// MARK: Reading

private func historyRequest(_ request: UnsafePointer<pinview_history_request>?) throws(PinviewError) -> pinview_history_request {
    let source = try read(request, "request", pinview_history_request(), minimumSize: 32)
    try checkFlags(
        source.flags, "request.flags",
        known: PINVIEW_HISTORY_BY_DATE | PINVIEW_HISTORY_BEFORE_DATE | PINVIEW_HISTORY_OMITS_CHANGES | PINVIEW_HISTORY_PASSES_CONSUMERS
            | PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS, "PINVIEW_HISTORY_")
    try checkCount(source.author_count, "request.authors")
    try checkCount(source.excluded_author_count, "request.excluded_authors")
    try checkCount(source.entity_count, "request.entities")
    try checkCount(source.store_count, "request.stores")
    return source
}

private func authors(_ items: UnsafePointer<pinview_string>?, _ count: Int, _ parameter: String) throws(PinviewError) -> [String?] {
    var authors: [String?] = []
    for item in try elements(items, count, parameter) { authors.append(try item.text(parameter)) }
    return authors
}

private func stores(_ items: UnsafePointer<OpaquePointer?>?, _ count: Int) throws(PinviewError) -> [PersistentStore]? {
    guard items != nil || count != 0 else { return nil }
    var stores: [PersistentStore] = []
    for store in try elements(items, count, "request.stores") { stores.append(try Handles.store(store)) }
    return stores
}

@c @implementation
public func pinview_context_fetch_history(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_history_request>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let context = try Handles.context(context)
        let source = try historyRequest(request)
        var fetch = PersistentHistoryChangeRequest.fetchHistory(
            after: try source.token.map { (token) throws(PinviewError) in try historyToken(token) })
        if source.flags & PINVIEW_HISTORY_BY_DATE != 0 {
            fetch = .fetchHistory(after: Date(timeIntervalSinceReferenceDate: source.date))
        }
        if let token = source.before {
            fetch = fetch.before(try historyToken(token))
        } else if source.flags & PINVIEW_HISTORY_BEFORE_DATE != 0 {
            fetch = fetch.before(Date(timeIntervalSinceReferenceDate: source.before_date))
        }
        if source.flags & PINVIEW_HISTORY_OMITS_CHANGES != 0 { fetch.resultType = .transactionsOnly }
        let given = try authors(source.authors, source.author_count, "request.authors")
        if source.authors != nil { fetch.authors = given }
        fetch.excludedAuthors = try authors(source.excluded_authors, source.excluded_author_count, "request.excluded_authors")
        var names: [String] = []
        for name in try elements(source.entities, source.entity_count, "request.entities") {
            names.append(try name.required("request.entities"))
        }
        if source.entities != nil { fetch.entityNames = names }
        fetch.affectedStores = try stores(source.stores, source.store_count)
        guard case .transactions(let transactions) = try context.execute(fetch) else { return }
        out.pointee = try HandleTable.make(.history, HistoryBox(transactions))
    }
}

@c @implementation
public func pinview_context_delete_history(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_history_request>?, _ out: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = 0
        let context = try Handles.context(context)
        let source = try historyRequest(request)
        var delete: PersistentHistoryChangeRequest
        if source.flags & PINVIEW_HISTORY_BY_DATE != 0 {
            delete = .deleteHistory(before: Date(timeIntervalSinceReferenceDate: source.date))
        } else {
            delete = .deleteHistory(before: try historyToken(source.token))
        }
        delete.passesConsumers = source.flags & PINVIEW_HISTORY_PASSES_CONSUMERS != 0
        delete.refusesToPassConsumers = source.flags & PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS != 0
        delete.affectedStores = try stores(source.stores, source.store_count)
        delete.resultType = .count
        guard case .count(let count) = try context.execute(delete) else { return }
        out?.pointee = Int64(count)
    }
}

@c @implementation
public func pinview_history_retain(_ handle: OpaquePointer?) -> pinview_status { Handles.retain(handle, .history) }

@c @implementation
public func pinview_history_release(_ handle: OpaquePointer?) -> pinview_status { Handles.release(handle, .history) }

@c @implementation
public func pinview_history_count(_ handle: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(handle, .history, HistoryBox.self)?.transactions.count ?? 0)
}

@c @implementation
public func pinview_history_transaction_at(
    _ handle: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_history_transaction>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_history_transaction()
        let box = try history(handle)
        let transaction = try box.transaction(index)
        out.pointee = pinview_history_transaction(
            number: transaction.transactionNumber, date: transaction.timestamp.timeIntervalSinceReferenceDate,
            change_count: UInt64(transaction.changes.count), store_identifier: box.view(transaction.storeIdentifier),
            author: box.view(transaction.author), context_name: box.view(transaction.contextName), program: box.view(transaction.bundleID),
            process: box.view(transaction.processID))
    }
}

@c @implementation
public func pinview_history_token_after(
    _ handle: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try HandleTable.make(.historyToken, HistoryTokenBox(try history(handle).transaction(index).token))
    }
}

@c @implementation
public func pinview_history_change_at(
    _ handle: OpaquePointer?, _ transaction: UInt64, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_history_change>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_history_change()
        let change = try history(handle).change(transaction, index)
        out.pointee = pinview_history_change(
            change_id: change.changeID, type: Int32(change.changeType.rawValue), property_count: UInt32(change.updatedProperties.count))
    }
}

@c @implementation
public func pinview_history_change_object_id(
    _ handle: OpaquePointer?, _ transaction: UInt64, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try history(handle).change(transaction, index).changedObjectID)
    }
}

@c @implementation
public func pinview_history_change_property(
    _ handle: OpaquePointer?, _ transaction: UInt64, _ index: UInt64, _ property: UInt32, _ out: UnsafeMutablePointer<pinview_string>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let box = try history(handle)
        let properties = try box.change(transaction, index).updatedProperties
        guard property < UInt32(properties.count) else {
            throw PinviewError(.invalidArgument, "The index \(property) is out of range: the change has \(properties.count) properties.")
        }
        out.pointee = box.view(properties[Int(property)])
    }
}

@c @implementation
public func pinview_history_change_tombstone(
    _ handle: OpaquePointer?, _ transaction: UInt64, _ index: UInt64, _ name: pinview_string, _ buffer: OpaquePointer?,
    _ out: UnsafeMutablePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let change = try history(handle).change(transaction, index)
        let name = try name.required("name")
        guard change.changedObjectID.entity.property(named: name) != nil else {
            throw PinviewError.unknownKey(name, of: change.changedObjectID.entity)
        }
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        arena.reset()
        out.pointee = try pinview_value(change.tombstone[name] ?? .null, arena)
    }
}

// MARK: Merging, consumers

@c @implementation
public func pinview_context_merge_history(
    _ context: OpaquePointer?, _ handle: OpaquePointer?, _ first: UInt64, _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let transactions = try history(handle).transactions
        let range = try checkedRange(first, count, of: transactions.count, "transactions in the history")
        try context.mergeChanges(fromHistory: Array(transactions[range]))
    }
}

@c @implementation
public func pinview_coordinator_set_history_consumer(
    _ coordinator: OpaquePointer?, _ name: pinview_string, _ token: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.coordinator(coordinator).setHistoryConsumer(try name.required("name"), token: try historyToken(token))
    }
}

@c @implementation
public func pinview_coordinator_remove_history_consumer(
    _ coordinator: OpaquePointer?, _ name: pinview_string, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.coordinator(coordinator).removeHistoryConsumer(try name.required("name")) }
}

@c @implementation
public func pinview_coordinator_history_consumer(
    _ coordinator: OpaquePointer?, _ name: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let consumers = try Handles.coordinator(coordinator).historyConsumers()
        guard let token = consumers[try name.required("name")] else { return }
        out.pointee = try HandleTable.make(.historyToken, HistoryTokenBox(token))
    }
}

@c @implementation
public func pinview_coordinator_each_history_consumer(
    _ coordinator: OpaquePointer?, _ callback: pinview_history_consumer_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let coordinator = try Handles.coordinator(coordinator)
        let callback = try requireArgument(callback, "callback")
        for (name, token) in try coordinator.historyConsumers().sorted(by: { $0.key < $1.key }) {
            let text = TextStorage(name)
            let handle = try HandleTable.make(.historyToken, HistoryTokenBox(token))
            callingOut { callback(text.view, handle, userdata) }
            _ = HandleTable.release(handle, .historyToken)
            withExtendedLifetime(text) {}
        }
    }
}
