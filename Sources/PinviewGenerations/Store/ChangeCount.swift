import Synchronization

/// A counter of changes at a fixed address, so that language bindings see without a call whether
/// what they have cached is still valid.
///
/// Any thread may increment and read it. It is a single aligned word: a reader that treats it as
/// plain memory sees one of its values, and the new one at the latest after synchronizing with the
/// thread that made the change.
package final class ChangeCount: @unchecked Sendable {  // the word is atomic
    private let word: UnsafeMutablePointer<Atomic<UInt64>>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(1))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    package var value: UInt64 { word.pointee.load(ordering: .acquiring) }
    package var address: UnsafePointer<UInt64> { UnsafePointer(UnsafeRawPointer(word).assumingMemoryBound(to: UInt64.self)) }

    package func advance() { word.pointee.add(1, ordering: .acquiringAndReleasing) }
}
