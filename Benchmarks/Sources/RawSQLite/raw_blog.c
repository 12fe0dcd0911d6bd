#include "raw_blog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t entity(sqlite3 *database, const char *name) {
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '%s'", name);
    return raw_value(database, sql);
}

// Rows with the numbers 1 … count. `values` follows the key, entity and version, in terms of the number n.
static void fill(sqlite3 *database, const char *name, const char *table, const char *columns, const char *values, int64_t count) {
    char sql[512];
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %lld) "
        "INSERT INTO %s (Z_PK, Z_ENT, Z_OPT, %s) SELECT n, %lld, 1, %s FROM numbers",
        (long long)count, table, columns, (long long)entity(database, name), values);
    raw_execute(database, sql);
    snprintf(sql, sizeof sql, "UPDATE Z_PRIMARYKEY SET Z_MAX = %lld WHERE Z_NAME = '%s'", (long long)count, name);
    raw_execute(database, sql);
}

// The table that joins posts and tags, and its two columns.
typedef struct {
    char table[64], posts[64], tags[64];
} join;

static join find_join(sqlite3 *database) {
    join found = {"", "", ""};
    sqlite3_stmt *const statement = raw_prepare(
        database, "SELECT m.name, c.name, m.name LIKE '%TAGS' FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
                  "WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' ORDER BY c.name");
    sqlite3_stmt *const posts = raw_prepare(database, "SELECT 'Z_' || Z_ENT || 'POSTS' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Post'");
    raw_check(database, sqlite3_step(posts), SQLITE_ROW, "posts");
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *const column = (const char *)sqlite3_column_text(statement, 1);
        snprintf(found.table, sizeof found.table, "%s", (const char *)sqlite3_column_text(statement, 0));
        const int is_post = strcmp(column, (const char *)sqlite3_column_text(posts, 0)) == 0;
        snprintf(is_post ? found.posts : found.tags, sizeof found.posts, "%s", column);
    }
    sqlite3_finalize(posts);
    sqlite3_finalize(statement);
    return found;
}

