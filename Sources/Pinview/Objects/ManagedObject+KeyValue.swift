import PinviewModel

/// Reading and writing properties by name.
extension ManagedObject {
    /// Runs `body` on the context's queue.
    func call<R>(_ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        let state = state
        try state.enter()
        defer { state.leave() }
        return try body(state)
    }

    /// Runs a body that changes nothing that objects show. Firing faults does not count as a
    /// change.
    func read<R>(_ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        let state = state
        try state.enter(isReading: true)
        defer { state.leaveReading() }
        return try body(state)
    }

    /// The property of a key.
    ///
    /// - Throws: `unknownKey`.
    package func property(forKey key: String) throws(PinviewError) -> Property {
        guard let property = entity.property(named: key) else {
            throw PinviewError.unknownKey(key, of: entity).with(affectedObjectIDs: [objectID])
        }
        return property
    }

    func attribute(forKey key: String) throws(PinviewError) -> Property {
        let property = try property(forKey: key)
        guard property.isAttribute else {
            throw PinviewError(.wrongType, "\(entity.name).\(key) is a relationship, not an attribute.").with(affectedObjectIDs: [objectID])
        }
        return property
    }

    private func relationship(forKey key: String, toMany: Bool) throws(PinviewError) -> Property {
        let property = try property(forKey: key)
        try requireRelationship(property, toMany: toMany)
        return property
    }

    private func requireRelationship(_ property: Property, toMany: Bool) throws(PinviewError) {
        guard property.isRelationship, property.isToMany == toMany else {
            let actual = property.isAttribute ? "an attribute" : property.isToMany ? "a to-many relationship" : "a to-one relationship"
            throw PinviewError(
                .wrongType, "\(entity.name).\(property.name) is \(actual), not a \(toMany ? "to-many" : "to-one") relationship."
            ).with(affectedObjectIDs: [objectID])
        }
    }

    // MARK: Attributes

    /// The value of an attribute. Fires a fault.
    public func attributeValue(forKey key: String) throws(PinviewError) -> Value {
        if let index = quickIndex(named: key), let value = quickValue(at: index) { return value }
        let property = try attribute(forKey: key)
        return try read { (state) throws(PinviewError) in try state.attributeValue(of: self, property) }
    }

    /// Sets an attribute. Fires a fault first.
    ///
    /// - Throws: `unknownKey`; `wrongType` for a value that the attribute's type cannot hold.
    ///   Nothing changes then.
    public func setAttributeValue(_ value: Value, forKey key: String) throws(PinviewError) {
        let property = try attribute(forKey: key)
        try call { (state) throws(PinviewError) in try state.setAttribute(self, property, value) }
    }

    /// The value of an attribute by its index in the entity's properties.
    public func attributeValue(at index: Int) throws(PinviewError) -> Value {
        if let value = quickValue(at: index) { return value }
        let property = try attribute(at: index)
        return try read { (state) throws(PinviewError) in try state.attributeValue(of: self, property) }
    }

    /// Sets an attribute, given by its index in the entity's properties. Fires a fault first.
    public func setAttributeValue(_ value: Value, at index: Int) throws(PinviewError) {
        if setQuickly(value, at: index) { return }
        let property = try attribute(at: index)
        try call { (state) throws(PinviewError) in try state.setAttribute(self, property, value) }
    }

    private func attribute(at index: Int) throws(PinviewError) -> Property {
        if let property = property(atIndex: index), property.isAttribute { return property }
        throw PinviewError(.unknownKey, "The entity \(entity.name) has no attribute with the index \(index).").with(affectedObjectIDs: [
            objectID
        ])
    }

    // MARK: To-one relationships

    /// The destination of a to-one relationship, possibly a fault; nil if there is none.
    public func relatedObject(forKey key: String) throws(PinviewError) -> ManagedObject? {
        if let index = quickIndex(named: key), let destination = quickDestination(at: index) { return destination }
        let property = try relationship(forKey: key, toMany: false)
        return try read { (state) throws(PinviewError) in try state.toOne(self, property) }
    }

