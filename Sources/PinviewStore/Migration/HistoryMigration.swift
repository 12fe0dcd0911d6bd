import PinviewGenerations
import PinviewModel

/// Brings the persistent history to new numbers of entities and new masks of properties.
///
/// A history that mentions a removed entity can no longer be represented. Then all of it is
/// deleted, and using an older token reports that.
struct HistoryMigration {
    let plan: MigrationPlan
    let connection: Connection
    /// Whether Pinview made the store. Core Data's changes have one form of masks.
    let isOwn: Bool
    let form: HistoryForm

    /// - Returns: whether the history was deleted.
    func run() throws -> Bool {
        let layout = plan.layout
        let entities = layout.mapping.source.entities.filter { layout.old.numbers.has(entityIndex: $0.index) }
        let gone = entities.filter { layout.mapping.successor(of: $0) == nil }.map(layout.oldNumber)
        if !gone.isEmpty, try connection.value("SELECT 1 FROM ACHANGE WHERE ZENTITY IN \(MigrationLayout.list(gone)) LIMIT 1") != nil {
            try purge()
            return true
        }
        for entity in entities { try translateMasks(of: entity) }
        var numbers: [Int32: Int32] = [:]
        for entity in entities {
            guard let successor = layout.mapping.successor(of: entity) else { continue }
            let offset = layout.offset(fromOldRoot: entity.rootIndex, toNewRoot: successor.rootIndex)
            if offset != 0 {
                try connection.execute("UPDATE ACHANGE SET ZENTITYPK = ZENTITYPK + \(offset) WHERE ZENTITY = \(layout.oldNumber(entity))")
            }
            numbers[layout.oldNumber(entity)] = layout.newNumber(successor)
        }
        let changed = numbers.filter { $0.key != $0.value }.keys.sorted()
        if !changed.isEmpty {
            try connection.execute(
                "UPDATE ACHANGE SET ZENTITY = \(ColumnCopy.renumbered("ZENTITY", numbers)) WHERE ZENTITY IN \(MigrationLayout.list(changed))"
            )
        }
        return false
    }

    /// Deletes all of the history. The migration becomes its only transaction, without changes, so
    /// that it can be followed from there.
    private func purge() throws {
        let number = try HistorySchema.lastKey(HistorySchema.transactions, connection, form) + 1
        try connection.execute("DELETE FROM ACHANGE")
        try connection.execute("DELETE FROM ATRANSACTION")
        try HistorySchema.setLastKey(number, HistorySchema.transactions, connection)
        // The Julian day 2451910.5 is the beginning of 2001.
        try connection.execute(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) "
                + "VALUES (\(number), \(HistorySchema.transactions), 1, (julianday('now') - 2451910.5) * 86400)")
    }

    /// Masks count properties by the order of their names, so each new name moves the others.
    private func translateMasks(of entity: Entity) throws {
        let layout = plan.layout
        guard let successor = layout.mapping.successor(of: entity) else { return }
        let old = ColumnMasks.Sorted(entity).propertyOfBit.map { entity.properties[$0].name }
        let new = ColumnMasks.Sorted(successor).propertyOfBit.map {
            layout.mapping.origin(of: successor.properties[$0], in: successor)?.name ?? ""
        }
        guard old != new else { return }
        var successors: [Int: Int] = [:]
        for property in successor.properties {
            if let origin = layout.mapping.origin(of: property, in: successor) { successors[origin.index] = property.index }
        }
        let masks = ColumnMasks(model: layout.mapping.source)
        let newMasks = ColumnMasks(model: layout.mapping.destination)
        let number = Int64(layout.oldNumber(entity))
        let statement = try connection.statement("SELECT DISTINCT ZCOLUMNS, Z_OPT FROM ACHANGE WHERE ZENTITY = ? AND ZCOLUMNS IS NOT NULL")
        try statement.bind(1, number)
        var translations: [(old: [UInt8], form: Int64, new: [UInt8])] = []
        do {
            defer { statement.reset() }
            while try statement.step() {
                let form = statement.int64(1)
                let properties = try masks.properties(
                    of: statement, 0, form: isOwn ? form : ColumnMasks.form, entityIndex: entity.index,
                    declaredOrder: { try StoreContents.recordedOrder(connection) })
                var bits = [UInt8](repeating: 0, count: successor.properties.count / 8 + 1)
                for index in properties.compactMap({ successors[$0] }) { bits[index / 8] |= 1 << UInt8(index % 8) }
                let mask = newMasks.withMask(ofEntityIndex: successor.index, bits: bits) { Array($0) }
                translations.append((statement.withBytes(0) { Array($0) }, form, mask))
            }
        }
        // New masks are marked with a form of their own until all are written, since a new mask can
        // look like an old one.
        let update = try connection.statement(
            "UPDATE ACHANGE SET ZCOLUMNS = ?, Z_OPT = -1 WHERE ZENTITY = ? AND ZCOLUMNS = ? AND Z_OPT = ?")
        for translation in translations {
            try translation.new.withUnsafeBytes { try update.bind(1, blob: $0) }
            try update.bind(2, number)
            try translation.old.withUnsafeBytes { try update.bind(3, blob: $0) }
            try update.bind(4, translation.form)
            try update.run()
        }
        try connection.execute("UPDATE ACHANGE SET Z_OPT = \(isOwn ? ColumnMasks.form : 1) WHERE Z_OPT = -1")
    }
}
