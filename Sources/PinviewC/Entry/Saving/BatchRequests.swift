import CPinview
import Pinview

// The section "Batch requests" of the header.

private func resultType(_ type: Int32) throws(PinviewError) -> BatchResultType {
    switch type {
    case PINVIEW_RESULT_NONE: return .statusOnly
    case PINVIEW_RESULT_OBJECT_IDS: return .objectIDs
    case PINVIEW_RESULT_COUNT: return .count
    default:
        throw PinviewError(
            .invalidArgument, "\(type) is not a result type of a batch request; expected PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT.")
    }
}

private func run(
    _ request: any PersistentStoreRequest, in context: ManagedObjectContext, _ out: UnsafeMutablePointer<OpaquePointer?>?
) throws(PinviewError) {
    let result = try context.execute(request)
    guard let out else { return }
    switch result {
    case .objectIDs(let objectIDs): out.pointee = try Handles.make(.objectIDs(objectIDs))
    case .count(let count): out.pointee = try Handles.make(.count(count))
    default: out.pointee = try Handles.make(.nothing)
    }
}

private func run(
    _ insert: BatchInsertRequest, in context: ManagedObjectContext, _ out: UnsafeMutablePointer<OpaquePointer?>?
) throws(PinviewError) {
    let result = try context.batchInsert(insert)
    guard let out else { return }
    let contents: ResultBox.Contents =
        switch insert.resultType {
        case .statusOnly: .nothing
        case .objectIDs: .objectIDs(result.objectIDs)
        case .count: .count(result.insertedCount + result.updatedCount)
        }
    out.pointee = try Handles.make(
        contents,
        rowCounts: ResultBox.RowCounts(inserted: result.insertedCount, updated: result.updatedCount, left: result.leftCount))
}

private func mergePolicy(_ source: pinview_batch_insert) throws(PinviewError) -> MergePolicy {
    guard source.reserved == 0 else { throw PinviewError(.invalidArgument, "'request.reserved' must be 0.") }
    guard let policy = MergePolicy(rawValue: Int(source.merge_policy)) else {
        throw PinviewError(
            .invalidArgument,
            "'request.merge_policy' is \(source.merge_policy); a batch insert accepts PINVIEW_MERGE_POLICY_ERROR, _BY_PROPERTY_STORE_TRUMP, "
                + "_BY_PROPERTY_OBJECT_TRUMP, _OVERWRITE or _ROLLBACK.")
    }
    return policy
}

@c @implementation
public func pinview_context_batch_update(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_batch_update>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let context = try Handles.context(context)
        let source = try read(request, "request", pinview_batch_update(), minimumSize: 48)
        try checkReserved(source.reserved, "request.reserved")
        var update = BatchUpdateRequest(entityName: try source.entity.required("request.entity"))
        if let predicate = source.predicate { update.predicate = try Handles.predicate(predicate) }
        update.propertiesToUpdate = try namedValues(source.properties, source.property_count, "request.properties")
        let expressions = try GrowingElements(
            source.expressions, source.expression_count, size: source.expression_size, minimumSize: 56, "request.expressions")
        for index in 0..<expressions.count {
            var item = pinview_named_expression()
            expressions.copy(index, to: &item)
            let name = try item.name.required("request.expressions.name")
            guard let expression = try item.computed("request.expressions") else {
                throw PinviewError(.invalidArgument, "'\(name)' of 'request.expressions' has neither format nor expression.")
            }
            guard update.expressionsToUpdate.updateValue(expression, forKey: name) == nil else {
                throw PinviewError(.invalidArgument, "'\(name)' is given twice in 'request.expressions'.")
            }
        }
        update.includesSubentities = source.excludes_subentities == 0
        update.resultType = try resultType(source.result_type)
        update.affectedStores = try requestedStores(source.stores, source.store_count)
        try run(update, in: context, out)
    }
}

