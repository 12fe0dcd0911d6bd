import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore

extension ManagedObjectModel {
    /// Makes a model from JSON.
    ///
    /// - Parameter jsonText: `{"entities": [{"name": "Person", "attributes": [{"name": "age",
    ///   "type": "integer64"}],
    ///   …}]}`; pinview.h lists all keys at `pinview_model_create_from_json`.
    /// - Throws: `badModel` for invalid JSON or an invalid model; the error names the place, the
    ///   template or the fetched property.
    public convenience init(jsonText: String) throws(PinviewError) {
        let json: JSONValue
        do throws(PinviewError) {
            json = try parseJSON(jsonText)
        } catch {
            // The JSON reader does not know that it reads a model.
            throw PinviewError(.badModel, error.message)
        }
        try self.init(json: json)
        try checkFetchRequests()
    }

    /// Makes a model from a JSON file in UTF-8.
    ///
    /// - Throws: `invalidArgument` if the file cannot be read; otherwise as ``init(jsonText:)``.
    public convenience init(contentsOfJSONFile path: String) throws(PinviewError) {
        if let thing = RegularFile.otherThing(at: path) {
            throw PinviewError(.invalidArgument, "The model file '\(path)' is \(thing), not a regular file.")
        }
        let descriptor = RegularFile.open(path)
        guard descriptor >= 0, let file = fdopen(descriptor, "r") else {
            throw PinviewError(.invalidArgument, "The model file '\(path)' cannot be opened: \(String(cString: strerror(errno))).")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            bytes += chunk[..<count]
            if count < chunk.count { break }
        }
        guard ferror(file) == 0 else {
            throw PinviewError(.invalidArgument, "The model file '\(path)' cannot be read: \(String(cString: strerror(errno))).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PinviewError(.invalidUTF8, "The model file '\(path)' is not valid UTF-8.")
        }
        try self.init(jsonText: text)
    }
}