    /// The destination of a to-one relationship, given by its index in the entity's properties.
    public func relatedObject(at index: Int) throws(PinviewError) -> ManagedObject? {
        if let destination = quickDestination(at: index) { return destination }
        let properties = entity.properties
        guard properties.indices.contains(index) else {
            throw PinviewError(.unknownKey, "The entity \(entity.name) has no property with the index \(index).").with(
                affectedObjectIDs: [objectID])
        }
        let property = properties[index]
        try requireRelationship(property, toMany: false)
        return try read { (state) throws(PinviewError) in try state.toOne(self, property) }
    }

    /// Sets a to-one relationship and its inverse.
    ///
    /// - Throws: `invalidArgument` if either object is deleted.
    public func setRelatedObject(_ object: ManagedObject?, forKey key: String) throws(PinviewError) {
        let property = try relationship(forKey: key, toMany: false)
        try call { (state) throws(PinviewError) in try state.setToOne(self, property, object) }
    }

    // MARK: To-many relationships

    /// The members of a to-many relationship, in order if it is ordered.
    public func relatedObjects(forKey key: String) throws(PinviewError) -> [ManagedObject] {
        let property = try relationship(forKey: key, toMany: true)
        return try read { (state) throws(PinviewError) in try state.toMany(self, property).members }
    }

    /// Sets the members of a to-many relationship, in this order if it is ordered, and their
    /// inverses.
    ///
    /// - Throws: `invalidArgument` if the object is deleted, or one of the members.
    public func setRelatedObjects(_ objects: some Sequence<ManagedObject>, forKey key: String) throws(PinviewError) {
        let property = try relationship(forKey: key, toMany: true)
        let members = Array(objects)
        try call { (state) throws(PinviewError) in try state.setMembers(self, property, members) }
    }

    /// The number of members of a to-many relationship. Loads it.
    public func countOfRelatedObjects(forKey key: String) throws(PinviewError) -> Int {
        let property = try relationship(forKey: key, toMany: true)
        return try read { (state) throws(PinviewError) in try state.toMany(self, property).count }
    }

    /// Whether a to-many relationship has a member. Loads it.
    public func containsRelatedObject(_ object: ManagedObject, forKey key: String) throws(PinviewError) -> Bool {
        let property = try relationship(forKey: key, toMany: true)
        return try read { (state) throws(PinviewError) in try state.toMany(self, property).contains(object) }
    }

    /// Adds a member, and sets its inverse. An object that is a member already stays.
    ///
    /// - Throws: `invalidArgument` if either object is deleted.
    public func addRelatedObject(_ object: ManagedObject, forKey key: String) throws(PinviewError) {
        let property = try relationship(forKey: key, toMany: true)
        try call { (state) throws(PinviewError) in try state.insertMember(self, property, object) }
    }

    /// Inserts a member into an ordered relationship at an index, or moves it there.
    ///
    /// - Throws: `invalidArgument` if either object is deleted, or the index is out of range.
    public func insertRelatedObject(_ object: ManagedObject, at index: Int, forKey key: String) throws(PinviewError) {
        let property = try relationship(forKey: key, toMany: true)
        guard property.isOrdered else {
            throw PinviewError(.wrongType, "\(entity.name).\(key) is not ordered, so objects are added without an index.").with(
                affectedObjectIDs: [objectID])
        }
        try call { (state) throws(PinviewError) in
            let contents = try state.toMany(self, property)
            let isMember = contents.contains(object)
            guard index >= 0, index < contents.count + (isMember ? 0 : 1) else {
                throw PinviewError(
                    .invalidArgument,
                    "\(self.entity.name).\(key) has \(contents.count) objects; the index \(index) is out of range."
                ).with(affectedObjectIDs: [self.objectID])
            }
            if !isMember { try state.insertMember(self, property, object, at: index) }
            try state.moveMember(self, property, object, to: index)
        }
    }

    /// Removes a member, and clears its inverse. Does nothing if the object is not a member.
    public func removeRelatedObject(_ object: ManagedObject, forKey key: String) throws(PinviewError) {
        let property = try relationship(forKey: key, toMany: true)
        try call { (state) throws(PinviewError) in try state.removeMember(self, property, object) }
    }

    // MARK: Any property

