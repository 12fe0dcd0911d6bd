import FoundationEssentials
import PinviewModel
import PinviewStore

/// Requests for the persistent history (HIS).
extension ContextState {
    func execute(_ request: PersistentHistoryChangeRequest) throws(PinviewError) -> PersistentStoreResult {
        let coordinator = try requireCoordinator()
        let stores = coordinator.persistentStores.filter { request.affectedStores?.contains($0) ?? true }.map(\.store)
        if request.deletes {
            var count = 0
            for store in stores { count += try delete(request, store) }
            return request.resultType == .count ? .count(count) : .success
        }
        var transactions: [PersistentHistoryTransaction] = []
        for store in stores { transactions += try history(request, store, coordinator.managedObjectModel) }
        // Each store's transactions are in order; between stores, the time decides.
        if stores.count > 1 { transactions.sort { $0.timestamp < $1.timestamp } }
        switch request.resultType {
        case .statusOnly: return .success
        case .count: return .count(transactions.count)
        case .transactionsOnly, .transactionsAndChanges: return .transactions(transactions)
        case .changesOnly: return .changes(transactions.flatMap(\.changes))
        case .objectIDs:
            var seen: Set<ManagedObjectID> = []
            return .objectIDs(transactions.flatMap(\.changes).map(\.changedObjectID).filter { seen.insert($0).inserted })
        }
    }

    private func history(
        _ request: PersistentHistoryChangeRequest, _ store: any IncrementalStore, _ model: ManagedObjectModel
    ) throws(PinviewError) -> [PersistentHistoryTransaction] {
        var query = HistoryQuery()
        switch request.place {
        // A store that the token does not cover was added later, so all of its history is new.
        case .token(let token): query.afterTransaction = token?.transactionNumbers[store.identifier]
        case .transaction(let transaction):
            guard transaction.storeIdentifier == store.identifier else { return [] }
            query.afterTransaction = transaction.transactionNumber
        case .date(let date): query.afterTime = date.timeIntervalSinceReferenceDate
        }
        switch request.end {
        case nil: break
        // Whatever a store that the token does not cover has written came after the token.
        case .token(let token): query.beforeTransaction = token?.transactionNumbers[store.identifier] ?? 0
        case .transaction(let transaction):
            guard transaction.storeIdentifier == store.identifier else { return [] }
            query.beforeTransaction = transaction.transactionNumber
        case .date(let date): query.beforeTime = date.timeIntervalSinceReferenceDate
        }
        query.authors = request.authors
        query.excludedAuthors = request.excludedAuthors
        query.wantsChanges = ![.statusOnly, .count, .transactionsOnly].contains(request.resultType)
        if let names = request.entityNames {
            var entities: [Entity] = []
            for name in names {
                guard let entity = model.entity(named: name) else { throw PinviewError.unknownEntity(name, in: model) }
                entities.append(entity)
            }
            query.entities = entities
        }
        return try store.history(query).map { record in
            PersistentHistoryTransaction(
                transactionNumber: record.number, timestamp: Date(timeIntervalSinceReferenceDate: record.time),
                storeIdentifier: store.identifier, author: record.author, contextName: record.contextName, bundleID: record.program,
                processID: record.process,
                changes: request.resultType == .transactionsOnly
                    ? [] : record.changes.compactMap { change($0, of: record.number, store, model) })
        }
    }

    private func change(
        _ record: HistoryChangeRecord, of transaction: Int64, _ store: any IncrementalStore, _ model: ManagedObjectModel
    ) -> PersistentHistoryChange? {
        guard let objectID = objectIDs(of: [record.reference], in: store, model).first else { return nil }
        let properties = objectID.entity.properties
        var tombstone: [String: Value] = [:]
        for (name, value) in record.tombstone {
            if let property = objectID.entity.property(named: name) { tombstone[name] = value.value(of: property) }
        }
        return PersistentHistoryChange(
            changeID: record.number, transactionNumber: transaction,
            changeType: PersistentHistoryChangeType(rawValue: record.kind.rawValue) ?? .update, changedObjectID: objectID,
            updatedProperties: record.properties.filter(properties.indices.contains).map { properties[$0].name }, tombstone: tombstone)
    }

