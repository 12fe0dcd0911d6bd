// Going through arrays of objects without counting references: each count is an atomic operation, and
// paths that every fetch and every save takes would have one for each object. The array keeps its
// objects meanwhile.

/// Objects that somebody else keeps alive.
@usableFromInline package typealias UncountedObjects = UnsafeBufferPointer<Unmanaged<ManagedObject>>

extension UnsafeBufferPointer where Element: AnyObject {
    /// The addresses of the objects: an array of objects is an array of addresses.
    @inlinable @inline(__always)
    package var uncounted: UnsafeBufferPointer<Unmanaged<Element>> {
        let addresses = UnsafeRawPointer(baseAddress)?.assumingMemoryBound(to: Unmanaged<Element>.self)
        return UnsafeBufferPointer<Unmanaged<Element>>(start: addresses, count: count)
    }
}

extension UnsafeBufferPointer {
    /// Runs a body with each object, without counting references.
    @inlinable @inline(__always)
    package func forEachObject<Object: AnyObject, E>(
        _ body: (Object) throws(E) -> Void
    ) throws(E) where Element == Unmanaged<Object> {
        for object in self {
            // It cannot throw a type of one's own.
            let result = object._withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }
            try result.get()
        }
    }
}

extension Array where Element: AnyObject {
    /// Runs a body with each object, without counting references.
    @inline(__always)
    func forEachUncounted<E>(_ body: (Element) throws(E) -> Void) throws(E) {
        try withUnsafeBufferPointer { (objects) throws(E) in try objects.uncounted.forEachObject(body) }
    }

    /// Whether a condition holds for any object, without counting references.
    @inline(__always)
    func containsUncounted(_ condition: (Element) -> Bool) -> Bool {
        withUnsafeBufferPointer { objects in objects.uncounted.contains { $0._withUnsafeGuaranteedRef(condition) } }
    }
}

extension Array<ManagedObject> {
    /// Whether all of them are of one entity and one store.
    var shareBinding: Bool {
        guard let first else { return true }
        return !containsUncounted { !$0.hasSameBinding(as: first) }
    }

    /// Groups of objects that are alike, in the order of their first ones.
    ///
    /// - Parameter limit: the number of groups at most; the last one then has all the others.
    @inline(never)
    func groups(limit: Int = .max, _ areAlike: (ManagedObject, ManagedObject) -> Bool) -> [[ManagedObject]] {
        var groups: [[ManagedObject]] = [], rest = self
        while let first = rest.first {
            guard groups.count + 1 < limit, rest.containsUncounted({ !areAlike(first, $0) }) else { return groups + [rest] }
            groups.append(rest.filter { areAlike(first, $0) })
            rest.removeAll { areAlike(first, $0) }
        }
        return groups
    }
}

extension ArraySlice<ManagedObject> {
    /// Runs a body with the objects, without counting references.
    @inlinable @inline(__always)
    package func withUncounted<R, E>(_ body: (UncountedObjects) throws(E) -> R) throws(E) -> R {
        try withUnsafeBufferPointer { (objects) throws(E) in try body(objects.uncounted) }
    }

    /// Whether a condition holds for all objects, without counting references. Stops at the first
    /// for which it does not.
    @inline(__always) @discardableResult
    func allUncounted(_ condition: (ManagedObject) -> Bool) -> Bool {
        withUncounted { objects in objects.allSatisfy { $0._withUnsafeGuaranteedRef(condition) } }
    }

    /// Runs a body with each object, without counting references.
    @inline(__always)
    func forEachUncounted(_ body: (ManagedObject) -> Void) { withUncounted { $0.forEachObject(body) } }
}
