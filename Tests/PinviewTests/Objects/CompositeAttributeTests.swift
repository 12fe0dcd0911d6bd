import Foundation
import Pinview
import XCTest

/// MDL-12: composite attributes of objects. Their elements are stored.
class CompositeTestCase: StackTestCase {
    static let json = """
        {"entities": [
            {"name": "Shop", "attributes": [
                {"name": "name", "type": "string"},
                {"name": "location", "type": "composite", "elements": [
                    {"name": "latitude", "type": "double", "optional": false, "minimumValue": -90, "maximumValue": 90},
                    {"name": "longitude", "type": "double", "default": 5},
                    {"name": "area", "type": "composite", "elements": [
                        {"name": "city", "type": "string"}, {"name": "code", "type": "integer16"}]}]}],
             "relationships": [{"name": "owner", "destination": "Owner", "inverse": "shops"}],
             "indexes": [{"name": "byLatitude", "elements": [{"property": "location.latitude"}]}]},
            {"name": "Owner", "attributes": [
                {"name": "name", "type": "string"},
                {"name": "home", "type": "composite", "optional": false, "elements": [{"name": "city", "type": "string"}]}],
             "relationships": [{"name": "shops", "destination": "Shop", "inverse": "owner", "toMany": true}],
             "fetchedProperties": [
                {"name": "localShops", "fetchRequest": {"entity": "Shop", "predicate": "location.area.city == $FETCH_SOURCE.home.city"}}]}]}
        """

    override func model() throws -> ManagedObjectModel { try ManagedObjectModel(jsonText: Self.json) }
    override func prepareStore() throws {}

    @discardableResult
    func shop(_ name: String, _ location: [String: Any]?, in context: ManagedObjectContext? = nil) throws -> ManagedObject {
        let shop = try (context ?? self.context).insertNewObject(forEntityName: "Shop")
        try shop.setValue(name, forKey: "name")
        try shop.setValue(location, forKey: "location")
        return shop
    }

    func names(_ format: String, sort: String = "name") throws -> [String] {
        var request = try FetchRequest("Shop")
        request.predicate = try PinviewPredicate(format: format)
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: sort)]
        return try context.fetch(request).compactMap { try $0.string("name") }
    }

    func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            XCTFail("no error")
            return ""
        } catch {
            return (error as? PinviewError)?.message ?? "\(error)"
        }
    }
}

final class CompositeAttributeTests: CompositeTestCase {
    func test_MDL_12_aCompositeIsADictionaryOfItsElements() throws {
        let shop = try shop("a", ["latitude": 48.5, "area": ["city": "Paris", "code": 7]])

        let location = try XCTUnwrap(try shop.value(forKey: "location") as? [String: Any])
        XCTAssertEqual(location["latitude"] as? Double, 48.5)
        XCTAssertEqual(location["longitude"] as? Double, 5, "a missing element gets its default")
        XCTAssertEqual((location["area"] as? [String: Any])?["city"] as? String, "Paris")
        XCTAssertEqual((location["area"] as? [String: Any])?["code"] as? Int64, 7)
        XCTAssertEqual(try shop.attributeValue(forKey: "location.latitude"), 48.5)
        XCTAssertEqual(try shop.value(forKey: "location.area.city", as: String.self), "Paris")
        XCTAssertEqual((try shop.value(forKey: "location.area") as? [String: Any])?.count, 2)
        XCTAssertEqual(
            try shop.compositeValue(forKey: "location"),
            ["latitude": 48.5, "longitude": 5.0, "area.city": "Paris", "area.code": 7])
    }

