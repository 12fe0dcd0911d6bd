import CPinview
import Pinview

// The section "Blocks of objects" of the header.

private func block(_ handle: OpaquePointer?) throws(PinviewError) -> ObjectBlock {
    try Handles.box(handle, .objectBlock, ObjectBlock.self)
}

private func blockIfValid(_ handle: OpaquePointer?) -> ObjectBlock? {
    Handles.boxOrNil(handle, .objectBlock, ObjectBlock.self)
}

private func name(
    _ objects: [ManagedObject], _ names: UnsafeMutablePointer<UInt64>,
    _ out: UnsafeMutablePointer<OpaquePointer?>, _ info: UnsafeMutablePointer<pinview_object_block_info>?
) throws(PinviewError) {
    _ = try require(info, "info")
    guard let block = ObjectBlock.name(objects, names) else { return }
    try fill(info, description(of: block), \.struct_size, minimumSize: 40)
    out.pointee = try HandleTable.make(.objectBlock, block)
}

private func description(of block: ObjectBlock) -> pinview_object_block_info {
    pinview_object_block_info(
        struct_size: 0, entity: Int32(block.entity.index), number: block.number, changes: block.changes, cache_changes: block.cacheChanges,
        is_for_any_thread: block.isForAnyThread ? 1 : 0, reserved: 0)
}

@c @implementation
public func pinview_result_object_block(
    _ result: OpaquePointer?, _ first: UInt64, _ count: Int, _ names: UnsafeMutablePointer<UInt64>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ info: UnsafeMutablePointer<pinview_object_block_info>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let objects = try resultObjects(result, first, count)
        if objects.isEmpty { return }
        try name(objects, try require(names, "names"), out, info)
    }
}

@c @implementation
public func pinview_objects_object_block(
    _ objects: UnsafePointer<OpaquePointer?>?, _ count: Int, _ names: UnsafeMutablePointer<UInt64>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ info: UnsafeMutablePointer<pinview_object_block_info>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        var named: [ManagedObject] = []
        for handle in try elements(objects, count, "objects") { named.append(try Handles.object(handle)) }
        if named.isEmpty { return }
        try name(named, try require(names, "names"), out, info)
    }
}

@c @implementation
public func pinview_object_block_retain(_ block: OpaquePointer?) -> pinview_status { Handles.retain(block, .objectBlock) }

@c @implementation
public func pinview_object_block_release(_ block: OpaquePointer?) -> pinview_status { Handles.release(block, .objectBlock) }

@c @implementation
public func pinview_object_block_object(
    _ block: OpaquePointer?, _ place: UInt32, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try PinviewC.block(block).requiredObject(at: Int(place)))
    }
}

@c @implementation
public func pinview_object_block_drop(_ block: OpaquePointer?, _ places: UnsafePointer<UInt32>?, _ count: Int) {
    guard let places, isPossible(count) else { return }
    blockIfValid(block)?.drop(UnsafeBufferPointer(start: places, count: count))
}

@c @implementation
public func pinview_object_block_fire(_ block: OpaquePointer?, _ places: UnsafePointer<UInt32>?, _ count: Int) -> Int32 {
    guard let block = blockIfValid(block), isPossible(count) else { return 0 }
    guard let places, count > 0 else { return 1 }
    return block.fire(UnsafeBufferPointer(start: places, count: count)) ? 1 : 0
}

@c @implementation
public func pinview_object_block_column(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ alone: Int32, _ buffer: OpaquePointer?,
    _ out: UnsafeMutablePointer<pinview_column>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        let block = try PinviewC.block(block)
        let buffer = try Handles.box(buffer, .buffer, BufferBox.self)
        let properties = block.entity.properties
        guard properties.indices.contains(Int(index)), !properties[Int(index)].isToMany else {
            throw PinviewError(
                .unknownKey, "The entity \(block.entity.name) has no attribute and no to-one relationship with the index \(index).")
        }
        let column = buffer.column
        try block.read(properties[Int(index)], at: Int(place), alone: alone != 0, into: column)
        try buffer.fill(out)
    }
}

@c @implementation
public func pinview_object_block_related_object(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ name: UnsafeMutablePointer<UInt64>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ info: UnsafeMutablePointer<pinview_object_block_info>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let name = try require(name, "name")
        _ = try require(info, "info")
        name.pointee = 0
        let block = try PinviewC.block(block)
        let relationship = try block.requiredRelationship(at: index)
        guard let destination = try block.requiredObject(at: Int(place)).relatedObject(at: relationship.index) else { return }
        try PinviewC.name([destination], name, out, info)
    }
}

