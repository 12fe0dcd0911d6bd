@testable import PinviewModel

/// The model that bytes hold, which must not be JSON.
func loadedModel(_ bytes: [UInt8], _ checking: ModelChecking = .lenient) throws -> ManagedObjectModel {
    guard case .contents(let contents) = try ModelLoader.load(bytes: bytes) else { throw PinviewError(.badModel, "It is JSON.") }
    return try ManagedObjectModel(contents, checking: checking)
}

/// The model of an XML document with these elements in it.
func loadedModel(xml elements: String, _ checking: ModelChecking = .lenient) throws -> ManagedObjectModel {
    let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1.2">\(elements)</model>
        """
    return try loadedModel(Array(text.utf8), checking)
}