    /// The value of any property as Swift type: `String`, `Int64`, `Double`, `Bool`, `Date`,
    /// `UUID`, `[UInt8]` or `DecimalNumber`; a `ManagedObject` for a to-one relationship; a
    /// `Set<ManagedObject>` for a to-many relationship, or an array if it is ordered; an array for
    /// a fetched property; for a transformable attribute what its transformer makes of it, see
    /// ``ValueTransformers``; for a composite attribute a `[String: Any]` with the elements that
    /// are not nil, or nil if all are. The key of an element is a key path: `location.latitude`.
    public func value(forKey key: String) throws(PinviewError) -> Any? {
        if entity.fetchedPropertyIndex(named: key) != nil { return try fetchedObjects(forKey: key) }
        if let composite = entity.composite(named: key) { return try elements(of: composite) }
        let property = try property(forKey: key)
        if property.isAttribute { return try property.transformed(try attributeValue(forKey: key)) }
        if !property.isToMany { return try relatedObject(forKey: key) }
        let members = try relatedObjects(forKey: key)
        return property.isOrdered ? members : Set(members)
    }

    /// Like ``value(forKey:)``, as a type of the caller's choice: any integer type, `Float`,
    /// `Double`, `Substring` or any other ``ValueInitializable`` type, if that type can hold the
    /// value without loss.
    ///
    /// - Throws: `wrongType` if the value is of another type or outside the type's range.
    public func value<T>(forKey key: String, as type: T.Type) throws(PinviewError) -> T? {
        guard let value = try value(forKey: key) else { return nil }
        if let value = value as? T { return value }
        let readable = type as? any ValueInitializable.Type
        if let readable, let plain = Value(anyValue: value), let value = readable.init(pinviewValue: plain) as? T { return value }
        let isOutOfRange = readable is any Numeric.Type && value is any Numeric
        throw PinviewError(
            .wrongType,
            isOutOfRange
                ? "\(entity.name).\(key) is \(value), which \(type) cannot hold exactly. Read it as \(Swift.type(of: value))."
                : "\(entity.name).\(key) is of type \(Swift.type(of: value)), not \(type)."
        ).with(affectedObjectIDs: [objectID])
    }

    /// Sets any property except a fetched property; see ``value(forKey:)`` for the types.
    ///
    /// A composite attribute is set as a whole: elements that the dictionary does not have get
    /// their defaults, and with nil all of them become nil. Nothing changes if one of the values
    /// does not fit.
    public func setValue(_ value: Any?, forKey key: String) throws(PinviewError) {
        if let composite = entity.composite(named: key) { return try setElements(of: composite, to: value) }
        let property = try property(forKey: key)
        if property.isAttribute {
            if let stored = try property.stored(value) { return try setAttributeValue(stored, forKey: key) }
            guard let value = Value(anyValue: value) else {
                throw unfit(value, forKey: key)
            }
            return try setAttributeValue(value, forKey: key)
        }
        if !property.isToMany {
            guard let value else { return try setRelatedObject(nil, forKey: key) }
            guard let object = value as? ManagedObject else { throw notObjects(key, value) }
            return try setRelatedObject(object, forKey: key)
        }
        switch value {
        case nil: try setRelatedObjects([], forKey: key)
        case let objects as [ManagedObject]: try setRelatedObjects(objects, forKey: key)
        case let objects as Set<ManagedObject>: try setRelatedObjects(objects, forKey: key)
        case let value?: throw notObjects(key, value)
        }
    }

    /// The error for a value of a type that no attribute takes; it says what to pass instead.
    func unfit(_ value: Any?, forKey key: String) -> PinviewError {
        let type = value.map { String(describing: Swift.type(of: unwrapped($0))) } ?? "nil"
        let advice =
            Value.advice(forTypeNamed: type)
            ?? (value is any RawRepresentable ? "pass its rawValue" : "pass a type that is ValueConvertible")
        return PinviewError(.wrongType, "\(entity.name).\(key) cannot be set to a value of type \(type); \(advice).")
            .with(affectedObjectIDs: [objectID])
    }

    private func notObjects(_ key: String, _ value: Any) -> PinviewError {
        PinviewError(
            .wrongType, "\(entity.name).\(key) is a relationship and cannot be set to a value of type \(Swift.type(of: unwrapped(value)))."
        )
        .with(affectedObjectIDs: [objectID])
    }

