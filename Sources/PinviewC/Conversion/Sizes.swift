import Pinview

// The rule "Counts and sizes" of the header. What an array really holds only the caller knows; a count that no program can mean is
// found out before the array is looked at.

/// The largest count of elements and the largest size in bytes that a caller may give.
let largestCount = Int(Int32.max)

/// Whether a caller can mean a count. Those above 2^63 - 1 arrive as negative ones.
@inline(__always)
func isPossible(_ count: Int) -> Bool { count >= 0 && count <= largestCount }

/// - Throws: `invalidArgument`, naming the parameter.
@inline(__always)
func checkCount(_ count: Int, _ parameter: @autoclosure () -> String) throws(PinviewError) {
    guard isPossible(count) else { throw impossible(count, parameter()) }
}

@inline(never)
private func impossible(_ count: Int, _ parameter: String) -> PinviewError {
    PinviewError(
        .invalidArgument,
        "'\(parameter)' has an impossible count or size of \(UInt(bitPattern: count)); at most \(largestCount) can be given at once.")
}

/// An array that a C caller gave.
func elements<T>(_ items: UnsafePointer<T>?, _ count: Int, _ parameter: String) throws(PinviewError) -> UnsafeBufferPointer<T> {
    try checkCount(count, parameter)
    guard items != nil || count == 0 else {
        throw PinviewError(.invalidArgument, "'\(parameter)' is NULL, but has a count of \(count).")
    }
    return UnsafeBufferPointer(start: items, count: count)
}

/// An array of rows, all of one width.
func elements<T>(
    _ items: UnsafePointer<T>?, rows: Int, of width: Int, _ parameter: String
) throws(PinviewError) -> UnsafeBufferPointer<T> {
    try checkCount(rows, parameter)
    // Safe: neither factor has more than 31 bits.
    return try elements(items, rows * width, parameter)
}

/// Some of the elements of a thing that has `total`.
///
/// - Parameter things: what they are, for the message.
func checkedRange(_ first: UInt64, _ count: Int, of total: Int, _ things: String) throws(PinviewError) -> Range<Int> {
    try checkCount(count, "count")
    guard first <= UInt64(total), count <= total - Int(first) else {
        throw PinviewError(.invalidArgument, "There are \(total) \(things); \(count) from index \(first) on are not there.")
    }
    return Int(first)..<Int(first) + count
}