    func test_MDL_12_aCompositeWithoutAnyValueIsNil() throws {
        let shop = try shop("a", nil)

        XCTAssertNil(try shop.value(forKey: "location"))
        XCTAssertNil(try shop.compositeValue(forKey: "location"))
        XCTAssertEqual(try shop.attributeValue(forKey: "location.longitude"), .null)
        try shop.setValue(1, forKey: "location.area.code")
        XCTAssertEqual((try shop.value(forKey: "location") as? [String: Any])?.keys.sorted(), ["area"])
        try shop.setValue(["latitude": 1.0, "area": nil] as [String: Any?], forKey: "location")
        XCTAssertNil(try shop.value(forKey: "location.area"))
    }

    func test_MDL_12_aNewObjectHasTheDefaultsOfTheElements() throws {
        let shop = try context.insertNewObject(forEntityName: "Shop")

        XCTAssertEqual(try shop.compositeValue(forKey: "location")?["longitude"], 5.0)
        XCTAssertEqual(try shop.compositeValue(forKey: "location")?["latitude"], .null)
    }

    func test_MDL_12_valuesThatDoNotFitChangeNothing() throws {
        let shop = try shop("a", ["latitude": 1.0])
        let before = try shop.compositeValue(forKey: "location")

        let unknown = message { try shop.setValue(["latitude": 2.0, "height": 3.0], forKey: "location") }
        let wrong = message { try shop.setValue(["latitude": 2.0, "area": ["code": "x"]] as [String: Any], forKey: "location") }
        let plain = message { try shop.setValue(7, forKey: "location") }
        let flat = message { try shop.setCompositeValue(["latitude": 2.0, "area.height": 1], forKey: "location") }
        let odd = message { try shop.setValue(["latitude": Locale.current], forKey: "location") }

        XCTAssertTrue(unknown.contains("Shop.location") && unknown.contains("\"height\"") && unknown.contains("longitude"), unknown)
        XCTAssertTrue(wrong.contains("Shop.location.area.code"), wrong)
        XCTAssertTrue(plain.contains("Shop.location is a composite attribute"), plain)
        XCTAssertTrue(flat.contains("\"area.height\""), flat)
        XCTAssertTrue(odd.contains("Shop.location.latitude"), odd)
        XCTAssertEqual(try shop.compositeValue(forKey: "location"), before)
    }

    func test_MDL_12_theWholeIsNoAttributeOfItsOwn() throws {
        let shop = try shop("a", nil)

        for text in [
            message { _ = try shop.attributeValue(forKey: "location") },
            message { try shop.setAttributeValue(1, forKey: "location") },
            message { _ = try names("location == 1") },
            message { _ = try names("location.area == 1") },
            message { _ = try names("name != nil", sort: "location") },
        ] {
            XCTAssertTrue(text.contains("composite attribute") && text.contains("location.area.city"), text)
        }
        XCTAssertTrue(message { _ = try shop.compositeValue(forKey: "name") }.contains("not a composite"))
        XCTAssertTrue(message { _ = try shop.value(forKey: "location.height") }.contains("location.height"))
        XCTAssertTrue(message { _ = try names("location.height == 1") }.contains("location.height"))
    }

    func test_MDL_12_theElementsAreSavedAndReadAgain() throws {
        try shop("a", ["latitude": 48.5, "area": ["city": "Paris"]])
        try context.save()

        let reader = try makeContextOfSecondStack()
        let shop = try XCTUnwrap(try reader.fetch(FetchRequest("Shop")).first)

        XCTAssertEqual(
            try shop.compositeValue(forKey: "location"),
            ["latitude": 48.5, "longitude": 5.0, "area.city": "Paris", "area.code": .null])
    }

    func test_MDL_12_changesAreThoseOfElements() throws {
        let shop = try shop("a", ["latitude": 1.0])
        try context.save()

        try shop.setValue(["latitude": 2.0], forKey: "location")

        XCTAssertEqual(Set(try shop.changedValues().keys), ["location.latitude"])
        XCTAssertEqual(try shop.committedValues(forKeys: ["location.latitude"]), ["location.latitude": 1.0])
        try context.rollback()
        XCTAssertEqual(try shop.attributeValue(forKey: "location.latitude"), 1.0)
    }

