import Foundation
import Pinview
import XCTest

/// Fetch requests that a model keeps by name, with variables.
final class FetchRequestTemplateTests: StoreTestCase {
    private let text = """
        {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer64"}]}],
         "fetchRequests": [
           {"name": "older", "entity": "Person", "predicate": "age >= $AGE AND name BEGINSWITH $START", "limit": 2,
            "sort": [{"key": "age", "ascending": false}, {"key": "name", "comparator": "caseInsensitive"}]},
           {"name": "everybody", "entity": "Person"}]}
        """

    private func filledContext(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
        let context = try makeContext(try makeCoordinator(model))
        for (name, age) in [("dave", 40), ("Dora", 30), ("dan", 20), ("eve", 50)] {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(name, forKey: "name")
            try person.setValue(age, forKey: "age")
        }
        try context.save()
        return context
    }

    private func names(_ request: FetchRequest, _ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(request).map { try $0.string("name") ?? "nil" }
    }

    func test_aTemplateOfTheModelIsARequestOnceItsVariablesHaveValues() throws {
        let model = try ManagedObjectModel(jsonText: text)
        let context = try filledContext(model)
        let request = try model.fetchRequestFromTemplate(withName: "older", substitutionVariables: ["AGE": 20, "START": "d"])
        XCTAssertEqual(try names(request, context), ["dave", "dan"])
    }

    func test_theSameTemplateServesOtherValues() throws {
        let model = try ManagedObjectModel(jsonText: text)
        let context = try filledContext(model)
        let request = try model.fetchRequestFromTemplate(withName: "older", substitutionVariables: ["AGE": 21, "START": "e", "OTHER": 1])
        XCTAssertEqual(try names(request, context), ["eve"])
    }

    func test_aTemplateItselfKeepsItsVariables() throws {
        let model = try ManagedObjectModel(jsonText: text)
        let template = try XCTUnwrap(try model.fetchRequestTemplate(forName: "older"))
        XCTAssertEqual(template.predicate, try PinviewPredicate(format: "age >= $AGE AND name BEGINSWITH $START"))
        XCTAssertEqual(template.fetchLimit, 2)
        XCTAssertEqual(
            template.sortDescriptors,
            [PinviewSortDescriptor(keyPath: "age", ascending: false), PinviewSortDescriptor(keyPath: "name", comparator: .caseInsensitive)])
        XCTAssertNil(try model.fetchRequestTemplate(forName: "none"))
        XCTAssertEqual(Set(try model.fetchRequestTemplatesByName().keys), ["older", "everybody"])
    }

    func test_anUnknownTemplateIsAnErrorThatNamesThoseThereAre() throws {
        let model = try ManagedObjectModel(jsonText: text)
        let error = assertError(.unknownKey, try model.fetchRequestFromTemplate(withName: "oldest"))
        XCTAssertEqual(error?.message, "The model has no fetch request template 'oldest'; it has everybody, older.")
    }

    func test_aMissingVariableIsAnErrorThatNamesIt() throws {
        let model = try ManagedObjectModel(jsonText: text)
        let error = assertError(.badPredicate, try model.fetchRequestFromTemplate(withName: "older", substitutionVariables: ["AGE": 1]))
        XCTAssertEqual(error?.message, "The fetch request template 'older' needs a value for its variable $START.")
    }

    func test_nilIsAValueOfAVariable() throws {
        let model = try ManagedObjectModel(jsonText: text)
        var request = FetchRequest(entityName: "Person")
        request.predicate = try PinviewPredicate(format: "name == $NAME")
        try model.setFetchRequestTemplate(request, forName: "named")
        let context = try filledContext(model)
        let nobody = try model.fetchRequestFromTemplate(withName: "named", substitutionVariables: ["NAME": Value.null])
        XCTAssertEqual(try context.count(for: nobody), 0)
    }

    func test_aPredicateThatCannotBeReadIsAnErrorWhenTheModelIsLoaded() throws {
        let broken = text.replacingOccurrences(of: "age >= $AGE", with: "age >=")
        let error = assertError(.badModel, try ManagedObjectModel(jsonText: broken))
        XCTAssertTrue(error?.message.hasPrefix("The fetch request template 'older': ") ?? false, error?.message ?? "")
    }

    func test_anEntityThatTheModelLacksIsAnErrorWhenTheModelIsLoaded() throws {
        let broken = text.replacingOccurrences(of: "\"entity\": \"Person\"}", with: "\"entity\": \"Animal\"}")
        let error = assertError(.badModel, try ManagedObjectModel(jsonText: broken))
        XCTAssertEqual(
            error?.message, "The fetch request template \"everybody\" fetches the entity \"Animal\", which is not in the model.")
    }