void raw_blog_fill(const char *path, int64_t users) {
    sqlite3 *const database = raw_open(path);
    const int64_t posts = users * RAW_BLOG_POSTS;
    char text[512];
    raw_execute(database, "BEGIN IMMEDIATE");
    fill(database, "User", "ZUSER", "ZNAME, ZAGE", "'User ' || n, n % 90", users);
    snprintf(text, sizeof text, "'About ' || n, 'What I think of ' || n, n %% 1000, 1 + n * 7919 %% %lld", (long long)users);
    fill(database, "Post", "ZPOST", "ZTITLE, ZBODY, ZSCORE, ZAUTHOR", text, posts);
    snprintf(text, sizeof text, "'I disagree ' || n, n %% 100, 1 + n * 7919 %% %lld", (long long)posts);
    fill(database, "Comment", "ZCOMMENT", "ZTEXT, ZLIKES, ZPOST", text, posts * RAW_BLOG_COMMENTS);
    fill(database, "Tag", "ZTAG", "ZNAME, ZWEIGHT", "'tag' || n, n % 50", RAW_BLOG_ALL_TAGS);
    const join tags = find_join(database);
    snprintf(
        text, sizeof text,
        "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < %lld) "
        "INSERT INTO %s (%s, %s) SELECT 1 + n / %d, 1 + (n / %d * 7 + n %% %d * 101) %% %d FROM numbers",
        (long long)(posts * RAW_BLOG_TAGS), tags.table, tags.posts, tags.tags, RAW_BLOG_TAGS, RAW_BLOG_TAGS, RAW_BLOG_TAGS, RAW_BLOG_ALL_TAGS);
    raw_execute(database, text);
    raw_execute(database, "COMMIT");
    raw_execute(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    raw_close(database);
}

// A row that was read and is kept: its numbers, and its texts one after the other.
typedef struct row {
    struct row *next;
    int64_t key, version, number, owner;
    char texts[];
} row;

struct raw_blog {
    sqlite3 *database;
    sqlite3_stmt *users, *posts, *comments, *some_posts, *tags;
    row *kept;
};

raw_blog *raw_blog_open(const char *path) {
    raw_blog *const blog = calloc(1, sizeof *blog);
    blog->database = raw_open_cached(path);
    const join tags = find_join(blog->database);
    char sql[512];
    // Key, version, number and owner come first, in all of them.
    blog->users = raw_prepare(blog->database, "SELECT Z_PK, Z_OPT, ZAGE, 0, ZNAME FROM ZUSER");
    blog->posts = raw_prepare(blog->database, "SELECT Z_PK, Z_OPT, ZSCORE, ZAUTHOR, ZTITLE, ZBODY FROM ZPOST WHERE ZAUTHOR = ?");
    blog->comments = raw_prepare(blog->database, "SELECT Z_PK, Z_OPT, ZLIKES, ZPOST, ZTEXT FROM ZCOMMENT WHERE ZPOST = ?");
    blog->some_posts = raw_prepare(blog->database, "SELECT Z_PK, Z_OPT, ZSCORE, ZAUTHOR, ZTITLE, ZBODY FROM ZPOST LIMIT ?");
    snprintf(
        sql, sizeof sql, "SELECT t.Z_PK, t.Z_OPT, t.ZWEIGHT, 0, t.ZNAME FROM %s AS j JOIN ZTAG AS t ON t.Z_PK = j.%s WHERE j.%s = ?",
        tags.table, tags.tags, tags.posts);
    blog->tags = raw_prepare(blog->database, sql);
    return blog;
}

static row *keep(raw_blog *blog, sqlite3_stmt *statement) {
    const int columns = sqlite3_column_count(statement);
    size_t size = 0;
    for (int column = 4; column < columns; column++) {
        sqlite3_column_text(statement, column);
        size += (size_t)sqlite3_column_bytes(statement, column) + 1;
    }
    row *const made = malloc(sizeof *made + size);
    made->key = sqlite3_column_int64(statement, 0);
    made->version = sqlite3_column_int64(statement, 1);
    made->number = sqlite3_column_int64(statement, 2);
    made->owner = sqlite3_column_int64(statement, 3);
    char *text = made->texts;
    for (int column = 4; column < columns; column++) {
        const size_t length = (size_t)sqlite3_column_bytes(statement, column) + 1;
        memcpy(text, sqlite3_column_text(statement, column), length);
        text += length;
    }
    made->next = blog->kept;
    return blog->kept = made;
}

static int64_t walk_comments(raw_blog *blog, int64_t post) {
    int64_t sum = 0;
    sqlite3_bind_int64(blog->comments, 1, post);
    while (sqlite3_step(blog->comments) == SQLITE_ROW) sum += keep(blog, blog->comments)->number;
    sqlite3_reset(blog->comments);
    return sum;
}

static int64_t walk_posts(raw_blog *blog, int64_t user) {
    int64_t sum = 0;
    sqlite3_bind_int64(blog->posts, 1, user);
    while (sqlite3_step(blog->posts) == SQLITE_ROW) {
        const row *const post = keep(blog, blog->posts);
        sum += post->number + walk_comments(blog, post->key);
    }
    sqlite3_reset(blog->posts);
    return sum;
}

int64_t raw_blog_walk(raw_blog *blog) {
    int64_t sum = 0;
    while (sqlite3_step(blog->users) == SQLITE_ROW) {
        const row *const user = keep(blog, blog->users);
        sum += user->number + walk_posts(blog, user->key);
    }
    sqlite3_reset(blog->users);
    return sum;
}

int64_t raw_blog_tags(raw_blog *blog, int64_t posts) {
    int64_t sum = 0;
    sqlite3_bind_int64(blog->some_posts, 1, posts);
    while (sqlite3_step(blog->some_posts) == SQLITE_ROW) {
        sqlite3_bind_int64(blog->tags, 1, keep(blog, blog->some_posts)->key);
        while (sqlite3_step(blog->tags) == SQLITE_ROW) sum += keep(blog, blog->tags)->number;
        sqlite3_reset(blog->tags);
    }
    sqlite3_reset(blog->some_posts);
    return sum;
}

void raw_blog_close(raw_blog *blog) {
    sqlite3_stmt *const statements[] = {blog->users, blog->posts, blog->comments, blog->some_posts, blog->tags};
    for (int index = 0; index < 5; index++) sqlite3_finalize(statements[index]);
    for (row *kept = blog->kept; kept != NULL;) {
        row *const next = kept->next;
        free(kept);
        kept = next;
    }
    raw_close(blog->database);
    free(blog);
}
