/* MDL: models and stores of Core Data's, as a C program reads and changes them. */
#include <stdio.h>
#include <string.h>

#include "core_data.h"
#include "topics.h"

#define TAGS {.name = "tags", .destination = "Tag", .inverse = "notes", .is_to_many = 1}
#define NOTES {.name = "notes", .destination = "Note", .inverse = "tags", .is_to_many = 1}

static const compiled_model shop = {
    "Shop", "1",
    {{"Note", 1, {{.name = "made", .type = 900}, {.name = "look", .type = 1800}, {.name = "name", .type = 700}, TAGS}},
     {"Tag", 2, {{.name = "name", .type = 700}, NOTES}}}};

/* The join table has the name of either end. The archive of "look" is a property list: ["a", 1]. */
#define TABLES(JOIN) \
    "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZMADE TIMESTAMP, ZLOOK BLOB, ZNAME VARCHAR);" \
    "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);" \
    "CREATE TABLE Z_" JOIN " (Z_1NOTES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_2TAGS));" \
    "INSERT INTO ZNOTE VALUES (1, 1, 1, 86400.5, x'62706c6973743030a2010251611001080b0d000000000000010100000000000000030000000000000000" \
    "000000000000000f', 'one'), (2, 1, 1, NULL, NULL, 'two'); INSERT INTO ZTAG VALUES (1, 2, 1, 'red'), (2, 2, 1, 'blue');" \
    "INSERT INTO Z_" JOIN " VALUES (1, 1), (1, 2), (2, 2); UPDATE Z_PRIMARYKEY SET Z_MAX = 2"

static const char history_tables[] =
    "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER,"
    " ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,"
    " ZPROCESSID VARCHAR, ZQUERYGEN BLOB);"
    "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,"
    " ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);"
    "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);"
    "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'sync');"
    "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2), (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 1);"
    "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, ZAUTHORTS) VALUES (1, 16002, 1, 600000001.5, 1);"
    "INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL), (2, 16001, 1, 1, 1, 2, 1, x'0c')";

static pinview_model *model_of(const char *path) {
    pinview_model *model = NULL;
    OK(pinview_model_create_from_store(pinview_text(path), &model, ERROR));
    return model;
}

static pinview_status add(pinview_model *model, const char *path, const char *option, data_stack *out) {
    const pinview_named_value given = {pinview_text(option), pinview_value_boolean(1)};
    *out = (data_stack){.model = model, .path = path};
    OK(pinview_coordinator_create(model, &out->coordinator, ERROR));
    return pinview_coordinator_add_store(
        out->coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), &given, option == NULL ? 0 : 1,
        &out->store, ERROR);
}

static void what_models_say_is_kept(void) {
    static const char xml[] =
        "<model userDefinedModelVersionIdentifier='1.4'><entity name='Note' representedClassName='CDNote' elementID='Memo'"
        " versionHashModifier='2'><attribute name='rank' optional='YES' attributeType='Integer 16' defaultValueString='3'"
        " minValueString='1'/><attribute name='name' attributeType='String' regularExpressionString='[a-z]+'/>"
        "<fetchIndex name='byRank'><fetchIndexElement property='rank' type='Binary' order='descending'/></fetchIndex></entity>"
        "<fetchRequest name='all' entity='Note' predicateString='rank &gt; 1'/></model>";
    static const char *const said[] = {
        "\"versionIdentifiers\":[\"1.4\"]", "\"managedObjectClassName\":\"CDNote\"", "\"renamingIdentifier\":\"Memo\"",
        "\"versionHashModifier\":\"2\"", "\"default\":3", "\"minimumValue\":1", "\"regularExpression\":\"[a-z]+\"", "\"byRank\"",
        "\"predicate\":\"rank > 1\""};
    const pinview_binary data = {(const uint8_t *)xml, sizeof xml - 1};
    pinview_model *model = NULL;
    pinview_string json;
    OK(pinview_model_create_from_data(data, PINVIEW_MODEL_STRICT, &model, ERROR));
    OK(pinview_model_json(model, &json, ERROR));
    for (size_t index = 0; index < sizeof said / sizeof *said; index++) EXPECT(strstr(json.data, said[index]) != NULL);
    pinview_model_release(model);
}

