// Going through arrays of objects without counting references: each count is an atomic operation, and
// paths that every fetch and every save takes would have one for each object. The array keeps its
// objects meanwhile.

extension Array where Element: AnyObject {
    /// Runs a body with each object, without counting references.
    @inline(__always)
    func forEachUncounted<E>(_ body: (Element) throws(E) -> Void) throws(E) {
        try withUnsafeBufferPointer { (objects) throws(E) in
            guard let first = objects.baseAddress else { return }
            // An array of objects is an array of addresses.
            let addresses = UnsafeRawPointer(first).assumingMemoryBound(to: Unmanaged<Element>.self)
            for position in objects.indices {
                // It cannot throw a type of one's own.
                let result = addresses[position]._withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }
                try result.get()
            }
        }
    }

    /// Whether a condition holds for any object, without counting references.
    @inline(__always)
    func containsUncounted(_ condition: (Element) -> Bool) -> Bool {
        withUnsafeBytes { bytes in
            bytes.bindMemory(to: Unmanaged<Element>.self).contains { $0._withUnsafeGuaranteedRef(condition) }
        }
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
    /// Whether a condition holds for all objects, without counting references. Stops at the first
    /// for which it does not.
    @inline(__always) @discardableResult
    func allUncounted(_ condition: (ManagedObject) -> Bool) -> Bool {
        withUnsafeBytes { bytes in
            bytes.bindMemory(to: Unmanaged<ManagedObject>.self).allSatisfy { $0._withUnsafeGuaranteedRef(condition) }
        }
    }

    /// Runs a body with each object, without counting references.
    @inline(__always)
    func forEachUncounted(_ body: (ManagedObject) -> Void) {
        withUnsafeBytes { bytes in
            for object in bytes.bindMemory(to: Unmanaged<ManagedObject>.self) { object._withUnsafeGuaranteedRef(body) }
        }
    }
}
