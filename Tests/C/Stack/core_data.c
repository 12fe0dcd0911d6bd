#include "core_data.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Binary property lists: objects one after the other, then their offsets. */

typedef struct {
    uint8_t bytes[1 << 15];
    size_t size;
    size_t offsets[1024];
    size_t count;
} property_list;

static void put_number(property_list *list, uint64_t number, int width) {
    REQUIRE(list->size + 8 <= sizeof list->bytes);
    while (width-- > 0) list->bytes[list->size++] = (uint8_t)(number >> 8 * width);
}

static void put_bytes(property_list *list, const void *bytes, size_t size) {
    REQUIRE(list->size + size <= sizeof list->bytes);
    memcpy(list->bytes + list->size, bytes, size);
    list->size += size;
}

/* Begins an object of a kind (the upper half of its first byte) and a length. */
static size_t begin(property_list *list, uint8_t kind, size_t length) {
    REQUIRE(list->count < sizeof list->offsets / sizeof *list->offsets && length < 1 << 16);
    list->offsets[list->count] = list->size;
    if (length < 15) {
        put_number(list, kind | length, 1);
    } else {
        put_number(list, kind | 15, 1);
        put_number(list, 0x11, 1);
        put_number(list, length, 2);
    }
    return list->count++;
}

static size_t put_text(property_list *list, const char *text) {
    size_t object = begin(list, 0x50, strlen(text));
    put_bytes(list, text, strlen(text));
    return object;
}

static size_t put_data(property_list *list, const void *bytes, size_t size) {
    size_t object = begin(list, 0x40, size);
    put_bytes(list, bytes, size);
    return object;
}

static size_t put_integer(property_list *list, int64_t number) {
    size_t object = begin(list, 0x10, 3);
    put_number(list, (uint64_t)number, 8);
    return object;
}

static size_t put_true(property_list *list) { return begin(list, 0x00, 9); }

/* A reference in a keyed archive. */
static size_t put_reference(property_list *list, size_t number) {
    size_t object = begin(list, 0x80, 1);
    put_number(list, number, 2);
    return object;
}

static size_t put_array(property_list *list, const size_t *elements, size_t count) {
    size_t object = begin(list, 0xA0, count);
    for (size_t index = 0; index < count; index++) put_number(list, elements[index], 2);
    return object;
}

typedef struct {
    size_t keys[16], values[16], count;
} members;

static void add_member(property_list *list, members *content, const char *key, size_t value) {
    REQUIRE(content->count < 16);
    content->keys[content->count] = put_text(list, key);
    content->values[content->count++] = value;
}

static size_t put_dictionary(property_list *list, const members *content) {
    size_t object = begin(list, 0xD0, content->count);
    for (size_t index = 0; index < content->count; index++) put_number(list, content->keys[index], 2);
    for (size_t index = 0; index < content->count; index++) put_number(list, content->values[index], 2);
    return object;
}

static void start(property_list *list) {
    list->size = list->count = 0;
    put_bytes(list, "bplist00", 8);
}

static void finish(property_list *list, size_t top) {
    size_t table = list->size;
    for (size_t index = 0; index < list->count; index++) put_number(list, list->offsets[index], 4);
    put_number(list, 0, 6);
    put_number(list, 4, 1); /* bytes of an offset */
    put_number(list, 2, 1); /* bytes of a reference */
    put_number(list, list->count, 8);
    put_number(list, top, 8);
    put_number(list, table, 8);
}

/* ---- Keyed archives: a list of objects that refer to each other by their numbers. */

typedef struct {
    property_list list;
    size_t objects[1024];
    size_t count;
} keyed_archive;

static size_t keep(keyed_archive *archive, size_t object) {
    REQUIRE(archive->count < sizeof archive->objects / sizeof *archive->objects);
    archive->objects[archive->count] = object;
    return put_reference(&archive->list, archive->count++);
}

static size_t keep_text(keyed_archive *archive, const char *text) { return keep(archive, put_text(&archive->list, text)); }