static void indexes_have_conditions_and_expressions(void) {
    data_stack stack = stack_of_model(
        "items.sqlite", "{\"entities\": [{\"name\": \"Item\", \"attributes\": [{\"name\": \"rank\", \"type\": \"integer64\"},"
                        " {\"name\": \"done\", \"type\": \"boolean\"}], \"indexes\": [{\"name\": \"open\", \"predicate\": \"done == NO\","
                        " \"elements\": [{\"property\": \"rank\"}]}, {\"name\": \"double\", \"elements\": [{\"expression\": \"rank + rank\"}]},"
                        " {\"name\": \"none\", \"elements\": [{\"expression\": \"abs:(rank)\"}]}]}]}");
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM sqlite_master WHERE sql IN ("
                                         "'CREATE INDEX Z_Item_open ON ZITEM (ZRANK COLLATE BINARY ASC) WHERE ZDONE = 0',"
                                         "'CREATE INDEX Z_Item_double ON ZITEM ((ZRANK + ZRANK) COLLATE BINARY ASC)')"), 2);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM sqlite_master WHERE type = 'index'"), 2);
    pinview_context *context = context_on(&stack);
    for (int rank = 0; rank < 4; rank++) {
        pinview_object *item = NULL;
        const pinview_value done = pinview_value_boolean(rank % 2);
        OK(pinview_context_insert_new_object(context, TEXT("Item"), &item, ERROR));
        set_integer(item, "rank", rank);
        OK(pinview_object_set_value(item, TEXT("done"), &done, ERROR));
        pinview_object_release(item);
    }
    save(context);
    static const char *const fetches[] = {"rank == 2 AND done == NO", "rank + rank == 6"};
    for (size_t index = 0; index < sizeof fetches / sizeof *fetches; index++) {
        pinview_predicate *chosen = predicate(fetches[index], NULL);
        pinview_fetch_request request;
        int64_t count = 0;
        OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Item"), ERROR));
        request.predicate = chosen;
        OK(pinview_context_count(context, &request, &count, ERROR));
        EXPECT_NUMBER(count, 1);
        pinview_predicate_release(chosen);
    }
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_summary_needs_no_model(void) {
    static const char *const said[] = {
        "\"identifier\":\"0F9A3B52-6C1D-4E7F-8A90-B1C2D3E4F506\"", "\"NSPersistenceFrameworkVersion\":1044",
        "\"name\":\"Note\",\"parent\":null,\"abstract\":false,\"count\":2", "{\"name\":\"made\",\"type\":\"date\",\"optional\":true}",
        "\"name\":\"tags\",\"destination\":\"Tag\",\"inverse\":\"notes\",\"toMany\":true",
        "\"history\":{\"transactions\":1,\"first\":\"2020-01-06T10:40:01.5Z\""};
    const char *path = test_path("Shop.sqlite");
    char statements[4096];
    pinview_buffer *buffer = NULL;
    pinview_string json;
    snprintf(statements, sizeof statements, "%s;%s", TABLES("1TAGS"), history_tables);
    write_core_data_store(path, &shop, 1, statements);
    OK(pinview_buffer_create(&buffer, ERROR));
    OK(pinview_file_summary(pinview_text(path), buffer, &json, ERROR));
    for (size_t index = 0; index < sizeof said / sizeof *said; index++) {
        if (strstr(json.data, said[index]) == NULL) fprintf(stderr, "not in %s: %s\n", json.data, said[index]);
        EXPECT(strstr(json.data, said[index]) != NULL);
    }
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_file_summary(pinview_text(test_path("none.sqlite")), buffer, &json, ERROR));
    EXPECT(json.data == NULL);
    pinview_buffer_release(buffer);
}

