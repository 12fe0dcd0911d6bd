/// What a model file says, before it is resolved and checked.
package struct ModelContents: Sendable {
    package var entities: [EntityDescription] = []
    package var configurations: [String: [String]] = [:]
    package var versionIdentifiers: [String] = []
    package var fetchRequestTemplates: [String: FetchRequestDescription] = [:]
    /// What the reader had to leave out.
    package var warnings: [String] = []

    package init(
        entities: [EntityDescription] = [], configurations: [String: [String]] = [:], versionIdentifiers: [String] = [],
        fetchRequestTemplates: [String: FetchRequestDescription] = [:], warnings: [String] = []
    ) {
        self.entities = entities
        self.configurations = configurations
        self.versionIdentifiers = versionIdentifiers
        self.fetchRequestTemplates = fetchRequestTemplates
        self.warnings = warnings
    }
}

/// What happens to mistakes in a model file that shipped applications live with.
public enum ModelChecking: Sendable {
    /// They are left out, and listed in ``ManagedObjectModel/warnings``. In JSON, which is written
    /// for this library, only unknown keys are.
    case lenient
    /// Each is an error.
    case strict
}
