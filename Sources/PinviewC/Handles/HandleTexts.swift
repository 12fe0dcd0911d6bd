import CPinview
import Pinview

/// Memory for the texts, data and IDs in values for C callers.
protocol ValueMemory {
    /// Copies bytes and appends a NUL.
    mutating func store(_ source: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer?
    /// Takes over the reference to an ID's handle.
    mutating func own(_ handle: OpaquePointer)
}

/// What was handed out with a handle, each in its own allocation: for an object, the text, data or
/// ID of each property as last read; for an ID, its texts.
struct HandleTexts {
    /// The header of an allocation, followed by the bytes.
    private struct Piece {
        var next: UnsafeMutablePointer<Piece>?
        let property: Int
        var objectID: OpaquePointer?
        var capacity: Int
    }

    private var first: UnsafeMutablePointer<Piece>?

    /// Releases everything that was handed out.
    func free() {
        var next = first
        while let piece = next {
            next = piece.pointee.next
            if let objectID = piece.pointee.objectID { _ = HandleTable.release(objectID, .objectID) }
            piece.deallocate()
        }
    }

    /// The allocation of a property, with room for some bytes. Its former content becomes invalid.
    private mutating func piece(_ property: Int, _ byteCount: Int) -> UnsafeMutablePointer<Piece> {
        var before: UnsafeMutablePointer<Piece>?
        var known = first
        while let piece = known, piece.pointee.property != property {
            before = piece
            known = piece.pointee.next
        }
        var next = first
        if let known {
            if let objectID = known.pointee.objectID { _ = HandleTable.release(objectID, .objectID) }
            known.pointee.objectID = nil
            if known.pointee.capacity >= byteCount { return known }
            if let before { before.pointee.next = known.pointee.next } else { first = known.pointee.next }
            next = first
            known.deallocate()
        }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<Piece>.size + byteCount, alignment: 8)
        let piece = memory.bindMemory(to: Piece.self, capacity: 1)
        piece.initialize(to: Piece(next: next, property: property, objectID: nil, capacity: byteCount))
        first = piece
        return piece
    }

    /// The memory of one property.
    struct OfProperty: ValueMemory {
        fileprivate let texts: UnsafeMutablePointer<HandleTexts>
        fileprivate let property: Int

        func store(_ source: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
            let target = UnsafeMutableRawPointer(texts.pointee.piece(property, source.count + 1) + 1)
            if let start = source.baseAddress { target.copyMemory(from: start, byteCount: source.count) }
            target.storeBytes(of: 0, toByteOffset: source.count, as: UInt8.self)
            return target
        }

        func own(_ handle: OpaquePointer) {
            texts.pointee.piece(property, 0).pointee.objectID = handle
        }
    }

    /// A text kept before; nil if there is none.
    func text(of number: Int) -> pinview_string? {
        var next = first
        while let piece = next {
            if piece.pointee.property == number {
                let start = UnsafeRawPointer(piece + 1).assumingMemoryBound(to: CChar.self)
                return pinview_string(data: start, size: piece.pointee.capacity - 1)
            }
            next = piece.pointee.next
        }
        return nil
    }

    /// Keeps a text that never changes.
    mutating func keep(_ text: String, of number: Int) -> pinview_string {
        var text = text
        return withUnsafeMutablePointer(to: &self) { texts in
            text.withUTF8 { bytes in
                let copy = OfProperty(texts: texts, property: number).store(UnsafeRawBufferPointer(bytes))
                return pinview_string(data: copy.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }, size: bytes.count)
            }
        }
    }

    /// Makes a C value of a property's value. It is valid until the next one of the same property.
    mutating func value(_ value: Value, of property: Int) throws(PinviewError) -> pinview_value {
        try withUnsafeMutablePointer(to: &self) { (texts) throws(PinviewError) in
            var memory = OfProperty(texts: texts, property: property)
            return try pinview_value(value, &memory)
        }
    }
}