static void another_model_is_refused(void) {
    static const char wrong[] =
        "{\"entities\": [{\"name\": \"Note\", \"attributes\": [{\"name\": \"made\", \"type\": \"string\"},"
        " {\"name\": \"look\", \"type\": \"transformable\"}, {\"name\": \"name\", \"type\": \"string\"}]}]}";
    const char *path = test_path("Shop.sqlite");
    pinview_model *model = NULL;
    data_stack stack;
    write_core_data_store(path, &shop, 1, TABLES("1TAGS"));
    OK(pinview_model_create_from_json(pinview_text(wrong), &model, ERROR));
    FAILS(PINVIEW_ERROR_INCOMPATIBLE_MODEL, add(model, path, NULL, &stack));
    EXPECT(strstr(last_message(), "made") != NULL);
    EXPECT_NUMBER(sql_number(path, "SELECT count(*) FROM sqlite_master"), 7);
    pinview_coordinator_release(stack.coordinator);
    pinview_model_release(model);
}

static void hashes_join_tables_and_archives_are_those_of_the_store(void) {
    static const char *const ends[] = {"notes.sqlite", "tags.sqlite"};
    for (int end = 0; end < 2; end++) {
        const char *path = test_path(ends[end]);
        data_stack stack;
        write_core_data_store(path, &shop, 1, end == 0 ? TABLES("1TAGS") : TABLES("2NOTES"));
        OK(add(model_of(path), path, NULL, &stack));
        pinview_context *context = context_on(&stack);
        pinview_object *note = one_named(context, "Note", "one");
        EXPECT_NUMBER((long long)members_of(note, "tags"), 2);
        pinview_buffer *buffer = NULL;
        pinview_value raw;
        pinview_string readable;
        int32_t is_missing;
        OK(pinview_buffer_create(&buffer, ERROR));
        OK(pinview_object_value(note, TEXT("look"), &raw, ERROR));
        EXPECT(raw.type == PINVIEW_VALUE_BINARY && raw.as.binary.size == 50);
        OK(pinview_object_examine(note, TEXT("look"), buffer, &raw, &readable, &is_missing, ERROR));
        EXPECT_TEXT(readable, "[\"a\",1]");
        set_text(note, "name", "changed");
        save(context);
        EXPECT_NUMBER(sql_number(path, "SELECT instr(Z_PLIST, x'010101010101010101010101010101010101010101010101010101010101' ||"
                                       " x'0101') > 0 AND instr(Z_PLIST, x'0202020202020202') > 0 FROM Z_METADATA"), 1);
        EXPECT_NUMBER(sql_number(path, "SELECT Z_OPT FROM ZNOTE WHERE ZNAME = 'changed'"), 2);
        pinview_buffer_release(buffer);
        pinview_object_release(note);
        pinview_context_release(context);
        stack_close(&stack);
    }
}

