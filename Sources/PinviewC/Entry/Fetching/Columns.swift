import CPinview
import Glibc
import Pinview

// The section "Columns" of the header: fetches through the Arrow C stream interface.

/// PINVIEW_FETCH_COLUMNS_IF_SHOWN, a macro that Swift cannot import.
private let fetchColumnsIfShown: UInt32 = 0x8000_0000

@c @implementation
public func pinview_context_fetch_columns(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ flags: UInt32,
    _ out: UnsafeMutablePointer<ArrowArrayStream>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = ArrowArrayStream()
        try checkFlags(flags & ~fetchColumnsIfShown, "flags", known: PINVIEW_FETCH_COLUMNS_OBJECT_URIS, "PINVIEW_COLUMNS_")
        let context = try Handles.context(context)
        let request = try makeFetchRequest(request)
        let givesObjectURIs = flags & PINVIEW_FETCH_COLUMNS_OBJECT_URIS != 0
        if flags & fetchColumnsIfShown != 0 {
            guard let stream = try context.fetchShownColumns(request, givesObjectURIs: givesObjectURIs) else { return }
            ExportedStream(stream).fill(out)
        } else {
            ExportedStream(try context.fetchColumns(request, givesObjectURIs: givesObjectURIs)).fill(out)
        }
    }
}

/// A column stream exported to C.
private final class ExportedStream: @unchecked Sendable {  // `message` is guarded by `lock`
    private let stream: ColumnStream
    private let lock = ThreadLock()
    private let message = TextStorage()

    init(_ stream: ColumnStream) { self.stream = stream }

    func fill(_ out: UnsafeMutablePointer<ArrowArrayStream>) {
        out.pointee.get_schema = { stream, out in
            ExportedStream.run(stream) { (exported) throws(PinviewError) in
                let out = try require(out, "out")
                out.pointee = ExportedSchema.schema(of: exported.stream)
            }
        }
        out.pointee.get_next = { stream, out in
            ExportedStream.run(stream) { (exported) throws(PinviewError) in
                let out = try require(out, "out")
                out.pointee = ArrowArray()
                if let batch = try exported.stream.next() { out.pointee = ExportedArray.array(of: batch) }
            }
        }
        out.pointee.get_last_error = { stream in
            // In a child of fork(), it only says so.
            if ForkedProcess.isCurrent { return forkedMessage.view.data }
            return ExportedStream.exported(stream).flatMap { exported in exported.lock.withLock { exported.message.view.data } }
        }
        out.pointee.release = { stream in
            guard let stream else { return }
            if !ForkedProcess.isCurrent, let data = stream.pointee.private_data {
                Unmanaged<ExportedStream>.fromOpaque(data).release()
            }
            stream.pointee = ArrowArrayStream()
        }
        out.pointee.private_data = Unmanaged.passRetained(self).toOpaque()
    }

