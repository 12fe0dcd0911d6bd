import CPinview
import Glibc
import Pinview

/// The rows of a program's Arrow stream, which is released at the end.
///
/// The interface gives no sizes of buffers, so the stream's memory is trusted. What it does give is
/// checked.
final class ImportedColumns: InsertedColumns, @unchecked Sendable {  // used on the executing thread only
    private var stream: ArrowArrayStream
    private var batch = ArrowArray()
    private var types: [ArrowType] = []
    private var formats: [String] = []
    private(set) var columnNames: [String] = []

    /// Takes over a stream.
    /// - Throws: the stream's error; `wrongType` for anything other than named columns.
    init(taking source: UnsafeMutablePointer<ArrowArrayStream>) throws(PinviewError) {
        guard source.pointee.release != nil else {
            throw PinviewError(.invalidArgument, "The Arrow stream has already been released; it can only be read once.")
        }
        stream = source.pointee
        source.pointee.release = nil
        guard stream.get_schema != nil, stream.get_next != nil else {
            throw PinviewError(.invalidArgument, "The Arrow stream lacks get_schema or get_next.")
        }
        var schema = ArrowSchema()
        let status = callingOut { stream.get_schema(&stream, &schema) }
        guard status == 0 else { throw failure(status, "names and types") }
        defer { schema.release?(&schema) }
        guard let format = schema.format, strcmp(format, "+s") == 0, schema.n_children >= 0 else {
            throw PinviewError(.wrongType, "The Arrow stream does not consist of named columns: its arrays must be structs.")
        }
        for index in 0..<Int(schema.n_children) {
            guard let child = schema.children?[index], let name = child.pointee.name.flatMap({ String(validatingCString: $0) }) else {
                throw PinviewError(.invalidUTF8, "The name of column \(index + 1) of the Arrow stream is not UTF-8.")
            }
            columnNames.append(name)
            types.append(try ArrowType(child.pointee, name: name))
            formats.append(child.pointee.format.map { String(cString: $0) } ?? "")
        }
    }

    deinit {
        callingOut {
            batch.release?(&batch)
            stream.release?(&stream)
        }
    }

    private func failure(_ status: Int32, _ what: String) -> PinviewError {
        let message = stream.get_last_error?(&stream).map { String(cString: $0) }
        return PinviewError(
            .stopped,
            "The Arrow stream failed to return \(what), with the status \(status): \(message ?? String(cString: strerror(status))). "
                + "Nothing was inserted.")
    }

    func check(_ column: Int, for property: Property) throws(PinviewError) {
        guard types[column].fits(property.isRelationship ? nil : property.attributeType) else {
            throw PinviewError(
                .wrongType,
                "\(property.qualifiedName) takes \(property.expectedTypeForPeople), but the column has the Arrow format '\(formats[column])'. "
                    + "Nothing was inserted.")
        }
    }

    func nextBlock() throws(PinviewError) -> Int? {
        batch.release?(&batch)
        batch = ArrowArray()
        let status = callingOut { stream.get_next(&stream, &batch) }
        guard status == 0 else {
            batch = ArrowArray()
            throw failure(status, "the next rows")
        }
        guard batch.release != nil else { return nil }
        guard batch.length >= 0, batch.offset >= 0, batch.length <= Int64.max - batch.offset, batch.n_children == types.count else {
            throw PinviewError(
                .wrongType,
                "The Arrow stream returned a batch of \(batch.n_children) columns and \(batch.length) rows; its schema has \(types.count) columns."
            )
        }
        if batch.null_count != 0, let validity = batch.n_buffers > 0 ? batch.buffers?[0] : nil {
            for row in 0..<Int(batch.length) where !isValid(validity, Int(batch.offset) + row) {
                throw PinviewError(.wrongType, "Row \(row + 1) of a batch of the Arrow stream is null as a whole.")
            }
        }
        for (index, type) in types.enumerated() {
            guard let child = batch.children?[index], isWellFormed(child.pointee, type, batch.offset + batch.length) else {
                throw PinviewError(
                    .wrongType, "The column '\(columnNames[index])' of the Arrow stream does not have the layout of its type.")
            }
        }
        return Int(batch.length)
    }

