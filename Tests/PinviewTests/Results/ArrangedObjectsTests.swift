import RandomSupport
import XCTest

@testable import Pinview

/// The list of a results controller's objects is an ordinary list, although it is kept on pages.
/// `PINVIEW_SEED` makes the tests choose otherwise.
final class ArrangedObjectsTests: StoreTestCase {
    private func arranged(_ count: Int) throws -> [ArrangedObject] {
        let context = try makeContext(try makeCoordinator())
        return try (0..<count).map { _ in ArrangedObject(try context.insertNewObject(forEntityName: "Person")) }
    }

    private func expect(_ list: ArrangedObjects, _ model: [ArrangedObject], _ seed: UInt64, line: UInt = #line) {
        XCTAssertEqual(list.count, model.count, "PINVIEW_SEED=\(seed)", line: line)
        XCTAssertTrue(list.all.elementsEqual(model, by: ===), "PINVIEW_SEED=\(seed)", line: line)
        for (index, object) in model.enumerated() {
            XCTAssertTrue(list[index] === object, "PINVIEW_SEED=\(seed), index \(index)", line: line)
            XCTAssertEqual(object.index, index, "PINVIEW_SEED=\(seed)", line: line)
        }
    }

    /// Pages of few objects are divided and emptied all the time.
    func test_objectsArePutInAndTakenOutAnywhere() throws {
        var random = SeededGenerator.announced("ArrangedObjectsTests")
        var others = try arranged(120), model: [ArrangedObject] = [], list = ArrangedObjects(pageSize: 3)
        for step in 0..<4_000 {
            // Long runs of either, so that the list is often empty and often full.
            let putsIn = random.below(10) < (step / 300 % 2 == 0 ? 8 : 2)
            if putsIn, !others.isEmpty {
                let object = others.remove(at: random.below(others.count)), index = random.below(model.count + 1)
                list.insert(object, at: index)
                model.insert(object, at: index)
            } else if !model.isEmpty {
                let object = model.remove(at: random.below(model.count))
                list.remove(object)
                others.append(object)
                XCTAssertEqual(object.index, -1)
            }
            if step % 20 == 0 { expect(list, model, random.seed) }
            let start = random.below(model.count + 1), range = start..<start + random.below(model.count - start + 1)
            XCTAssertTrue(list[range].elementsEqual(model[range], by: ===), "PINVIEW_SEED=\(random.seed), \(range)")
        }
        expect(list, model, random.seed)
    }

    func test_aListTakesOverTheObjectsOfAnother() throws {
        let objects = try arranged(20)
        var list = ArrangedObjects(objects, pageSize: 4)
        list.leave(objects[3])
        list = ArrangedObjects(Array(objects.reversed().filter { $0 !== objects[3] }), pageSize: 5)
        XCTAssertEqual(objects[3].index, -1)
        expect(list, objects.reversed().filter { $0 !== objects[3] }, 0)
    }

    func test_takingOutAnObjectThatIsNotThereDoesNothing() throws {
        let objects = try arranged(3)
        var list = ArrangedObjects(Array(objects[..<2]))
        list.remove(objects[2])
        expect(list, Array(objects[..<2]), 0)
    }
}