    func test_MDL_12_undoTakesBackTheWholeAssignment() throws {
        context.undoManager = UndoManager()
        let shop = try shop("a", ["latitude": 1.0, "area": ["city": "Rome"]])
        try context.save()

        try shop.setValue(["latitude": 2.0, "area": ["city": "Oslo"]] as [String: Any], forKey: "location")
        try context.processPendingChanges()
        try context.undo()

        XCTAssertEqual(try shop.value(forKey: "location.latitude", as: Double.self), 1)
        XCTAssertEqual(try shop.value(forKey: "location.area.city", as: String.self), "Rome")
    }

    func test_MDL_12_elementsOfOneCompositeMergeOneByOne() throws {
        let mine = try shop("a", ["latitude": 1.0])
        try context.save()
        let theirs = try XCTUnwrap(try other.fetch(FetchRequest("Shop")).first)
        try theirs.setValue(50.0, forKey: "location.longitude")
        try other.save()

        context.mergePolicy = .mergeByPropertyObjectTrump
        try mine.setValue(2.0, forKey: "location.latitude")
        try context.save()

        XCTAssertEqual(try mine.value(forKey: "location.latitude", as: Double.self), 2)
        XCTAssertEqual(try mine.value(forKey: "location.longitude", as: Double.self), 50)
    }

    // MARK: Validation

    func test_MDL_12_validationNamesTheKeyPath() throws {
        let shop = try shop("a", ["longitude": 1.0])
        let missing = message { try context.save() }
        XCTAssertTrue(missing.contains("Shop.location.latitude") && missing.contains("required"), missing)

        try shop.setValue(91.0, forKey: "location.latitude")
        let large = message { try context.save() }
        XCTAssertTrue(large.contains("Shop.location.latitude") && large.contains("90"), large)

        try shop.setValue(90.0, forKey: "location.latitude")
        XCTAssertNoThrow(try context.save())
    }

    func test_MDL_12_anOptionalCompositeMayBeEmptyButNotHalfFull() throws {
        let shop = try shop("a", nil)
        XCTAssertNoThrow(try context.save())

        // The element that is required has not changed; its neighbour has.
        try shop.setValue("Rome", forKey: "location.area.city")
        let text = message { try context.save() }
        XCTAssertTrue(text.contains("Shop.location.latitude"), text)
        XCTAssertTrue(message { try shop.validate() }.contains("Shop.location.latitude"))
    }

    func test_MDL_12_aRequiredCompositeNeedsAValue() throws {
        let owner = try context.insertNewObject(forEntityName: "Owner")
        let text = message { try context.save() }
        XCTAssertTrue(text.contains("Owner.home") && text.contains("required"), text)
        XCTAssertTrue(message { try owner.validate() }.contains("Owner.home"))

        try owner.setValue(["city": "Rome"], forKey: "home")
        try context.save()
        try owner.setValue(nil, forKey: "home")
        XCTAssertTrue(message { try context.save() }.contains("Owner.home"))
    }
}

