/// The memory that malloc takes from the system for the calling thread.
package enum ThreadHeap {
    /// Below the size from which on giving memory back makes the heap smaller.
    private static let step = 60 << 10

    /// Has the heap grow in one step for what is about to be taken from it in small pieces, SQLite's pages among them.
    ///
    /// glibc lets the heap of a thread other than the first grow by a page at a time, with a system call for each, and meanwhile no other
    /// thread of the process gets a page. A larger piece that is taken and given back at once leaves its memory to those that follow.
    @inline(never)
    package static func grow() { UnsafeMutableRawPointer.allocate(byteCount: step, alignment: 16).deallocate() }
}
