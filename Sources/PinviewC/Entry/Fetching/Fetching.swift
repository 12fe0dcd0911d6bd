import CPinview
import Pinview

// The section "Fetching" of the header.

@c @implementation
public func pinview_fetch_request_init(
    _ request: UnsafeMutablePointer<pinview_fetch_request>?, _ struct_size: Int, _ entity: pinview_string,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let request = try require(request, "request")
        guard struct_size >= 32, struct_size <= largestStruct else {
            throw PinviewError(.invalidArgument, "'struct_size' is \(struct_size); set it to sizeof(pinview_fetch_request).")
        }
        try checkCount(entity.size, "entity")
        UnsafeMutableRawBufferPointer(start: request, count: struct_size).initializeMemory(as: UInt8.self, repeating: 0)
        var defaults = pinview_fetch_request()
        defaults.struct_size = UInt32(struct_size)
        defaults.flags =
            PINVIEW_FETCH_INCLUDES_SUBENTITIES | PINVIEW_FETCH_INCLUDES_PENDING_CHANGES | PINVIEW_FETCH_RETURNS_FAULTS
        defaults.entity = entity
        withUnsafeBytes(of: defaults) { bytes in
            UnsafeMutableRawBufferPointer(start: request, count: min(struct_size, bytes.count))
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<min(struct_size, bytes.count)]))
        }
    }
}

extension pinview_named_expression {
    /// The expression to compute; nil if there is none.
    func computed(_ parameter: String) throws(PinviewError) -> PinviewExpression? {
        if let expression { return try Handles.expression(expression) }
        guard let format = try format.text("\(parameter).format") else { return nil }
        return try PinviewExpression(format: format, arguments: try predicateArguments(arguments, argument_count, "\(parameter).arguments"))
    }
}

/// The stores of a request; nil for all.
func requestedStores(_ handles: UnsafePointer<OpaquePointer?>?, _ count: Int) throws(PinviewError) -> [PersistentStore]? {
    guard handles != nil || count != 0 else { return nil }
    var stores: [PersistentStore] = []
    for store in try elements(handles, count, "request.stores") { stores.append(try Handles.store(store)) }
    return stores
}

/// A request of a C caller.
func makeFetchRequest(_ source: UnsafePointer<pinview_fetch_request>?) throws(PinviewError) -> FetchRequest {
    let source = try read(source, "request", pinview_fetch_request(), minimumSize: 32)
    try checkFlags(
        source.flags, "request.flags",
        known: PINVIEW_FETCH_INCLUDES_SUBENTITIES | PINVIEW_FETCH_INCLUDES_PENDING_CHANGES | PINVIEW_FETCH_RETURNS_FAULTS
            | PINVIEW_FETCH_REFRESHES_OBJECTS | PINVIEW_FETCH_OMITS_VALUES | PINVIEW_FETCH_RETURNS_DISTINCT, "PINVIEW_FETCH_")
    try checkReserved(source.reserved, "request.reserved")
    var request = FetchRequest(entityName: try source.entity.required("request.entity"))
    if let predicate = source.predicate { request.predicate = try Handles.predicate(predicate) }
    let descriptors = try GrowingElements(
        source.sort_descriptors, source.sort_descriptor_count, size: source.sort_descriptor_size, minimumSize: 24,
        "request.sort_descriptors")
    for index in 0..<descriptors.count {
        var descriptor = pinview_sort_descriptor()
        descriptors.copy(index, to: &descriptor)
        guard let comparator = PinviewSortDescriptor.Comparator(rawValue: Int(descriptor.comparator)) else {
            throw PinviewError(.invalidArgument, "\(descriptor.comparator) is not a comparator; expected one of PINVIEW_COMPARATOR_….")
        }
        request.sortDescriptors.append(
            PinviewSortDescriptor(
                keyPath: try descriptor.key_path.required("request.sort_descriptors.key_path"), ascending: descriptor.is_descending == 0,
                comparator: comparator))
    }
    request.fetchLimit = Int(clamping: source.limit)
    request.fetchOffset = Int(clamping: source.offset)
    request.fetchBatchSize = Int(clamping: source.batch_size)
    guard let type = FetchRequestResultType(rawValue: Int(source.result_type)) else {
        throw PinviewError(.invalidArgument, "\(source.result_type) is not a result type of a fetch; expected one of PINVIEW_RESULT_….")
    }
    request.resultType = type
    request.includesSubentities = source.flags & PINVIEW_FETCH_INCLUDES_SUBENTITIES != 0
    request.includesPendingChanges = source.flags & PINVIEW_FETCH_INCLUDES_PENDING_CHANGES != 0
    request.returnsObjectsAsFaults = source.flags & PINVIEW_FETCH_RETURNS_FAULTS != 0
    request.shouldRefreshRefetchedObjects = source.flags & PINVIEW_FETCH_REFRESHES_OBJECTS != 0
    request.includesPropertyValues = source.flags & PINVIEW_FETCH_OMITS_VALUES == 0
    for keyPath in try elements(source.prefetched_key_paths, source.prefetched_key_path_count, "request.prefetched_key_paths") {
        request.relationshipKeyPathsForPrefetching.append(try keyPath.required("request.prefetched_key_paths"))
    }
    request.affectedStores = try requestedStores(source.stores, source.store_count)
    request.returnsDistinctResults = source.flags & PINVIEW_FETCH_RETURNS_DISTINCT != 0
    let properties = try GrowingElements(
        source.properties, source.property_count, size: source.property_size, minimumSize: 56, "request.properties")
    for index in 0..<properties.count {
        var property = pinview_named_expression()
        properties.copy(index, to: &property)
        let name = try property.name.required("request.properties.name")
        let expression = try property.computed("request.properties")
        request.propertiesToFetch.append(
            expression.map { .expression(ExpressionDescription(name: name, expression: $0)) } ?? .keyPath(name))
    }
    for keyPath in try elements(source.group_by, source.group_by_count, "request.group_by") {
        request.propertiesToGroupBy.append(try keyPath.required("request.group_by"))
    }
    if let having = source.having { request.havingPredicate = try Handles.predicate(having) }
    if source.timeout_seconds != 0 { request.timeout = source.timeout_seconds }
    return request
}

