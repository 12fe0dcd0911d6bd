/// The name of a store in error messages, and its entry in the list of affected stores.
struct StoreName: Sendable, CustomStringConvertible {
    private let location: SQLStore.Location

    init(_ location: SQLStore.Location) { self.location = location }

    var description: String { "The \(withoutArticle)" }
    /// The name within a sentence.
    var within: String { "the \(withoutArticle)" }

    var affected: [String] {
        if case .file(let path) = location { return [path] }
        return []
    }

    private var withoutArticle: String {
        switch location {
        case .file(let path): "store '\(path)'"
        case .inMemory: "store in memory"
        }
    }
}
