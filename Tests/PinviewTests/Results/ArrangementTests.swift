import RandomSupport
import XCTest

@testable import Pinview

/// A change of few objects is planned without looking at the others, and is the same as one that is
/// planned from the whole new order. `PINVIEW_SEED` makes the tests choose otherwise.
final class ArrangementTests: StoreTestCase {
    /// An object and what its place depends on.
    private final class Item {
        let arranged: ArrangedObject
        var key = 0

        init(_ arranged: ArrangedObject) { self.arranged = arranged }

        func take(_ random: inout SeededGenerator, _ name: (Int) -> String) {
            key = random.below(60)
            arranged.sectionName = SectionName(name(key))
        }
    }

    private func items(_ count: Int) throws -> [Item] {
        let context = try makeContext(try makeCoordinator())
        return try (0..<count).map { _ in Item(ArrangedObject(try context.insertNewObject(forEntityName: "Person"))) }
    }

    private func text(_ changes: Arrangement.Changes) -> String {
        func name(_ object: ManagedObject) -> String { "\(object.key.primaryKey)" }
        return """
            sections -\(changes.deletedSections) +\(changes.insertedSections)
            deleted \(changes.deleted.map { "\(name($0.object)) \($0.from)" })
            inserted \(changes.inserted.map { "\(name($0.object)) \($0.to)" })
            moved \(changes.moved.map { "\(name($0.object)) \($0.from) \($0.to)" })
            updated \(changes.updated.map { "\(name($0.object)) \($0.from) \($0.to)" })
            """
    }

    private func text(_ sections: ArrangedSections) -> String {
        sections.indices.map { "\(sections.name($0).text) \(sections.range($0))" }.joined(separator: ", ")
    }

    /// - Parameter name: the name of the section of a key.
    /// - Returns: how many changes were planned as those of few objects, and how many could not be.
    private func run(hasSectionNames: Bool = true, steps: Int = 600, _ name: @escaping (Int) -> String) throws -> (few: Int, others: Int) {
        var random = SeededGenerator.announced("ArrangementTests")
        let items = try items(40)
        var arrangement = Arrangement(hasSectionNames: hasSectionNames, sectionsPerPage: 3), order: [Item] = [],
            counts = (few: 0, others: 0)
        for step in 0..<steps {
            // Now and then almost nothing is left, so that sections vanish.
            let share = step / 60 % 3 == 2 ? 8 : 4
            var leaving: [Item] = [], entering: [Item] = [], changed: [Item] = []
            for item in items.shuffled(using: &random).prefix(1 + random.below(5)) {
                if item.arranged.index >= 0, random.below(10) < share {
                    item.arranged.isLeaving = true
                    leaving.append(item)
                    continue
                }
                // As a controller has it, which counts new objects as changed.
                item.arranged.isChanged = true
                changed.append(item)
                guard item.arranged.index < 0 || random.below(3) > 0 else { continue }
                item.take(&random, name)
                item.arranged.isLeaving = item.arranged.index >= 0
                entering.append(item)
            }
            let rest = order.filter { item in !(leaving + entering).contains { $0 === item } }
            entering.sort { ($0.key, $0.arranged.index) < ($1.key, $1.arranged.index) }
            let places = entering.map { item in rest.firstIndex { $0.key > item.key } ?? rest.count }
            var new = rest
            for (item, place) in zip(entering, places).reversed() { new.insert(item, at: place) }

            let whole = arrangement.plan(new.map(\.arranged))
            for item in items { item.arranged.newIndex = -1 }
            let few = arrangement.plan(
                entering: zip(entering, places).map { ($0.arranged, $1) }, leaving: leaving.map(\.arranged),
                changed: changed.map(\.arranged))
            var other = Arrangement(hasSectionNames: hasSectionNames)
            if let few {
                counts.few += 1
                XCTAssertEqual(text(few.changes), text(whole.changes), "PINVIEW_SEED=\(random.seed), step \(step)")
                arrangement.carryOut(few)
            } else {
                counts.others += 1
                _ = arrangement.plan(new.map(\.arranged))
                arrangement.carryOut(whole)
            }
            for item in items {
                XCTAssertEqual(item.arranged.newIndex, -1, "PINVIEW_SEED=\(random.seed), step \(step)")
                (item.arranged.isLeaving, item.arranged.isChanged) = (false, false)
            }
            XCTAssertTrue(arrangement.objects.all.elementsEqual(new.map(\.arranged), by: ===), "PINVIEW_SEED=\(random.seed), step \(step)")
            let copies = new.map { item in
                let copy = ArrangedObject(item.arranged.object)
                copy.sectionName = item.arranged.sectionName
                return copy
            }
            other.carryOut(other.plan(copies))
            XCTAssertEqual(text(arrangement.sections), text(other.sections), "PINVIEW_SEED=\(random.seed), step \(step)")
            for item in new {
                XCTAssertEqual(
                    arrangement.indexPath(of: item.arranged.object), other.indexPath(of: item.arranged.object),
                    "PINVIEW_SEED=\(random.seed), step \(step)")
            }
            order = new
        }
        return counts
    }

    func test_fewObjectsOfSectionsInTheirOrder() throws {
        XCTAssertEqual(try run { "\($0 / 6)" }.others, 0)
    }

    func test_fewObjectsWhereAnyMayHaveASectionOfItsOwn() throws {
        XCTAssertEqual(try run { "\($0)" }.others, 0)
    }

    func test_fewObjectsOfOneSection() throws {
        XCTAssertEqual(try run(hasSectionNames: false) { _ in "" }.others, 0)
    }

    /// Where several sections have the same name, all objects are looked at.
    func test_sectionsThatAreScattered() throws {
        let counts = try run { "\($0 / 6 % 9)" }
        XCTAssertGreaterThan(counts.few, 20)
        XCTAssertGreaterThan(counts.others, 20)
    }
}
