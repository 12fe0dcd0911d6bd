import Pinview
import RandomSupport
import XCTest

/// Members of many-to-many relationships, which many owners share: each one's row is read once
/// (issue 20, W16).
final class SharedMemberTests: StackTestCase {
    private static let postCount = 400, tagCount = 40
    private lazy var random = SeededGenerator.announced("SharedMemberTests")
    /// The names of each post's tags, sorted, and of its picks, in order.
    private var tags: [[String]] = [], picks: [[String]] = []

    /// A Post with tags and, in an order, picks. A Tag may be a Topic.
    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        let number = AttributeDescription(name: "number", attributeType: .integer64)
        func relationship(_ name: String, _ destination: String, _ inverse: String, isOrdered: Bool = false) -> RelationshipDescription {
            RelationshipDescription(
                name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: true, isOrdered: isOrdered)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Post", attributes: [number],
                relationships: [relationship("tags", "Tag", "posts"), relationship("picks", "Tag", "pickers", isOrdered: true)]),
            EntityDescription(
                name: "Tag", attributes: [name],
                relationships: [relationship("posts", "Post", "tags"), relationship("pickers", "Post", "picks")]),
            EntityDescription(name: "Topic", superentityName: "Tag"),
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let all = try (0..<Self.tagCount).map { number in
            let tag = try context.insertNewObject(forEntityName: number % 3 == 0 ? "Topic" : "Tag")
            try tag.setValue("tag\(number)", forKey: "name")
            return tag
        }
        for number in 0..<Self.postCount {
            let post = try context.insertNewObject(forEntityName: "Post")
            try post.setValue(number, forKey: "number")
            for key in ["tags", "picks"] {
                var names: [String] = []
                // Few have none, and some have many.
                let count = random.oneIn(9) ? 0 : 1 + random.below(random.oneIn(20) ? Self.tagCount : 4)
                for tag in all.shuffled(using: &random).prefix(count) {
                    try post.addRelatedObject(tag, forKey: key)
                    names.append(try tag.string("name") ?? "")
                }
                if key == "tags" { tags.append(names.sorted()) } else { picks.append(names) }
            }
        }
        try context.save()
    }

    private func posts(_ context: ManagedObjectContext, prefetching: [String] = []) throws -> FetchResult {
        var request = FetchRequest(entityName: "Post")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "number", ascending: true)]
        request.relationshipKeyPathsForPrefetching = prefetching
        return try context.fetch(request)
    }

    private func names(_ post: ManagedObject, _ key: String) throws -> [String] {
        let names = try post.relatedObjects(forKey: key).map { tag in
            let name = try tag.string("name") ?? ""
            XCTAssertEqual(tag.entity.name, Int(name.dropFirst(3)).map { $0 % 3 == 0 } == true ? "Topic" : "Tag")
            return name
        }
        return key == "tags" ? names.sorted() : names
    }

    private func check(_ post: ManagedObject, _ number: Int) throws {
        XCTAssertEqual(try names(post, "tags"), tags[number], "post \(number)")
        XCTAssertEqual(try names(post, "picks"), picks[number], "post \(number)")
    }

    func test_FLT_05_walkingFromOwnerToOwnerReadsEachMemberOfMany() throws {
        for pin in [nil, QueryGenerationToken.current] {
            let context = try makeContext(coordinator)
            try context.setQueryGeneration(from: pin)
            let posts = try posts(context)
            let read = try selects { for (number, post) in posts.enumerated() { try check(post, number) } }
            // The members of 1, 4, 16, 64 and 171 owners, which came in one block, and of 144 in
            // another. From 64 owners on, rows have statements of their own: of the tags that the
            // context has not seen by then, which are few.
            XCTAssertGreaterThanOrEqual(read, 2 * 6)
            XCTAssertLessThanOrEqual(read, 2 * (6 + 1))
        }
    }

    func test_FET_13_prefetchingReadsEachMemberOnce() throws {
        let context = try makeContext(coordinator)
        var found: FetchResult?
        // The posts, and for each relationship its keys; the rows of the tags, which the second one
        // needs no more.
        XCTAssertEqual(try selects { found = try posts(context, prefetching: ["tags", "picks"]) }, 4)
        let read = try selects { for (number, post) in try XCTUnwrap(found).enumerated() { try check(post, number) } }
        XCTAssertEqual(read, 0)
        XCTAssertLessThanOrEqual(context.registeredObjects.count, Self.postCount + Self.tagCount)
    }

    func test_FLT_05_whoeverJumpsAboutAndLetsObjectsGoFindsTheSame() throws {
        for pin in [nil, QueryGenerationToken.current] {
            let context = try makeContext(coordinator)
            try context.setQueryGeneration(from: pin)
            var kept: [ManagedObject] = []
            let posts = try posts(context)
            var place = 0
            for _ in 0..<600 {
                place = random.oneIn(25) ? random.below(Self.postCount) : (place + 1) % Self.postCount
                try check(posts[place], place)
                if random.oneIn(40) { kept += try posts[place].relatedObjects(forKey: "tags") }
                if random.oneIn(60) { kept = [] }
                if random.oneIn(30) { try context.refresh(posts[random.below(Self.postCount)], mergeChanges: false) }
                if random.oneIn(200) { try context.refreshAllObjects() }
            }
        }
    }

    /// Rows that the context has are not read again, and its objects may be gone by the time that
    /// their next owner is asked.
    func test_FLT_05_membersThatHaveBeenLetGoSinceAreReadAgain() throws {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        let posts = try posts(context)
        // The members of the 64 owners from here on have just been read.
        for number in 0...21 { try check(posts[number], number) }
        for post in posts { try context.refresh(post, mergeChanges: false) }
        XCTAssertEqual(context.registeredObjects.filter { $0.entity.name != "Post" }.count, 0)

        for number in 22..<80 { try check(posts[number], number) }
    }

    func test_FLT_05_rowsOfTheJoinTableThatLeadNowhereHaveNoMember() throws {
        try sqlite3("DELETE FROM ZTAG WHERE ZNAME IN ('tag5', 'tag6')")
        tags = tags.map { $0.filter { !["tag5", "tag6"].contains($0) } }
        picks = picks.map { $0.filter { !["tag5", "tag6"].contains($0) } }
        for keys in [[], ["tags", "picks"]] {
            let context = try makeContext(coordinator)
            for (number, post) in try posts(context, prefetching: keys).enumerated() { try check(post, number) }
        }
    }

    func test_ONE_03_pendingChangesOfSharedMembersStay() throws {
        let context = try makeContext(coordinator)
        let posts = try posts(context)
        let tag = try XCTUnwrap(try posts[0...].lazy.flatMap { try $0.relatedObjects(forKey: "tags") }.first)
        let old = try XCTUnwrap(try tag.string("name"))
        try tag.setValue("changed", forKey: "name")
        var seen = 0
        for post in posts {
            for other in try post.relatedObjects(forKey: "tags") where other === tag {
                XCTAssertEqual(try other.string("name"), "changed")
                seen += 1
            }
        }
        XCTAssertEqual(seen, tags.filter { $0.contains(old) }.count)
    }

    /// An unpinned context shows what each post has now, also where it has read the members along.
    func test_REL_01_othersChangeSharedMembersWhileTheyAreWalked() throws {
        let written = Array(try posts(other)), all = Array(try other.fetch(FetchRequest(entityName: "Tag")))
        for keepsMembers in [true, false] {
            context = try makeContext(coordinator)
            var kept: [ManagedObject] = []
            for (place, post) in try posts(context).enumerated() {
                if random.oneIn(8) {
                    let later = min(place + random.below(6), Self.postCount - 1), tag = all[random.below(all.count)]
                    if try written[later].relatedObjects(forKey: "tags").contains(tag) {
                        try written[later].removeRelatedObject(tag, forKey: "tags")
                    } else {
                        try written[later].addRelatedObject(tag, forKey: "tags")
                    }
                    try other.save()
                    tags[later] = try written[later].relatedObjects(forKey: "tags").map { try $0.string("name") ?? "" }.sorted()
                }
                let members = try post.relatedObjects(forKey: "tags")
                XCTAssertEqual(
                    try members.map { try $0.string("name") ?? "" }.sorted(), tags[place],
                    "PINVIEW_SEED=\(random.seed), \(keepsMembers), \(place)")
                if keepsMembers { kept += members }
            }
        }
    }
}
