import Glibc
import Pinview

// The rule "Counts and sizes" of the header. Only the caller knows the size of an array, but a
// count that no program can mean is refused before the array is accessed.

/// The largest number of elements, and the largest size in bytes, that callers may pass.
let largestCount = Int(Int32.max)

/// Whether a count is plausible. Counts above 2^63 − 1 arrive as negative numbers.
@inline(__always)
func isPossible(_ count: Int) -> Bool { count >= 0 && count <= largestCount }

/// - Throws: `invalidArgument`, naming the parameter.
@inline(__always)
func checkCount(_ count: Int, _ parameter: @autoclosure () -> String) throws(PinviewError) {
    guard isSmall(count) else { return try checkLarge(count, parameter()) }
}

/// Whether a count is plausible, and so small that memory need not be checked.
@inline(__always)
func isSmall(_ count: Int) -> Bool { UInt(bitPattern: count) <= UInt(smallCount) }

/// Above this count, available memory is checked first, since the Swift runtime terminates the
/// process if there is not enough.
private let smallCount = 1 << 20

@inline(never)
private func checkLarge(_ count: Int, _ parameter: String) throws(PinviewError) {
    guard isPossible(count) else { throw impossible(count, parameter) }
    // A text is copied twice on its way to a store: into a value and into a row. Mapped, since the
    // optimiser removes unused allocations.
    let memory = mmap(nil, 2 * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != UnsafeMutableRawPointer(bitPattern: -1) else {
        throw PinviewError(.outOfMemory, "Out of memory for '\(parameter)', which has a count or size of \(count).")
    }
    munmap(memory, 2 * count)
}

@inline(never)
private func impossible(_ count: Int, _ parameter: String) -> PinviewError {
    PinviewError(
        .invalidArgument,
        "The count or size of '\(parameter)' must be between 0 and \(largestCount), got \(UInt(bitPattern: count)).")
}

/// An array passed by a C caller.
func elements<T>(_ items: UnsafePointer<T>?, _ count: Int, _ parameter: String) throws(PinviewError) -> UnsafeBufferPointer<T> {
    try checkCount(count, parameter)
    guard items != nil || count == 0 else {
        throw PinviewError(.invalidArgument, "'\(parameter)' is NULL, but its count is \(count).")
    }
    return UnsafeBufferPointer(start: items, count: count)
}

/// An array of rows of equal width.
func elements<T>(
    _ items: UnsafePointer<T>?, rows: Int, of width: Int, _ parameter: String
) throws(PinviewError) -> UnsafeBufferPointer<T> {
    try checkCount(rows, parameter)
    // Safe: both factors have at most 31 bits.
    return try elements(items, rows * width, parameter)
}

/// Checks a range of elements against their number, `total`.
///
/// - Parameter things: the elements' name for the message.
func checkedRange(_ first: UInt64, _ count: Int, of total: Int, _ things: String) throws(PinviewError) -> Range<Int> {
    try checkCount(count, "count")
    guard first <= UInt64(total), count <= total - Int(first) else {
        throw PinviewError(.invalidArgument, "The range of \(count) from index \(first) is out of bounds: there are \(total) \(things).")
    }
    return Int(first)..<Int(first) + count
}
