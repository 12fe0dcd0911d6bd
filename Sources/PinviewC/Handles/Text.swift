import CPinview
import Pinview

/// Bytes followed by a NUL at a stable address, for C callers to read.
final class TextStorage {
    private var bytes: UnsafeMutablePointer<CChar>?
    private var size = 0

    init() {}

    init(_ text: String?) { _ = set(text) }

    deinit { bytes?.deallocate() }

    /// Replaces the text. Views of the former text become invalid.
    func set(_ text: String?) -> pinview_string {
        guard var text else {
            bytes?.deallocate()
            bytes = nil
            size = 0
            return view
        }
        text.withUTF8 { set(UnsafeRawBufferPointer($0)) }
        return view
    }

    func set(_ source: UnsafeRawBufferPointer) {
        bytes?.deallocate()
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: source.count + 1)
        UnsafeMutableRawBufferPointer(start: copy, count: source.count).copyMemory(from: source)
        copy[source.count] = 0
        bytes = copy
        size = source.count
    }

    var view: pinview_string { pinview_string(data: bytes.map { UnsafePointer($0) }, size: size) }

    var binary: pinview_binary {
        pinview_binary(data: UnsafeRawPointer(bytes)?.assumingMemoryBound(to: UInt8.self), size: size)
    }
}

extension UnsafeRawPointer {
    fileprivate init?(_ pointer: UnsafeMutablePointer<CChar>?) {
        guard let pointer else { return nil }
        self = UnsafeRawPointer(pointer)
    }
}

extension pinview_string {
    static var absent: pinview_string { pinview_string(data: nil, size: 0) }

    /// The text; nil if absent.
    ///
    /// - Throws: `invalidUTF8`, naming the parameter; `invalidArgument` for a size without data.
    func text(_ parameter: String) throws(PinviewError) -> String? {
        guard let bytes = try bytes(parameter) else { return nil }
        guard let text = String(validUTF8: bytes) else {
            throw PinviewError(.invalidUTF8, "The text '\(parameter)' is not valid UTF-8.")
        }
        return text
    }

    /// The unchecked bytes of the text; nil if absent.
    ///
    /// - Throws: `invalidArgument` for a size without data.
    func bytes(_ parameter: @autoclosure () -> String) throws(PinviewError) -> UnsafeRawBufferPointer? {
        try checkCount(size, parameter())
        guard let data else {
            guard size == 0 else {
                throw PinviewError(.invalidArgument, "The text '\(parameter())' has a size of \(size) but no data.")
            }
            return nil
        }
        return UnsafeRawBufferPointer(start: data, count: size)
    }

    /// The text, which must not be absent.
    func required(_ parameter: String) throws(PinviewError) -> String {
        guard let text = try text(parameter) else { throw PinviewError(.invalidArgument, "The text '\(parameter)' is missing.") }
        return text
    }
}

/// Memory for texts, data and IDs of bulk calls: chunks that stay in place until the next use.
final class Arena: ValueMemory {
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var current = 0
    private var used = 0
    private var handles: [OpaquePointer] = []

    deinit {
        releaseHandles()
        for chunk in chunks { chunk.deallocate() }
    }

    /// Invalidates everything handed out, but keeps the memory.
    func reset() {
        current = 0
        used = 0
        releaseHandles()
    }

    private func releaseHandles() {
        for handle in handles { _ = HandleTable.release(handle, .objectID) }
        handles.removeAll(keepingCapacity: true)
    }

    /// Copies a text.
    func view(of text: String) -> pinview_string {
        var text = text
        return text.withUTF8 {
            let start = store(UnsafeRawBufferPointer($0))?.assumingMemoryBound(to: CChar.self)
            return pinview_string(data: UnsafePointer(start), size: $0.count)
        }
    }

    /// Copies bytes and appends a NUL.
    func store(_ source: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        let needed = source.count + 1
        while current < chunks.count, chunks[current].count - used < needed {
            current += 1
            used = 0
        }
        if current == chunks.count {
            chunks.append(.allocate(byteCount: max(needed, 16384 << min(chunks.count, 10)), alignment: 16))
            used = 0
        }
        guard let base = chunks[current].baseAddress else { return nil }
        let target = base + used
        UnsafeMutableRawBufferPointer(start: target, count: source.count).copyMemory(from: source)
        target.storeBytes(of: 0, toByteOffset: source.count, as: UInt8.self)
        used += needed
        return target
    }

    func own(_ handle: OpaquePointer) { handles.append(handle) }
}
