import PinviewGenerations
import PinviewModel

/// The models that this process has read from the metadata of stores and still uses. Opening such a
/// store again, or another one with the same model, need not parse the model again.
///
/// Nobody sees the models that are kept, only copies of them, since each model has hooks and fetch
/// request templates of its own.
enum StoredModels {
    private struct Entry {
        let text: String
        weak var model: ManagedObjectModel?
    }

    private static let lock = Lock()
    nonisolated(unsafe) private static var entries: [Entry] = []  // guarded by `lock`

    /// The model that a store describes with a JSON text.
    static func model(json text: String) throws(PinviewError) -> ManagedObjectModel {
        if let known = known(text) { return ManagedObjectModel(copying: known) }
        let model = try ManagedObjectModel(json: parseJSON(text), checking: .lenient)
        lock.withLock { entries.append(Entry(text: text, model: model)) }
        return ManagedObjectModel(copying: model)
    }

    private static func known(_ text: String) -> ManagedObjectModel? {
        lock.withLock {
            // A model that ends here has nothing that could call back.
            entries.removeAll { $0.model == nil }
            return entries.first { $0.text == text }?.model
        }
    }
}