@c @implementation
public func pinview_context_batch_insert(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_batch_insert>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let source = try read(request, "request", pinview_batch_insert(), minimumSize: 64)
        defer { if let stream = source.columns_stream { stream.pointee.release?(stream) } }
        try checkReserved(source.reserved, "request.reserved")
        let context = try Handles.context(context)
        if let stream = source.columns_stream {
            // The stream is released however the call ends.
            let columns = Result { () throws(PinviewError) in try ImportedColumns(taking: stream) }
            guard source.name_count == 0, source.row_count == 0, source.next_row == nil else {
                throw PinviewError(
                    .invalidArgument, "'request.columns_stream' cannot be combined with names, rows or 'next_row'.")
            }
            var insert = BatchInsertRequest(entityName: try source.entity.required("request.entity"), source: try columns.get())
            insert.resultType = try resultType(source.result_type)
            insert.mergePolicy = try mergePolicy(source)
            insert.affectedStores = try requestedStores(source.stores, source.store_count)
            return try run(insert, in: context, out)
        }
        var names: [String] = []
        for name in try elements(source.names, source.name_count, "request.names") { names.append(try name.required("request.names")) }
        guard Set(names).count == names.count else {
            throw PinviewError(.invalidArgument, "'request.names' has a duplicate name.")
        }
        let rows = CallerRows(names: names, source: source)
        let entityName = try source.entity.required("request.entity")
        if source.next_row == nil {
            try checkCount(source.row_count, "request.row_count")
            if source.columns == nil {
                _ = try elements(source.values, rows: source.row_count, of: names.count, "request.values")
            } else {
                for column in try elements(source.columns, names.count, "request.columns") {
                    _ = try elements(column, source.row_count, "request.columns")
                }
            }
        }
        var insert = BatchInsertRequest(entityName: entityName, rows: rows)
        insert.resultType = try resultType(source.result_type)
        insert.mergePolicy = try mergePolicy(source)
        insert.affectedStores = try requestedStores(source.stores, source.store_count)
        do {
            try run(insert, in: context, out)
        } catch {
            throw rows.failure ?? error
        }
    }
}

/// The rows given by a C caller, all at once or one by one.
private final class CallerRows: InsertedRows, @unchecked Sendable {  // used on the executing thread only
    let names: [String]
    private let source: pinview_batch_insert
    /// The index of the next row.
    private var index = 0
    /// The values written by the callback.
    private var values: [pinview_value]
    /// The error with which the callback stopped.
    private(set) var failure: (any Error)?

    init(names: [String], source: pinview_batch_insert) {
        self.names = names
        self.source = source
        values = Array(repeating: pinview_value(), count: names.count)
    }

    func next() throws(PinviewError) -> Bool {
        guard let callback = source.next_row else {
            guard index < source.row_count else { return false }
            index += 1
            return true
        }
        for position in values.indices { values[position] = pinview_value() }
        var hasRow: Int32 = 1
        do {
            try values.withUnsafeMutableBufferPointer { values in
                try runCallback { callback(values.baseAddress, values.count, &hasRow, source.userdata) }
            }
        } catch {
            failure = error
            throw PinviewError(.stopped, "The callback of the batch insert failed.")
        }
        return hasRow != 0
    }

    private func value(_ place: Int) -> pinview_value? {
        if source.next_row != nil { return values[place] }
        if let columns = source.columns { return columns[place]?[index - 1] }
        return source.values?[(index - 1) * names.count + place]
    }

    func cell(_ place: Int) throws(PinviewError) -> InsertedCell {
        guard let value = value(place) else { return .null }
        switch value.type {
        case PINVIEW_VALUE_NULL: return .null
        case PINVIEW_VALUE_INTEGER: return .integer(value.as.integer)
        case PINVIEW_VALUE_DOUBLE: return .double(value.as.real)
        case PINVIEW_VALUE_STRING: return try value.as.string.bytes(names[place]).map { .text($0) } ?? .null
        default: return .value(try value.value(names[place]))
        }
    }
}

@c @implementation
public func pinview_context_batch_delete(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ object_ids: UnsafePointer<OpaquePointer?>?,
    _ object_id_count: Int, _ result_type: Int32, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let context = try Handles.context(context)
        var delete = BatchDeleteRequest(objectIDs: try Handles.objectIDs(object_ids, object_id_count, "object_ids"))
        if request != nil { delete.fetchRequest = try makeFetchRequest(request) }
        delete.resultType = try resultType(result_type)
        try run(delete, in: context, out)
    }
}
