internal import CSQLite

/// Retains an object unless its last reference has gone; its memory must still be there. Nil: it has gone.
package func retainIfAlive(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { swift_tryRetain(object) }

extension Unmanaged {
    /// The object, unless its last reference has gone. Its memory must still be there: an object that takes such a reference out of a
    /// table in its `deinit` has it until then, so look with the table's lock held.
    package func retainedIfAlive() -> Instance? {
        guard let object = retainIfAlive(toOpaque()) else { return nil }
        return Unmanaged.fromOpaque(object).takeRetainedValue()
    }
}

/// A weak reference that costs no side table of the Swift runtime, and a third of the time to read: it keeps the memory of its object,
/// without the object's contents, until it is let go itself.
///
/// A plain value, so that reading it from an object needs no check for exclusive access: who keeps one lets it go.
package struct LightReference<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    package init(_ object: Object) {
        reference = .passUnretained(object)
        swift_unownedRetain(reference.toOpaque())
    }

    package func letGo() { swift_unownedRelease(reference.toOpaque()) }

    /// The object, unless its last reference has gone.
    package var object: Object? { reference.retainedIfAlive() }
}