    private func isWellFormed(_ array: ArrowArray, _ type: ArrowType, _ length: Int64) -> Bool {
        guard array.length >= length, array.offset >= 0, array.n_buffers >= type.bufferCount, array.n_buffers < 1 << 32,
            array.length <= Int64.max - array.offset
        else { return false }
        if case .dictionary(_, _, let values) = type {
            guard let dictionary = array.dictionary, isWellFormed(dictionary.pointee, values, 0) else { return false }
        }
        guard array.length > 0, type.bufferCount > 0 else { return true }
        guard let buffers = array.buffers else { return false }
        return buffers[1] != nil
    }

    private func isValid(_ validity: UnsafeRawPointer, _ index: Int) -> Bool {
        validity.load(fromByteOffset: index >> 3, as: UInt8.self) >> UInt8(index & 7) & 1 == 1
    }

    func cell(_ column: Int, _ row: Int) throws(PinviewError) -> InsertedCell {
        guard let child = batch.children?[column] else { return .null }
        return try cell(child, types[column], Int(batch.offset) + row)
    }

    private func cell(_ array: UnsafeMutablePointer<ArrowArray>, _ type: ArrowType, _ row: Int) throws(PinviewError) -> InsertedCell {
        let index = Int(array.pointee.offset) + row
        guard let buffers = array.pointee.buffers, type.bufferCount > 0 else { return .null }
        if array.pointee.null_count != 0, let validity = buffers[0], !isValid(validity, index) { return .null }
        guard let values = buffers[1] else { return .null }
        switch type {
        case .null: return .null
        case .boolean: return .boolean(isValid(values, index))
        case .integer(let bytes, let isSigned): return try integer(values, index, bytes, isSigned)
        case .half: return .double(Double(half(values.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))))
        case .float: return .double(Double(values.loadUnaligned(fromByteOffset: index * 4, as: Float.self)))
        case .double: return .double(values.loadUnaligned(fromByteOffset: index * 8, as: Double.self))
        case .text(let isLarge): return .text(try bytes(values, buffers[2], index, isLarge))
        case .binary(let isLarge): return .bytes(try bytes(values, buffers[2], index, isLarge))
        case .textView: return .text(try view(array.pointee, values + index * 16))
        case .binaryView: return .bytes(try view(array.pointee, values + index * 16))
        case .fixed(let size): return .bytes(UnsafeRawBufferPointer(start: values + index * size, count: size))
        case .decimal(let bytes, let scale): return try decimal(values + index * bytes, scale)
        case .moment(let bytes, let perSecond, let secondsPerUnit):
            guard case .integer(let units) = try integer(values, index, bytes, true) else { return .null }
            return try moment(units, perSecond, secondsPerUnit)
        case .dictionary(let bytes, let isSigned, let valueType):
            guard case .integer(let place) = try integer(values, index, bytes, isSigned), let dictionary = array.pointee.dictionary,
                place >= 0, place < dictionary.pointee.length
            else { throw PinviewError(.wrongType, "The value is outside its column's dictionary.") }
            return try cell(dictionary, valueType, Int(place))
        }
    }

    private func integer(_ values: UnsafeRawPointer, _ index: Int, _ bytes: Int, _ isSigned: Bool) throws(PinviewError) -> InsertedCell {
        switch (bytes, isSigned) {
        case (1, true): return .integer(Int64(values.load(fromByteOffset: index, as: Int8.self)))
        case (1, false): return .integer(Int64(values.load(fromByteOffset: index, as: UInt8.self)))
        case (2, true): return .integer(Int64(values.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)))
        case (2, false): return .integer(Int64(values.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
        case (4, true): return .integer(Int64(values.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)))
        case (4, false): return .integer(Int64(values.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
        case (_, true): return .integer(values.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
        default:
            let wide = values.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            guard let integer = Int64(exactly: wide) else {
                throw PinviewError(.wrongType, "The value is \(wide), but integers in a store have 63 bits and a sign.")
            }
            return .integer(integer)
        }
    }

    private func half(_ bits: UInt16) -> Float {
        let sign = UInt32(bits & 0x8000) << 16
        let exponent = UInt32(bits >> 10 & 0x1f), fraction = UInt32(bits & 0x3ff)
        switch exponent {
        case 0:
            let magnitude = Float(fraction) * 0x1p-24
            return sign == 0 ? magnitude : -magnitude
        case 0x1f: return Float(bitPattern: sign | 0x7f80_0000 | fraction << 13)
        default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
        }
    }

    private func bytes(
        _ offsets: UnsafeRawPointer, _ data: UnsafeRawPointer?, _ index: Int, _ isLarge: Bool
    ) throws(PinviewError) -> UnsafeRawBufferPointer {
        let start: Int, end: Int
        if isLarge {
            start = Int(offsets.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
            end = Int(offsets.loadUnaligned(fromByteOffset: index * 8 + 8, as: Int64.self))
        } else {
            start = Int(offsets.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
            end = Int(offsets.loadUnaligned(fromByteOffset: index * 4 + 4, as: Int32.self))
        }
        guard start >= 0, end >= start, data != nil || start == end else {
            throw PinviewError(.wrongType, "The value has the invalid range of bytes \(start) to \(end) in its column.")
        }
        return UnsafeRawBufferPointer(start: data.map { $0 + start }, count: end - start)
    }

    private func view(_ array: ArrowArray, _ place: UnsafeRawPointer) throws(PinviewError) -> UnsafeRawBufferPointer {
        let size = Int(place.loadUnaligned(as: Int32.self))
        if (0...12).contains(size) { return UnsafeRawBufferPointer(start: place + 4, count: size) }
        let number = Int64(place.loadUnaligned(fromByteOffset: 8, as: Int32.self))
        let offset = Int64(place.loadUnaligned(fromByteOffset: 12, as: Int32.self))
        // The views are followed by the buffers with the bytes, and those by their sizes.
        let last = Int(array.n_buffers) - 1
        guard size > 0, number >= 0, number < Int64(last - 2), offset >= 0, let sizes = array.buffers[last],
            offset + Int64(size) <= sizes.loadUnaligned(fromByteOffset: Int(number) * 8, as: Int64.self),
            let data = array.buffers[Int(number) + 2]
        else { throw PinviewError(.wrongType, "The value is outside its column's bytes.") }
        return UnsafeRawBufferPointer(start: data + Int(offset), count: size)
    }

    private func decimal(_ place: UnsafeRawPointer, _ scale: Int) throws(PinviewError) -> InsertedCell {
        let low = place.loadUnaligned(as: UInt64.self), high = place.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        guard let decimal = DecimalNumber(high: high, low: low, exponent: -scale) else {
            throw PinviewError(.wrongType, "The value has more digits than a decimal number of a store can have.")
        }
        return .value(.decimal(decimal))
    }

    private func moment(_ units: Int64, _ perSecond: Int64, _ secondsPerUnit: Int64) throws(PinviewError) -> InsertedCell {
        // A single division of an exact number, as long as a Double can hold it, gives the nearest
        // date.
        let (scaled, overflow) = units.multipliedReportingOverflow(by: secondsPerUnit)
        let (since, overflowToo) = scaled.subtractingReportingOverflow(978_307_200 * perSecond)
        guard !overflow, !overflowToo else {
            throw PinviewError(.wrongType, "The date \(units) is outside the range that a store can hold.")
        }
        return .date(Double(since) / Double(perSecond))
    }
}
