/// What error messages call a store, and what they list under the affected stores.
struct StoreName: Sendable, CustomStringConvertible {
    let description: String
    let affected: [String]

    init(_ location: SQLStore.Location) {
        switch location {
        case .file(let path):
            description = "The store '\(path)'"
            affected = [path]
        case .inMemory:
            description = "The store in memory"
            affected = []
        }
    }
}
