import Synchronization

/// A count of changes at an address that stays the same, so that language bindings see without a call whether what they know still holds.
///
/// Anybody may advance and read it. It is a single aligned word: who reads it as plain memory sees one of its values, and the new one at
/// the latest when it has synchronised with whoever made the change.
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
