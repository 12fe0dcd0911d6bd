/// The elements of composite attributes, which are what is stored.
extension AttributeDescription {
    /// How deep composite attributes can contain each other.
    static let maximumNesting = 16

    package var isComposite: Bool { attributeType == .composite }

    /// The attribute itself, or the elements of a composite one, at any depth, with key paths as
    /// names: `location.latitude`.
    package var leaves: [AttributeDescription] {
        guard isComposite else { return [self] }
        return elements.flatMap { element in element.leaves.map(prefixed) }
    }

    /// The names of the composite attributes in it, its own first: `place`, `place.location`.
    package var compositeNames: [String] {
        composites().map(\.name)
    }

    /// The composite attributes in it, its own first, with key paths as names.
    func composites() -> [AttributeDescription] {
        guard isComposite else { return [] }
        return [self] + elements.flatMap { element in element.composites().map(prefixed) }
    }

    /// An element as an attribute of the entity.
    func prefixed(_ element: AttributeDescription) -> AttributeDescription {
        var leaf = element
        leaf.name = "\(name).\(element.name)"
        // A part of the key path that was renamed renames the whole.
        if renamingIdentifier != nil || element.renamingIdentifier != nil {
            leaf.renamingIdentifier = "\(renamingIdentifier ?? name).\(element.renamingIdentifier ?? element.name)"
        }
        leaf.isTransient = isTransient || element.isTransient
        leaf.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion || element.preservesValueInHistoryOnDeletion
        return leaf
    }

    /// The names of the attribute and of its elements, as they are written.
    var ownNames: [String] { [name] + elements.flatMap(\.ownNames) }

    /// For each of the leaves, whether a composite attribute around it may be without a value.
    var excusableLeaves: [Bool] {
        guard isComposite else { return [false] }
        return elements.flatMap(\.excusableLeaves).map { $0 || isOptional }
    }

    /// Takes the converted values of its leaves, which are in order.
    mutating func takeValues(of leaves: inout ArraySlice<AttributeDescription>) {
        if isComposite {
            for index in elements.indices { elements[index].takeValues(of: &leaves) }
        } else if let leaf = leaves.popFirst() {
            (defaultValue, minimumValue, maximumValue) = (leaf.defaultValue, leaf.minimumValue, leaf.maximumValue)
        }
    }

    /// How many composite attributes contain each other here; 0 for other attributes.
    var nesting: Int { isComposite ? 1 + (elements.map(\.nesting).max() ?? 0) : 0 }
}

extension [AttributeDescription] {
    /// Adds an attribute whose name may be a key path, as an element of the composite attribute of
    /// that name.
    ///
    /// - Parameter makingComposites: whether a missing composite attribute is made.
    /// - Returns: the name of the composite attribute that is missing; nil if nothing is.
    package mutating func add(_ attribute: AttributeDescription, makingComposites: Bool = false) -> String? {
        guard let dot = attribute.name.firstIndex(of: ".") else {
            append(attribute)
            return nil
        }
        let name = String(attribute.name[..<dot])
        var element = attribute
        element.name = String(attribute.name[attribute.name.index(after: dot)...])
        if makingComposites, !contains(where: { $0.name == name }) { append(AttributeDescription(name: name, elements: [])) }
        guard let index = firstIndex(where: { $0.name == name && $0.isComposite }) else { return name }
        return self[index].elements.add(element, makingComposites: makingComposites).map { "\(name).\($0)" }
    }
}
