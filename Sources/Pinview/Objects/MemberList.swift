/// What is nothing but an object's address in memory: a reference to it, whether counted or not.
protocol ObjectAddress {}

extension ManagedObject: ObjectAddress {}
extension Unmanaged: ObjectAddress where Instance == ManagedObject {
    var identifier: ObjectIdentifier { _withUnsafeGuaranteedRef { ObjectIdentifier($0) } }
}

/// Lists of objects as lists of addresses, so that nothing is retained on the way.
extension Array where Element: ObjectAddress {
    func withAddresses<R>(_ body: (UnsafeBufferPointer<UInt>) -> R) -> R {
        withUnsafeBytes { $0.withMemoryRebound(to: UInt.self, body) }
    }

    /// The position of an object.
    func position(of object: ManagedObject) -> Int? { position(of: ObjectIdentifier(object)) }

    func position(of identifier: ObjectIdentifier) -> Int? {
        let wanted = UInt(bitPattern: identifier)
        return withAddresses { addresses in
            // What came last is often what goes first, as when changes are undone.
            addresses.last == wanted ? addresses.count - 1 : addresses.firstIndex(of: wanted)
        }
    }

    /// Whether the objects are the same ones in the same order.
    func isIdentical<Other: ObjectAddress>(to other: [Other]) -> Bool {
        withAddresses { these in other.withAddresses { those in these.elementsEqual(those) } }
    }
}

/// An ordered list of distinct objects with fast search. A single object takes no memory of its
/// own.
struct MemberList {
    private var lone: ManagedObject?
    /// Nil until there are two objects. Copies of a list are never made.
    private var several: Several?

    private final class Several {
        var objects: [ManagedObject]
        /// The identifiers of all objects, once there are many.
        var known: Set<ObjectIdentifier> = []

        init(_ objects: [ManagedObject]) { self.objects = objects }

        func noteCount() {
            if known.isEmpty, objects.count > MemberList.searchedLimit { known = Set(objects.map(ObjectIdentifier.init)) }
        }
    }

    static let searchedLimit = 16

    init() {}

    init(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        let several = Several(objects)
        several.noteCount()
        self.several = several
    }

    var objects: [ManagedObject] { lone.map { [$0] } ?? several?.objects ?? [] }
    var isEmpty: Bool { lone == nil && several?.objects.isEmpty ?? true }

    func contains(_ object: ManagedObject) -> Bool { contains(ObjectIdentifier(object)) }

    func contains(_ identifier: ObjectIdentifier) -> Bool {
        if let lone { return ObjectIdentifier(lone) == identifier }
        guard let several else { return false }
        if several.known.isEmpty { return several.objects.position(of: identifier) != nil }
        return several.known.contains(identifier)
    }

    mutating func append(_ object: ManagedObject) { insert(object, at: .max) }

    /// - Parameter position: a position after the last appends the object.
    mutating func insert(_ object: ManagedObject, at position: Int) {
        if isEmpty {
            (lone, several) = (object, nil)
            return
        }
        let several = several ?? Several(lone.map { [$0] } ?? [])
        (lone, self.several) = (nil, several)
        several.objects.insert(object, at: min(position, several.objects.count))
        if several.known.isEmpty { several.noteCount() } else { several.known.insert(ObjectIdentifier(object)) }
    }

    /// - Returns: whether the list had the object.
    mutating func remove(_ object: ManagedObject) -> Bool {
        if let lone {
            guard lone === object else { return false }
            self.lone = nil
            return true
        }
        guard contains(object), let several, let position = several.objects.position(of: object) else { return false }
        several.objects.remove(at: position)
        several.known.remove(ObjectIdentifier(object))
        return true
    }

    mutating func removeAll(where isUnwanted: (ManagedObject) -> Bool) {
        if !isEmpty { self = MemberList(objects.filter { !isUnwanted($0) }) }
    }
}
