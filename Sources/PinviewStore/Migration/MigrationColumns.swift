import PinviewModel

/// Finds out where the columns of the new tables get their cells from.
struct MigrationColumns {
    let layout: MigrationLayout

    /// The roles of the columns of a new hierarchy's table, by column name.
    func roles(ofNewRoot root: Int) -> [String: ColumnRole] {
        let new = layout.new
        guard let table = layout.newTable(root) else { return [:] }
        var roles: [String: ColumnRole] = [:]
        for entity in new.model.entities where new.numbers.has(entityIndex: entity.index) {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                switch new.storage(of: property) {
                case .attribute(let column) where entity.rootIndex == root: roles[column] = .attribute(property)
                case .toOne(let key, let entityColumn) where entity.rootIndex == root:
                    roles[key] = .key(property)
                    if let entityColumn { roles[entityColumn] = .keyEntity(property) }
                case .toMany(let foreignKey) where foreignKey.table == table:
                    if !foreignKey.hasInverse { roles[foreignKey.key] = .ownerKey(property) }
                    if let order = foreignKey.order { roles[order] = .order(property) }
                default: break
                }
            }
        }
        return roles
    }

    /// Whether rows of a new entity have a value in such a column.
    func has(_ role: ColumnRole, _ entity: Entity) -> Bool {
        switch role {
        case .attribute(let property), .key(let property), .keyEntity(let property):
            entity.isKind(ofIndex: property.declaringEntityIndex)
        case .ownerKey(let property), .order(let property): entity.isKind(ofIndex: property.destinationIndex)
        }
    }

    /// Where the cells of a column come from for rows of an old entity, which becomes the new one.
    func source(_ role: ColumnRole, from old: Entity, to new: Entity) throws(PinviewError) -> ColumnSource {
        guard has(role, new) else { return .null }
        switch role {
        case .attribute(let property): return try attribute(property, new)
        case .key(let property):
            guard isLocal(property), let (key, _, lost, offset) = toOne(property, new) else { return .null }
            return .column(ColumnCopy(column: key, change: lost == nil && offset == 0 ? .none : .key(offset: offset, lost: lost)))
        case .keyEntity(let property): return keyEntity(property, new)
        case .ownerKey(let property):
            guard let origin = localOwner(of: property), old.isKind(ofIndex: origin.destinationIndex),
                case .toMany(let foreignKey) = layout.old.storage(of: origin)
            else { return .null }
            let (lost, offset) = owners(of: origin, as: property)
            return .column(
                ColumnCopy(column: foreignKey.key, change: lost == nil && offset == 0 ? .none : .key(offset: offset, lost: lost)))
        case .order(let property): return order(property, old, new)
        }
    }

    // MARK: Attributes

    /// The cell of a new object.
    func defaultCell(_ property: Property) throws(PinviewError) -> StoredCell {
        property.isAttribute ? try StoredCell(property.defaultValue, for: property) : .null
    }

    private func attribute(_ property: Property, _ new: Entity) throws(PinviewError) -> ColumnSource {
        guard let origin = layout.mapping.origin(of: property, in: new), case .attribute(let column) = layout.old.storage(of: origin) else {
            let cell = try defaultCell(property)
            return cell == .null ? .null : .constant(cell)
        }
        var copy = ColumnCopy(column: column)
        if origin.attributeType.columnType != property.attributeType.columnType { copy.change = .otherAffinity }
        if (origin.cellKind == .externalBinary) != (property.cellKind == .externalBinary) {
            copy.change = property.cellKind == .externalBinary ? .addInlineMarker : .removeInlineMarker
        }
        if origin.isOptional, property.isRequired { copy.fallback = try defaultCell(property) }
        return .column(copy)
    }

    // MARK: Relationships

    /// Whether a to-one relationship continues one or several old to-one relationships, so that
    /// each row keeps its own key.
    func isLocal(_ property: Property) -> Bool {
        let origins = layout.origins(of: property)
        guard !origins.isEmpty, origins.allSatisfy({ if case .toOne = layout.old.storage(of: $0) { true } else { false } }) else {
            return false
        }
        guard let inverse = layout.newInverse(of: property), inverse !== property else { return true }
        // What only the other side knows has to be written to this one.
        return layout.origins(of: inverse).allSatisfy { other in
            origins.contains { layout.oldInverse(of: $0) === other }
        }
    }

    private func toOne(
        _ property: Property, _ new: Entity
    ) -> (key: String, entity: String?, lost: ColumnCopy.LostRows?, offset: Int64)? {
        guard let origin = layout.mapping.origin(of: property, in: new), case .toOne(let key, let entity) = layout.old.storage(of: origin)
        else { return nil }
        let target = layout.mapping.destination.entities[property.destinationIndex]
        let source = layout.mapping.source.entities[origin.destinationIndex]
        let lost = lostRows(source, asKindOf: target)
        return (key, entity, lost, layout.offset(fromOldRoot: source.rootIndex, toNewRoot: target.rootIndex))
    }

    func lostRows(_ source: Entity, asKindOf target: Entity) -> ColumnCopy.LostRows? {
        let numbers = layout.lostNumbers(ofOldFamily: source, asKindOf: target)
        guard !numbers.isEmpty, let table = layout.oldTable(source.rootIndex) else { return nil }
        return ColumnCopy.LostRows(table: SQLIdentifier.quoted(table), numbers: numbers)
    }

    private func keyEntity(_ property: Property, _ new: Entity) -> ColumnSource {
        guard isLocal(property), let (key, entityColumn, lost, _) = toOne(property, new),
            let origin = layout.mapping.origin(of: property, in: new)
        else { return .null }
        let family = layout.mapping.source.entities[origin.destinationIndex].familyIndexes.map { layout.mapping.source.entities[$0] }
        var numbers: [Int32: Int32] = [:]
        for member in family {
            guard let successor = layout.mapping.successor(of: member) else { continue }
            numbers[layout.oldNumber(member)] = layout.newNumber(successor)
        }
        if let entityColumn {
            let isSame = lost == nil && numbers.allSatisfy { $0.key == $0.value }
            return .column(ColumnCopy(column: entityColumn, change: isSame ? .none : .entity(numbers: numbers, key: key, lost: lost)))
        }
        guard let number = numbers[layout.oldNumber(layout.mapping.source.entities[origin.destinationIndex])] else { return .null }
        return .column(ColumnCopy(column: key, change: .entityOfKey(number: number, lost: lost)))
    }

    /// The old to-many relationship that a new one without an inverse continues, if its members
    /// already named their owner.
    func localOwner(of property: Property) -> Property? {
        let origins = layout.origins(of: property)
        guard origins.count == 1, case .toMany = layout.old.storage(of: origins[0]) else { return nil }
        return origins[0]
    }

    /// The old owners that are gone, and what is added to the keys of the others.
    func owners(of origin: Property, as property: Property) -> (lost: ColumnCopy.LostRows?, offset: Int64) {
        let source = layout.mapping.source.entities[origin.declaringEntityIndex]
        let target = layout.mapping.destination.entities[property.declaringEntityIndex]
        return (lostRows(source, asKindOf: target), layout.offset(fromOldRoot: source.rootIndex, toNewRoot: target.rootIndex))
    }

    private func order(_ property: Property, _ old: Entity, _ new: Entity) -> ColumnSource {
        let origin: Property?
        if let inverse = layout.newInverse(of: property) {
            guard isLocal(inverse), let reference = layout.mapping.origin(of: inverse, in: new) else { return .null }
            origin = layout.oldInverse(of: reference)
        } else {
            origin = localOwner(of: property)
        }
        guard let origin, old.isKind(ofIndex: origin.destinationIndex), case .toMany(let foreignKey) = layout.old.storage(of: origin),
            let column = foreignKey.order
        else { return .null }
        return .column(ColumnCopy(column: column))
    }

    /// Whether the members of an ordered relationship keep the key, but have no positions yet.
    func needsNumbering(_ property: Property) -> Bool {
        let origins: [Property?]
        if let inverse = layout.newInverse(of: property) {
            guard isLocal(inverse) else { return false }
            origins = layout.origins(of: inverse).map { layout.oldInverse(of: $0) }
        } else {
            guard let owner = localOwner(of: property) else { return false }
            origins = [owner]
        }
        return origins.contains { origin in
            guard let origin, case .toMany(let foreignKey) = layout.old.storage(of: origin) else { return true }
            return foreignKey.order == nil
        }
    }
}
