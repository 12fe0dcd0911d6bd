import CPinview
import Pinview

// Fetch request templates and fetched properties: part of the section "Fetching" of the header.

/// A request as seen by C callers, with everything that it points to.
final class FetchTemplateBox: @unchecked Sendable {  // immutable once it is made
    let request = UnsafeMutablePointer<pinview_fetch_request>.allocate(capacity: 1)
    private var memory: [UnsafeMutableRawPointer] = []
    private var texts: [TextStorage] = []
    private var handles: [(OpaquePointer, HandleKind)] = []

    init(_ source: FetchRequest) throws(PinviewError) {
        request.initialize(to: pinview_fetch_request())
        var target = pinview_fetch_request()
        target.struct_size = UInt32(MemoryLayout<pinview_fetch_request>.size)
        for (flag, isOn) in [
            (PINVIEW_FETCH_INCLUDES_SUBENTITIES, source.includesSubentities),
            (PINVIEW_FETCH_INCLUDES_PENDING_CHANGES, source.includesPendingChanges),
            (PINVIEW_FETCH_RETURNS_FAULTS, source.returnsObjectsAsFaults),
            (PINVIEW_FETCH_REFRESHES_OBJECTS, source.shouldRefreshRefetchedObjects),
            (PINVIEW_FETCH_OMITS_VALUES, !source.includesPropertyValues),
            (PINVIEW_FETCH_RETURNS_DISTINCT, source.returnsDistinctResults),
        ] where isOn { target.flags |= flag }
        target.entity = text(source.entityName)
        target.predicate = try predicate(source.predicate)
        target.sort_descriptors = array(
            source.sortDescriptors.map {
                pinview_sort_descriptor(
                    key_path: text($0.keyPath), is_descending: $0.ascending ? 0 : 1, comparator: Int32($0.comparator.rawValue))
            })
        target.sort_descriptor_count = source.sortDescriptors.count
        target.limit = UInt64(source.fetchLimit)
        target.offset = UInt64(source.fetchOffset)
        target.batch_size = UInt64(source.fetchBatchSize)
        target.result_type = Int32(source.resultType.rawValue)
        target.prefetched_key_paths = array(source.relationshipKeyPathsForPrefetching.map(text))
        target.prefetched_key_path_count = source.relationshipKeyPathsForPrefetching.count
        target.properties = array(
            source.propertiesToFetch.map { property in
                var result = pinview_named_expression()
                result.name = text(property.name)
                if case .expression(let computed) = property { result.format = text(computed.expression.description) }
                return result
            })
        target.property_count = source.propertiesToFetch.count
        target.group_by = array(source.propertiesToGroupBy.map(text))
        target.group_by_count = source.propertiesToGroupBy.count
        target.having = try predicate(source.havingPredicate)
        target.timeout_seconds = source.timeout ?? 0
        target.sort_descriptor_size = MemoryLayout<pinview_sort_descriptor>.size
        target.property_size = MemoryLayout<pinview_named_expression>.size
        request.pointee = target
    }

    deinit {
        request.deallocate()
        for block in memory { block.deallocate() }
        for (handle, kind) in handles { _ = HandleTable.release(handle, kind) }
    }

    private func text(_ text: String) -> pinview_string {
        let storage = TextStorage(text)
        texts.append(storage)
        return storage.view
    }

    private func predicate(_ predicate: PinviewPredicate?) throws(PinviewError) -> OpaquePointer? {
        guard let predicate else { return nil }
        let handle = try Handles.make(predicate)
        handles.append((handle, .predicate))
        return handle
    }

    private func array<T>(_ items: [T]) -> UnsafePointer<T>? {
        if items.isEmpty { return nil }
        let copy = UnsafeMutableBufferPointer<T>.allocate(capacity: items.count)
        _ = copy.initialize(from: items)
        guard let base = copy.baseAddress else { return nil }
        memory.append(UnsafeMutableRawPointer(base))
        return UnsafePointer(base)
    }
}

@c @implementation
public func pinview_model_set_fetch_request_template(
    _ model: OpaquePointer?, _ name: pinview_string, _ request: UnsafePointer<pinview_fetch_request>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let model = try Handles.model(model)
        let template = request == nil ? nil : try makeFetchRequest(request)
        try model.setFetchRequestTemplate(template, forName: try name.required("name"))
    }
}

@c @implementation
public func pinview_model_fetch_request_template_count(_ model: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(model, .model, ModelBox.self)?.model.fetchRequestTemplateDescriptions.count ?? 0)
}

@c @implementation
public func pinview_model_fetch_request_template_name(
    _ model: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_string>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let box = try Handles.box(model, .model, ModelBox.self)
        let names = box.model.fetchRequestTemplateDescriptions.keys.sorted()
        out.pointee = box.view(of: try element(names, index, "fetch request templates"))
    }
}

@c @implementation
public func pinview_model_fetch_request_template(
    _ model: OpaquePointer?, _ name: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        guard let template = try Handles.model(model).fetchRequestTemplate(forName: try name.required("name")) else { return }
        out.pointee = try HandleTable.make(.fetchTemplate, try FetchTemplateBox(template))
    }
}

@c @implementation
public func pinview_model_fetch_request_from_template(
    _ model: OpaquePointer?, _ name: pinview_string, _ variables: UnsafePointer<pinview_named_value>?, _ count: Int,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let model = try Handles.model(model)
        let request = try model.fetchRequestFromTemplate(
            withName: try name.required("name"), substitutionVariables: try substitutionVariables(variables, count))
        out.pointee = try HandleTable.make(.fetchTemplate, try FetchTemplateBox(request))
    }
}

@c @implementation
public func pinview_fetch_template_request(_ fetch_template: OpaquePointer?) -> UnsafePointer<pinview_fetch_request>? {
    Handles.boxOrNil(fetch_template, .fetchTemplate, FetchTemplateBox.self).map { UnsafePointer($0.request) }
}

@c @implementation
public func pinview_fetch_template_retain(_ fetch_template: OpaquePointer?) -> pinview_status {
    Handles.retain(fetch_template, .fetchTemplate)
}

@c @implementation
public func pinview_fetch_template_release(_ fetch_template: OpaquePointer?) -> pinview_status {
    Handles.release(fetch_template, .fetchTemplate)
}

// MARK: Fetched properties

@c @implementation
public func pinview_entity_fetched_property_count(_ entity: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(entity, .entity, EntityBox.self)?.entity.fetchedProperties.count ?? 0)
}

@c @implementation
public func pinview_entity_fetched_property(
    _ entity: OpaquePointer?, _ index: UInt64, _ name: UnsafeMutablePointer<pinview_string>?,
    _ destination: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let name = try require(name, "name"), destination = try require(destination, "destination")
        (name.pointee, destination.pointee) = (.absent, .absent)
        let box = try Handles.box(entity, .entity, EntityBox.self)
        let texts = try element(box.fetchedPropertyTexts, index, "fetched properties")
        (name.pointee, destination.pointee) = (texts.0.view, texts.1.view)
    }
}

@c @implementation
public func pinview_object_fetched_objects(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let objects = try Handles.object(object).fetchedObjects(forKey: try key.required("key"))
        out.pointee = try Handles.make(.objectArray(objects))
    }
}
