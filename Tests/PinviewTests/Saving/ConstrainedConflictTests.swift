import Pinview

/// All that is said of conflicts and of policies, where a uniqueness constraint makes the save resolve them in another way.
final class ConstrainedConflictTests: ConflictTests {
    override func model() throws -> ManagedObjectModel { try people(constraints: [["name"]]) }
}

final class ConstrainedMergePolicyTests: MergePolicyTests {
    override func model() throws -> ManagedObjectModel { try people(constraints: [["name"]]) }
}