    private func delete(_ request: PersistentHistoryChangeRequest, _ store: any IncrementalStore) throws(PinviewError) -> Int {
        let number: Int64?
        var time: Double?
        switch request.place {
        case .token(let token): number = token?.transactionNumbers[store.identifier]
        case .transaction(let transaction): number = transaction.storeIdentifier == store.identifier ? transaction.transactionNumber : nil
        case .date(let date):
            number = nil
            time = date.timeIntervalSinceReferenceDate
        }
        guard number != nil || time != nil else { return 0 }
        guard !request.passesConsumers || !request.refusesToPassConsumers else {
            throw PinviewError(
                .invalidArgument,
                "The request to delete history sets both options, to pass consumers and to refuse that. Set only one of them.")
        }
        let rule: HistoryConsumerRule = request.passesConsumers ? .pass : request.refusesToPassConsumers ? .refuse : .keep
        return try store.deleteHistory(beforeTransaction: number, beforeTime: time, rule: rule)
    }
}

extension ManagedObjectContext {
    /// Merges the changes of history transactions, as the save of another context is merged. A
    /// pinned context moves to the newest generation at its next read. Any thread.
    ///
    /// - Throws: as `mergeChanges(fromContextDidSave:)`.
    public func mergeChanges(fromHistory transactions: [PersistentHistoryTransaction]) throws(PinviewError) {
        var kinds: [ManagedObjectID: PersistentHistoryChangeType] = [:]
        var order: [ManagedObjectID] = []
        for change in transactions.flatMap(\.changes) {
            let known = kinds[change.changedObjectID]
            if known == nil { order.append(change.changedObjectID) }
            // An object inserted and changed later is new to the context. A deleted object is gone,
            // whatever happened before.
            kinds[change.changedObjectID] = change.changeType == .delete ? .delete : known ?? change.changeType
        }
        func identifiers(_ kind: PersistentHistoryChangeType) -> [ManagedObjectID] { order.filter { kinds[$0] == kind } }
        try Self.mergeChanges(
            fromRemoteContextSave: [
                PinviewNotification.insertedObjectsKey: identifiers(.insert), PinviewNotification.updatedObjectsKey: identifiers(.update),
                PinviewNotification.deletedObjectsKey: identifiers(.delete),
            ], into: [self])
    }
}

extension PersistentStoreCoordinator {
    /// A token for the current end of the history (`currentPersistentHistoryTokenFromStores:`).
    ///
    /// - Parameter stores: nil for all stores that keep a history.
    /// - Throws: 134091 for a store that keeps no history.
    public func currentPersistentHistoryToken(fromStores stores: [PersistentStore]? = nil) throws(PinviewError) -> PersistentHistoryToken {
        var numbers: [String: Int64] = [:]
        for store in stores ?? persistentStores where stores != nil || store.store.tracksHistory {
            numbers[store.identifier] = try store.store.lastHistoryTransaction()
        }
        return PersistentHistoryToken(numbers)
    }

    /// Records how far a named consumer has read the history. Deleting history stops short of the
    /// slowest consumer.
    ///
    /// The names are kept in the stores, so other processes respect them too.
    /// - Parameter token: stores that it does not cover are left unchanged.
    public func setHistoryConsumer(_ name: String, token: PersistentHistoryToken) throws(PinviewError) {
        guard !name.isEmpty else { throw PinviewError(.invalidArgument, "A history consumer needs a name.") }
        let stores = persistentStores.filter { token.transactionNumbers[$0.identifier] != nil && $0.store.tracksHistory }
        guard !stores.isEmpty else {
            throw PinviewError(
                .invalidArgument,
                "The token for the history consumer '\(name)' covers no store of this coordinator that keeps a history, so nothing would be recorded "
                    + "for it.")
        }
        for store in stores {
            if let number = token.transactionNumbers[store.identifier] { try store.store.setHistoryConsumer(name, transaction: number) }
        }
    }

    /// Removes a named consumer from all stores.
    ///
    /// - Returns: whether there was a consumer with that name.
    @discardableResult
    public func removeHistoryConsumer(_ name: String) throws(PinviewError) -> Bool {
        var wasThere = false
        for store in persistentStores where store.store.tracksHistory {
            if try store.store.removeHistoryConsumer(name) { wasThere = true }
        }
        return wasThere
    }

    /// The named consumers, and how far each has read.
    public func historyConsumers() throws(PinviewError) -> [String: PersistentHistoryToken] {
        var numbers: [String: [String: Int64]] = [:]
        for store in persistentStores where store.store.tracksHistory {
            for (name, number) in try store.store.historyConsumers() { numbers[name, default: [:]][store.identifier] = number }
        }
        return numbers.mapValues { PersistentHistoryToken($0) }
    }
}