@c @implementation
public func pinview_object_block_related_objects(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ counts: UnsafeMutablePointer<Int32>?,
    _ owner_count: UnsafeMutablePointer<Int>?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let counts = try require(counts, "counts"), owner_count = try require(owner_count, "owner_count")
        let room = owner_count.pointee
        owner_count.pointee = 0
        try checkCount(room, "counts")
        let block = try PinviewC.block(block)
        let relationship = try block.requiredRelationship(at: index, toMany: true)
        var ends: [Int] = []
        let related = try block.relatedObjects(relationship, at: Int(place), mostOwners: max(1, room), ends: &ends)
        var first = 0
        for (owner, end) in ends.prefix(room).enumerated() {
            counts[owner] = Int32(end - first)
            first = end
        }
        owner_count.pointee = min(room, ends.count)
        out.pointee = try Handles.make(.objectArray(related))
    }
}

@c @implementation
public func pinview_object_block_confirm_related_objects(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let block = try PinviewC.block(block)
        out.pointee = try block.confirm(try block.requiredRelationship(at: index, toMany: true), at: Int(place)) ? 1 : 0
    }
}

@c @implementation
public func pinview_object_block_contains_related_object(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ member: UInt64, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        try withUnsafePointer(to: member) { (name) throws(PinviewError) in
            try forEachMember(block, index, place, name, 1) { (owner, member, key) throws(PinviewError) in
                out.pointee = try owner.containsRelatedObject(member, forKey: key) ? 1 : 0
            }
        }
    }
}

@c @implementation
public func pinview_object_block_add_related_objects(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ members: UnsafePointer<UInt64>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try forEachMember(block, index, place, members, count) { (owner, member, key) throws(PinviewError) in
            try owner.addRelatedObject(member, forKey: key)
        }
    }
}

@c @implementation
public func pinview_object_block_remove_related_objects(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ members: UnsafePointer<UInt64>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try forEachMember(block, index, place, members, count) { (owner, member, key) throws(PinviewError) in
            try owner.removeRelatedObject(member, forKey: key)
        }
    }
}

/// Runs a body with the owner, each member and the relationship's name.
private func forEachMember(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ members: UnsafePointer<UInt64>?, _ count: Int,
    _ body: (ManagedObject, ManagedObject, String) throws(PinviewError) -> Void
) throws(PinviewError) {
    let names = try elements(members, count, "members")
    let block = try PinviewC.block(block), relationship = try block.requiredRelationship(at: index, toMany: true)
    let owner = try block.requiredObject(at: Int(place))
    try forEachObject(names) { (member) throws(PinviewError) in try body(owner, member, relationship.name) }
}

// MARK: One object by its place

@c @implementation
public func pinview_object_block_set_value(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ value: UnsafePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let object = try PinviewC.block(block).requiredObject(at: Int(place))
        try object.set(value, try object.property(at: index))
    }
}

@c @implementation
public func pinview_object_block_values(
    _ block: OpaquePointer?, _ place: UInt32, _ indexes: UnsafePointer<Int32>?, _ count: Int, _ buffer: OpaquePointer?,
    _ out: UnsafeMutablePointer<pinview_value>?, _ changes: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        changes?.pointee = 0
        let block = try PinviewC.block(block)
        let object = try block.requiredObject(at: Int(place))
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let before = block.stableChangeCount
        try object.giveValues(at: try elements(indexes, count, "indexes"), to: out, arena)
        if count > 0, let before { changes?.pointee = before }
    }
}

@c @implementation
public func pinview_object_block_row(
    _ block: OpaquePointer?, _ place: UInt32, _ row: UnsafeMutablePointer<pinview_object_row>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let row = try emptied(row)
        var values = try room(of: row)
        try PinviewC.block(block).read(at: Int(place), into: &values)
        fill(row, values)
    }
}

@c @implementation
public func pinview_context_object_row(
    _ context: OpaquePointer?, _ object_id: OpaquePointer?, _ loads: Int32, _ row: UnsafeMutablePointer<pinview_object_row>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try lookUp(row) { (blocks, values) throws(PinviewError) in
            try Handles.context(context).object(with: try Handles.objectID(object_id), isLoaded: loads != 0, in: blocks, into: &values)
        }
    }
}

@c @implementation
public func pinview_result_object_row(
    _ result: OpaquePointer?, _ index: UInt64, _ row: UnsafeMutablePointer<pinview_object_row>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try lookUp(row) { (blocks, values) throws(PinviewError) in
            try resultObjects(result, index, 1)[0].read(in: blocks, into: &values)
        }
    }
}

