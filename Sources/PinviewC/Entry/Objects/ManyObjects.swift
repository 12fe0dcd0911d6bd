import CPinview
import Pinview

// Functions of the section "Contexts" of the header for many objects at once.

@c @implementation
public func pinview_context_insert_objects(
    _ context: OpaquePointer?, _ entity: pinview_string, _ names: UnsafePointer<pinview_string>?, _ name_count: Int,
    _ columns: UnsafePointer<UnsafePointer<pinview_value>?>?, _ row_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let context = try Handles.context(context)
        let entityName = try entity.required("entity")
        let keys = try elements(names, name_count, "names")
        // Without columns, no memory of the caller's limits the count.
        try checkCount(row_count, "row_count")
        var cells: [UnsafeBufferPointer<pinview_value>] = []
        for column in try elements(columns, name_count, "columns") { cells.append(try elements(column, row_count, "columns")) }
        let made = try context.insertNewObjects(
            forEntityName: entityName, count: row_count,
            properties: { (object) throws(PinviewError) in
                var properties: [Property] = []
                for key in keys {
                    let property = try object.requiredProperty(key)
                    guard !properties.contains(where: { $0.index == property.index }) else {
                        throw PinviewError(.invalidArgument, "'\(property.name)' is given twice in 'names'.")
                    }
                    properties.append(property)
                }
                return properties
            },
            fill: { new, place, rows in
                guard let cells = cells[place].baseAddress else { return 0 }
                var row = 0
                while row < rows.count, cells[rows.lowerBound + row].put(into: new, place, row) { row += 1 }
                return row
            },
            usualValue: { place, row in cells[place].baseAddress?[row].usualValue },
            set: { (object, property, place, row) throws(PinviewError) in
                try object.set(cells[place].baseAddress.map { $0 + row }, property)
            })
        guard let out else { return }
        do { out.pointee = try Handles.make(.objectArray(made)) } catch {
            for object in made { try context.delete(object) }
            throw error
        }
    }
}

@c @implementation
public func pinview_context_delete_objects(
    _ context: OpaquePointer?, _ objects: UnsafePointer<OpaquePointer?>?, _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        for object in try elements(objects, count, "objects") { try context.delete(try Handles.object(object)) }
    }
}

@c @implementation
public func pinview_context_objects(
    _ context: OpaquePointer?, _ object_ids: UnsafePointer<OpaquePointer?>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try giveObjects(context, object_ids, count, out) { try $0.objects(with: $1) } }
}

@c @implementation
public func pinview_context_existing_objects(
    _ context: OpaquePointer?, _ object_ids: UnsafePointer<OpaquePointer?>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try giveObjects(context, object_ids, count, out) { try $0.existingObjects(with: $1) } }
}

/// Returns handles of the objects found by IDs.
private func giveObjects(
    _ context: OpaquePointer?, _ objectIDs: UnsafePointer<OpaquePointer?>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ find: (ManagedObjectContext, [ManagedObjectID]) throws -> [ManagedObject]
) throws {
    let out = try requireHandle(out)
    let context = try Handles.context(context)
    out.pointee = try Handles.make(.objectArray(try find(context, try Handles.objectIDs(objectIDs, count, "object_ids"))))
}
