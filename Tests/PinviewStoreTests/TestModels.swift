import PinviewModel

enum TestModels {
    /// Every attribute type, inheritance, and every kind of relationship.
    static func company() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "age", attributeType: .integer32),
                    AttributeDescription(name: "big", attributeType: .integer64),
                    AttributeDescription(name: "small", attributeType: .integer16),
                    AttributeDescription(name: "height", attributeType: .double),
                    AttributeDescription(name: "ratio", attributeType: .float),
                    AttributeDescription(name: "salary", attributeType: .decimal),
                    AttributeDescription(name: "born", attributeType: .date),
                    AttributeDescription(name: "alive", attributeType: .boolean),
                    AttributeDescription(name: "code", attributeType: .uuid),
                    AttributeDescription(name: "page", attributeType: .uri),
                    AttributeDescription(name: "data", attributeType: .binaryData),
                    AttributeDescription(name: "picture", attributeType: .binaryData, allowsExternalBinaryDataStorage: true),
                    AttributeDescription(name: "thing", attributeType: .transformable),
                    AttributeDescription(name: "mood", attributeType: .string, isTransient: true),
                ],
                relationships: [
                    RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "reports"),
                    RelationshipDescription(
                        name: "reports", destinationEntityName: "Person", inverseRelationshipName: "boss", isToMany: true),
                    RelationshipDescription(
                        name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true, isOrdered: true),
                    RelationshipDescription(
                        name: "clubs", destinationEntityName: "Club", inverseRelationshipName: "members", isToMany: true),
                    RelationshipDescription(
                        name: "friends", destinationEntityName: "Person", inverseRelationshipName: "friends", isToMany: true),
                ],
                indexes: [
                    FetchIndexDescription(
                        name: "byName", elements: [.init(attributeName: "name"), .init(attributeName: "age", isAscending: false)])
                ]),
            EntityDescription(
                name: "Employee", superentityName: "Person",
                attributes: [
                    AttributeDescription(name: "text", attributeType: .string),
                    AttributeDescription(name: "badge", attributeType: .integer64),
                ],
                uniquenessConstraints: [["badge"]]),
            EntityDescription(
                name: "Guest", superentityName: "Person", attributes: [AttributeDescription(name: "text", attributeType: .string)]),
            EntityDescription(
                name: "Car",
                attributes: [
                    AttributeDescription(name: "brand", attributeType: .string),
                    AttributeDescription(name: "price", attributeType: .decimal),
                ],
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars"),
                    RelationshipDescription(name: "wheels", destinationEntityName: "Wheel", isToMany: true),
                ]),
            EntityDescription(name: "Wheel", attributes: [AttributeDescription(name: "size", attributeType: .integer16)]),
            EntityDescription(
                name: "Club", attributes: [AttributeDescription(name: "title", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "clubs", isToMany: true, isOrdered: true)
                ]),
        ])
    }

    static func notes(withText: Bool = true) throws -> ManagedObjectModel {
        var attributes = [
            AttributeDescription(name: "title", attributeType: .string), AttributeDescription(name: "rank", attributeType: .integer64),
        ]
        if withText { attributes.append(AttributeDescription(name: "text", attributeType: .string)) }
        return try ManagedObjectModel(entities: [EntityDescription(name: "Note", attributes: attributes)])
    }
}
