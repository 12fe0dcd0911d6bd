import CPinview
import Pinview

// The section "Model" of the header.

/// A model being built: the descriptions so far.
private final class ModelBuilder {
    private let lock = ThreadLock()
    private var entities: [EntityDescription] = []
    private var configurations: [String: [String]] = [:]

    func add(_ entity: EntityDescription) { lock.withLock { entities.append(entity) } }
    func addConfiguration(_ name: String, _ names: [String]) { lock.withLock { configurations[name] = names } }

    /// Changes an entity that has been added.
    func change(_ name: String, _ body: (inout EntityDescription) throws(PinviewError) -> Void) throws(PinviewError) {
        lock.lock()
        defer { lock.unlock() }
        guard let index = entities.firstIndex(where: { $0.name == name }) else {
            throw PinviewError(.unknownEntity, "The entity '\(name)' has not been added to the model builder yet.")
        }
        try body(&entities[index])
    }

    func build() throws(PinviewError) -> ManagedObjectModel {
        lock.lock()
        defer { lock.unlock() }
        let model = try ManagedObjectModel(entities: entities, configurations: configurations)
        try model.checkFetchRequests()
        return model
    }
}

private func builder(_ handle: OpaquePointer?) throws(PinviewError) -> ModelBuilder {
    try Handles.box(handle, .modelBuilder, ModelBuilder.self)
}

private func entityBox(_ entity: OpaquePointer?) -> EntityBox? {
    Handles.boxOrNil(entity, .entity, EntityBox.self)
}

private func texts(_ items: UnsafePointer<pinview_string>?, _ count: Int, _ parameter: String) throws(PinviewError) -> [String] {
    var result: [String] = []
    for item in try elements(items, count, parameter) { result.append(try item.required(parameter)) }
    return result
}

@c @implementation
public func pinview_model_builder_create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try requireHandle(out).pointee = HandleTable.make(.modelBuilder, ModelBuilder())
    }
}

@c @implementation
public func pinview_model_builder_retain(_ builder: OpaquePointer?) -> pinview_status { Handles.retain(builder, .modelBuilder) }

@c @implementation
public func pinview_model_builder_release(_ builder: OpaquePointer?) -> pinview_status { Handles.release(builder, .modelBuilder) }

@c @implementation
public func pinview_model_builder_add_entity(
    _ builder: OpaquePointer?, _ name: pinview_string, _ parent: pinview_string, _ is_abstract: Int32,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let builder = try PinviewC.builder(builder)
        builder.add(
            EntityDescription(
                name: try name.required("name"), superentityName: try parent.text("parent"), isAbstract: is_abstract != 0))
    }
}

@c @implementation
public func pinview_model_builder_add_attribute(
    _ builder: OpaquePointer?, _ entity: pinview_string, _ attribute: UnsafePointer<pinview_attribute_description>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let builder = try PinviewC.builder(builder)
        let source = try read(attribute, "attribute", pinview_attribute_description(), minimumSize: 32)
        try checkFlags(
            source.flags, "attribute.flags",
            known: PINVIEW_PROPERTY_OPTIONAL | PINVIEW_PROPERTY_TRANSIENT | PINVIEW_PROPERTY_EXTERNAL_STORAGE
                | PINVIEW_PROPERTY_KEPT_IN_HISTORY, "PINVIEW_PROPERTY_OPTIONAL, _TRANSIENT, _EXTERNAL_STORAGE and _KEPT_IN_HISTORY")
        try checkFlags(UInt32(bitPattern: source.limits), "attribute.limits", known: 15, "pinview_attribute_description")
        guard let type = AttributeType(rawValue: Int(source.type)) else {
            throw PinviewError(.invalidArgument, "'attribute' has the unknown type \(source.type); expected one of PINVIEW_ATTRIBUTE_….")
        }
        var description = AttributeDescription(name: try source.name.required("attribute.name"), attributeType: type)
        description.isOptional = source.flags & PINVIEW_PROPERTY_OPTIONAL != 0
        description.isTransient = source.flags & PINVIEW_PROPERTY_TRANSIENT != 0
        description.allowsExternalBinaryDataStorage = source.flags & PINVIEW_PROPERTY_EXTERNAL_STORAGE != 0
        description.preservesValueInHistoryOnDeletion = source.flags & PINVIEW_PROPERTY_KEPT_IN_HISTORY != 0
        description.defaultValue = try source.default_value.value("attribute.default_value")
        if source.limits & 1 != 0 { description.minimumValue = try source.minimum.value("attribute.minimum") }
        if source.limits & 2 != 0 { description.maximumValue = try source.maximum.value("attribute.maximum") }
        if source.limits & 4 != 0 { description.minimumLength = Int(source.minimum_length) }
        if source.limits & 8 != 0 { description.maximumLength = Int(source.maximum_length) }
        description.regularExpression = try source.pattern.text("attribute.pattern")
        try builder.change(try entity.required("entity")) { (entity) throws(PinviewError) in
            guard let missing = entity.attributes.add(description) else { return }
            throw PinviewError(
                .badModel,
                "\(entity.name).\(description.name) is an element of the composite attribute '\(missing)', which has not been added to \(entity.name) yet."
            )
        }
    }
}

