import CPinview
import Pinview

// Upserts, and what became of their rows.

@c @implementation
public func pinview_context_upsert(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_upsert>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let context = try Handles.context(context)
        let source = try read(request, "request", pinview_upsert(), minimumSize: 112)
        try checkFlags(source.flags, "request.flags", known: PINVIEW_UPSERT_LEAVES_EXISTING, "PINVIEW_UPSERT_")
        let leavesExisting = source.flags & PINVIEW_UPSERT_LEAVES_EXISTING != 0
        guard !leavesExisting || source.update_names == nil else {
            throw PinviewError(
                .invalidArgument, "'request.update_names' cannot be combined with the flag that leaves existing objects unchanged.")
        }
        let names = try texts(source.names, source.name_count, "request.names")
        guard Set(names).count == names.count else { throw PinviewError(.invalidArgument, "'request.names' has a duplicate name.") }
        let constraint = try texts(source.constraint, source.constraint_count, "request.constraint")
        if let missing = constraint.first(where: { !names.contains($0) }) {
            throw PinviewError(.invalidArgument, "'request.names' lacks '\(missing)', a property of the constraint.")
        }
        let insertNames = try optionalTexts(source.insert_names, source.insert_name_count, "request.insert_names")
        let updateNames = try optionalTexts(source.update_names, source.update_name_count, "request.update_names")
        let cells = try CallerCells(source, names.count)
        let result = try context.upsert(
            try source.entity.required("request.entity"), constraint: constraint, onInsert: insertNames,
            onUpdate: leavesExisting ? [] : updateNames
        ) { (entity) throws(PinviewError) in
            var properties: [Property] = []
            for name in names {
                guard let property = entity.property(named: name) else { throw PinviewError.unknownKey(name, of: entity) }
                properties.append(property)
            }
            return CallerUpsertedRows(properties: properties, cells: cells)
        }
        guard let out else { return }
        out.pointee = try Handles.make(
            .objectArray(result.objects),
            rowCounts: ResultBox.RowCounts(inserted: result.createdCount, updated: result.updatedCount, left: result.unchangedCount),
            outcomes: result.outcomes)
    }
}

private func texts(_ items: UnsafePointer<pinview_string>?, _ count: Int, _ parameter: String) throws(PinviewError) -> [String] {
    var texts: [String] = []
    for item in try elements(items, count, parameter) { texts.append(try item.required(parameter)) }
    return texts
}

/// Nil if there is no array; an array without elements is an array.
private func optionalTexts(
    _ items: UnsafePointer<pinview_string>?, _ count: Int, _ parameter: String
) throws(PinviewError) -> [String]? {
    let texts = try texts(items, count, parameter)
    return items == nil ? nil : texts
}

/// The values given by a C caller, by row or by column.
private struct CallerCells {
    private let width: Int
    private let values: UnsafeBufferPointer<pinview_value>
    private let columns: [UnsafeBufferPointer<pinview_value>]?
    let rowCount: Int

    init(_ source: pinview_upsert, _ width: Int) throws(PinviewError) {
        let none = UnsafeBufferPointer<pinview_value>(start: nil, count: 0)
        rowCount = source.row_count
        self.width = width
        try checkCount(source.row_count, "request.row_count")
        guard source.columns != nil else {
            values = try elements(source.values, rows: source.row_count, of: width, "request.values")
            columns = nil
            return
        }
        guard source.values == nil else {
            throw PinviewError(.invalidArgument, "'request.columns' cannot be combined with 'request.values'.")
        }
        var columns: [UnsafeBufferPointer<pinview_value>] = []
        for column in try elements(source.columns, width, "request.columns") {
            columns.append(try elements(column, source.row_count, "request.columns"))
        }
        self.columns = columns
        values = none
    }

    func value(_ place: Int, _ row: Int) -> pinview_value { columns.map { $0[place][row] } ?? values[row * width + place] }
}

private struct CallerUpsertedRows: UpsertedRows {
    let properties: [Property]
    let cells: CallerCells

    var count: Int { cells.rowCount }

    func values(_ row: Int) throws(PinviewError) -> [(property: Property, value: Value)] {
        var values: [(property: Property, value: Value)] = []
        values.reserveCapacity(properties.count)
        for (place, property) in properties.enumerated() {
            let cell = cells.value(place, row)
            if let value = cell.usualValue {
                values.append((property, value))
            } else {
                values.append((property, try cell.value(property.name)))
            }
        }
        return values
    }
}

@c @implementation
public func pinview_result_row_counts(
    _ result: OpaquePointer?, _ inserted: UnsafeMutablePointer<UInt64>?, _ updated: UnsafeMutablePointer<UInt64>?,
    _ left: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        guard let counts = try Handles.box(result, .result, ResultBox.self).rowCounts else {
            throw PinviewError(.wrongType, "The result is not of a batch insert or an upsert: it has no counts of rows.")
        }
        inserted?.pointee = UInt64(counts.inserted)
        updated?.pointee = UInt64(counts.updated)
        left?.pointee = UInt64(counts.left)
    }
}

@c @implementation
public func pinview_result_upsert_outcomes(
    _ result: OpaquePointer?, _ first: UInt64, _ count: Int, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try checkCount(count, "count")
        guard let outcomes = try Handles.box(result, .result, ResultBox.self).outcomes else {
            throw PinviewError(.wrongType, "The result is not of an upsert.")
        }
        let range = try checkedRange(first, count, of: outcomes.count, "rows of the upsert")
        let out = try require(out, "out")
        for (place, row) in range.enumerated() { out[place] = Int32(outcomes[row].rawValue) }
    }
}
