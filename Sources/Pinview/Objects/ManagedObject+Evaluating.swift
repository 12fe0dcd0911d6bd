import PinviewModel
import PinviewPredicates

/// Evaluating predicates and sort descriptors with an object's values in memory.
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
    /// In a predicate, an object represents its ID.
    public var predicateArgument: PinviewExpression { .constant(.objectID(objectID)) }
}

extension PinviewPredicate {
    /// Evaluates the predicate with an object's values in memory, including unsaved ones. Fires the
    /// object if values are needed.
    ///
    /// - Throws: `unknownKey` and `badPredicate`, as a fetch of the object's entity does; the
    ///   errors of firing faults.
    public func evaluate(with object: ManagedObject) throws(PinviewError) -> Bool {
        try object.call { (state) throws(PinviewError) in
            let predicate = try resolved(for: object.entity, in: try state.requireCoordinator().managedObjectModel)
            return try state.readingConsistently { () throws(PinviewError) in try predicate.evaluate(with: object) }
        }
    }
}

extension PinviewExpression {
    /// Evaluates the expression with an object's values in memory. Fires the object if values are
    /// needed.
    ///
    /// - Throws: as `PinviewPredicate.evaluate(with:)`; also `badPredicate` for key paths through
    ///   to-many relationships.
    public func value(with object: ManagedObject) throws(PinviewError) -> Value {
        try object.call { (state) throws(PinviewError) in
            let expression = try resolved(for: object.entity, in: try state.requireCoordinator().managedObjectModel)
            return try state.readingConsistently { () throws(PinviewError) in try expression.value(for: object) }
        }
    }
}

extension Sequence where Element: ManagedObject {
    /// The objects that satisfy a predicate, in the same order (`filtered(using:)` of arrays). The
    /// predicate is resolved once for each entity.
    ///
    /// - Throws: as `PinviewPredicate.evaluate(with:)`.
    public func filtered(using predicate: PinviewPredicate) throws(PinviewError) -> [Element] {
        let objects = Array(self)
        var known: [Int: ResolvedPredicate] = [:]
        var found: [Element] = []
        var next = 0
        while next < objects.count {
            // Evaluate the objects of one context in one state.
            try objects[next].call { (state) throws(PinviewError) in
                try state.readingConsistently { () throws(PinviewError) in
                    while next < objects.count, objects[next].state === state {
                        let object = objects[next], entity = object.entity
                        let resolved: ResolvedPredicate
                        if let earlier = known[entity.index] {
                            resolved = earlier
                        } else {
                            resolved = try predicate.resolved(for: entity, in: try state.requireCoordinator().managedObjectModel)
                            known[entity.index] = resolved
                        }
                        if try resolved.evaluate(with: object) { found.append(object) }
                        next += 1
                    }
                }
            }
        }
        return found
    }
}
