import PinviewModel
import PinviewStore

extension ManagedObjectModel {
    /// Reads a model of any kind: Xcode's `.xcdatamodel` and `.xcdatamodeld`, compiled `.mom` and
    /// `.momd`, or a JSON file. What is at the path decides, not its name.
    ///
    /// - Parameters:
    ///   - path: a file, or a folder that holds a model or versions of one.
    ///   - version: which version of a `.xcdatamodeld` or `.momd`; nil for the current one.
    ///   - checking: whether mistakes that shipped applications live with are left out and listed
    ///     in ``warnings``, or are errors.
    /// - Throws: `invalidArgument` for a path at which there is no model, and for a version that is
    ///   not there; `badModel` for a damaged model, or one that cannot be used, naming entity and
    ///   property; `invalidUTF8` for JSON in another encoding.
    public convenience init(
        contentsOf path: String, version: String? = nil, checking: ModelChecking = .lenient
    ) throws(PinviewError) {
        try self.init(ModelLoader.load(path: path, version: version), checking)
    }

    /// Reads a model from the bytes of a file: the `contents` of a `.xcdatamodel`, a `.mom`, or
    /// JSON.
    /// - Throws: as ``init(contentsOf:version:checking:)``.
    public convenience init(bytes: [UInt8], checking: ModelChecking = .lenient) throws(PinviewError) {
        try self.init(ModelLoader.load(bytes: bytes), checking)
    }

    /// Reads a model from JSON.
    ///
    /// - Parameters:
    ///   - jsonText: `{"entities": [{"name": "Person", "attributes": [{"name": "age", "type":
    ///     "integer64"}], …}]}`; the keys are described with the model's JSON reader.
    ///   - checking: with strict checking, unknown keys are errors too.
    /// - Throws: `badModel` for text that is not JSON or does not describe a valid model, naming
    ///   the place, the template or the fetched property.
    public convenience init(jsonText: String, checking: ModelChecking = .lenient) throws(PinviewError) {
        let json: JSONValue
        do throws(PinviewError) {
            json = try parseJSON(jsonText)
        } catch {
            // The JSON reader does not know that it reads a model.
            throw PinviewError(.badModel, error.message)
        }
        try self.init(json: json, checking: checking)
        try checkFetchRequests()
    }

    private convenience init(_ loaded: ModelLoader.Loaded, _ checking: ModelChecking) throws(PinviewError) {
        switch loaded {
        case .contents(let contents):
            // What Core Data's predicates support and these do not is reported when it is used.
            try self.init(contents, checking: checking)
            if checking == .strict { try checkFetchRequests() }
        case .json(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw PinviewError(.invalidUTF8, "The JSON of the model is not valid UTF-8.")
            }
            try self.init(jsonText: text, checking: checking)
        }
    }
}
