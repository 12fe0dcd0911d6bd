import PinviewGenerations
import PinviewModel

extension StoreMatching {
    /// The store as an open transaction sees it. What is saved to it is committed or rolled back
    /// with the transaction.
    func store(inside transaction: WriteTransaction) throws -> SQLStore {
        let connection = transaction.connection
        guard case .store(let contents) = try StoreContents.state(connection) else {
            throw StoreContentsError(description: "it is not a store any more")
        }
        let schema = try schema(for: contents, connection)
        let form = try HistoryForm(contents.tables, isOwn: contents.isOwn)
        return SQLStore(
            // The migration looks after the files that a step writes and drops, and derives values
            // once it is done.
            file: StoreFile(inside: transaction), externalFiles: nil, derived: nil, schema: schema,
            schemaCheck: SchemaCheck(contents: contents, name: StoreName(location)), location: location, identifier: contents.identifier,
            configuration: configuration, isReadOnly: false, readOnlyReason: nil, historyForm: form ?? .own,
            tracksHistory: options.tracksHistory && form != nil, postsRemoteChanges: false)
    }
}
