import Glibc

/// Memory straight from the C library, for everything that needs an alignment of at most 16.
///
/// Swift's `allocate` on raw pointers requests an alignment from the C library, which takes five
/// times as long.
package enum PlainMemory {
    package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        malloc(byteCount) ?? .allocate(byteCount: byteCount, alignment: 16)
    }

    /// Like Swift's own allocation, it does not return if there is no memory.
    package static func reallocate(_ old: UnsafeMutableRawPointer?, _ byteCount: Int) -> UnsafeMutableRawPointer {
        if let memory = realloc(old, byteCount) { return memory }
        var message = "Fatal error: failed to allocate \(byteCount) bytes of memory\n"
        message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        abort()
    }

    package static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
