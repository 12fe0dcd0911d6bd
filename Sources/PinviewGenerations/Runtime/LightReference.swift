internal import CPlatform

/// Retains an object unless it has been deallocated, and returns it; nil otherwise. Its memory must
/// still exist.
@usableFromInline
package func retainIfAlive(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { swift_tryRetain(object) }

extension Unmanaged {
    /// Retains the object several times, at the cost of one.
    package func retain(times count: Int) { _ = swift_retain_n(toOpaque(), UInt32(truncatingIfNeeded: count)) }

    /// The object, unless it has been deallocated. Its memory must still exist: look it up under
    /// the lock of a table from which the object removes itself in its `deinit`.
    @inlinable
    package func retainedIfAlive() -> Instance? {
        guard let object = retainIfAlive(toOpaque()) else { return nil }
        return Unmanaged.fromOpaque(object).takeRetainedValue()
    }
}

/// References that are to be released. Those to the same object, one after another, are released
/// together, at the cost of one.
package struct SharedReleases<Object: AnyObject> {
    @usableFromInline var object: UnsafeMutableRawPointer?
    @usableFromInline var count: UInt32 = 0

    package init() {}

    @inlinable @inline(__always)
    package mutating func add(_ reference: Unmanaged<Object>) {
        let object = reference.toOpaque()
        if object != self.object {
            finish()
            self.object = object
        }
        count += 1
    }

    /// Call this after the last one has been added.
    @usableFromInline
    package mutating func finish() {
        if let object, count > 0 { swift_release_n(object, count) }
        (object, count) = (nil, 0)
    }
}

/// A weak reference without a side table of the Swift runtime, which takes a third of the time to
/// read. It keeps the object's memory, but not its contents, until the reference itself is
/// released.
///
/// A plain value, so that reading it from an object needs no exclusivity check. Its owner releases
/// it.
@usableFromInline
package struct LightReference<Object: AnyObject> {
    @usableFromInline
    let reference: Unmanaged<Object>

    package init(_ object: Object) {
        reference = .passUnretained(object)
        swift_unownedRetain(reference.toOpaque())
    }

    package func release() { swift_unownedRelease(reference.toOpaque()) }

    /// The object, unless it has been deallocated.
    @inlinable
    package var object: Object? { reference.retainedIfAlive() }
}

/// Light references to objects that come and go. Protected by its owner's lock; the owner calls
/// ``release()`` at its end.
@usableFromInline
package struct LightReferences<Object: AnyObject> {
    @usableFromInline
    private(set) var members: [LightReference<Object>] = []
    /// Sweep threshold: deallocated objects are dropped when it is reached.
    private var limit = 8
    /// The number of objects that have ended since the last sweep.
    private var endedCount = 0

    package init() {}

    /// The number of objects whose memory is kept, deallocated or not.
    package var count: Int { members.count }

    /// - Returns: objects that were looked at. Their last other reference may be gone by now, so
    ///   release them without holding a lock.
    package mutating func add(_ object: Object) -> [Object] {
        let living = members.count >= limit ? sweep() : []
        members.append(LightReference(object))
        return living
    }

    /// Notes the end of an object. When half of them have ended, their memory is freed.
    ///
    /// - Returns: as for ``add(_:)``.
    package mutating func noteEnd() -> [Object] {
        endedCount += 1
        return endedCount > max(8, members.count / 2) ? sweep() : []
    }

    private mutating func sweep() -> [Object] {
        var living: [Object] = [], left: [LightReference<Object>] = []
        for member in members {
            if let object = member.object {
                living.append(object)
                left.append(member)
            } else {
                member.release()
            }
        }
        members = left
        limit = max(8, left.count * 2)
        endedCount = 0
        return living
    }

    /// The objects that exist, in the order in which they were added.
    @inlinable
    package var objects: [Object] {
        // Most contexts have no children, and each save asks for them.
        if members.isEmpty { return [] }
        return Array(unsafeUninitializedCapacity: members.count) { objects, count in
            for member in members {
                guard let object = member.object else { continue }
                objects.initializeElement(at: count, to: object)
                count += 1
            }
        }
    }

    package mutating func release() {
        for member in members { member.release() }
        members = []
    }
}
