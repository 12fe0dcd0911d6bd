import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// Users, their posts, and the posts' comments and tags.
enum BlogStore {
    static let file = "blog.sqlite"

    static func model() throws -> ManagedObjectModel {
        func texts(_ names: String...) -> [AttributeDescription] { names.map { AttributeDescription(name: $0, attributeType: .string) } }
        func number(_ name: String) -> AttributeDescription { AttributeDescription(name: name, attributeType: .integer32) }
        func toOne(_ name: String, _ entity: String, _ inverse: String) -> RelationshipDescription {
            RelationshipDescription(name: name, destinationEntityName: entity, inverseRelationshipName: inverse)
        }
        func toMany(_ name: String, _ entity: String, _ inverse: String) -> RelationshipDescription {
            RelationshipDescription(name: name, destinationEntityName: entity, inverseRelationshipName: inverse, isToMany: true)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "User", attributes: texts("name") + [number("age")], relationships: [toMany("posts", "Post", "author")]),
            EntityDescription(
                name: "Post", attributes: texts("title", "body") + [number("score")],
                relationships: [toOne("author", "User", "posts"), toMany("comments", "Comment", "post"), toMany("tags", "Tag", "posts")]),
            EntityDescription(
                name: "Comment", attributes: texts("text") + [number("likes")], relationships: [toOne("post", "Post", "comments")]),
            EntityDescription(
                name: "Tag", attributes: texts("name") + [number("weight")], relationships: [toMany("posts", "Post", "tags")]),
        ])
    }

    static func prepare(_ cell: Cell) throws {
        try Stores.open(cell.path(file), try model())
        raw_blog_fill(cell.path(file), Int64(try cell.parameter("users")))
    }
}

private let userCount = Parameter("users", tiny: 100, quick: 2_000, full: 20_000)
private let postCount = Parameter("posts", tiny: 500, quick: 10_000, full: 20_000)

private func walkWorkload(_ name: String, _ measure: Measure, prefetches: Bool) -> Workload {
    Workload(
        name, parameters: [userCount], measures: [measure],
        peers: [Peer("raw") { try rawWalk($0, measure.name) }, Peer("swift") { try swiftWalk($0, measure.name, prefetches: prefetches) }],
        prepare: BlogStore.prepare)
}

/// W14: from each user to the posts, and from each post to the comments.
let walk = walkWorkload(
    "w14-walk", Measure("lazy", "W14: walk from users to posts to comments; per object", .nanoseconds), prefetches: false)
/// W15: the same, with everything prefetched.
let walkPrefetched = walkWorkload(
    "w15-walk-prefetched", Measure("prefetched", "W15: the same, prefetched", .nanoseconds), prefetches: true)

private func tagsWorkload(_ name: String, _ measure: Measure, prefetches: Bool) -> Workload {
    Workload(
        name, parameters: [userCount, postCount], measures: [measure],
        peers: [Peer("raw") { try rawTags($0, measure.name) }, Peer("swift") { try swiftTags($0, measure.name, prefetches: prefetches) }],
        prepare: BlogStore.prepare)
}

/// W16: the tags of each post.
let tags = tagsWorkload(
    "w16-tags", Measure("lazy", "W16: the tags of {posts} posts, a many-to-many relationship; per object", .nanoseconds), prefetches: false)
let tagsPrefetched = tagsWorkload(
    "w16-tags-prefetched", Measure("prefetched", "W16: the same, prefetched", .nanoseconds), prefetches: true)

private func rawWalk(_ cell: Cell, _ measure: String) throws {
    let users = try cell.parameter("users"), blog = raw_blog_open(cell.path(BlogStore.file))
    var sum: Int64 = 0
    let time = processorNanoseconds { sum = raw_blog_walk(blog) }
    let objects = users * (1 + Int(RAW_BLOG_POSTS) * (1 + Int(RAW_BLOG_COMMENTS)))
    cell.measure(measure, time / Double(objects))
    cell.checksum("walk", sum)
    raw_blog_close(blog)
}

private func rawTags(_ cell: Cell, _ measure: String) throws {
    let posts = try cell.parameter("posts"), blog = raw_blog_open(cell.path(BlogStore.file))
    var sum: Int64 = 0
    let time = processorNanoseconds { sum = raw_blog_tags(blog, Int64(posts)) }
    cell.measure(measure, time / Double(posts * (1 + Int(RAW_BLOG_TAGS))))
    cell.checksum("walk", sum)
    raw_blog_close(blog)
}

/// Fetches objects, reads a number of each unless it is nil, and walks on from each of them.
private func walk(
    _ cell: Cell, _ measure: String, _ request: FetchRequest, _ numbers: [(entity: String, name: String?)], _ relationships: [String]
) throws {
    let coordinator = try Stores.open(cell.path(BlogStore.file), try BlogStore.model())
    let context = try Stores.context(coordinator)
    var indexes: [Int?] = []
    for (entity, name) in numbers {
        indexes.append(coordinator.managedObjectModel.entity(named: entity)?.properties.firstIndex { $0.name == name })
    }
    func visit(_ object: ManagedObject, _ level: Int, _ sum: inout Int64, _ count: inout Int) throws {
        count += 1
        if let index = indexes[level] { sum += try object.attributeValue(at: index).number }
        guard level < relationships.count else { return }
        for member in try object.relatedObjects(forKey: relationships[level]) { try visit(member, level + 1, &sum, &count) }
    }
    try context.performAndWait {
        var result: FetchResult?
        var sum: Int64 = 0, count = 0
        let time = try processorNanoseconds {
            let found = try context.fetch(request)
            for object in found { try visit(object, 0, &sum, &count) }
            result = found
        }
        cell.measure(measure, time / Double(count))
        cell.checksum("walk", sum)
        withExtendedLifetime(result) {}
    }
}

private func swiftWalk(_ cell: Cell, _ measure: String, prefetches: Bool) throws {
    var request = FetchRequest(entityName: "User")
    request.returnsObjectsAsFaults = false
    if prefetches { request.relationshipKeyPathsForPrefetching = ["posts", "posts.comments"] }
    try walk(cell, measure, request, [("User", "age"), ("Post", "score"), ("Comment", "likes")], ["posts", "comments"])
}

private func swiftTags(_ cell: Cell, _ measure: String, prefetches: Bool) throws {
    var request = FetchRequest(entityName: "Post")
    request.fetchLimit = try cell.parameter("posts")
    request.returnsObjectsAsFaults = false
    if prefetches { request.relationshipKeyPathsForPrefetching = ["tags"] }
    try walk(cell, measure, request, [("Post", nil), ("Tag", "weight")], ["tags"])
}