@c @implementation
public func pinview_model_builder_add_relationship(
    _ builder: OpaquePointer?, _ entity: pinview_string, _ relationship: UnsafePointer<pinview_relationship_description>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let builder = try PinviewC.builder(builder)
        let source = try read(relationship, "relationship", pinview_relationship_description(), minimumSize: 40)
        try checkFlags(
            source.flags, "relationship.flags",
            known: PINVIEW_PROPERTY_OPTIONAL | PINVIEW_PROPERTY_TRANSIENT | PINVIEW_PROPERTY_TO_MANY | PINVIEW_PROPERTY_ORDERED,
            "PINVIEW_PROPERTY_OPTIONAL, _TRANSIENT, _TO_MANY and _ORDERED")
        try checkReserved(source.reserved, "relationship.reserved")
        guard let rule = DeleteRule(rawValue: Int(source.delete_rule)) else {
            throw PinviewError(
                .invalidArgument, "'relationship' has the unknown delete rule \(source.delete_rule); expected one of PINVIEW_DELETE_….")
        }
        var description = RelationshipDescription(
            name: try source.name.required("relationship.name"),
            destinationEntityName: try source.destination.required("relationship.destination"))
        description.inverseRelationshipName = try source.inverse.text("relationship.inverse")
        description.isToMany = source.flags & PINVIEW_PROPERTY_TO_MANY != 0
        description.isOrdered = source.flags & PINVIEW_PROPERTY_ORDERED != 0
        description.isOptional = source.flags & PINVIEW_PROPERTY_OPTIONAL != 0
        description.isTransient = source.flags & PINVIEW_PROPERTY_TRANSIENT != 0
        description.deleteRule = rule
        description.minimumCount = Int(source.minimum_count)
        description.maximumCount = Int(source.maximum_count)
        try builder.change(try entity.required("entity")) { $0.relationships.append(description) }
    }
}

@c @implementation
public func pinview_model_builder_add_fetched_property(
    _ builder: OpaquePointer?, _ entity: pinview_string, _ name: pinview_string, _ request: UnsafePointer<pinview_fetch_request>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let builder = try PinviewC.builder(builder)
        let property = try FetchedPropertyDescription(name: try name.required("name"), fetchRequest: try makeFetchRequest(request))
        try builder.change(try entity.required("entity")) { $0.fetchedProperties.append(property) }
    }
}

@c @implementation
public func pinview_model_builder_add_uniqueness_constraint(
    _ builder: OpaquePointer?, _ entity: pinview_string, _ attributes: UnsafePointer<pinview_string>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let names = try texts(attributes, count, "attributes")
        try PinviewC.builder(builder).change(try entity.required("entity")) { $0.uniquenessConstraints.append(names) }
    }
}

