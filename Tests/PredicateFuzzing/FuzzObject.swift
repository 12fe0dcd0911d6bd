import PinviewModel
import PinviewPredicates

/// A person with a few related objects, for evaluating predicates.
final class FuzzObject: EvaluableObject {
    let evaluableID: ManagedObjectID
    private let cars: [FuzzObject]

    /// - Parameter car: the person's car; nil for a car itself.
    init(_ entity: Entity, _ car: Entity?) {
        evaluableID = ManagedObjectID(entity: entity, key: .temporary(rootEntity: Int32(entity.rootIndex)), storeIdentifier: nil)
        cars = car.map { [FuzzObject($0, nil), FuzzObject($0, nil)] } ?? []
    }

    static func model() throws -> ManagedObjectModel {
        func attributes(_ types: [(String, AttributeType)]) -> [AttributeDescription] {
            types.map { AttributeDescription(name: $0.0, attributeType: $0.1) }
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: attributes([
                    ("name", .string), ("nick", .string), ("age", .integer64), ("height", .double), ("wealth", .decimal), ("born", .date),
                    ("key", .uuid), ("photo", .binaryData), ("isMember", .boolean), ("in", .string), ("size_2", .float),
                ]) + [AttributeDescription(name: "fullName", attributeType: .string, isTransient: true)],
                relationships: [
                    RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "staff"),
                    RelationshipDescription(
                        name: "staff", destinationEntityName: "Person", inverseRelationshipName: "boss", isToMany: true),
                    RelationshipDescription(
                        name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true, isOrdered: true),
                ]),
            EntityDescription(
                name: "Car", attributes: attributes([("plate", .string), ("wheels", .integer16)]),
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")]),
        ])
    }

    func evaluableValue(of property: Property) throws(PinviewError) -> Value {
        switch property.attributeType {
        case .string, .uri: .string("aÄé*")
        case .integer16, .integer32, .integer64: .integer(3)
        case .double, .float: .double(1.5)
        case .decimal: .decimal(DecimalNumber(7))
        case .boolean: .boolean(true)
        case .date: .date(.init(timeIntervalSinceReferenceDate: 1e6))
        case .binaryData, .transformable: .binary([0, 255])
        case .uuid, .undefined, .composite: .null
        }
    }

    func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)? {
        property.name == "boss" ? self : nil
    }

    func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject] {
        property.name == "cars" ? cars : property.name == "staff" ? [self] : []
    }
}
