import Foundation
import PinviewFoundation
import PinviewTyped
import XCTest

/// Programs that import Foundation beside Pinview use every public type by its name alone.
final class UnqualifiedNamesTests: XCTestCase {
    /// Compiles only while none of the names is ambiguous.
    private let types: [Any.Type] = [
        AsynchronousFetchRequest.self, AsynchronousFetchResult.self, AttributeDescription.self, AttributeType.self,
        BatchDeleteRequest.self, BatchInsertRequest.self, BatchInsertResult.self, BatchResultType.self,
        BatchUpdateRequest.self, Column.self, ColumnBatch.self, ColumnDescription.self, ColumnStream.self, ColumnType.self,
        ComparisonPredicate.self, CompositeAttribute.self, ConcurrencyDebug.self, ConstraintConflict.self, CoreDataVersions.self,
        DecimalNumber.self,
        DeleteRule.self,
        DictionaryResult.self, Entity.self, EntityDescription.self, EntityHooks.self, EntityMapping.self,
        ExaminedValue.self, ExportProgress.self,
        ExpressionDescription.self, ExpressionFunction.self, ExpressionType.self, FetchExplanation.self,
        FetchIndexDescription.self, FetchInterruption.self, FetchRequest.self, FetchRequestDescription.self,
        FetchRequestResultType.self, FetchResult.self, FetchedPropertyDescription.self, FetchedResultsChangeType.self,
        FetchedResultsController.self, (any FetchedResultsControllerDelegate).self, FetchedResultsSectionInfo.self,
        GenerationChange.self, GenerationDifference.self, GenerationObserver.self, JSONValue.self, JournalCommit.self,
        JournalEvent.self, JournalObserver.self, JournalReport.self, MainQueue.self, ManagedObject.self,
        ManagedObjectContext.self, ManagedObjectContextConcurrencyType.self, ManagedObjectID.self, ManagedObjectModel.self,
        MergeConflict.self, MergePolicy.self, MergeResolution.self, MigrationManager.self, MissingElement.self,
        MigrationProgress.self, MigrationStage.self, ModelChecking.self, ModelDifference.self,
        ModelVersions.self, PersistentContainer.self, PersistentHistoryChange.self, PersistentHistoryChangeRequest.self,
        PersistentHistoryChangeType.self, PersistentHistoryResultType.self, PersistentHistoryToken.self,
        PersistentHistoryTransaction.self, PersistentStore.self, PersistentStoreCoordinator.self,
        PersistentStoreRemoteChange.self, (any PersistentStoreRequest).self, PersistentStoreResult.self, PinviewError.self,
        PinviewExpression.self, PinviewIndexPath.self, PinviewNotification.self, PinviewNotificationCenter.self,
        PinviewPredicate.self, PinviewSortDescriptor.self, (any PinviewValueTransformer).self, PinviewVersion.self,
        (any PredicateArgument).self,
        PredicateModifier.self, PredicateOperator.self, PredicateOptions.self, Property.self, PropertyFailures.self, PropertyKey.self,
        PropertyListError.self,
        PropertyListValue.self, PropertyMapping.self, PropertyToFetch.self, QueryGenerationState.self, QueryGenerationToken.self,
        RelationshipDescription.self, RemoteChangeObserver.self, SQLArgument.self, SQLCursor.self, SQLDebug.self,
        StagedMigration.self, StoreMigrationPlan.self, StoreSummary.self, StoreType.self, UndoManager.self, UpsertOutcome.self,
        UpsertResult.self, Value.self,
        (any ValueConvertible).self, (any ValueInitializable).self,
        ValueTransformers.self,
    ]

    /// Those of typed objects.
    private let typed: [Any.Type] = [
        (any AttributeValue).self, AttributeKey<Int>.self, AttributePath<Thing, Int>.self, (any AwakesFromFetch).self,
        (any AwakesFromInsert).self, (any CodableAttributeValue).self, Condition<Thing>.self, ConditionBuilder<Thing>.self,
        (any HasFields).self, (any HasValidators).self, (any HearsOfFaults).self, (any HearsOfSaves).self, LiveResults.self,
        ObjectPath<Thing, Thing>.self, ObjectSnapshot<Thing>.self, OrderedRelated<Thing>.self, OrderedToManyCardinality.self,
        (any PredicateObject).self, (any PreparesForDeletion).self, (any PropertyDeclaration).self, PropertyValidator<Thing>.self,
        Related<Thing>.self, (any RelatedObjects).self, RelatedSource.self, (any RelationshipCardinality).self,
        (any RelationshipDeclaration).self, RelationshipKey<Thing, ToOneCardinality>.self, ResultsSnapshot.self,
        SnapshotStream<Thing>.self, (any Subentity).self, ToManyCardinality.self, ToManyPath<Thing, Thing>.self, ToOneCardinality.self,
        TypedFetchRequest<Thing>.self, TypedIterator<Thing>.self, (any TypedObject).self, TypedResult<Thing>.self, (any Validatable).self,
        (any ValidatableForDeletion).self,
    ]

    func test_everyPublicTypeIsNamedHere() throws {
        let named = Set((types + typed).map { String(describing: $0).split(separator: "<")[0].description })

        let declared = try declaredNames()

        XCTAssertFalse(declared.isEmpty)
        XCTAssertEqual(declared.subtracting(named), [], "name these in the list above, so that a clash doesn't compile")
    }

    /// The public types at the top level of the modules that programs import.
    /// Aliases are left to the compiler, because the type behind one has another name.
    private func declaredNames() throws -> Set<String> {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources")
            .standardizedFileURL
        let declaration = try NSRegularExpression(
            pattern: #"^(?:@\w+(?:\([^)]*\))? )*public (?:final |indirect )?(?:class|struct|enum|protocol|actor) (\w+)"#,
            options: .anchorsMatchLines)
        var names: Set<String> = []
        for module in ["Pinview", "PinviewModel", "PinviewPredicates", "PinviewTyped", "PinviewFoundation"] {
            let files = FileManager.default.enumerator(at: sources.appendingPathComponent(module), includingPropertiesForKeys: nil)
            for case let file as URL in try XCTUnwrap(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in declaration.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                    names.insert(String(text[try XCTUnwrap(Range(match.range(at: 1), in: text))]))
                }
            }
        }
        return names
    }
}

private struct Thing: TypedObject {
    static var properties: [any PropertyDeclaration] { [] }
    let managedObject: ManagedObject
}