@c @implementation
public func pinview_model_builder_add_index(
    _ builder: OpaquePointer?, _ entity: pinview_string, _ name: pinview_string, _ attributes: UnsafePointer<pinview_string>?,
    _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let names = try texts(attributes, count, "attributes")
        let index = FetchIndexDescription(
            name: try name.required("name"), elements: names.map { FetchIndexDescription.Element(attributeName: $0) })
        try PinviewC.builder(builder).change(try entity.required("entity")) { $0.indexes.append(index) }
    }
}

@c @implementation
public func pinview_model_builder_add_configuration(
    _ builder: OpaquePointer?, _ name: pinview_string, _ entities: UnsafePointer<pinview_string>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try PinviewC.builder(builder).addConfiguration(try name.required("name"), try texts(entities, count, "entities"))
    }
}

@c @implementation
public func pinview_model_builder_build(
    _ builder: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try PinviewC.builder(builder).build())
    }
}

@c @implementation
public func pinview_model_create_from_json(
    _ json: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let text = try json.required("json")
        out.pointee = try Handles.make(try ManagedObjectModel(jsonText: text))
    }
}

@c @implementation
public func pinview_model_create_from_file(
    _ path: pinview_string, _ version: pinview_string, _ flags: pinview_model_flags, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(
            try ManagedObjectModel(
                contentsOf: try path.required("path"), version: try version.text("version"), checking: try checking(flags)))
    }
}

@c @implementation
public func pinview_model_create_from_data(
    _ data: pinview_binary, _ flags: pinview_model_flags, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let checking = try checking(flags)
        out.pointee = try Handles.make(try ManagedObjectModel(bytes: Array(try elements(data.data, data.size, "data")), checking: checking))
    }
}

private func checking(_ flags: pinview_model_flags) throws(PinviewError) -> ModelChecking {
    try checkFlags(flags, "flags", known: PINVIEW_MODEL_STRICT, "PINVIEW_MODEL_")
    return flags & PINVIEW_MODEL_STRICT != 0 ? .strict : .lenient
}

@c @implementation
public func pinview_model_versions(
    _ path: pinview_string, _ buffer: OpaquePointer?, _ names: UnsafeMutablePointer<pinview_string>?, _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?, _ current: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try checkCount(capacity, "capacity")
        let count = try require(count, "count")
        let current = try require(current, "current")
        (count.pointee, current.pointee) = (0, .absent)
        let names = capacity > 0 ? try require(names, "names") : nil
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let versions = try ManagedObjectModel.versions(ofModelAt: try path.required("path"))
        arena.reset()
        for (index, name) in versions.names.prefix(capacity).enumerated() { names?[index] = arena.view(of: name) }
        count.pointee = versions.names.count
        current.pointee = versions.currentName.map(arena.view) ?? .absent
    }
}

@c @implementation
public func pinview_model_warning_count(_ model: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(model, .model, ModelBox.self)?.model.warnings.count ?? 0)
}

@c @implementation
public func pinview_model_warning(
    _ model: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let box = try Handles.box(model, .model, ModelBox.self)
        out.pointee = box.view(of: try element(box.model.warnings, index, "warnings"))
    }
}

@c @implementation
public func pinview_model_create_from_tables(
    _ path: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try PersistentStoreCoordinator.managedObjectModel(ofTablesAt: try path.required("path")))
    }
}

@c @implementation
public func pinview_model_create_from_store(
    _ path: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: try path.required("path")))
    }
}

@c @implementation
public func pinview_model_retain(_ model: OpaquePointer?) -> pinview_status { Handles.retain(model, .model) }

@c @implementation
public func pinview_model_release(_ model: OpaquePointer?) -> pinview_status { Handles.release(model, .model) }

@c @implementation
public func pinview_model_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .model, ModelBox.self) { $0.model == $1.model }
}

@c @implementation
public func pinview_model_identity(_ model: OpaquePointer?) -> UInt64 {
    guard let box = Handles.boxOrNil(model, .model, ModelBox.self) else { return 0 }
    return box.model.attachments.serial
}

@c @implementation
public func pinview_model_json(
    _ model: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        out.pointee = try Handles.box(model, .model, ModelBox.self).jsonView()
    }
}

@c @implementation
public func pinview_model_entity_count(_ model: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(model, .model, ModelBox.self)?.model.entities.count ?? 0)
}

