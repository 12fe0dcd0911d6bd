import Glibc

/// Memory straight from the C library, good for everything that lies at addresses divisible by 16.
///
/// What is allocated by a pointer's `allocate` is asked of the C library with an alignment, which takes five times as long.
package enum PlainMemory {
    package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        malloc(byteCount) ?? .allocate(byteCount: byteCount, alignment: 16)
    }

    package static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
