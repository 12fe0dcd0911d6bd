import PinviewModel

extension StoreMatching {
    var hasDerivedAttributes: Bool { held.contains { $0.attributes.contains(where: \.isDerived) } }

    /// - Throws: `badModel` for a derived attribute that a store to be written to cannot keep
    ///   current.
    func checkDerivedAttributes() throws(PinviewError) {
        guard !options.isReadOnly, hasDerivedAttributes else { return }
        let names = SchemaNames(model: model, numbers: StoreOpening.newNumbers(of: model, holding: held))
        _ = try DerivedAttributes(
            StoreSchema(names: names, heldEntities: held, externalData: nil, mayHoldStrays: false), storeNumber: 0)
    }
}
