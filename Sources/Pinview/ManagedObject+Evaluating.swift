import PinviewModel
import PinviewPredicates

/// Predicates and sort descriptors judge an object by its values in memory.
extension ManagedObject: EvaluableObject {
    package var evaluableID: ManagedObjectID { objectID }

    package func evaluableValue(of property: Property) throws(PinviewError) -> Value {
        try state.attributeValue(of: self, property)
    }

    package func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)? {
        try state.toOne(self, property)
    }

    package func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject] {
        try state.toMany(self, property).members
    }
}

extension ManagedObject: PredicateArgument {
    /// In a predicate an object stands for its ID.
    public var predicateArgument: Expression { .constant(.objectID(objectID)) }
}
