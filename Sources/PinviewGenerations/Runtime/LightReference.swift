internal import CSQLite

/// Retains an object unless its last reference has gone; its memory must still be there. Nil: it has gone.
package func retainIfAlive(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { swift_tryRetain(object) }

extension Unmanaged {
    /// Retains the object so many times, at the cost of once.
    package func retain(times count: Int) { _ = swift_retain_n(toOpaque(), UInt32(truncatingIfNeeded: count)) }

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

/// Light references to objects that come and go. Guarded by whatever guards its owner, which calls ``letGo()`` at its own end.
package struct LightReferences<Object: AnyObject> {
    private var members: [LightReference<Object>] = []
    /// At how many of them to look for those that have gone.
    private var limit = 8
    /// How many have told of their end since they were looked at.
    private var endedCount = 0

    package init() {}

    /// Of how many the memory is kept, living or not.
    package var count: Int { members.count }

    /// - Returns: objects that were looked at. Each may have lost its last other reference meanwhile, so let them go without a lock.
    package mutating func add(_ object: Object) -> [Object] {
        let living = members.count >= limit ? dropThoseGone() : []
        members.append(LightReference(object))
        return living
    }

    /// For the end of one of them: the memory of those that have gone is given back when they are half of all.
    ///
    /// - Returns: as ``add(_:)``.
    package mutating func noteEnd() -> [Object] {
        endedCount += 1
        return endedCount > max(8, members.count / 2) ? dropThoseGone() : []
    }

    private mutating func dropThoseGone() -> [Object] {
        var living: [Object] = [], left: [LightReference<Object>] = []
        for member in members {
            if let object = member.object {
                living.append(object)
                left.append(member)
            } else {
                member.letGo()
            }
        }
        members = left
        limit = max(8, left.count * 2)
        endedCount = 0
        return living
    }

    /// Those that are there, in the order in which they were added.
    package var objects: [Object] { members.compactMap(\.object) }

    package mutating func letGo() {
        for member in members { member.letGo() }
        members = []
    }
}
