import Pinview
import Synchronization
import XCTest

/// Many deletions at once: the objects that their delete rules concern are read and written
/// together (issue 20).
final class DeletingManyTests: StackTestCase {
    private static let count = 60

    /// A Book on an ordered shelf, with a card (to one), tags (to many) and chapters that go with
    /// it, each of which leaves its notes behind.
    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        func relationship(
            _ name: String, _ destination: String, _ inverse: String, isToMany: Bool = false, isOrdered: Bool = false,
            _ rule: DeleteRule = .nullify
        ) -> RelationshipDescription {
            RelationshipDescription(
                name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: isToMany, isOrdered: isOrdered,
                deleteRule: rule)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Book", attributes: [name],
                relationships: [
                    relationship("shelf", "Shelf", "books"), relationship("card", "Card", "book"),
                    relationship("tags", "Tag", "books", isToMany: true),
                    relationship("chapters", "Chapter", "book", isToMany: true, .cascade),
                ]),
            EntityDescription(
                name: "Shelf", attributes: [name], relationships: [relationship("books", "Book", "shelf", isToMany: true, isOrdered: true)]),
            EntityDescription(name: "Card", attributes: [name], relationships: [relationship("book", "Book", "card")]),
            EntityDescription(name: "Tag", attributes: [name], relationships: [relationship("books", "Book", "tags", isToMany: true)]),
            EntityDescription(
                name: "Chapter", attributes: [name],
                relationships: [relationship("book", "Book", "chapters"), relationship("notes", "Note", "chapter", isToMany: true)]),
            EntityDescription(name: "Note", attributes: [name], relationships: [relationship("chapter", "Chapter", "notes")]),
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        func make(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.insertNewObject(forEntityName: entity)
            try object.setValue(name, forKey: "name")
            return object
        }
        let shelf = try make("Shelf", "shelf"), tags = try ["red", "green"].map { try make("Tag", $0) }
        for number in 0..<Self.count {
            let book = try make("Book", "book\(number)")
            try shelf.addRelatedObject(book, forKey: "books")
            try book.setRelatedObject(try make("Card", "card\(number)"), forKey: "card")
            for tag in tags { try book.addRelatedObject(tag, forKey: "tags") }
            for chapter in 0..<2 {
                let chapter = try make("Chapter", "chapter\(number)-\(chapter)")
                try book.addRelatedObject(chapter, forKey: "chapters")
                // A second chapter's notes are written before those of the first.
                for note in 0..<2 { try (try make("Note", "note\(number)-\(note)")).setRelatedObject(chapter, forKey: "chapter") }
            }
        }
        try context.save()
    }

    private func books(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest(entityName: "Book")
        request.returnsObjectsAsFaults = false
        return try Array(try context.fetch(request)).filter { try $0.string("name")?.hasSuffix("0") == false }
    }

    private func stored(_ text: String) throws -> String { try sqlite3(text) }

    func test_REL_06_theRelatedObjectsOfManyAreReadWithOneStatementForEachRelationship() throws {
        let books = try books(context)
        for book in books { try context.delete(book) }
        // The cards, the tags, the chapters; then the chapters' notes.
        XCTAssertEqual(try selects { try context.processPendingChanges() }, 4)
        XCTAssertEqual(context.deletedObjects.count, books.count * 3)
        XCTAssertEqual(context.updatedObjects.filter { $0.entity.name == "Note" }.count, books.count * 4)
        XCTAssertEqual(context.updatedObjects.filter { $0.entity.name == "Card" }.count, books.count)
        XCTAssertEqual(context.updatedObjects.filter { $0.entity.name == "Tag" }.count, 2)
        try context.save()
        let left = Self.count - books.count
        XCTAssertEqual(try stored("SELECT count(*) FROM ZBOOK"), "\(left)")
        XCTAssertEqual(try stored("SELECT count(*), count(ZBOOK) FROM ZCARD"), "\(Self.count)|\(left)")
        XCTAssertEqual(try stored("SELECT count(*), count(ZBOOK) FROM ZCHAPTER"), "\(left * 2)|\(left * 2)")
        XCTAssertEqual(try stored("SELECT count(*), count(ZCHAPTER) FROM ZNOTE"), "\(Self.count * 4)|\(left * 4)")
        let reader = try makeContext(coordinator)
        for tag in try reader.fetch(FetchRequest(entityName: "Tag")) {
            XCTAssertEqual(try tag.countOfRelatedObjects(forKey: "books"), left)
        }
    }

    func test_REL_06_aPinnedContextReadsThemAtItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let books = try books(context)
        for card in try other.fetch(FetchRequest(entityName: "Card")) { try card.setValue("renamed", forKey: "name") }
        try other.save()
        for book in books { try context.delete(book) }
        try context.processPendingChanges()
        let cards = context.updatedObjects.filter { $0.entity.name == "Card" }
        XCTAssertEqual(cards.count, books.count)
        XCTAssertTrue(try cards.allSatisfy { try $0.string("name")?.hasPrefix("card") == true })
        // The cards have changed since: their versions are compared all the same.
        assertError(.managedObjectMerge, try context.save())
    }

    func test_REL_06_oneThatCannotBeReadLeavesTheOthersToTheirRules() throws {
        let books = try books(context)
        // A chapter whose row has the number of an entity that the model lacks.
        _ = try stored("UPDATE ZCHAPTER SET Z_ENT = 99 WHERE ZNAME = 'chapter21-0'")
        for book in books { try context.delete(book) }
        XCTAssertThrowsError(try context.processPendingChanges())
        XCTAssertGreaterThan(context.updatedObjects.filter { $0.entity.name == "Card" }.count, 0)
        XCTAssertThrowsError(try context.save())
        _ = try stored("UPDATE ZCHAPTER SET Z_ENT = (SELECT max(Z_ENT) FROM ZCHAPTER WHERE Z_ENT < 99) WHERE Z_ENT = 99")
        try context.save()
        XCTAssertEqual(try stored("SELECT count(*) FROM ZBOOK"), "\(Self.count - books.count)")
    }

    func test_UND_03_undoBringsBackAllOfThem() throws {
        let books = try books(context), shelf = try XCTUnwrap(context.fetch(FetchRequest(entityName: "Shelf")).first)
        let order = try shelf.relatedObjects(forKey: "books")
        for book in books { try context.delete(book) }
        try context.processPendingChanges()
        XCTAssertEqual(try shelf.countOfRelatedObjects(forKey: "books"), Self.count - books.count)
        try context.undo()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try shelf.relatedObjects(forKey: "books"), order)
        for book in books {
            XCTAssertEqual(try book.countOfRelatedObjects(forKey: "chapters"), 2)
            XCTAssertTrue(try XCTUnwrap(try book.relatedObject(forKey: "card")).relatedObject(forKey: "book") === book)
        }
    }

    func test_SAV_01_changedRowsAreWrittenInTheOrderOfTheirKeys() throws {
        let books = try books(context).shuffled()
        for book in books { try context.delete(book) }
        try context.processPendingChanges()
        let updates = try logged { try context.save() }.filter { $0.contains("UPDATE ZNOTE") }
        // All of a range of keys.
        XCTAssertEqual(updates.count, 1, "\(updates)")
    }

    func test_REL_06_withHooksTheyAreReadTogetherAsWell() throws {
        let model = try model(), prepared = Mutex(0)
        var hooks = EntityHooks()
        hooks.prepareForDeletion = { _ in prepared.withLock { $0 += 1 } }
        try model.setHooks(hooks, forEntityNamed: "Chapter")
        let context = try makeContext(try makeCoordinator(model))
        let books = try books(context)
        for book in books { try context.delete(book) }
        XCTAssertEqual(try selects { try context.processPendingChanges() }, 4)
        XCTAssertEqual(prepared.withLock { $0 }, books.count * 2)
        XCTAssertEqual(context.deletedObjects.count, books.count * 3)
    }

    /// Undoing a deletion while the rules are applied does not affect the others.
    func test_REL_06_aHookMayTakeBackADeletionWhoseDestinationsAreLoaded() throws {
        let model = try model()
        var hooks = EntityHooks()
        hooks.prepareForDeletion = { chapter in
            guard try chapter.string("name") == "chapter7-0", let book = try chapter.relatedObject(forKey: "book") else { return }
            try chapter.managedObjectContext?.refresh(book, mergeChanges: false)
        }
        try model.setHooks(hooks, forEntityNamed: "Chapter")
        let context = try makeContext(try makeCoordinator(model))
        let books = try books(context), kept = try XCTUnwrap(books.first { try $0.string("name") == "book7" })
        for book in books { try context.delete(book) }
        try context.processPendingChanges()
        XCTAssertFalse(kept.isDeleted)
        XCTAssertEqual(context.deletedObjects.filter { $0.entity.name == "Book" }.count, books.count - 1)
        try context.save()
        XCTAssertEqual(try stored("SELECT count(*) FROM ZBOOK"), "\(Self.count - books.count + 1)")
    }

    /// Several deleted objects whose rule leads to the same one.
    func test_REL_06_aDestinationThatManyLeadToIsReadOnce() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Leaf",
                relationships: [
                    RelationshipDescription(
                        name: "tree", destinationEntityName: "Tree", inverseRelationshipName: "leaves", deleteRule: .cascade)
                ]),
            EntityDescription(
                name: "Tree",
                relationships: [
                    RelationshipDescription(name: "leaves", destinationEntityName: "Leaf", inverseRelationshipName: "tree", isToMany: true)
                ]),
        ])
        let coordinator = try makeCoordinator(model, name: "trees.sqlite")
        let writer = try makeContext(coordinator), tree = try writer.insertNewObject(forEntityName: "Tree")
        for _ in 0..<100 { try writer.insertNewObject(forEntityName: "Leaf").setRelatedObject(tree, forKey: "tree") }
        try writer.save()
        let context = try makeContext(coordinator)
        var request = FetchRequest(entityName: "Leaf")
        request.returnsObjectsAsFaults = false
        for leaf in try Array(context.fetch(request))[..<50] { try context.delete(leaf) }
        try context.save()
        XCTAssertEqual(try makeContext(coordinator).count(for: FetchRequest(entityName: "Tree")), 0)
        XCTAssertEqual(try makeContext(coordinator).count(for: FetchRequest(entityName: "Leaf")), 50)
    }

    func test_REL_06_readingThemEndsWithTheTimeout() throws {
        let books = try books(context)
        for book in books { try context.delete(book) }
        try context.setTimeout(1e-9)
        assertError(.timedOut, try context.processPendingChanges())
        XCTAssertEqual(context.deletedObjects.count, books.count, "no rule has been applied")
        try context.setTimeout(nil)
        try context.save()
        XCTAssertEqual(try stored("SELECT count(*) FROM ZBOOK"), "\(Self.count - books.count)")
        XCTAssertEqual(try stored("SELECT count(*) FROM ZCHAPTER"), "\((Self.count - books.count) * 2)")
    }

    func test_SAV_01_rowsWithDifferentChangesAreWrittenTogetherByTheirChanges() throws {
        let notes = try Array(context.fetch(FetchRequest(entityName: "Note")))
        for (number, note) in notes.enumerated() {
            if number % 3 != 0 { try note.setValue("renamed", forKey: "name") }
            if number % 3 != 1 { try note.setRelatedObject(nil, forKey: "chapter") }
        }
        let updates = try logged { try context.save() }.filter { $0.contains("UPDATE ZNOTE") }
        XCTAssertLessThan(updates.count, 12, "\(notes.count) rows, three kinds of changes")
        XCTAssertEqual(try stored("SELECT count(*) FROM ZNOTE WHERE ZNAME = 'renamed'"), "\(notes.count * 2 / 3)")
        XCTAssertEqual(try stored("SELECT count(*) FROM ZNOTE WHERE ZCHAPTER IS NULL"), "\(notes.count * 2 / 3)")
        XCTAssertEqual(try stored("SELECT count(*) FROM ZNOTE WHERE ZNAME = 'renamed' AND ZCHAPTER IS NULL"), "\(notes.count / 3)")
    }

    // MARK: Order

    func test_REL_06_aMemberThatIsDeletedLeavesTheOrderOfTheOthersUnread() throws {
        let books = try books(context), shelf = try XCTUnwrap(context.fetch(FetchRequest(entityName: "Shelf")).first)
        for book in books { try context.delete(book) }
        try context.processPendingChanges()
        let statements = try logged { try context.save() }
        XCTAssertEqual(statements.filter { $0.contains("Z_FOK_SHELF") }, [])
        XCTAssertTrue(try shelf.hasFault(forRelationshipNamed: "books"))
        let reader = try makeContext(coordinator)
        let left = try XCTUnwrap(reader.fetch(FetchRequest(entityName: "Shelf")).first).relatedObjects(forKey: "books")
        XCTAssertEqual(try left.map { try $0.string("name") }, stride(from: 0, to: Self.count, by: 10).map { "book\($0)" })
    }

    func test_REL_06_anOrderThatChangedTooIsWritten() throws {
        let shelf = try XCTUnwrap(context.fetch(FetchRequest(entityName: "Shelf")).first)
        let books = try shelf.relatedObjects(forKey: "books")
        try shelf.insertRelatedObject(books[2], at: 0, forKey: "books")
        for book in books[3...] { try context.delete(book) }
        try context.save()
        let reader = try makeContext(coordinator)
        let left = try XCTUnwrap(reader.fetch(FetchRequest(entityName: "Shelf")).first).relatedObjects(forKey: "books")
        XCTAssertEqual(try left.map { try $0.string("name") }, ["book2", "book0", "book1"])
    }

    func test_NST_11_anOrderThatOnlyLostMembersStaysThatOfTheParent() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let shelf = try XCTUnwrap(child.fetch(FetchRequest(entityName: "Shelf")).first)
        let books = try shelf.relatedObjects(forKey: "books")
        for book in books[5...] { try child.delete(book) }
        let own = try XCTUnwrap(context.fetch(FetchRequest(entityName: "Shelf")).first)
        try own.insertRelatedObject(try own.relatedObjects(forKey: "books")[4], at: 0, forKey: "books")
        try child.save()
        XCTAssertEqual(
            try own.relatedObjects(forKey: "books").map { try $0.string("name") }, ["book4", "book0", "book1", "book2", "book3"])
    }
}
