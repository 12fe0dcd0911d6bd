/// A cell for code that reads many of them: nothing in it is reference-counted or copied.
package struct RowCell {
    /// Null for a column below 0.
    package let type: CellType
    /// Whether the text is ASCII only.
    package let isASCII: Bool
    /// The number of bytes of a text or blob.
    package let byteCount: Int
    /// An integer, the bits of a real, or the address of bytes, which are valid as long as the
    /// block.
    private let bits: Int64

    fileprivate init(type: CellType, bits: Int64, byteCount: Int = 0, isASCII: Bool = false) {
        self.type = type
        self.bits = bits
        self.byteCount = byteCount
        self.isASCII = isASCII
    }

    package var integer: Int64 { bits }
    package var real: Double { Double(bitPattern: UInt64(bitPattern: bits)) }
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: Int(bits)), count: byteCount)
    }
}

extension RowBlock {
    /// Reads one row's cells for the given columns.
    package func read(row: Int, columns: UnsafeBufferPointer<Int32>, into cells: UnsafeMutablePointer<RowCell>) {
        for index in 0..<columns.count {
            let cell = cell(row, Int(columns[index]))
            let raw: RowCell
            if cell.type == .text || cell.type == .blob {
                let bytes = bytes(at: cell.bits)
                raw = RowCell(
                    type: cell.type, bits: Int64(Int(bitPattern: bytes.baseAddress)), byteCount: bytes.count,
                    isASCII: cell.type == .text && Self.isASCII(bytes))
            } else {
                raw = RowCell(type: cell.type, bits: cell.bits)
            }
            (cells + index).initialize(to: raw)
        }
    }

    @inline(__always)
    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        let high: UInt64 = 0x8080_8080_8080_8080
        var offset = 0
        while offset + 8 <= bytes.count {
            if start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & high != 0 { return false }
            offset += 8
        }
        var rest: UInt8 = 0
        while offset < bytes.count {
            rest |= start.load(fromByteOffset: offset, as: UInt8.self)
            offset += 1
        }
        return rest < 0x80
    }
}
