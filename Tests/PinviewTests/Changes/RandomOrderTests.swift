import Pinview
import RandomSupport
import XCTest

/// Ordered relationships of all kinds under random changes, compared with a plain list: in the
/// context that changes them, after undoing and redoing, and in the file as another context reads
/// it. `PINVIEW_SEED` makes the test choose otherwise.
final class RandomOrderTests: StackTestCase {
    /// The relationships of a club, by what leads back.
    private static let kinds = ["people", "guests", "visitors"]

    override func model() throws -> ManagedObjectModel {
        func ordered(_ name: String, inverse: String?) -> RelationshipDescription {
            RelationshipDescription(
                name: name, destinationEntityName: "Person", inverseRelationshipName: inverse, isToMany: true, isOrdered: true)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Club",
                relationships: [
                    ordered("people", inverse: "club"), ordered("guests", inverse: "clubs"), ordered("visitors", inverse: nil),
                ]),
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "number", attributeType: .integer64)],
                relationships: [
                    RelationshipDescription(
                        name: "club", destinationEntityName: "Club", inverseRelationshipName: "people", isToMany: false),
                    RelationshipDescription(
                        name: "clubs", destinationEntityName: "Club", inverseRelationshipName: "guests", isToMany: true),
                ]),
        ])
    }

    override func prepareStore() throws {}

    /// A club whose relationship is changed, and a list that is changed in the same way.
    private struct Run {
        let kind: String
        let club: ManagedObject
        let people: [ManagedObject]
        var list: [ManagedObject] = []
        var undone: [[ManagedObject]] = []
        var done: [[ManagedObject]] = []
        var random: SeededGenerator

        private func stranger(_ random: inout SeededGenerator) -> ManagedObject? {
            let others = people.filter { !list.contains($0) }
            return others.isEmpty ? nil : others[random.below(others.count)]
        }

        /// Changes the relationship and the list.
        mutating func change() throws {
            let before = list
            switch random.below(8) {
            case 0, 1:
                guard let person = stranger(&random) else { return }
                let place = random.below(list.count + 1)
                try club.insertRelatedObject(person, at: place, forKey: kind)
                list.insert(person, at: place)
            case 2:
                guard let person = stranger(&random) else { return }
                try club.addRelatedObject(person, forKey: kind)
                list.append(person)
            case 3, 4:
                guard !list.isEmpty else { return }
                // Often the first or the last one.
                let from = [0, list.count - 1, random.below(list.count)][random.below(3)]
                let to = [0, list.count - 1, random.below(list.count)][random.below(3)]
                let person = list.remove(at: from)
                try club.insertRelatedObject(person, at: to, forKey: kind)
                list.insert(person, at: to)
            case 5:
                guard !list.isEmpty else { return }
                let person = list.remove(at: random.below(3) == 0 ? list.count - 1 : random.below(list.count))
                try club.removeRelatedObject(person, forKey: kind)
            case 6:
                list = people.filter { _ in random.below(2) == 0 }
                for place in list.indices.reversed() { list.swapAt(place, random.below(place + 1)) }
                try club.setRelatedObjects(list, forKey: kind)
            default:
                list.reverse()
                try club.setRelatedObjects(list, forKey: kind)
            }
            if list != before {
                done.append(before)
                undone = []
            }
        }
    }

    private func order(_ kind: String, in context: ManagedObjectContext) throws -> [Int64] {
        let club = try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Club")).first)
        return try numbers(try club.relatedObjects(forKey: kind))
    }

    private func numbers(_ people: [ManagedObject]) throws -> [Int64] { try people.map { try $0.integer("number") ?? -1 } }

    /// The places that a file has for the members before the changes.
    private enum Places: CaseIterable {
        case usual
        /// One after the other, so that nothing fits between two.
        case dense
        /// None, as of members whose relationship was not ordered before.
        case none
    }

    /// Gives all members other places in the file.
    private func setPlaces(_ places: Places, _ file: String) throws {
        if places == .usual { return }
        let columns = try sqlite3(
            "SELECT m.name || ' ' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name LIKE 'Z_FOK_%';", file: file)
        for line in columns.split(separator: "\n") {
            let names = line.split(separator: " ").map { "\"\($0)\"" }, table = names[0], column = names[1]
            try sqlite3(
                places == .none
                    ? "UPDATE \(table) SET \(column) = NULL;"
                    : """
                    CREATE TEMP TABLE new AS SELECT \(column) AS old, row_number() OVER (ORDER BY \(column)) AS place
                        FROM \(table) WHERE \(column) IS NOT NULL;
                    UPDATE \(table) SET \(column) = (SELECT place FROM new WHERE old = \(column)) WHERE \(column) IS NOT NULL;
                    """, file: file)
        }
    }

    func test_ONE_02_anOrderIsThatOfAList() throws {
        var random = SeededGenerator.announced("RandomOrderTests")
        for (kind, places) in Self.kinds.flatMap({ kind in Places.allCases.map { (kind, $0) } }) {
            let file = "\(kind)-\(places).sqlite", size = [5, 40, 200][random.below(3)]
            let coordinator = try makeCoordinator(try model(), name: file)
            try fill(try makeContext(coordinator), kind, size, &random)
            try setPlaces(places, file)
            let context = try makeContext(coordinator)
            let club = try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Club")).first)
            let people = Array(try context.fetch(FetchRequest(entityName: "Person")))
            var run = Run(kind: kind, club: club, people: people, list: try club.relatedObjects(forKey: kind), random: random)
            var saved = run.list
            for step in 0..<(size > 100 ? 40 : 120) {
                let message = "PINVIEW_SEED=\(random.seed), \(file), \(size) people, step \(step)"
                switch run.random.below(12) {
                case 0...5: try run.change()
                case 6:
                    try context.undo()
                    if let before = run.done.popLast() {
                        run.undone.append(run.list)
                        run.list = before
                    }
                case 7:
                    try context.redo()
                    if let after = run.undone.popLast() {
                        run.done.append(run.list)
                        run.list = after
                    }
                case 8, 9:
                    try context.save()
                    saved = run.list
                    XCTAssertEqual(try order(kind, in: try makeContext(coordinator)), try numbers(saved), message)
                case 10 where run.random.below(4) == 0:
                    try context.rollback()
                    (run.list, run.done, run.undone) = (saved, [], [])
                case 10: try context.refreshAllObjects()
                default: try context.refresh(club, mergeChanges: true)
                }
                try context.processPendingChanges()
                let shown = try club.relatedObjects(forKey: kind)
                XCTAssertEqual(try numbers(shown), try numbers(run.list), message)
                guard shown == run.list else { return }
                guard kind == "people" else { continue }
                let members = try people.filter { try $0.relatedObject(forKey: "club") != nil }
                XCTAssertEqual(Set(members), Set(run.list), message)
            }
            random = run.random
        }
    }

    /// The last place that there can be is taken, so that the others make way.
    func test_ONE_02_aMemberIsAddedAfterTheLastPlaceThatThereCanBe() throws {
        var random = SeededGenerator.announced("RandomOrderTests")
        let file = "full.sqlite", coordinator = try makeCoordinator(try model(), name: file)
        try fill(try makeContext(coordinator), "people", 4, &random)
        try sqlite3("UPDATE ZPERSON SET Z_FOK_CLUB = \(Int64.max) WHERE Z_FOK_CLUB = (SELECT max(Z_FOK_CLUB) FROM ZPERSON);", file: file)
        let before = try order("people", in: try makeContext(coordinator)), context = try makeContext(coordinator)
        let club = try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Club")).first)
        let added = try context.insertNewObject(forEntityName: "Person")
        try added.setAttributeValue(.integer(99), forKey: "number")
        try added.setRelatedObject(club, forKey: "club")

        try context.save()

        XCTAssertEqual(try order("people", in: try makeContext(coordinator)), before + [99])
    }

    private func fill(_ context: ManagedObjectContext, _ kind: String, _ size: Int, _ random: inout SeededGenerator) throws {
        let club = try context.insertNewObject(forEntityName: "Club")
        var people: [ManagedObject] = []
        for number in 0..<size {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setAttributeValue(.integer(Int64(number)), forKey: "number")
            people.insert(person, at: random.below(people.count + 1))
        }
        try club.setRelatedObjects(people.dropLast(size / 4), forKey: kind)
        try context.save()
    }
}