static size_t keep_object(keyed_archive *archive, const char *name, members *content) {
    members kind = {.count = 0};
    size_t names[2] = {put_text(&archive->list, name), put_text(&archive->list, "NSObject")};
    add_member(&archive->list, &kind, "$classname", names[0]);
    add_member(&archive->list, &kind, "$classes", put_array(&archive->list, names, 2));
    add_member(&archive->list, content, "$class", keep(archive, put_dictionary(&archive->list, &kind)));
    return keep(archive, put_dictionary(&archive->list, content));
}

static size_t keep_dictionary(keyed_archive *archive, const size_t *keys, const size_t *values, size_t count) {
    members content = {.count = 0};
    add_member(&archive->list, &content, "NS.keys", put_array(&archive->list, keys, count));
    add_member(&archive->list, &content, "NS.objects", put_array(&archive->list, values, count));
    return keep_object(archive, "NSMutableDictionary", &content);
}

static size_t keep_property(keyed_archive *archive, const compiled_property *property) {
    members content = {.count = 0};
    property_list *list = &archive->list;
    add_member(list, &content, "NSPropertyName", keep_text(archive, property->name));
    add_member(list, &content, "NSIsOptional", put_true(list));
    if (property->former != NULL) add_member(list, &content, "NSRenamingIdentifier", keep_text(archive, property->former));
    if (property->destination == NULL) {
        add_member(list, &content, "NSAttributeType", put_integer(list, property->type));
        return keep_object(archive, "NSAttributeDescription", &content);
    }
    add_member(list, &content, "_NSDestinationEntityName", keep_text(archive, property->destination));
    add_member(list, &content, "_NSInverseRelationshipName", keep_text(archive, property->inverse));
    add_member(list, &content, "NSMaxCount", put_integer(list, property->is_to_many ? 0 : 1));
    add_member(list, &content, "NSDeleteRule", put_integer(list, 1));
    return keep_object(archive, "NSRelationshipDescription", &content);
}

static size_t keep_entity(keyed_archive *archive, const compiled_entity *entity) {
    members content = {.count = 0};
    size_t keys[6], values[6], count = 0;
    for (; count < 6 && entity->properties[count].name != NULL; count++) {
        keys[count] = keep_text(archive, entity->properties[count].name);
        values[count] = keep_property(archive, &entity->properties[count]);
    }
    add_member(&archive->list, &content, "NSEntityName", keep_text(archive, entity->name));
    add_member(&archive->list, &content, "NSProperties", keep_dictionary(archive, keys, values, count));
    return keep_object(archive, "NSEntityDescription", &content);
}

static size_t entity_count(const compiled_model *model) {
    size_t count = 0;
    while (count < 4 && model->entities[count].name != NULL) count++;
    return count;
}

/* The content of a .mom, which is valid until the next call. */
static const property_list *compiled(const compiled_model *model) {
    static keyed_archive archive;
    property_list *list = &archive.list;
    size_t keys[4], values[4], count = entity_count(model);
    start(list);
    archive.count = 0;
    keep_text(&archive, "$null");
    for (size_t index = 0; index < count; index++) {
        keys[index] = keep_text(&archive, model->entities[index].name);
        values[index] = keep_entity(&archive, &model->entities[index]);
    }
    size_t identifier = keep_text(&archive, model->identifier);
    members set = {.count = 0}, content = {.count = 0}, top = {.count = 0}, whole = {.count = 0};
    add_member(list, &set, "NS.objects", put_array(list, &identifier, 1));
    add_member(list, &content, "NSVersionIdentifiers", keep_object(&archive, "NSSet", &set));
    add_member(list, &content, "NSEntities", keep_dictionary(&archive, keys, values, count));
    add_member(list, &top, "root", keep_object(&archive, "NSManagedObjectModel", &content));
    add_member(list, &whole, "$archiver", put_text(list, "NSKeyedArchiver"));
    add_member(list, &whole, "$version", put_integer(list, 100000));
    add_member(list, &whole, "$objects", put_array(list, archive.objects, archive.count));
    add_member(list, &whole, "$top", put_dictionary(list, &top));
    finish(list, put_dictionary(list, &whole));
    return list;
}

/* ---- Folders and stores. */

