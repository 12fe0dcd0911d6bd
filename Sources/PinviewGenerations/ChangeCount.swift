/// A count of changes at an address that stays the same, so that language bindings see without a call whether what they know still holds.
///
/// Whoever advances it holds a lock of its own; readers may be anywhere. It is a single aligned word: a reader sees one of its values,
/// and the new one at the latest when it has synchronised with whoever made the change.
package final class ChangeCount: @unchecked Sendable {  // see above
    private let word: UnsafeMutablePointer<UInt64>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 1)
    }

    deinit { word.deallocate() }

    package var value: UInt64 { word.pointee }
    package var address: UnsafePointer<UInt64> { UnsafePointer(word) }

    package func advance() { word.pointee &+= 1 }
}
