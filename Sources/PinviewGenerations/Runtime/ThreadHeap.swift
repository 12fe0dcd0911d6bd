/// The memory that malloc requests from the system for the calling thread.
package enum ThreadHeap {
    /// Below the size from which freeing memory shrinks the heap.
    private static let step = 60 << 10

    /// Grows the heap in one step before many small allocations, such as those of SQLite's pages.
    ///
    /// glibc grows the heap of threads other than the first by a page at a time, each with a system
    /// call during which no other thread of the process gets a page. A larger block that is
    /// allocated and freed at once leaves its memory to the allocations that follow.
    @inline(never)
    package static func grow() { UnsafeMutableRawPointer.allocate(byteCount: step, alignment: 16).deallocate() }
}
