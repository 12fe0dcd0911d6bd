import PinviewModel

/// The format of a store's history: its tables and columns.
///
/// All of Pinview's own stores have the same format. In stores of Core Data, it depends on the
/// version and the model:
///
///     ATRANSACTION   names as keys of ATRANSACTIONSTRING, before version 866 as text
///     ACHANGE        ZTOMBSTONE0, ZTOMBSTONE1, …: a value each, as many as an entity preserves
///
/// A history is continued in its existing format.
struct HistoryForm: Sendable {
    /// The names recorded with a transaction, each as text or as a key of the table of strings.
    enum Name: String, CaseIterable {
        case author = "ZAUTHOR"
        case contextName = "ZCONTEXTNAME"
        case program = "ZBUNDLEID"
        case process = "ZPROCESSID"

        var keyColumn: String { rawValue + "TS" }
    }

    /// Whether Pinview created the store.
    let isOwn: Bool
    private let transactionColumns: Set<String>
    private let hasStrings: Bool
    /// In order. Pinview's own stores have one, with a property list of all values.
    let tombstoneColumns: [String]
    let hasMasks: Bool

    /// The format of stores that Pinview creates.
    static let own = HistoryForm(
        isOwn: true, transactionColumns: Set(Name.allCases.flatMap { [$0.rawValue, $0.keyColumn] }), hasStrings: true,
        tombstoneColumns: ["ZTOMBSTONE0"], hasMasks: true)

    private init(isOwn: Bool, transactionColumns: Set<String>, hasStrings: Bool, tombstoneColumns: [String], hasMasks: Bool) {
        self.isOwn = isOwn
        self.transactionColumns = transactionColumns
        self.hasStrings = hasStrings
        self.tombstoneColumns = tombstoneColumns
        self.hasMasks = hasMasks
    }

    /// - Returns: nil for a store without a history.
    /// - Throws: an error if something is missing that every history has.
    init?(_ tables: ExistingTables, isOwn: Bool) throws(StoreContentsError) {
        guard let transactions = tables.columns(of: "ATRANSACTION") else { return nil }
        guard let changes = tables.columns(of: "ACHANGE") else {
            throw StoreContentsError(description: "its history is damaged: it has the table ATRANSACTION, and lacks ACHANGE")
        }
        for (table, columns, needed) in [
            ("ATRANSACTION", transactions, ["Z_PK", "ZTIMESTAMP"]),
            ("ACHANGE", changes, ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]),
        ] {
            if let missing = needed.first(where: { !columns.contains($0) }) {
                throw StoreContentsError(description: "its history is damaged: the table \(table) lacks the column \(missing)")
            }
        }
        let tombstones = changes.compactMap { column in
            column.hasPrefix("ZTOMBSTONE") ? Int(column.dropFirst("ZTOMBSTONE".count)).map { (number: $0, column) } : nil
        }
        self.init(
            isOwn: isOwn, transactionColumns: Set(transactions), hasStrings: tables["ATRANSACTIONSTRING"] != nil,
            tombstoneColumns: tombstones.sorted { $0.number < $1.number }.map(\.1), hasMasks: changes.contains("ZCOLUMNS"))
    }

    /// The format in which the library starts a history in a store of Core Data.
    static func foreign(tombstoneCount: Int) -> HistoryForm {
        HistoryForm(
            isOwn: false, transactionColumns: own.transactionColumns, hasStrings: true,
            tombstoneColumns: (0..<tombstoneCount).map { "ZTOMBSTONE\($0)" }, hasMasks: true)
    }

    /// The attributes whose values are in each tombstone column.
    static func preservedAttributes(of entity: Entity) -> [Property] {
        entity.attributes.filter { $0.preservesValueInHistoryOnDeletion && !$0.isTransient }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    static func tombstoneCount(of model: ManagedObjectModel) -> Int {
        model.entities.map { preservedAttributes(of: $0).count }.max() ?? 0
    }

    // MARK: Transactions

    /// The SQL expression for a name of transaction `t`; requires ``joins``.
    func expression(_ name: Name) -> String {
        let text = transactionColumns.contains(name.rawValue) ? "t.\(name.rawValue)" : "NULL"
        guard usesStrings(name) else { return text }
        return "IFNULL(\(Self.alias(name)).ZNAME, \(text))"
    }

    var joins: String {
        Name.allCases.filter(usesStrings).map { name in
            " LEFT JOIN ATRANSACTIONSTRING AS \(Self.alias(name)) ON \(Self.alias(name)).Z_PK = t.\(name.keyColumn)"
        }.joined()
    }

    private static func alias(_ name: Name) -> String { "s\(name.rawValue)" }

    /// Whether transactions have the name as a key of the table of strings.
    func usesStrings(_ name: Name) -> Bool { hasStrings && transactionColumns.contains(name.keyColumn) }

    /// The column of a name; nil if the store has none.
    func column(_ name: Name) -> String? {
        if usesStrings(name) { return name.keyColumn }
        return transactionColumns.contains(name.rawValue) ? name.rawValue : nil
    }
}
