import Glibc

/// Memory straight from the C library, good for everything that lies at addresses divisible by 16.
///
/// What is allocated by a pointer's `allocate` is asked of the C library with an alignment, which takes five times as long.
package enum PlainMemory {
    package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        malloc(byteCount) ?? .allocate(byteCount: byteCount, alignment: 16)
    }

    /// Like Swift's own allocation it does not return without memory, and says so.
    package static func reallocate(_ old: UnsafeMutableRawPointer?, _ byteCount: Int) -> UnsafeMutableRawPointer {
        if let memory = realloc(old, byteCount) { return memory }
        var message = "Fatal error: failed to allocate \(byteCount) bytes of memory\n"
        message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        abort()
    }

    package static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