    // MARK: Changes

    /// The changed properties with their values in memory.
    public func changedValues() throws(PinviewError) -> [String: Any?] {
        var values: [String: Any?] = [:]
        for index in try changedPropertyIndexes() {
            let name = entity.properties[index].name
            values[name] = try value(forKey: name)
        }
        return values
    }

    /// The indexes of the changed properties, ascending.
    package func changedPropertyIndexes() throws(PinviewError) -> [Int] {
        try read { (_) in self.entity.properties.indices.filter { self.changed.contains($0) } }
    }

    /// The values of attributes as last read or saved.
    public func committedValues(forKeys keys: [String]?) throws(PinviewError) -> [String: Value] {
        let properties: [Property]
        if let keys {
            var named: [Property] = []
            for key in keys { named.append(try attribute(forKey: key)) }
            properties = named
        } else {
            properties = entity.attributes
        }
        return try read { (state) throws(PinviewError) in
            if self.flags.contains(.fault) { try state.fire(self) }
            var values: [String: Value] = [:]
            for property in properties { values[property.name] = try state.committedAttribute(of: self, property) }
            return values
        }
    }

    /// Whether a save would write anything for the object. Transient changes alone do not count.
    public var hasPersistentChangedValues: Bool {
        state.readOnQueue { entity.properties.contains { !$0.isTransient && changed.contains($0.index) } }
    }

    /// Whether a relationship has not been loaded. Does not load it.
    public func hasFault(forRelationshipNamed key: String) throws(PinviewError) -> Bool {
        let property = try property(forKey: key)
        guard property.isRelationship else {
            throw PinviewError(.wrongType, "\(entity.name).\(key) is an attribute, not a relationship.").with(affectedObjectIDs: [objectID])
        }
        return try read { (_) in
            switch self.slot(property.index) {
            case .toMany(let contents): return !contents.isLoaded
            case .noMembers: return false
            case .unloaded, .value, .toOne: break
            }
            if property.isToMany { return true }
            if case .toOne(let destination) = self.slot(property.index) { return destination?.flags.contains(.fault) ?? false }
            return true
        }
    }

    // MARK: Validation

    /// Validates all properties of the object, and the object as a whole, as a save would.
    public func validate() throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            let isNew = self.flags.contains(.inserted)
            var errors = try state.validationErrors(of: self, properties: self.entity.properties)
            errors += try state.compositeErrors(of: self, onlyIfChanged: false)
            let own = try state.programErrors(of: self, isNew ? \.validateForInsert : \.validateForUpdate)
            try state.throwIfAny(errors + own)
        }
    }

    /// Validates that the object may be deleted.
    public func validateForDelete() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.throwIfAny(try state.deleteErrors(of: self)) }
    }
}

extension Value {
    /// The value as a Swift type.
    public var anyValue: Any? {
        switch self {
        case .null: nil
        case .boolean(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .string(let value): value
        case .binary(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .decimal(let value): value
        case .objectID(let value): value
        }
    }

    /// What to pass instead of a value of a well-known type that cannot be converted; nil for other
    /// types.
    package static func advice(forTypeNamed type: String) -> String? {
        switch type {
        case "Data": "pass [UInt8](data), or import PinviewFoundation"
        case "Decimal": "pass a DecimalNumber, or import PinviewFoundation"
        case "URL": "pass its absoluteString, or import PinviewFoundation"
        case "Character": "pass String(character)"
        default: nil
        }
    }

    /// Nil for types that no attribute can hold.
    public init?(anyValue: Any?) {
        guard let anyValue else {
            self = .null
            return
        }
        switch unwrapped(anyValue) {
        case let value as any ValueConvertible: self = value.pinviewValue
        case let optional as any OptionalValue where optional.wrapped == nil: self = .null
        default: return nil
        }
    }
}

/// An optional of any type inside `Any`.
protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}

/// The content of an optional inside `Any`; anything else unchanged.
func unwrapped(_ value: Any) -> Any {
    guard let optional = value as? any OptionalValue, let wrapped = optional.wrapped else { return value }
    return unwrapped(wrapped)
}
