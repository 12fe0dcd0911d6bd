import BenchmarkSupport
import GRDB
import RawSQLite

struct User: FetchableRecord, TableRecord, EncodableRecord {
    static let databaseTableName = "ZUSER"
    static var databaseSelection: [any SQLSelectable] { ["Z_PK", "Z_OPT", "ZNAME", "ZAGE"].map { Column($0) } }
    static let posts = hasMany(Post.self, key: "posts", using: ForeignKey(["ZAUTHOR"], to: ["Z_PK"]))

    let key: Int64, version: Int64, name: String, age: Int

    init(row: Row) { (key, version, name, age) = (row[0], row[1], row[2], row[3]) }

    /// Requests for what belongs to a record need its key.
    func encode(to container: inout PersistenceContainer) { container["Z_PK"] = key }
}

struct Post: FetchableRecord, TableRecord, EncodableRecord {
    static let databaseTableName = "ZPOST"
    static var databaseSelection: [any SQLSelectable] {
        ["Z_PK", "Z_OPT", "ZAUTHOR", "ZTITLE", "ZBODY", "ZSCORE"].map { Column($0) }
    }
    static let comments = hasMany(Comment.self, key: "comments", using: ForeignKey(["ZPOST"], to: ["Z_PK"]))

    let key: Int64, version: Int64, author: Int64?, title: String, body: String, score: Int

    init(row: Row) { (key, version, author, title, body, score) = (row[0], row[1], row[2], row[3], row[4], row[5]) }

    func encode(to container: inout PersistenceContainer) { container["Z_PK"] = key }

    /// The tags of posts, through the table that joins them, which is named after the numbers of the entities.
    static func tags(_ pool: DatabasePool) throws -> HasManyThroughAssociation<Post, Tag> {
        try pool.read { database in
            guard let posts = try Int.fetchOne(database, sql: "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Post'"),
                let tags = try Int.fetchOne(database, sql: "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'")
            else { throw BenchmarkError("the store has no posts or no tags") }
            let pairs = Table("Z_\(posts)TAGS")
            return hasMany(
                Tag.self, through: hasMany(pairs, using: ForeignKey(["Z_\(posts)POSTS"], to: ["Z_PK"])),
                using: pairs.belongsTo(Tag.self, using: ForeignKey(["Z_\(tags)TAGS"], to: ["Z_PK"])), key: "tags")
        }
    }
}

struct Comment: FetchableRecord, TableRecord {
    static let databaseTableName = "ZCOMMENT"
    static var databaseSelection: [any SQLSelectable] { ["Z_PK", "Z_OPT", "ZPOST", "ZTEXT", "ZLIKES"].map { Column($0) } }

    let key: Int64, version: Int64, post: Int64?, text: String, likes: Int

    init(row: Row) { (key, version, post, text, likes) = (row[0], row[1], row[2], row[3], row[4]) }
}

struct Tag: FetchableRecord, TableRecord {
    static let databaseTableName = "ZTAG"
    static var databaseSelection: [any SQLSelectable] { ["Z_PK", "Z_OPT", "ZNAME", "ZWEIGHT"].map { Column($0) } }

    let key: Int64, version: Int64, name: String, weight: Int

    init(row: Row) { (key, version, name, weight) = (row[0], row[1], row[2], row[3]) }
}

struct PostWithComments: FetchableRecord {
    let post: Post, comments: [Comment]

    init(row: Row) { (post, comments) = (Post(row: row), row["comments"]) }
}

struct UserWithPosts: FetchableRecord {
    let user: User, posts: [PostWithComments]

    init(row: Row) { (user, posts) = (User(row: row), row["posts"]) }
}

struct PostWithTags: FetchableRecord {
    let post: Post, tags: [Tag]

    init(row: Row) { (post, tags) = (Post(row: row), row["tags"]) }
}

/// How many users, posts and comments are read.
private func objectCount(_ cell: Cell) throws -> Double { Double(try cell.parameter("users") * (1 + 10 * (1 + 2))) }

func walk(_ cell: Cell) throws {
    let pool = try openPool(cell, "blog.sqlite")
    var users: [User] = [], posts: [[Post]] = [], comments: [[Comment]] = []
    let sum = try read(cell, "lazy", pool, per: try objectCount(cell)) { database in
        var sum = 0
        users = try User.fetchAll(database)
        for user in users {
            let written = try user.request(for: User.posts).fetchAll(database)
            for post in written {
                let received = try post.request(for: Post.comments).fetchAll(database)
                sum += received.reduce(post.score) { $0 + $1.likes }
                comments.append(received)
            }
            sum += user.age
            posts.append(written)
        }
        return Int64(sum)
    }
    cell.checksum("walk", sum)
    withExtendedLifetime((users, posts, comments)) {}
}

func walkPrefetched(_ cell: Cell) throws {
    let pool = try openPool(cell, "blog.sqlite")
    var users: [UserWithPosts] = []
    let sum = try read(cell, "prefetched", pool, per: try objectCount(cell)) { database in
        users = try UserWithPosts.fetchAll(database, User.including(all: User.posts.including(all: Post.comments)))
        var sum = 0
        for user in users {
            sum += user.user.age
            for post in user.posts { sum += post.comments.reduce(post.post.score) { $0 + $1.likes } }
        }
        return Int64(sum)
    }
    cell.checksum("walk", sum)
    withExtendedLifetime(users) {}
}

func tags(_ cell: Cell) throws {
    let count = try cell.parameter("posts"), pool = try openPool(cell, "blog.sqlite"), association = try Post.tags(pool)
    var posts: [Post] = [], tags: [[Tag]] = []
    let sum = try read(cell, "lazy", pool, per: Double(count * (1 + 3))) { database in
        var sum = 0
        posts = try Post.limit(count).fetchAll(database)
        for post in posts {
            let found = try post.request(for: association).fetchAll(database)
            sum += found.reduce(0) { $0 + $1.weight }
            tags.append(found)
        }
        return Int64(sum)
    }
    cell.checksum("walk", sum)
    withExtendedLifetime((posts, tags)) {}
}

func tagsPrefetched(_ cell: Cell) throws {
    let count = try cell.parameter("posts"), pool = try openPool(cell, "blog.sqlite"), association = try Post.tags(pool)
    var posts: [PostWithTags] = []
    let sum = try read(cell, "prefetched", pool, per: Double(count * (1 + 3))) { database in
        posts = try PostWithTags.fetchAll(database, Post.limit(count).including(all: association))
        return posts.reduce(Int64(0)) { sum, post in sum + post.tags.reduce(0) { $0 + Int64($1.weight) } }
    }
    cell.checksum("walk", sum)
    withExtendedLifetime(posts) {}
}