/* C has no transformers: a value of a type of the program's could not be passed. */
static void transformable_attributes_are_the_bytes_that_are_stored(void) {
    static const char archived[] = "<plist><array><string>a</string></array></plist>";
    data_stack stack = stack_of_model(
        "things.sqlite", "{\"entities\": [{\"name\": \"Thing\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"},"
                         " {\"name\": \"look\", \"type\": \"transformable\", \"valueTransformerName\": \"Looks\"}]}]}");
    const pinview_binary bytes = {(const uint8_t *)archived, sizeof archived - 1};
    pinview_value value = {.type = PINVIEW_VALUE_BINARY, .as.binary = bytes};
    const pinview_value text = pinview_value_text("a");
    pinview_context *context = context_on(&stack);
    pinview_object *thing = insert_object(context, "Thing", "one");
    pinview_string json;
    OK(pinview_model_json(stack.model, &json, ERROR));
    EXPECT(strstr(json.data, "\"valueTransformerName\":\"Looks\"") != NULL);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_set_value(thing, TEXT("look"), &text, ERROR));
    OK(pinview_object_set_value(thing, TEXT("look"), &value, ERROR));
    save(context);
    OK(pinview_context_refresh(context, thing, 0, ERROR));
    OK(pinview_object_value(thing, TEXT("look"), &value, ERROR));
    EXPECT(value.type == PINVIEW_VALUE_BINARY && value.as.binary.size == bytes.size);
    EXPECT(memcmp(value.as.binary.data, archived, bytes.size) == 0);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZTHING WHERE ZLOOK = CAST('<plist><array><string>a</string></array></plist>' AS BLOB)"), 1);
    pinview_buffer *buffer = NULL;
    pinview_string readable;
    OK(pinview_buffer_create(&buffer, ERROR));
    OK(pinview_value_readable(&value, buffer, &readable, ERROR));
    EXPECT_TEXT(readable, "[\"a\"]");
    pinview_buffer_release(buffer);
    pinview_object_release(thing);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_history_is_read_and_continued(void) {
    const char *path = test_path("Shop.sqlite");
    char statements[4096];
    data_stack stack;
    snprintf(statements, sizeof statements, "%s;%s", TABLES("1TAGS"), history_tables);
    write_core_data_store(path, &shop, 1, statements);
    OK(add(model_of(path), path, NULL, &stack));
    EXPECT(pinview_store_is_read_only(stack.store) == 1); /* without the option */
    stack_close(&stack);
    OK(add(model_of(path), path, PINVIEW_STORE_OPTION_HISTORY_TRACKING, &stack));
    pinview_context *context = context_on(&stack);
    pinview_object *note = one_named(context, "Note", "one");
    set_text(note, "name", "changed");
    save(context);
    pinview_history_request request = {.struct_size = sizeof request};
    pinview_history *history = NULL;
    pinview_history_transaction transaction;
    pinview_history_change change;
    OK(pinview_context_fetch_history(context, &request, &history, ERROR));
    EXPECT_NUMBER((long long)pinview_history_count(history), 2);
    OK(pinview_history_transaction_at(history, 0, &transaction, ERROR));
    EXPECT_TEXT(transaction.author, "sync");
    EXPECT_NUMBER((long long)transaction.change_count, 2);
    OK(pinview_history_change_at(history, 0, 1, &change, ERROR));
    EXPECT(change.type == PINVIEW_HISTORY_UPDATE && change.property_count == 2);
    EXPECT_NUMBER(sql_number(path, "SELECT count(*) FROM ACHANGE WHERE Z_PK = 3 AND ZCHANGETYPE = 1 AND ZENTITYPK = 1"), 1);
    pinview_history_release(history);
    pinview_object_release(note);
    pinview_context_release(context);
    stack_close(&stack);
}

static void the_order_of_properties_means_nothing(void) {
    static const char *const orders[] = {
        "{\"entities\": [{\"name\": \"Note\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}, {\"name\": \"age\", \"type\": \"integer16\"}]}]}",
        "{\"entities\": [{\"name\": \"Note\", \"attributes\": [{\"name\": \"age\", \"type\": \"integer16\"}, {\"name\": \"name\", \"type\": \"string\"}]}]}"};
    data_stack stack = stack_of_model("order.sqlite", orders[0]), again;
    char path[512];
    snprintf(path, sizeof path, "%s", stack.path);
    pinview_context *context = context_on(&stack);
    pinview_object *note = insert_object(context, "Note", "one");
    set_integer(note, "age", 7);
    save(context);
    pinview_object_release(note);
    pinview_context_release(context);
    stack_close(&stack);
    pinview_model *model = NULL;
    OK(pinview_model_create_from_json(pinview_text(orders[1]), &model, ERROR));
    OK(add(model, path, NULL, &again));
    context = context_on(&again);
    note = one_named(context, "Note", "one");
    EXPECT_NUMBER(integer_of(note, "age"), 7);
    pinview_object_release(note);
    pinview_context_release(context);
    stack_close(&again);
}

static const test_case tests[] = {
    {"MDL-03: what models say is kept", what_models_say_is_kept},
    {"MDL-03: indexes have conditions and expressions", indexes_have_conditions_and_expressions},
    {"MDL-05: a summary of a store needs no model", a_summary_needs_no_model},
    {"MDL-07: a model that does not fit is refused", another_model_is_refused},
    {"MDL-08, MDL-09, MDL-10: hashes are kept, join tables found under either name, archives readable",
     hashes_join_tables_and_archives_are_those_of_the_store},
    {"MDL-10: transformable attributes are the bytes that are stored", transformable_attributes_are_the_bytes_that_are_stored},
    {"MDL-14: a history is read and continued", a_history_is_read_and_continued},
    {"MDL-15: the order of properties means nothing", the_order_of_properties_means_nothing},
};

const test_topic core_data_stores_topic = TOPIC("core data stores", tests);