@c @implementation
public func pinview_model_entity(
    _ model: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let model = try Handles.model(model)
        out.pointee = try Handles.make(try element(model.entities, index, "entities"), model)
    }
}

@c @implementation
public func pinview_model_entity_named(
    _ model: OpaquePointer?, _ name: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let model = try Handles.model(model)
        out.pointee = try Handles.make(try model.requireEntity(named: try name.required("name")), model)
    }
}

@c @implementation
public func pinview_entity_retain(_ entity: OpaquePointer?) -> pinview_status { Handles.retain(entity, .entity) }

@c @implementation
public func pinview_entity_release(_ entity: OpaquePointer?) -> pinview_status { Handles.release(entity, .entity) }

@c @implementation
public func pinview_entity_name(_ entity: OpaquePointer?) -> pinview_string { entityBox(entity)?.name.view ?? .absent }

@c @implementation
public func pinview_entity_parent_name(_ entity: OpaquePointer?) -> pinview_string { entityBox(entity)?.parentName.view ?? .absent }

@c @implementation
public func pinview_entity_is_abstract(_ entity: OpaquePointer?) -> Int32 { entityBox(entity)?.entity.isAbstract == true ? 1 : 0 }

@c @implementation
public func pinview_entity_property_count(_ entity: OpaquePointer?) -> UInt64 { UInt64(entityBox(entity)?.entity.properties.count ?? 0) }

@c @implementation
public func pinview_entity_property(
    _ entity: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_property>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try Handles.box(entity, .entity, EntityBox.self)
        let property = try element(box.entity.properties, index, "properties")
        let texts = try element(box.propertyTexts, index, "properties")
        var result = pinview_property()
        result.flags = property.flags
        result.name = texts.0.view
        result.index = Int32(property.index)
        result.type = Int32(property.attributeType.rawValue)
        result.destination = texts.1.view
        result.inverse = texts.2.view
        result.delete_rule = Int32(property.deleteRule.rawValue)
        result.minimum_count = Int64(property.minimumCount)
        result.maximum_count = Int64(property.maximumCount)
        try fill(out, result, \.struct_size, minimumSize: 88)
    }
}

@c @implementation
public func pinview_entity_property_index(
    _ entity: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = -1
        let entity = try Handles.box(entity, .entity, EntityBox.self).entity
        let key = try key.required("key")
        guard let index = entity.propertyIndex(named: key) else { throw PinviewError.unknownKey(key, of: entity) }
        out.pointee = Int32(index)
    }
}

@c @implementation
public func pinview_entity_composite_count(_ entity: OpaquePointer?) -> UInt64 { UInt64(entityBox(entity)?.entity.composites.count ?? 0) }

@c @implementation
public func pinview_entity_composite(
    _ entity: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_composite>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try Handles.box(entity, .entity, EntityBox.self)
        let composite = try element(box.entity.composites, index, "composite attributes")
        var result = pinview_composite()
        result.flags = composite.isOptional ? PINVIEW_PROPERTY_OPTIONAL : 0
        result.name = try element(box.compositeTexts, index, "composite attributes").view
        result.first_index = Int32(composite.leaves.first?.index ?? -1)
        result.element_count = Int32(composite.leaves.count)
        try fill(out, result, \.struct_size, minimumSize: 32)
    }
}

extension Property {
    fileprivate var flags: UInt32 {
        var flags: UInt32 = 0
        if isOptional { flags |= PINVIEW_PROPERTY_OPTIONAL }
        if isTransient { flags |= PINVIEW_PROPERTY_TRANSIENT }
        if isRelationship { flags |= PINVIEW_PROPERTY_RELATIONSHIP }
        if isToMany { flags |= PINVIEW_PROPERTY_TO_MANY }
        if isOrdered { flags |= PINVIEW_PROPERTY_ORDERED }
        if allowsExternalBinaryDataStorage { flags |= PINVIEW_PROPERTY_EXTERNAL_STORAGE }
        if preservesValueInHistoryOnDeletion { flags |= PINVIEW_PROPERTY_KEPT_IN_HISTORY }
        return flags
    }
}
