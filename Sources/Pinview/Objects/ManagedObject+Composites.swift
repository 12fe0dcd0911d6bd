import PinviewModel

/// Composite attributes as wholes. Each element is an attribute of its own, whose key is a key
/// path.
extension ManagedObject {
    /// The values of the elements of a composite attribute, by name; those of a composite element
    /// by their key paths. Nil if all of them are null. Fires a fault.
    ///
    /// - Throws: `unknownKey` if there is no composite attribute of that name.
    public func compositeValue(forKey key: String) throws(PinviewError) -> [String: Value]? {
        let composite = try composite(forKey: key)
        return try read { (state) throws(PinviewError) in
            var values: [String: Value] = [:]
            var hasValue = false
            for leaf in composite.leaves {
                let value = try state.attributeValue(of: self, leaf)
                values[String(leaf.name.dropFirst(composite.name.count + 1))] = value
                if !value.isNull { hasValue = true }
            }
            return hasValue ? values : nil
        }
    }

    /// Sets all elements of a composite attribute: elements that are not given get their defaults,
    /// and with nil all of them become null. Fires a fault first.
    ///
    /// - Throws: `unknownKey` for an unknown element, `wrongType` for a value that an element
    ///   cannot hold. Nothing changes then.
    public func setCompositeValue(_ values: [String: Value]?, forKey key: String) throws(PinviewError) {
        let composite = try composite(forKey: key)
        guard let values else { return try assign(composite.leaves.filter { !$0.isDerived }.map { ($0, Value.null) }) }
        var rest = values
        var assignments: [(Property, Value)] = []
        for leaf in composite.leaves {
            if let value = rest.removeValue(forKey: String(leaf.name.dropFirst(composite.name.count + 1))) {
                try leaf.requireSettable()
                assignments.append((leaf, try leaf.convert(value)))
            } else if !leaf.isDerived {
                assignments.append((leaf, leaf.defaultValue))
            }
        }
        if let unknown = rest.keys.min() { throw noElement(unknown, of: composite) }
        try assign(assignments)
    }

    private func composite(forKey key: String) throws(PinviewError) -> CompositeAttribute {
        if let composite = entity.composite(named: key) { return composite }
        _ = try property(forKey: key)
        throw PinviewError(.unknownKey, "\(entity.name).\(key) is not a composite attribute.").with(affectedObjectIDs: [objectID])
    }

    private func assign(_ assignments: [(Property, Value)]) throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            for (property, value) in assignments { try state.setAttribute(self, property, value) }
        }
    }

    // MARK: As values of the program

    func elements(of composite: CompositeAttribute) throws(PinviewError) -> [String: Any]? {
        let values = try read { (state) throws(PinviewError) in
            var values: [Int: Value] = [:]
            for leaf in composite.leaves { values[leaf.index] = try state.attributeValue(of: self, leaf) }
            return values
        }
        // Transformers are code of the program, which runs outside the context's queue.
        return try dictionary(of: composite, values)
    }

    private func dictionary(of composite: CompositeAttribute, _ values: [Int: Value]) throws(PinviewError) -> [String: Any]? {
        var result: [String: Any] = [:]
        for element in composite.elements {
            switch element {
            case .attribute(let property): result[element.key] = try property.transformed(values[property.index] ?? .null)
            case .composite(let inner): result[element.key] = try dictionary(of: inner, values)
            }
        }
        return result.isEmpty ? nil : result
    }

    func setElements(of composite: CompositeAttribute, to value: Any?) throws(PinviewError) {
        try assign(try assignments(of: composite, value))
    }

    private func assignments(of composite: CompositeAttribute, _ value: Any?) throws(PinviewError) -> [(Property, Value)] {
        let settable = composite.leaves.filter { !$0.isDerived }
        guard let value, case let value = unwrapped(value), !isNil(value) else { return settable.map { ($0, Value.null) } }
        guard let values = value as? [String: Any] else {
            throw PinviewError(
                .wrongType,
                "\(composite.qualifiedName) is a composite attribute: it is set to a dictionary of its elements, "
                    + "\(composite.elementNames.joined(separator: ", ")), not to a value of type \(Swift.type(of: value))."
            ).with(affectedObjectIDs: [objectID])
        }
        if let unknown = values.keys.filter({ composite.element(named: $0) == nil }).min() { throw noElement(unknown, of: composite) }
        var result: [(Property, Value)] = []
        for element in composite.elements {
            switch (element, values[element.key]) {
            case (.attribute(let property), let value?):
                try property.requireSettable()
                if let stored = try property.stored(isNil(value) ? nil : value) {
                    result.append((property, try property.convert(stored)))
                } else if let plain = Value(anyValue: value) {
                    result.append((property, try property.convert(plain)))
                } else {
                    throw unfit(value, forKey: property.name)
                }
            case (.attribute(let property), nil):
                if !property.isDerived { result.append((property, property.defaultValue)) }
            case (.composite(let inner), let value?): result += try assignments(of: inner, value)
            case (.composite(let inner), nil):
                result += inner.leaves.filter { !$0.isDerived }.map { ($0, $0.defaultValue) }
            }
        }
        return result
    }

    /// Whether a value in a dictionary is nil, or null.
    private func isNil(_ value: Any) -> Bool { Value(anyValue: value)?.isNull ?? false }

    private func noElement(_ name: String, of composite: CompositeAttribute) -> PinviewError {
        PinviewError(
            .unknownKey,
            "\(composite.qualifiedName) has no element \(name.quotedForPeople). Its elements are: "
                + composite.elementNames.joined(separator: ", ") + "."
        ).with(affectedObjectIDs: [objectID])
    }
}