@c @implementation
public func pinview_object_block_related_row(
    _ block: OpaquePointer?, _ index: Int32, _ place: UInt32, _ row: UnsafeMutablePointer<pinview_object_row>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try lookUp(row) { (blocks, values) throws(PinviewError) in
            let block = try PinviewC.block(block)
            return try block.readDestination(of: try block.requiredRelationship(at: index), at: Int(place), in: blocks, into: &values)
        }
    }
}

@c @implementation
public func pinview_context_insert_row(
    _ context: OpaquePointer?, _ entity: pinview_string, _ indexes: UnsafePointer<Int32>?, _ values: UnsafePointer<pinview_value>?,
    _ count: Int, _ row: UnsafeMutablePointer<pinview_object_row>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let row = try emptied(row)
        ObjectBlock.drop(try elements(row.pointee.dropped, row.pointee.dropped_count, "dropped"))
        var packed = try room(of: row)
        let context = try Handles.context(context)
        let indexes = try elements(indexes, count, "indexes"), values = try elements(values, count, "values")
        let made = try context.insertNewObject(
            forEntityName: try entity.required("entity"),
            properties: { (object) throws(PinviewError) in
                var properties: [Property] = []
                for index in indexes { properties.append(try object.property(at: index)) }
                return properties
            },
            usualValue: { values[$0].usualValue },
            set: { (object, property, place) throws(PinviewError) in
                try object.set(values.baseAddress.map { $0 + place }, property)
            },
            in: try blocks(of: row), into: &packed)
        do throws(PinviewError) { try fill(row, (made.name, made.new)) } catch {
            // Nobody has the object, which the next save should not store.
            try context.delete(made.object)
            throw error
        }
        fill(row, packed)
    }
}

@c @implementation
public func pinview_context_delete_named(
    _ context: OpaquePointer?, _ names: UnsafePointer<UInt64>?, _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        try forEachObject(try elements(names, count, "names")) { (object) throws(PinviewError) in try context.delete(object) }
    }
}

/// Runs a body with each object of some names, up to the first one that fails.
private func forEachObject(
    _ names: UnsafeBufferPointer<UInt64>, _ body: (ManagedObject) throws(PinviewError) -> Void
) throws(PinviewError) {
    for (index, object) in ObjectBlock.objects(names).enumerated() {
        guard let object else { throw PinviewError(.invalidArgument, "No object has the name \(names[index]).") }
        try body(object)
    }
}

/// Finds an object, drops the objects that the caller gives back, and fills the caller's row.
///
/// - Parameter find: gets the blocks to name the object in and the buffer for its values; returns
///   nil if there is no object.
@inline(__always)
private func lookUp(
    _ row: UnsafeMutablePointer<pinview_object_row>?,
    _ find: ([ObjectBlock], inout ObjectRow) throws(PinviewError) -> (name: UInt64, new: ObjectBlock?)?
) throws(PinviewError) {
    let row = try emptied(row)
    ObjectBlock.drop(try elements(row.pointee.dropped, row.pointee.dropped_count, "dropped"))
    var values = try room(of: row)
    guard let found = try find(try blocks(of: row), &values) else { return }
    try fill(row, found)
    fill(row, values)
}

extension ObjectBlock {
    fileprivate func requiredRelationship(at index: Int32, toMany: Bool = false) throws(PinviewError) -> Property {
        let properties = entity.properties
        guard properties.indices.contains(Int(index)), properties[Int(index)].isRelationship, !toMany || properties[Int(index)].isToMany
        else {
            throw PinviewError(
                .unknownKey, "The entity \(entity.name) has no \(toMany ? "to-many " : "")relationship with the index \(index).")
        }
        return properties[Int(index)]
    }
}

private func blocks(of row: UnsafeMutablePointer<pinview_object_row>) throws(PinviewError) -> [ObjectBlock] {
    var blocks: [ObjectBlock] = []
    for handle in try elements(row.pointee.blocks, row.pointee.block_count, "blocks") { blocks.append(try PinviewC.block(handle)) }
    return blocks
}

private func fill(
    _ row: UnsafeMutablePointer<pinview_object_row>, _ found: (name: UInt64, new: ObjectBlock?)
) throws(PinviewError) {
    if let new = found.new {
        row.pointee.block = try HandleTable.make(.objectBlock, new)
        row.pointee.info = description(of: new)
        row.pointee.info.struct_size = UInt32(MemoryLayout<pinview_object_block_info>.size)
    }
    row.pointee.name = found.name
}

