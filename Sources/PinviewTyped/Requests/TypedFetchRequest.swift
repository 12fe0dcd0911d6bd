import Pinview

/// A fetch request for objects of a type.
///
/// ```swift
/// let adults = TypedFetchRequest<Person> {
///     $0.age >= 18
///     $0.employer.name == "Acme" || $0.cars.any { $0.name.hasPrefix("V") }
/// }
/// .sorted(by: \.name)
/// for person in try context.fetch(adults) { print(person.name) }
/// ```
@dynamicMemberLookup
public struct TypedFetchRequest<T: TypedObject>: Sendable {
    /// The request without types, with all its settings.
    public var untyped: FetchRequest

    /// A request for all objects of the type.
    public init() { untyped = FetchRequest(entityName: T.entityName) }

    /// A request for the objects that satisfy conditions, one a line.
    public init(@ConditionBuilder<T> where condition: (ObjectPath<T, T>) -> Condition<T>) {
        self.init()
        untyped.predicate = condition(ObjectPath()).predicate
    }

    /// A setting of the request: `request.fetchLimit = 10`.
    public subscript<V>(dynamicMember setting: WritableKeyPath<FetchRequest, V>) -> V {
        get { untyped[keyPath: setting] }
        set { untyped[keyPath: setting] = newValue }
    }

    private func changed(_ change: (inout FetchRequest) -> Void) -> Self {
        var request = self
        change(&request.untyped)
        return request
    }

    /// The request with one more condition.
    public func `where`(_ condition: Condition<T>) -> Self {
        changed { $0.predicate = $0.predicate.map { .and([$0, condition.predicate]) } ?? condition.predicate }
    }

    /// The request with more conditions, one a line.
    public func filtered(@ConditionBuilder<T> by condition: (ObjectPath<T, T>) -> Condition<T>) -> Self {
        self.where(condition(ObjectPath()))
    }

    /// The request with one more criterion to sort by, after those that it has:
    /// `.sorted(by: \.name)`, `.sorted(by: \.employer.name, ascending: false)`.
    public func sorted<V>(
        by attribute: KeyPath<ObjectPath<T, T>, AttributePath<T, V>>, ascending: Bool = true,
        comparator: PinviewSortDescriptor.Comparator = .binary
    ) -> Self {
        let keyPath = ObjectPath<T, T>()[keyPath: attribute].steps.keys.joined(separator: ".")
        return changed {
            $0.sortDescriptors.append(PinviewSortDescriptor(keyPath: keyPath, ascending: ascending, comparator: comparator))
        }
    }

    /// The request with one more criterion to sort by, an attribute of the objects themselves.
    public func sorted<V>(
        by attribute: AttributeKey<V>, ascending: Bool = true, comparator: PinviewSortDescriptor.Comparator = .binary
    ) -> Self {
        changed {
            $0.sortDescriptors.append(PinviewSortDescriptor(keyPath: attribute.name, ascending: ascending, comparator: comparator))
        }
    }

    /// The request with a maximum number of objects.
    public func limited(to limit: Int, offset: Int = 0) -> Self {
        changed {
            $0.fetchLimit = limit
            $0.fetchOffset = offset
        }
    }

    /// The request, prefetching a to-one relationship of its objects.
    public func prefetching<D>(_ relationship: KeyPath<ObjectPath<T, T>, ObjectPath<T, D>>) -> Self {
        prefetching(ObjectPath<T, T>()[keyPath: relationship].steps)
    }

    /// The request, prefetching a to-many relationship of its objects.
    public func prefetching<D>(_ relationship: KeyPath<ObjectPath<T, T>, ToManyPath<T, D>>) -> Self {
        prefetching(ObjectPath<T, T>()[keyPath: relationship].steps)
    }

    private func prefetching(_ steps: Steps) -> Self {
        changed { $0.relationshipKeyPathsForPrefetching.append(steps.keys.joined(separator: ".")) }
    }
}

extension TypedObject {
    /// A request for all objects of the type.
    public static var all: TypedFetchRequest<Self> { TypedFetchRequest() }

    /// A request for the objects that satisfy conditions, one a line:
    /// `Person.where { $0.age > 3 }`.
    public static func `where`(@ConditionBuilder<Self> _ condition: (ObjectPath<Self, Self>) -> Condition<Self>) -> TypedFetchRequest<Self>
    {
        TypedFetchRequest(where: condition)
    }
}

/// The objects that a typed request has found, in order; like ``FetchResult``, with pages loaded as
/// elements are accessed.
public struct TypedResult<Element: TypedObject>: RandomAccessCollection {
    /// The result without types.
    public let untyped: FetchResult

    init(_ result: FetchResult) { untyped = result }

    @inlinable public var startIndex: Int { untyped.startIndex }
    @inlinable public var endIndex: Int { untyped.endIndex }
    @inlinable public subscript(position: Int) -> Element { Element(managedObject: untyped[position]) }
}

extension ManagedObjectContext {
    /// Fetches the objects of a typed request, as ``fetch(_:)-(FetchRequest)``.
    public func fetch<T>(_ request: TypedFetchRequest<T>) throws(PinviewError) -> TypedResult<T> {
        TypedResult(try fetch(request.untyped))
    }

    /// The first object of a typed request; nil if there is none. Reads one row.
    public func first<T>(_ request: TypedFetchRequest<T>) throws(PinviewError) -> T? {
        try fetch(request.limited(to: 1, offset: request.fetchOffset)).first
    }

    /// Counts the objects of a typed request.
    public func count<T>(for request: TypedFetchRequest<T>) throws(PinviewError) -> Int { try count(for: request.untyped) }

    /// Fetches the IDs of the objects of a typed request, in order.
    public func fetchObjectIDs<T>(_ request: TypedFetchRequest<T>) throws(PinviewError) -> [ManagedObjectID] {
        try fetchObjectIDs(request.untyped)
    }

    /// The object of an ID as a type, possibly a fault, as ``object(with:)``.
    ///
    /// - Throws: `wrongType` for an ID of another entity.
    public func object<T: TypedObject>(_ type: T.Type, with objectID: ManagedObjectID) throws(PinviewError) -> T {
        let object = try object(with: objectID)
        guard let typed = T(object) else {
            throw PinviewError(.wrongType, "\(objectID.uriRepresentation) is of the entity \(object.entity.name), not \(T.entityName).")
                .with(affectedObjectIDs: [objectID])
        }
        return typed
    }
}
