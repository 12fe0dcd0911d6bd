import CPinview
import Pinview

/// One element of an array, at an index passed by a caller.
func element<T>(_ array: [T], _ index: UInt64, _ what: String) throws(PinviewError) -> T {
    guard index < UInt64(array.count) else {
        throw PinviewError(.invalidArgument, "The index \(index) is out of range: there are \(array.count) \(what).")
    }
    return array[Int(index)]
}

/// Copies a struct as far as the caller's version of it has room.
///
/// - Parameter minimumSize: the size of the struct in the first version of the header, below which
///   no caller can be.
func fill<T>(
    _ out: UnsafeMutablePointer<T>?, _ value: T, _ size: WritableKeyPath<T, UInt32>, minimumSize: Int
) throws(PinviewError) {
    let out = try require(out, "out")
    // Only the size may be read: the rest of the struct may be uninitialised.
    let room = Int(UnsafeRawPointer(out).loadUnaligned(as: UInt32.self))
    try checkStructSize(room, "out", minimumSize: minimumSize)
    var value = value
    value[keyPath: size] = UInt32(room)
    let target = UnsafeMutableRawBufferPointer(start: out, count: room)
    withUnsafeBytes(of: value) { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<min(room, $0.count)])) }
    // Fields of a later version of the header are set to zero.
    if room > MemoryLayout<T>.size {
        UnsafeMutableRawBufferPointer(rebasing: target[MemoryLayout<T>.size...]).initializeMemory(as: UInt8.self, repeating: 0)
    }
}

/// The largest plausible `struct_size`. Anything larger is uninitialised memory.
let largestStruct = 4096

/// An array of structs that may grow, in the size that they have for its caller, which all of them
/// share.
struct GrowingElements<T> {
    let items: UnsafePointer<T>?
    let count: Int
    private let size: Int

    /// - Parameters:
    ///   - size: 0 for the first version's, `minimumSize`.
    init(_ items: UnsafePointer<T>?, _ count: Int, size: Int, minimumSize: Int, _ parameter: String) throws(PinviewError) {
        self.items = try elements(items, count, parameter).baseAddress
        self.count = count
        self.size = size == 0 ? minimumSize : size
        if size == 0 || size == MemoryLayout<T>.size { return }
        try checkStructSize(size, parameter, minimumSize: minimumSize)
        guard let items else { return }
        for index in 0..<count {
            try checkUnknownFields(
                of: UnsafeRawPointer(items) + index * size, "\(parameter)[\(index)]", size: size, known: MemoryLayout<T>.size)
        }
    }

    /// Sets `element`, which is zero, to the one at an index. Fields that its version lacks stay
    /// zero.
    func copy(_ index: Int, to element: inout T) {
        guard let items else { return }
        withUnsafeMutableBytes(of: &element) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: UnsafeRawPointer(items) + index * size, count: min(size, bytes.count)))
        }
    }
}

/// Where the elements of an array go, in the size that they have for its caller.
struct GrowingPlaces<T> {
    private let places: UnsafeMutableRawPointer
    private let size: Int

    init(_ places: UnsafeMutablePointer<T>, size: Int, minimumSize: Int) throws(PinviewError) {
        self.places = UnsafeMutableRawPointer(places)
        self.size = size
        try checkStructSize(size, "struct_size", minimumSize: minimumSize)
    }

    /// Fields of a later version of the header are set to zero.
    func fill(_ index: Int, _ value: T) {
        let target = UnsafeMutableRawBufferPointer(start: places + index * size, count: size)
        withUnsafeBytes(of: value) { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<min(size, $0.count)])) }
        if size > MemoryLayout<T>.size {
            UnsafeMutableRawBufferPointer(rebasing: target[MemoryLayout<T>.size...]).initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}

private func checkStructSize(_ size: Int, _ parameter: String, minimumSize: Int) throws(PinviewError) {
    guard size >= minimumSize else {
        throw PinviewError(
            .invalidArgument, "The struct_size of '\(parameter)' is \(size), too small for its fields. Set it to the size of the struct.")
    }
    guard size <= largestStruct else {
        throw PinviewError(
            .invalidArgument, "The struct_size of '\(parameter)' is \(size), larger than any struct. Set it to the size of the struct.")
    }
}

/// Refuses a struct of a later version of the header that uses something this version does not
/// know.
///
/// - Parameter count: how many of its bytes this version knows.
func checkUnknownFields(of source: UnsafeRawPointer, _ parameter: String, size: Int, known count: Int) throws(PinviewError) {
    guard size > count else { return }
    for offset in count..<size where source.load(fromByteOffset: offset, as: UInt8.self) != 0 {
        throw PinviewError(
            .invalidArgument,
            "'\(parameter)' has a value at byte \(offset), beyond the \(count) bytes of it that version \(PINVIEW_VERSION_STRING) of the library knows: the "
                + "program was compiled against a later version of pinview.h. Leave the field 0, or use the later library.")
    }
}

/// Refuses unknown flags.
///
/// - Parameters:
///   - known: the flags allowed here.
///   - constants: the prefix of their constants in the header.
func checkFlags(_ flags: UInt32, _ parameter: String, known: UInt32, _ constants: String) throws(PinviewError) {
    let unknown = flags & ~known
    guard unknown != 0 else { return }
    throw PinviewError(
        .invalidArgument, "'\(parameter)' is \(flags), but the flag \(unknown & (~unknown &+ 1)) is unknown here; expected \(constants).")
}

/// Refuses a nonzero reserved field.
func checkReserved(_ number: some BinaryInteger, _ parameter: String) throws(PinviewError) {
    guard number != 0 else { return }
    throw PinviewError(.invalidArgument, "'\(parameter)' is reserved and must be 0, got \(number).")
}

/// A struct passed by a caller. Fields that its version lacks are zero.
func read<T>(_ source: UnsafePointer<T>?, _ parameter: String, _ zero: T, minimumSize: Int) throws(PinviewError) -> T {
    let source = try requireArgument(source, parameter)
    let size = Int(UnsafeRawPointer(source).loadUnaligned(as: UInt32.self))
    try checkStructSize(size, parameter, minimumSize: minimumSize)
    try checkUnknownFields(of: source, parameter, size: size, known: MemoryLayout<T>.size)
    var result = zero
    withUnsafeMutableBytes(of: &result) { bytes in
        bytes.copyMemory(from: UnsafeRawBufferPointer(start: source, count: min(size, bytes.count)))
    }
    return result
}