    private static func exported(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ExportedStream? {
        stream?.pointee.private_data.map { Unmanaged<ExportedStream>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: 0, or an errno value.
    private static func run(
        _ stream: UnsafeMutablePointer<ArrowArrayStream>?, _ body: (ExportedStream) throws(PinviewError) -> Void
    ) -> Int32 {
        guard let exported = exported(stream) else { return EINVAL }
        var failure: PinviewError?
        // It also becomes the thread's last error.
        let status = call(nil) {
            do throws(PinviewError) { try body(exported) } catch {
                failure = error
                throw error
            }
        }
        if status == PINVIEW_OK { return 0 }
        guard let failure else { return EIO }
        _ = exported.lock.withLock { exported.message.set(failure.message) }
        if failure.hasCode(.wrongType) || failure.hasCode(.invalidArgument) { return EINVAL }
        return failure.hasCode(.userCancelled) ? ECANCELED : EIO
    }
}

// Never changes.
nonisolated(unsafe) private let forkedMessage = TextStorage(
    "This process was created by fork() from the one that owns the stream, so it cannot use the stream. Fetch in a separate process.")

/// Schemas that own their texts. Each part is released by itself, since consumers may move parts
/// out.
private enum ExportedSchema {
    static func schema(of stream: ColumnStream) -> ArrowSchema {
        var schema = schema("+s", name: "", metadata: [("pinview.entity", stream.entityName)])
        let count = stream.columns.count
        let children = UnsafeMutablePointer<UnsafeMutablePointer<ArrowSchema>?>.allocate(capacity: max(count, 1))
        for (index, column) in stream.columns.enumerated() {
            let child = UnsafeMutablePointer<ArrowSchema>.allocate(capacity: 1)
            child.initialize(to: Self.schema(format(of: column.type), name: column.name, metadata: metadata(column, stream)))
            child.pointee.flags = Int64(ARROW_FLAG_NULLABLE)
            children[index] = child
        }
        schema.n_children = Int64(count)
        schema.children = children
        return schema
    }

    private static func format(of type: ColumnType) -> StaticString {
        switch type {
        case .boolean: "b"
        case .integer16: "s"
        case .integer32: "i"
        case .integer64, .objectKey: "l"
        case .float: "f"
        case .double: "g"
        case .date: "tsu:UTC"
        case .string, .decimal, .objectURI: "u"
        case .binary: "z"
        case .uuid: "w:16"
        }
    }

    private static func metadata(_ column: ColumnDescription, _ stream: ColumnStream) -> [(String, String)] {
        switch column.type {
        case .uuid: [("ARROW:extension:name", "arrow.uuid"), ("ARROW:extension:metadata", "")]
        case .decimal: [("pinview.type", "decimal")]
        case .objectKey: [("pinview.entity", column.entityName ?? ""), ("pinview.store", stream.storeIdentifier ?? "")]
        default: []
        }
    }

    private static func schema(_ format: StaticString, name: String, metadata: [(String, String)]) -> ArrowSchema {
        var schema = ArrowSchema()
        schema.format = UnsafeRawPointer(format.utf8Start).assumingMemoryBound(to: CChar.self)
        schema.name = UnsafePointer(copy(Array(name.utf8) + [0]))
        if !metadata.isEmpty { schema.metadata = UnsafePointer(copy(encoded(metadata))) }
        schema.release = { schema in
            guard let schema, schema.pointee.release != nil else { return }
            for index in 0..<Int(schema.pointee.n_children) {
                guard let child = schema.pointee.children[index] else { continue }
                child.pointee.release?(child)
                child.deallocate()
            }
            schema.pointee.children?.deallocate()
            UnsafeMutablePointer(mutating: schema.pointee.name)?.deallocate()
            UnsafeMutablePointer(mutating: schema.pointee.metadata)?.deallocate()
            schema.pointee.release = nil
        }
        return schema
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: CChar(bitPattern: byte)) }
        return copy
    }

    /// Metadata in Arrow's encoding: the number of pairs, then each key and each value with its
    /// size, as 32-bit integers.
    private static func encoded(_ pairs: [(String, String)]) -> [UInt8] {
        func number(_ count: Int) -> [UInt8] { withUnsafeBytes(of: Int32(count)) { Array($0) } }
        return pairs.reduce(number(pairs.count)) { bytes, pair in
            bytes + number(pair.0.utf8.count) + pair.0.utf8 + number(pair.1.utf8.count) + pair.1.utf8
        }
    }
}

/// Arrays whose children own their memory.
private enum ExportedArray {
    static func array(of batch: ColumnBatch) -> ArrowArray {
        var array = array(length: batch.rowCount, nullCount: 0, buffers: [nil], owner: nil)
        let count = batch.columns.count
        let children = UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>.allocate(capacity: max(count, 1))
        for (index, column) in batch.columns.enumerated() {
            let child = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
            child.initialize(
                to: Self.array(length: column.count, nullCount: column.nullCount, buffers: column.buffers, owner: column.owner))
            children[index] = child
        }
        array.n_children = Int64(count)
        array.children = children
        return array
    }

    private static func array(length: Int, nullCount: Int, buffers: [UnsafeRawPointer?], owner: AnyObject?) -> ArrowArray {
        var array = ArrowArray()
        array.length = Int64(length)
        array.null_count = Int64(nullCount)
        array.n_buffers = Int64(buffers.count)
        let pointers = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: buffers.count)
        pointers.initialize(from: buffers, count: buffers.count)
        array.buffers = pointers
        array.private_data = owner.map { Unmanaged.passRetained($0).toOpaque() }
        array.release = { array in
            guard let array, array.pointee.release != nil else { return }
            for index in 0..<Int(array.pointee.n_children) {
                guard let child = array.pointee.children[index] else { continue }
                child.pointee.release?(child)
                child.deallocate()
            }
            array.pointee.children?.deallocate()
            array.pointee.buffers?.deallocate()
            if let owner = array.pointee.private_data { Unmanaged<AnyObject>.fromOpaque(owner).release() }
            array.pointee.release = nil
        }
        return array
    }
}