private func run(_ request: FetchRequest, in context: ManagedObjectContext) throws(PinviewError) -> ResultBox.Contents {
    ResultBox.Contents(
        try context.execute(request), context.persistentStoreCoordinator?.managedObjectModel.entity(named: request.entityName))
}

@c @implementation
public func pinview_context_fetch(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let context = try Handles.context(context)
        out.pointee = try Handles.make(try run(try makeFetchRequest(request), in: context))
    }
}

@c @implementation
public func pinview_context_count(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ out: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        // NSNotFound until there is a number.
        out.pointee = .max
        out.pointee = Int64(try Handles.context(context).count(for: try makeFetchRequest(request)))
    }
}

@c @implementation
public func pinview_fetch_request_execute(
    _ request: UnsafePointer<pinview_fetch_request>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let request = try makeFetchRequest(request)
        out.pointee = try Handles.make(try run(request, in: try FetchRequest.currentContext()))
    }
}

@c @implementation
public func pinview_result_retain(_ result: OpaquePointer?) -> pinview_status { Handles.retain(result, .result) }

@c @implementation
public func pinview_result_release(_ result: OpaquePointer?) -> pinview_status { Handles.release(result, .result) }

@c @implementation
public func pinview_result_get_type(_ result: OpaquePointer?) -> Int32 {
    switch resultBox(result)?.contents {
    case .objects, .objectArray: PINVIEW_RESULT_OBJECTS
    case .objectIDs: PINVIEW_RESULT_OBJECT_IDS
    case .dictionaries: PINVIEW_RESULT_DICTIONARIES
    case .count: PINVIEW_RESULT_COUNT
    case .nothing: PINVIEW_RESULT_NONE
    case nil: -1
    }
}

@c @implementation
public func pinview_result_count(_ result: OpaquePointer?) -> UInt64 {
    // A loop asks for each of its results: no reference is counted.
    guard !ForkedProcess.isCurrent, !StatementCallbacks.isInside, let borrowed = HandleTable.Borrowed(result, .result) else { return 0 }
    defer { borrowed.end() }
    return UInt64(borrowed.thing(ResultBox.self)._withUnsafeGuaranteedRef { $0.count })
}

@c @implementation
public func pinview_result_object(
    _ result: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let contents = try resultContents(result)
        let position = try contents.checkRange(index, 1).lowerBound
        out.pointee = try Handles.make(try contents.object(position))
    }
}

