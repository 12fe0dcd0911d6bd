import PinviewGenerations
import PinviewModel

/// What a batch delete did.
package struct BatchDeletion: Sendable {
    /// The rows that were given or matched.
    package var deleted: [Reference] = []
    /// The rows deleted by delete rules.
    package var cascaded: [Reference] = []
    /// Other rows that lost a reference.
    package var updated: [Reference] = []
}

/// Deleting rows with everything that their delete rules require, without objects.
extension SaveTransaction {
    private struct RowKey: Hashable {
        let root: Int
        let primaryKey: Int64
    }

    private func key(_ reference: Reference) -> RowKey {
        RowKey(root: store.schema.model.entities[Int(reference.entityIndex)].rootIndex, primaryKey: reference.primaryKey)
    }

    func delete(_ references: [Reference]) throws(PinviewError) -> BatchDeletion {
        var result = BatchDeletion()
        var doomed: Set<RowKey> = []
        for reference in references where doomed.insert(key(reference)).inserted { result.deleted.append(reference) }
        var wave = result.deleted
        var denials: [(owner: Reference, property: Property, destinations: [Reference])] = []
        var nullified: [(property: Property, owner: Reference, destinations: [Reference])] = []
        while !wave.isEmpty {
            var next: [Reference] = []
            for (entityIndex, owners) in Dictionary(grouping: wave, by: \.entityIndex).sorted(by: { $0.key < $1.key }) {
                for property in store.schema.model.entities[Int(entityIndex)].relationships where !property.isTransient {
                    let members = try destinations(of: owners, property)
                    for owner in owners {
                        guard let destinations = members[owner.primaryKey], !destinations.isEmpty else { continue }
                        switch property.deleteRule {
                        case .cascade: next += destinations.filter { doomed.insert(key($0)).inserted }
                        case .deny: denials.append((owner, property, destinations))
                        case .nullify: nullified.append((property, owner, destinations))
                        case .noAction: break
                        }
                    }
                }
            }
            result.cascaded += next
            wave = next
        }
        for denial in denials {
            // A row that is deleted as well denies nothing.
            guard let destination = denial.destinations.first(where: { !doomed.contains(key($0)) }) else { continue }
            throw denied(denial.owner, denial.property, destination)
        }
        for (property, owner, destinations) in nullified {
            let staying = destinations.filter { !doomed.contains(key($0)) }
            guard !staying.isEmpty else { continue }
            result.updated += try forget(owner, in: property, staying)
        }
        for reference in result.deleted + result.cascaded {
            _ = try delete(
                entity: store.schema.model.entities[Int(reference.entityIndex)], primaryKey: reference.primaryKey, expectedVersion: nil)
        }
        return result
    }

    private func destinations(of owners: [Reference], _ property: Property) throws(PinviewError) -> [Int64: [Reference]] {
        try write { try store.destinations(ofOwners: owners.map(\.primaryKey), property, $0) }
    }

    /// Clears the destinations' to-one references to a deleted row. Join tables are cleared with
    /// the row itself.
    private func forget(_ owner: Reference, in property: Property, _ destinations: [Reference]) throws(PinviewError) -> [Reference] {
        guard let inverse = store.schema.inverse(of: property) else { return [] }
        guard !inverse.isToMany else {
            // A member of a many-to-many relationship loses a row of the join table; for a to-one
            // owner, the member stores nothing.
            for destination in destinations { history?.changedMembers(of: inverse, destination) }
            return property.isToMany ? destinations : []
        }
        for destination in destinations {
            let schema = try store.schema.entity(store.schema.model.entities[Int(destination.entityIndex)])
            let columns = store.schema.columns(of: inverse) + [store.schema.orderColumn(of: property)].compactMap { $0 }
            let assignments = columns.map { "\(SQLIdentifier.quoted($0)) = NULL" }.joined(separator: ", ")
            try write { connection in
                let statement = try connection.statement(
                    "UPDATE \(schema.table) SET Z_OPT = IFNULL(Z_OPT, 0) + 1, \(assignments) WHERE Z_PK = ?")
                try statement.bind(1, destination.primaryKey)
                try statement.run()
            }
            history?.changedMembers(of: inverse, destination)
        }
        return destinations
    }

    private func denied(_ owner: Reference, _ property: Property, _ destination: Reference) -> PinviewError {
        let objectID = store.objectID(owner), other = store.objectID(destination)
        return PinviewError(
            .relationshipDeniedDelete,
            "\(objectID.uriRepresentation) cannot be deleted: its relationship \(property.name) has the delete rule deny and refers to "
                + "\(other.uriRepresentation). Nothing was deleted."
        ).with(affectedObjectIDs: [objectID, other]).with(affectedStores: store.name.affected)
    }
}

extension SQLStore {
    package func objectID(_ reference: Reference) -> ManagedObjectID {
        let entity = schema.model.entities[Int(reference.entityIndex)]
        let key = ObjectKey(storeNumber: number, rootEntity: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
        return ManagedObjectID(entity: entity, key: key, storeIdentifier: identifier)
    }
}