    func test_twoTemplatesOfOneNameAreAnError() throws {
        assertError(.badModel, try ManagedObjectModel(jsonText: text.replacingOccurrences(of: "everybody", with: "older")))
    }

    func test_templatesAreWrittenBackToJSON() throws {
        let model = try ManagedObjectModel(jsonText: text)
        var request = FetchRequest(entityName: "Person")
        request.predicate = try PinviewPredicate(format: "name IN %@ AND age < $MAXIMUM", ["a'b", "\"c\""])
        request.resultType = .dictionary
        request.propertiesToFetch = [
            "name", .expression(ExpressionDescription(name: "sum", expression: try PinviewExpression(format: "sum:(age)"))),
        ]
        request.propertiesToGroupBy = ["name"]
        request.havingPredicate = try PinviewPredicate(format: "sum:(age) > $LEAST")
        request.returnsDistinctResults = true
        request.fetchOffset = 3
        request.fetchBatchSize = 4
        request.includesSubentities = false
        request.includesPendingChanges = false
        request.includesPropertyValues = false
        request.returnsObjectsAsFaults = false
        request.shouldRefreshRefetchedObjects = true
        try model.setFetchRequestTemplate(request, forName: "sums")

        let again = try ManagedObjectModel(jsonText: model.jsonRepresentation())
        XCTAssertEqual(again.fetchRequestTemplateDescriptions, model.fetchRequestTemplateDescriptions)
        XCTAssertEqual(again.fetchRequestTemplateDescriptions.count, 3)
        let read = try again.fetchRequestFromTemplate(withName: "sums", substitutionVariables: ["MAXIMUM": 99, "LEAST": 1])
        XCTAssertEqual(read.predicate, try PinviewPredicate(format: "name IN %@ AND age < 99", ["a'b", "\"c\""]))
        XCTAssertEqual(read.havingPredicate, try PinviewPredicate(format: "sum:(age) > 1"))
        XCTAssertEqual(read.propertiesToFetch, request.propertiesToFetch)
    }

    func test_templatesAreNoPartOfTheVersionHash() throws {
        let model = try ManagedObjectModel(jsonText: text)
        let hashes = model.entityVersionHashesByName
        try model.setFetchRequestTemplate(nil, forName: "older")
        XCTAssertNil(try model.fetchRequestTemplate(forName: "older"))
        XCTAssertEqual(try ManagedObjectModel(jsonText: model.jsonRepresentation()).entityVersionHashesByName, hashes)
    }

    func test_aModelInUseKeepsItsTemplates() throws {
        let model = try ManagedObjectModel(jsonText: text)
        _ = try makeCoordinator(model)
        assertError(.invalidArgument, try model.setFetchRequestTemplate(nil, forName: "older"))
        XCTAssertNotNil(try model.fetchRequestTemplate(forName: "older"))
    }

    func test_aRequestThatNamesStoresIsRefusedAsATemplate() throws {
        let model = try ManagedObjectModel(jsonText: text)
        var request = FetchRequest(entityName: "Person")
        request.affectedStores = []
        assertError(.invalidArgument, try model.setFetchRequestTemplate(request, forName: "stores"))
        assertError(.badModel, try model.setFetchRequestTemplate(FetchRequest(entityName: "Animal"), forName: "animals"))
        assertError(.badModel, try model.setFetchRequestTemplate(FetchRequest(entityName: "Person"), forName: ""))
    }

    func test_anExpressionThatNestsTooDeepIsRefusedInATemplate() throws {
        let model = try ManagedObjectModel(jsonText: text)
        var expression = PinviewExpression.keyPath(["age"])
        for _ in 0..<2000 { expression = .function(.absolute, [expression]) }
        var request = FetchRequest(entityName: "Person")
        request.resultType = .dictionary
        request.propertiesToFetch = [.expression(ExpressionDescription(name: "deep", expression: expression))]
        assertError(.badPredicate, try model.setFetchRequestTemplate(request, forName: "deep"))
        XCTAssertNil(try model.fetchRequestTemplate(forName: "deep"))
        XCTAssertEqual(try model.fetchRequestTemplatesByName().count, 2)
    }

    func test_anUnknownComparatorIsAnErrorWhenTheModelIsLoaded() throws {
        let error = assertError(
            .badModel, try ManagedObjectModel(jsonText: text.replacingOccurrences(of: "caseInsensitive", with: "loud")))
        XCTAssertTrue(error?.message.contains("Unknown comparator 'loud'") ?? false, error?.message ?? "")
    }
}