@c @implementation
public func pinview_result_objects(
    _ result: OpaquePointer?, _ first: UInt64, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let contents = try resultContents(result)
        let range = try contents.checkRange(first, count)
        try fillHandles(out, count, release: { _ = pinview_object_release($0) }) { out in
            var position = 0, maker = HandleTable.Maker(.object, count: count)
            try contents.forEachObject(in: range) { object in
                out[position] = try maker.make(object)
                position += 1
            }
        }
    }
}

/// Has a body fill an array with handles. If it fails, there are none in it.
private func fillHandles(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int, release: (OpaquePointer?) -> Void,
    _ body: (UnsafeMutablePointer<OpaquePointer?>) throws -> Void
) throws {
    if count == 0 { return }
    let out = try require(out, "out")
    for place in 0..<count { out[place] = nil }
    do {
        try body(out)
    } catch {
        for place in 0..<count where out[place] != nil {
            release(out[place])
            out[place] = nil
        }
        throw error
    }
}

@c @implementation
public func pinview_result_values(
    _ result: OpaquePointer?, _ first: UInt64, _ count: Int, _ indexes: UnsafePointer<Int32>?, _ index_count: Int,
    _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let contents = try resultContents(result)
        let range = try contents.checkRange(first, count)
        let indexes = try elements(indexes, index_count, "indexes")
        let bufferHandle = try Handles.borrow(buffer, .buffer)
        defer { bufferHandle.end() }
        let arena = bufferHandle.thing(BufferBox.self)._withUnsafeGuaranteedRef { $0.arena }
        guard count > 0, index_count > 0 else { return }
        let out = try require(out, "out")
        arena.reset()
        var position = 0
        if case .dictionaries(let rows) = contents {
            for index in indexes where !rows.columnNames.indices.contains(Int(index)) {
                throw PinviewError(
                    .invalidArgument, "The column \(index) is out of range: the result has \(rows.columnNames.count) columns.")
            }
            for row in rows.rows[range] {
                for index in indexes {
                    out[position] = try pinview_value(row[Int(index)], arena)
                    position += 1
                }
            }
            return
        }
        try contents.realise(range)
        var copier = ValueCopier(indexes, arena)
        try contents.forEachObject(in: range) { object in
            try copier.copy(object, to: out + position)
            position += index_count
        }
    }
}

@c @implementation
public func pinview_result_load(
    _ result: OpaquePointer?, _ first: UInt64, _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let contents = try resultContents(result)
        try contents.realise(try contents.checkRange(first, count))
    }
}

@c @implementation
public func pinview_result_object_id(
    _ result: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let contents = try resultContents(result)
        out.pointee = try makeObjectID(contents, try contents.checkRange(index, 1).lowerBound)
    }
}

@c @implementation
public func pinview_result_object_ids(
    _ result: OpaquePointer?, _ first: UInt64, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let contents = try resultContents(result)
        let range = try contents.checkRange(first, count)
        try fillHandles(out, count, release: { _ = pinview_object_id_release($0) }) { out in
            for (place, index) in range.enumerated() { out[place] = try makeObjectID(contents, index) }
        }
    }
}

/// A handle to the ID of an element.
private func makeObjectID(_ contents: ResultBox.Contents, _ index: Int) throws(PinviewError) -> OpaquePointer {
    switch contents {
    case .objectIDs(let objectIDs): try Handles.make(objectIDs[index])
    case .objects, .objectArray: try Handles.make(try contents.object(index).objectID)
    case .dictionaries, .count, .nothing: throw PinviewError(.wrongType, "The result holds no object IDs; see pinview_result_get_type.")
    }
}

// MARK: Dictionaries and explanations

@c @implementation
public func pinview_result_column_count(_ result: OpaquePointer?) -> UInt64 { UInt64(resultBox(result)?.columnNames.count ?? 0) }

@c @implementation
public func pinview_result_column_name(_ result: OpaquePointer?, _ column: UInt64) -> pinview_string {
    guard let names = resultBox(result)?.columnNames, column < UInt64(names.count) else { return .absent }
    return names[Int(column)].view
}

@c @implementation
public func pinview_context_explain(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let context = try Handles.context(context)
        var rows: [[Value]] = []
        for store in try context.explain(try makeFetchRequest(request)) {
            func add(_ part: String, _ text: String) { rows.append([.string(store.storeIdentifier), .string(part), .string(text)]) }
            add("sql", store.sql)
            for value in store.bindings { add("value", value) }
            for line in store.queryPlan { add("plan", line) }
        }
        out.pointee = try Handles.make(.dictionaries(DictionaryResult(columnNames: ["store", "part", "text"], rows: rows)))
    }
}