static size_t put_hashes(property_list *list, const compiled_model *model) {
    members hashes = {.count = 0};
    for (size_t index = 0; index < entity_count(model); index++) {
        uint8_t hash[32];
        memset(hash, model->entities[index].mark, sizeof hash);
        add_member(list, &hashes, model->entities[index].name, put_data(list, hash, sizeof hash));
    }
    return put_dictionary(list, &hashes);
}

static void write_file(const char *folder, const char *name, const property_list *list) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    REQUIRE(fwrite(list->bytes, 1, list->size, file) == list->size);
    fclose(file);
}

void write_bundle(const char *folder, const compiled_model *versions, size_t count) {
    static property_list info;
    members hashes = {.count = 0}, content = {.count = 0};
    char name[256];
    REQUIRE(mkdir(folder, 0700) == 0);
    start(&info);
    for (size_t index = 0; index < count; index++) {
        snprintf(name, sizeof name, "%s.mom", versions[index].name);
        write_file(folder, name, compiled(&versions[index]));
        add_member(&info, &hashes, versions[index].name, put_hashes(&info, &versions[index]));
    }
    add_member(&info, &content, "NSManagedObjectModel_CurrentVersionName", put_text(&info, versions[count - 1].name));
    add_member(&info, &content, "NSManagedObjectModel_VersionHashes", put_dictionary(&info, &hashes));
    finish(&info, put_dictionary(&info, &content));
    write_file(folder, "VersionInfo.plist", &info);
}

static void run(sqlite3 *connection, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(connection, sql, NULL, NULL, &message) != SQLITE_OK) fprintf(stderr, "%s: %s\n", sql, message);
    REQUIRE(message == NULL);
}

static void insert(sqlite3 *connection, const char *sql, const void *bytes, size_t size) {
    sqlite3_stmt *statement = NULL;
    REQUIRE(sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK);
    sqlite3_bind_blob(statement, 1, bytes, (int)size, SQLITE_STATIC);
    REQUIRE(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_finalize(statement);
}

void write_core_data_store(const char *path, const compiled_model *model, int has_cache, const char *statements) {
    static property_list metadata;
    members content = {.count = 0};
    sqlite3 *connection = NULL;
    char sql[256];
    REQUIRE(sqlite3_open(path, &connection) == SQLITE_OK);
    run(connection,
        "PRAGMA page_size=4096; PRAGMA auto_vacuum=2; PRAGMA journal_mode=wal;"
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);"
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)");
    for (size_t index = 0; index < entity_count(model); index++) {
        snprintf(sql, sizeof sql, "INSERT INTO Z_PRIMARYKEY VALUES (%zu, '%s', 0, 0)", index + 1, model->entities[index].name);
        run(connection, sql);
    }
    start(&metadata);
    add_member(&metadata, &content, "NSStoreType", put_text(&metadata, "SQLite"));
    add_member(&metadata, &content, "NSPersistenceFrameworkVersion", put_integer(&metadata, 1044));
    add_member(&metadata, &content, "NSStoreModelVersionHashesVersion", put_integer(&metadata, 3));
    add_member(&metadata, &content, "NSStoreModelVersionHashes", put_hashes(&metadata, model));
    finish(&metadata, put_dictionary(&metadata, &content));
    insert(connection, "INSERT INTO Z_METADATA VALUES (1, '0F9A3B52-6C1D-4E7F-8A90-B1C2D3E4F506', ?)", metadata.bytes, metadata.size);
    if (has_cache) {
        /* One block of DEFLATE that is stored, not compressed: its length, and that again with all
         * bits changed. */
        static property_list cache;
        const property_list *archive = compiled(model);
        cache.size = 0;
        put_number(&cache, 1, 1);
        for (int times = 0; times < 2; times++) {
            size_t length = times == 0 ? archive->size : ~archive->size;
            put_number(&cache, length & 0xFF, 1);
            put_number(&cache, length >> 8 & 0xFF, 1);
        }
        put_bytes(&cache, archive->bytes, archive->size);
        insert(connection, "INSERT INTO Z_MODELCACHE VALUES (?)", cache.bytes, cache.size);
    }
    run(connection, statements);
    sqlite3_close(connection);
}
