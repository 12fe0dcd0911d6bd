import Pinview

/// The members of a to-many relationship, as ``Related`` and ``OrderedRelated`` show them.
///
/// Each call reads or changes the relationship as it is at that moment; going through the members
/// goes through those that there were at the start. Like properties, the calls never throw: what
/// fails is the context's ``ManagedObjectContext/propertyFailure``, and reading then gives no
/// members.
public protocol RelatedObjects: Sequence, ExpressibleByArrayLiteral, CustomStringConvertible
where Element: TypedObject, Iterator == TypedIterator<Element>, ArrayLiteralElement == Element {
    /// Where the members are.
    var source: RelatedSource { get }
}

/// Where the members of a relationship are: in an object, or in a list that is to be assigned.
public enum RelatedSource: Sendable {
    case relationship(ManagedObject, PropertyKey)
    case list([ManagedObject])
}

/// Goes through typed objects.
public struct TypedIterator<Element: TypedObject>: IteratorProtocol {
    @usableFromInline var objects: IndexingIterator<[ManagedObject]>

    @usableFromInline init(_ objects: [ManagedObject]) { self.objects = objects.makeIterator() }

    @inlinable
    public mutating func next() -> Element? { objects.next().map { Element(managedObject: $0) } }
}

extension RelatedObjects {
    /// The members as managed objects.
    public var managedObjects: [ManagedObject] {
        switch source {
        case .list(let objects): return objects
        case .relationship(let owner, let key):
            return Self.noting(owner) { () throws(PinviewError) in try owner.relatedObjects(forKey: key.name) } ?? []
        }
    }

    public func makeIterator() -> TypedIterator<Element> { TypedIterator(managedObjects) }

    /// The number of members.
    public var count: Int {
        switch source {
        case .list(let objects): return objects.count
        case .relationship(let owner, let key):
            return Self.noting(owner) { () throws(PinviewError) in try owner.countOfRelatedObjects(forKey: key.name) } ?? 0
        }
    }

    public var underestimatedCount: Int { 0 }
    /// Whether there are no members.
    public var isEmpty: Bool { count == 0 }
    /// A member; the first one if the relationship is ordered.
    public var first: Element? { managedObjects.first.map { Element(managedObject: $0) } }

    /// Whether an object is a member.
    public func contains(_ object: Element) -> Bool {
        switch source {
        case .list(let objects): return objects.contains(object.managedObject)
        case .relationship(let owner, let key):
            return Self.noting(owner) { () throws(PinviewError) in
                try owner.containsRelatedObject(object.managedObject, forKey: key.name)
            } ?? false
        }
    }

    /// Adds a member and sets its inverse. An object that is a member already stays.
    public func insert(_ object: Element) {
        change { (owner, key) throws(PinviewError) in try owner.addRelatedObject(object.managedObject, forKey: key) }
    }

    /// Removes a member and clears its inverse. Does nothing if the object is not a member.
    public func remove(_ object: Element) {
        change { (owner, key) throws(PinviewError) in try owner.removeRelatedObject(object.managedObject, forKey: key) }
    }

    /// Removes all members and clears their inverses.
    public func removeAll() {
        change { (owner, key) throws(PinviewError) in try owner.setRelatedObjects([], forKey: key) }
    }

    public var description: String { "\(managedObjects)" }

    fileprivate static func noting<R>(_ owner: ManagedObject, _ body: () throws(PinviewError) -> R) -> R? {
        do throws(PinviewError) {
            return try body()
        } catch {
            owner.notePropertyFailure(error)
            return nil
        }
    }

    /// Changes the relationship. A list has no owner to be changed, and stays as it is.
    fileprivate func change(_ body: (ManagedObject, String) throws(PinviewError) -> Void) {
        guard case .relationship(let owner, let key) = source else { return }
        _ = Self.noting(owner) { () throws(PinviewError) in try body(owner, key.name) }
    }

    /// Makes these the members of a relationship.
    public func assign(to owner: ManagedObject, _ key: PropertyKey) {
        let members = managedObjects
        _ = Self.noting(owner) { () throws(PinviewError) in try owner.setRelatedObjects(members, forKey: key.name) }
    }
}

/// The members of a to-many relationship without an order: `person.cars`.
public struct Related<Element: TypedObject>: RelatedObjects {
    public let source: RelatedSource

    /// The members of an object's relationship.
    public init(of owner: ManagedObject, _ key: PropertyKey) { source = .relationship(owner, key) }

    /// A list to be assigned to a relationship: `person.cars = Related(cars)`.
    public init(_ objects: some Sequence<Element>) { source = .list(objects.map(\.managedObject)) }
    public init(arrayLiteral objects: Element...) { self.init(objects) }
}

/// The members of an ordered to-many relationship.
public struct OrderedRelated<Element: TypedObject>: RelatedObjects {
    public let source: RelatedSource

    /// The members of an object's relationship.
    public init(of owner: ManagedObject, _ key: PropertyKey) { source = .relationship(owner, key) }

    /// A list to be assigned to a relationship.
    public init(_ objects: some Sequence<Element>) { source = .list(objects.map(\.managedObject)) }
    public init(arrayLiteral objects: Element...) { self.init(objects) }

    /// The member at an index; nil if there is none.
    public subscript(index: Int) -> Element? {
        let objects = managedObjects
        return objects.indices.contains(index) ? Element(managedObject: objects[index]) : nil
    }

    /// Inserts a member at an index, or moves it there.
    public func insert(_ object: Element, at index: Int) {
        change { (owner, key) throws(PinviewError) in try owner.insertRelatedObject(object.managedObject, at: index, forKey: key) }
    }
}