/// The struct without what a call fills in.
private func emptied(
    _ row: UnsafeMutablePointer<pinview_object_row>?
) throws(PinviewError) -> UnsafeMutablePointer<pinview_object_row> {
    let row = try require(row, "row")
    let size = Int(row.pointee.struct_size)
    guard size >= MemoryLayout<pinview_object_row>.size, size <= largestStruct else {
        throw PinviewError(.invalidArgument, "The struct_size of the row is \(size); set it to sizeof(pinview_object_row).")
    }
    try checkUnknownFields(of: row, "row", size: size, known: MemoryLayout<pinview_object_row>.size)
    try checkCount(row.pointee.dropped_count, "dropped")
    try checkCount(row.pointee.block_count, "blocks")
    try checkCount(row.pointee.room_size, "room")
    (row.pointee.flags, row.pointee.text_size, row.pointee.name, row.pointee.changes, row.pointee.block) = (0, 0, 0, 0, nil)
    return row
}

private func room(of row: UnsafeMutablePointer<pinview_object_row>) throws(PinviewError) -> ObjectRow {
    guard row.pointee.room != nil || row.pointee.room_size == 0 else {
        throw PinviewError(.invalidArgument, "The buffer of the row is NULL.")
    }
    return ObjectRow(room: UnsafeMutableRawBufferPointer(start: row.pointee.room, count: row.pointee.room_size))
}

private func fill(_ row: UnsafeMutablePointer<pinview_object_row>, _ values: ObjectRow) {
    if values.isEmpty { row.pointee.flags |= PINVIEW_COLUMN_HAS_FAULTS }
    if values.hasNulls { row.pointee.flags |= PINVIEW_COLUMN_HAS_NULLS }
    if values.hasUnknown { row.pointee.flags |= PINVIEW_COLUMN_HAS_UNKNOWN }
    if values.hasNUL { row.pointee.flags |= PINVIEW_COLUMN_HAS_NUL }
    row.pointee.text_size = values.textSize
    row.pointee.changes = values.version
}

@c @implementation
public func pinview_object_block_delete(
    _ block: OpaquePointer?, _ place: UInt32, _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let object = try PinviewC.block(block).requiredObject(at: Int(place))
        try Handles.context(context).delete(object)
    }
}

extension BufferBox {
    /// Fills in the column for C.
    fileprivate func fill(_ out: UnsafeMutablePointer<pinview_column>) throws(PinviewError) {
        var column = pinview_column()
        column.type =
            switch self.column.kind {
            case .integer: PINVIEW_VALUE_INTEGER
            case .boolean: PINVIEW_VALUE_BOOLEAN
            case .real: PINVIEW_VALUE_DOUBLE
            case .date: PINVIEW_VALUE_DATE
            case .text: PINVIEW_VALUE_STRING
            case .reference: PINVIEW_VALUE_OBJECT_ID
            case .value: PINVIEW_VALUE_LIST
            }
        if self.column.hasNulls { column.flags |= PINVIEW_COLUMN_HAS_NULLS }
        if self.column.hasFaults { column.flags |= PINVIEW_COLUMN_HAS_FAULTS }
        if self.column.hasUnknown { column.flags |= PINVIEW_COLUMN_HAS_UNKNOWN }
        if self.column.hasNUL { column.flags |= PINVIEW_COLUMN_HAS_NUL }
        if self.column.isASCII { column.flags |= PINVIEW_COLUMN_IS_ASCII }
        if self.column.hasMixedReferences { column.flags |= PINVIEW_COLUMN_IS_MIXED }
        column.count = Int32(self.column.count)
        column.changes = self.column.version
        column.cache_changes = self.column.cacheVersion
        column.hierarchy = self.column.hierarchy
        column.states = UnsafePointer(self.column.states.baseAddress)
        column.cells = UnsafeRawPointer(self.column.cells.baseAddress)
        column.texts = self.column.heapStart
        column.text_size = self.column.heapSize
        if self.column.kind == .value { column.values = try showValues() }
        try PinviewC.fill(out, column, \.struct_size, minimumSize: 80)
    }

    private func showValues() throws(PinviewError) -> UnsafePointer<pinview_value>? {
        arena.reset()
        if values.count < column.count {
            values.deallocate()
            values = .allocate(capacity: column.count)
        }
        for (index, value) in column.values.enumerated() { values[index] = try pinview_value(value, arena) }
        return UnsafePointer(values.baseAddress)
    }
}
