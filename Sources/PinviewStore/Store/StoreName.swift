/// The name of a store in error messages, and its entry in the list of affected stores.
struct StoreName: Sendable, CustomStringConvertible {
    let description: String
    /// The name within a sentence.
    let within: String
    let affected: [String]

    init(_ location: SQLStore.Location) {
        switch location {
        case .file(let path):
            within = "the store '\(path)'"
            affected = [path]
        case .inMemory:
            within = "the store in memory"
            affected = []
        }
        description = "T" + within.dropFirst()
    }
}