/// MDL-12: elements of composite attributes in requests.
final class CompositeRequestTests: CompositeTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        let owner = try context.insertNewObject(forEntityName: "Owner")
        try owner.setValue("o", forKey: "name")
        try owner.setValue(["city": "Oslo"], forKey: "home")
        try shop("a", ["latitude": 59.0, "area": ["city": "Oslo", "code": 3]]).setValue(owner, forKey: "owner")
        try shop("b", ["latitude": 48.0, "longitude": 2.0, "area": ["city": "Paris", "code": 1]] as [String: Any])
        try shop("c", nil)
        try context.save()
    }

    func test_MDL_12_predicatesAndSortingUseKeyPaths() throws {
        for isPending in [false, true] {
            if isPending { try shop("z", ["latitude": 10.0, "area": ["city": "Lagos", "code": 2]]) }
            XCTAssertEqual(try names("location.latitude > 50"), ["a"])
            XCTAssertEqual(try names("location.latitude == nil"), ["c"])
            XCTAssertEqual(try names("location.area.city BEGINSWITH 'P' AND location.longitude < 3"), ["b"])
            XCTAssertEqual(try names("ANY owner.shops.location.area.city == 'Oslo'"), ["a"])
            XCTAssertEqual(try names("owner.home.city == location.area.city AND owner != nil"), ["a"])
            XCTAssertEqual(try names("location.area.code > 0", sort: "location.area.code"), isPending ? ["b", "z", "a"] : ["b", "a"])
        }
        let shop = try XCTUnwrap(try context.fetch(FetchRequest("Shop")).first { try $0.string("name") == "a" })
        XCTAssertTrue(try PinviewPredicate(format: "location.area.city == 'Oslo'").evaluate(with: shop))
    }

    func test_MDL_12_dictionariesHaveTheElementsInPlaceOfTheWhole() throws {
        var request = try FetchRequest("Shop")
        request.predicate = try PinviewPredicate(format: "name == 'b'")
        request.propertiesToFetch = ["name", "location.area", "location.latitude"]
        let row = try XCTUnwrap(try context.fetchDictionaries(request).first)
        XCTAssertEqual(row, ["name": "b", "location.area.city": "Paris", "location.area.code": 1, "location.latitude": 48.0])

        request.predicate = try PinviewPredicate(format: "name == 'a'")
        request.propertiesToFetch = ["owner.home"]
        XCTAssertEqual(try context.fetchDictionaries(request).first, ["owner.home.city": "Oslo"])
    }

    func test_MDL_12_fetchedPropertiesAndSectionsUseKeyPaths() throws {
        let owner = try XCTUnwrap(try context.fetch(FetchRequest("Owner")).first)
        XCTAssertEqual((try owner.value(forKey: "localShops") as? [ManagedObject])?.compactMap { try? $0.string("name") }, ["a"])

        var request = try FetchRequest("Shop")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "location.area.city")]
        let controller = try FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "location.area.city")
        try controller.performFetch()
        XCTAssertEqual(controller.sections?.map(\.name), ["", "Oslo", "Paris"])
    }

    func test_MDL_12_batchUpdatesAndIndexesUseTheColumns() throws {
        var update = BatchUpdateRequest(entityName: "Shop")
        update.propertiesToUpdate = ["location.area.code": 9]
        update.predicate = try PinviewPredicate(format: "location.area.city == 'Oslo'")
        try context.execute(update)
        XCTAssertEqual(try names("location.area.code == 9"), ["a"])

        var request = try FetchRequest("Shop")
        request.predicate = try PinviewPredicate(format: "location.latitude == 48")
        let plan = try context.explain(request).flatMap(\.queryPlan).joined()
        XCTAssertTrue(plan.contains("Z_Shop_byLatitude"), plan)
    }

    func test_MDL_12_columnsAreNamedAfterTheElements() throws {
        let lines = try logged { _ = try names("location.area.code == 9 AND location.latitude < 3") }
        XCTAssertTrue(lines.contains { $0.contains("ZCODE") && $0.contains("ZLATITUDE") }, "\(lines)")
    }

    func test_MDL_12_historyNamesTheElements() throws {
        let coordinator = try makeCoordinator(try model(), name: "history.sqlite", options: ["NSPersistentHistoryTrackingKey": true])
        let writer = try makeContext(coordinator)
        let shop = try shop("h", ["latitude": 1.0], in: writer)
        try writer.save()
        try shop.setValue(["latitude": 2.0, "area": ["code": 4]] as [String: Any], forKey: "location")
        try writer.save()

        guard case .transactions(let transactions) = try writer.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil)) else {
            return XCTFail("no transactions")
        }
        XCTAssertEqual(Set(transactions.last?.changes.first?.updatedProperties ?? []), ["location.latitude", "location.area.code"])
    }
}
