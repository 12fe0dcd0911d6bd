/* Blocks of objects: naming, columns, faults that are shown, giving back. */
#include <stdio.h>
#include <string.h>

#include "pinview_binding.h"
#include "support.h"
#include "topics.h"

enum { PEOPLE = 5 };

typedef struct {
    data_stack stack;
    pinview_context *context;
    pinview_result *result;
    pinview_object_block *block;
    pinview_object_block_info info;
    pinview_buffer *buffer;
    uint64_t names[PEOPLE];
    int32_t name, age, owner;
} block_scene;

static pinview_result *sorted_people(pinview_context *context) {
    pinview_fetch_request request;
    pinview_sort_descriptor by_age;
    pinview_result *result = NULL;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    memset(&by_age, 0, sizeof by_age);
    by_age.key_path = TEXT("age");
    request.sort_descriptors = &by_age;
    request.sort_descriptor_count = 1;
    OK(pinview_context_fetch(context, &request, &result, ERROR));
    return result;
}

static int32_t index_of(pinview_context *context, const char *entity, const char *property) {
    pinview_object *object = one_named(context, entity, entity[0] == 'C' ? "car0" : "dave0");
    pinview_entity *described = NULL;
    int32_t index = -1;
    OK(pinview_object_entity(object, &described, ERROR));
    OK(pinview_entity_property_index(described, TEXT(property), &index, ERROR));
    pinview_entity_release(described);
    pinview_object_release(object);
    return index;
}

static block_scene set_up(void) {
    block_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.stack = stack_open("b.sqlite");
    add_daves(&scene.stack, 0, PEOPLE);
    scene.context = context_on(&scene.stack);
    scene.name = index_of(scene.context, "Person", "name");
    scene.age = index_of(scene.context, "Person", "age");
    scene.owner = index_of(scene.context, "Car", "owner");
    scene.result = sorted_people(scene.context);
    scene.info.struct_size = sizeof scene.info;
    OK(pinview_result_object_block(scene.result, 0, PEOPLE, scene.names, &scene.block, &scene.info, ERROR));
    OK(pinview_buffer_create(&scene.buffer, ERROR));
    return scene;
}

static void tear_down(block_scene *scene) {
    pinview_buffer_release(scene->buffer);
    pinview_object_block_release(scene->block);
    pinview_result_release(scene->result);
    pinview_context_release(scene->context);
    stack_close(&scene->stack);
}

static pinview_column column_of(block_scene *scene, int32_t index, uint32_t place, int32_t alone) {
    pinview_column column;
    memset(&column, 0, sizeof column);
    column.struct_size = sizeof column;
    OK(pinview_object_block_column(scene->block, index, place, alone, scene->buffer, &column, ERROR));
    return column;
}

static void objects_are_named_once(void) {
    block_scene scene = set_up();
    pinview_object_block *second = NULL;
    uint64_t names[PEOPLE] = {0};
    pinview_object *object = NULL;
    int place;
    for (place = 0; place < PEOPLE; place++) EXPECT_NUMBER(scene.names[place], scene.info.number * 4096 + (uint64_t)place);
    EXPECT(scene.info.is_for_any_thread);
    OK(pinview_result_object_block(scene.result, 0, PEOPLE, names, &second, &scene.info, ERROR));
    EXPECT(second == NULL);
    EXPECT(memcmp(names, scene.names, sizeof names) == 0);
    OK(pinview_object_block_object(scene.block, 3, &object, ERROR));
    EXPECT_NUMBER(integer_of(object, "age"), 23);
    names[0] = 0;
    OK(pinview_objects_object_block(&object, 1, names, &second, &scene.info, ERROR));
    EXPECT(second == NULL && names[0] == scene.names[3]);
    pinview_object_release(object);
    tear_down(&scene);
}

static void a_column_shows_faults_without_firing_them(void) {
    block_scene scene = set_up();
    pinview_column column = column_of(&scene, scene.age, 1, 0);
    pinview_object *objects[PEOPLE];
    const uint32_t shown[] = {3};
    int place;
    EXPECT_NUMBER(column.type, PINVIEW_VALUE_INTEGER);
    EXPECT_NUMBER(column.count, PEOPLE);
    EXPECT_NUMBER(column.flags & ~PINVIEW_COLUMN_IS_ASCII, PINVIEW_COLUMN_HAS_FAULTS);
    EXPECT_NUMBER(column.changes, *scene.info.changes);
    for (place = 0; place < PEOPLE; place++) {
        EXPECT_NUMBER(((const int64_t *)column.cells)[place], 20 + place);
        EXPECT_NUMBER(column.states[place], place == 1 ? PINVIEW_COLUMN_VALUE : (PINVIEW_COLUMN_VALUE | PINVIEW_COLUMN_FAULT));
        OK(pinview_object_block_object(scene.block, (uint32_t)place, &objects[place], ERROR));
        EXPECT_NUMBER(state_of(objects[place]), place == 1 ? 0 : PINVIEW_OBJECT_FAULT); /* FLT-01 */
    }
    EXPECT_NUMBER(pinview_object_block_fire(scene.block, shown, 1), 1);
    EXPECT_NUMBER(state_of(objects[3]), 0);
    EXPECT_NUMBER(state_of(objects[2]), PINVIEW_OBJECT_FAULT);
    pinview_objects_release(objects, PEOPLE);
    tear_down(&scene);
}

static void texts_stand_one_behind_the_other(void) {
    block_scene scene = set_up();
    pinview_column column;
    pinview_object *object = NULL;
    OK(pinview_object_block_object(scene.block, 2, &object, ERROR));
    set_text(object, "name", "d\xc3\xa4ve");
    column = column_of(&scene, scene.name, 0, 0);
    EXPECT_NUMBER(column.type, PINVIEW_VALUE_STRING);
    EXPECT_NUMBER(column.flags, PINVIEW_COLUMN_HAS_FAULTS);
    EXPECT_NUMBER(column.text_size, 6 * PEOPLE);
    EXPECT(memcmp(column.texts, "dave0\0dave1\0d\xc3\xa4ve\0dave3\0dave4", 6 * PEOPLE) == 0);
    EXPECT_NUMBER(((const int64_t *)column.cells)[3], ((int64_t)18 << 32) + 5);
    set_text(object, "name", NULL);
    column = column_of(&scene, scene.name, 2, 1);
    EXPECT_NUMBER(column.states[2], PINVIEW_COLUMN_NULL);
    EXPECT_NUMBER(column.states[0], PINVIEW_COLUMN_UNKNOWN);
    pinview_object_release(object);
    tear_down(&scene);
}

static void changes_are_counted_and_reads_are_not(void) {
    block_scene scene = set_up();
    pinview_object *object = NULL;
    pinview_result *result;
    uint64_t before;
    OK(pinview_object_block_object(scene.block, 0, &object, ERROR));
    before = *scene.info.changes;
    EXPECT_NUMBER(integer_of(object, "age"), 20);
    EXPECT_NUMBER(members_of(object, "cars"), 1);
    result = sorted_people(scene.context);
    pinview_result_release(result);
    EXPECT_NUMBER(*scene.info.changes, before);
    set_integer(object, "age", 33);
    EXPECT_NUMBER(*scene.info.changes, before + 1);
    save(scene.context);
    EXPECT(*scene.info.changes > before + 1);
    pinview_object_release(object);
    tear_down(&scene);
}

static void to_one_relationships_are_keys_and_names(void) {
    block_scene scene = set_up();
    pinview_object *car = one_named(scene.context, "Car", "car3");
    pinview_object_block *cars = NULL, *second = NULL, *people = scene.block;
    uint64_t name = 0, owner = 0;
    pinview_column column;
    OK(pinview_objects_object_block(&car, 1, &name, &cars, &scene.info, ERROR));
    scene.block = cars;
    column = column_of(&scene, scene.owner, 0, 0);
    EXPECT_NUMBER(column.type, PINVIEW_VALUE_OBJECT_ID);
    EXPECT_NUMBER(column.states[0], PINVIEW_COLUMN_VALUE);
    OK(pinview_object_block_related_object(cars, scene.owner, 0, &owner, &second, &scene.info, ERROR));
    EXPECT(second == NULL && owner == scene.names[3]); /* CTX-02 */
    scene.block = people;
    pinview_object_block_release(cars);
    pinview_object_release(car);
    tear_down(&scene);
}

static void members_come_for_many_owners(void) {
    block_scene scene = set_up();
    const int32_t cars = index_of(scene.context, "Person", "cars");
    int32_t counts[PEOPLE] = {0}, is_current = 0;
    size_t owners = PEOPLE;
    pinview_result *members = NULL;
    OK(pinview_object_block_related_objects(scene.block, cars, 0, counts, &owners, &members, ERROR));
    EXPECT_NUMBER(owners, 1);
    EXPECT_NUMBER(counts[0], 1);
    pinview_result_release(members);
    owners = PEOPLE;
    /* Owners that are asked in order are read together. */
    OK(pinview_object_block_related_objects(scene.block, cars, 1, counts, &owners, &members, ERROR));
    EXPECT_NUMBER(owners, PEOPLE - 1);
    EXPECT_NUMBER(pinview_result_count(members), PEOPLE - 1);
    pinview_result_release(members);
    pinview_object *third = NULL;
    int32_t is_fault = 0;
    OK(pinview_object_block_object(scene.block, 2, &third, ERROR));
    OK(pinview_object_has_fault(third, TEXT("cars"), &is_fault, ERROR));
    EXPECT_NUMBER(is_fault, 1);
    OK(pinview_object_block_confirm_related_objects(scene.block, cars, 2, &is_current, ERROR));
    EXPECT_NUMBER(is_current, 1);
    OK(pinview_object_has_fault(third, TEXT("cars"), &is_fault, ERROR));
    EXPECT_NUMBER(is_fault, 0);
    pinview_object_release(third);
    /* Another context takes the car of the fourth. */
    pinview_context *other = context_on(&scene.stack);
    pinview_object *car = one_named(other, "Car", "car3");
    OK(pinview_context_delete(other, car, ERROR));
    save(other);
    OK(pinview_object_block_confirm_related_objects(scene.block, cars, 3, &is_current, ERROR));
    EXPECT_NUMBER(is_current, 0);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_block_confirm_related_objects(scene.block, scene.name, 3, &is_current, ERROR));
    pinview_object_release(car);
    pinview_context_release(other);
    tear_down(&scene);
}

static void owners_without_members_are_confirmed(void) {
    block_scene scene = set_up();
    const int32_t cars = index_of(scene.context, "Person", "cars");
    int32_t counts[PEOPLE] = {0}, is_current = 0;
    pinview_context *other = context_on(&scene.stack);
    char name[16];
    for (int each = 0; each < PEOPLE; each++) {
        snprintf(name, sizeof name, "car%d", each);
        pinview_object *car = one_named(other, "Car", name);
        OK(pinview_context_delete(other, car, ERROR));
        pinview_object_release(car);
    }
    save(other);
    for (int32_t place = 0; place < 2; place++) {
        size_t owners = PEOPLE;
        pinview_result *members = NULL;
        OK(pinview_object_block_related_objects(scene.block, cars, (uint32_t)place, counts, &owners, &members, ERROR));
        EXPECT_NUMBER(owners, place == 0 ? 1 : PEOPLE - 1);
        EXPECT_NUMBER(pinview_result_count(members), 0);
        pinview_result_release(members);
    }
    for (uint32_t place = 2; place < PEOPLE; place++) {
        OK(pinview_object_block_confirm_related_objects(scene.block, cars, place, &is_current, ERROR));
        EXPECT_NUMBER(is_current, 1);
    }
    pinview_context_release(other);
    tear_down(&scene);
}

static void objects_go_when_they_were_given_back(void) {
    block_scene scene = set_up();
    const uint32_t places[] = {0, 1, 2, 99};
    pinview_object *object = NULL;
    pinview_result *registered = NULL;
    pinview_result_release(scene.result);
    scene.result = NULL;
    pinview_object_block_drop(scene.block, places, 4);
    OK(pinview_context_registered_objects(scene.context, &registered, ERROR));
    EXPECT_NUMBER(pinview_result_count(registered), 2); /* REF-18 */
    pinview_result_release(registered);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_object(scene.block, 0, &object, ERROR));
    OK(pinview_object_block_object(scene.block, 4, &object, ERROR));
    pinview_object_release(object);
    tear_down(&scene);
}

typedef union {
    int64_t cells[512];
    double reals[512];
    char bytes[4096];
} row_room;

static pinview_object_row row_with(row_room *room) {
    pinview_object_row row;
    memset(&row, 0, sizeof row);
    row.struct_size = sizeof row;
    row.room = room;
    row.room_size = sizeof *room;
    return row;
}

/* How many properties the entity of the persons has: the states begin behind so many cells. */
static int32_t person_property_count(block_scene *scene) {
    pinview_object *object = NULL;
    pinview_entity *entity = NULL;
    uint64_t count;
    OK(pinview_object_block_object(scene->block, 0, &object, ERROR));
    OK(pinview_object_entity(object, &entity, ERROR));
    count = pinview_entity_property_count(entity);
    pinview_entity_release(entity);
    pinview_object_release(object);
    return (int32_t)count;
}

static void a_look_up_is_one_call(void) {
    block_scene scene = set_up();
    pinview_context *context = context_on(&scene.stack);
    const int32_t count = person_property_count(&scene);
    pinview_object_block *blocks[1];
    pinview_object_id *ids[3];
    pinview_result *registered = NULL;
    row_room room;
    pinview_object_row row = row_with(&room);
    uint64_t name;
    int place;
    for (place = 0; place < 3; place++) {
        pinview_object *object = NULL;
        OK(pinview_object_block_object(scene.block, (uint32_t)place, &object, ERROR));
        OK(pinview_object_get_id(object, &ids[place], ERROR));
        pinview_object_release(object);
    }
    OK(pinview_context_object_row(context, ids[0], 1, &row, ERROR));
    EXPECT(row.block != NULL);
    EXPECT_NUMBER(row.name, row.info.number * 4096);
    EXPECT_NUMBER(row.changes, *row.info.changes);
    EXPECT_NUMBER(room.cells[scene.age], 20);
    EXPECT_NUMBER(room.bytes[8 * count + scene.age], PINVIEW_COLUMN_VALUE);
    EXPECT(strstr(room.bytes + 9 * count, "dave0") != NULL);
    name = row.name;
    blocks[0] = row.block;
    row.blocks = blocks;
    row.block_count = 1;
    OK(pinview_context_object_row(context, ids[1], 0, &row, ERROR));
    EXPECT(row.block == NULL && row.name == name + 1);
    EXPECT(row.flags & PINVIEW_COLUMN_HAS_FAULTS); /* FET-10 */
    row.dropped = &name;
    row.dropped_count = 1;
    OK(pinview_context_object_row(context, ids[2], 1, &row, ERROR));
    EXPECT(row.name == name + 2 && !(row.flags & PINVIEW_COLUMN_HAS_FAULTS));
    OK(pinview_context_registered_objects(context, &registered, ERROR));
    EXPECT_NUMBER(pinview_result_count(registered), 2); /* REF-18 */
    pinview_result_release(registered);
    OK(pinview_object_block_row(blocks[0], 1, &row, ERROR));
    EXPECT_NUMBER(room.cells[scene.age], 21);
    EXPECT(!(row.flags & PINVIEW_COLUMN_HAS_FAULTS));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(blocks[0], 0, &row, ERROR));
    EXPECT_NUMBER(row.changes, 0);
    for (place = 0; place < 3; place++) pinview_object_id_release(ids[place]);
    pinview_object_block_release(blocks[0]);
    pinview_context_release(context);
    tear_down(&scene);
}

static void a_row_fills_no_more_than_its_room(void) {
    block_scene scene = set_up();
    const int32_t count = person_property_count(&scene);
    row_room room;
    pinview_object_row row = row_with(&room);
    memset(&room, 7, sizeof room);
    row.room_size = (size_t)(9 * count - 1);
    OK(pinview_object_block_row(scene.block, 0, &row, ERROR));
    EXPECT(row.flags & PINVIEW_COLUMN_HAS_FAULTS);
    EXPECT_NUMBER(room.bytes[0], 7);
    row.room_size = (size_t)(9 * count + 6); /* room for a text of one person, or of none */
    OK(pinview_object_block_row(scene.block, 0, &row, ERROR));
    EXPECT_NUMBER(room.cells[scene.age], 20);
    EXPECT(row.text_size <= 6);
    EXPECT_NUMBER(room.bytes[9 * count + 6], 7);
    row.struct_size = 8;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(scene.block, 0, &row, ERROR));
    tear_down(&scene);
}

static void an_insertion_is_one_call(void) {
    block_scene scene = set_up();
    const int32_t count = person_property_count(&scene), indexes[2] = {scene.name, scene.age};
    pinview_value values[2] = {pinview_value_text("Ada"), pinview_value_integer(36)};
    pinview_object_block *blocks[1];
    pinview_result *inserted = NULL;
    row_room room;
    pinview_object_row row = row_with(&room);
    uint64_t name;
    OK(pinview_context_insert_row(scene.context, pinview_text("Person"), indexes, values, 2, &row, ERROR));
    EXPECT(row.block != NULL && !(row.flags & PINVIEW_COLUMN_HAS_FAULTS));
    EXPECT_NUMBER(row.changes, *row.info.changes);
    EXPECT_NUMBER(room.cells[scene.age], 36);
    EXPECT(strstr(room.bytes + 9 * count, "Ada") != NULL);
    name = row.name;
    blocks[0] = row.block;
    row.blocks = blocks;
    row.block_count = 1;
    OK(pinview_context_insert_row(scene.context, pinview_text("Person"), NULL, NULL, 0, &row, ERROR));
    EXPECT(row.block == NULL && row.name == name + 1);
    EXPECT_NUMBER(room.bytes[8 * count + scene.name], PINVIEW_COLUMN_NULL);
    /* What cannot be set is not inserted. */
    values[1] = pinview_value_text("old");
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_insert_row(scene.context, pinview_text("Person"), indexes, values, 2, &row, ERROR));
    EXPECT_NUMBER(row.name, 0);
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_insert_row(scene.context, pinview_text("Ghost"), NULL, NULL, 0, &row, ERROR));
    OK(pinview_context_inserted_objects(scene.context, &inserted, ERROR));
    EXPECT_NUMBER(pinview_result_count(inserted), 2);
    pinview_result_release(inserted);
    OK(pinview_context_save(scene.context, ERROR));
    pinview_object_block_release(blocks[0]);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"CTX-02: an object has one name, however it is found", objects_are_named_once},
    {"FLT-01, FLT-03: a column shows faults without firing them", a_column_shows_faults_without_firing_them},
    {"texts stand one behind the other", texts_stand_one_behind_the_other},
    {"changes are counted, and reads are not", changes_are_counted_and_reads_are_not},
    {"FLT-05, CTX-02: to-one relationships are keys and names", to_one_relationships_are_keys_and_names},
    {"FLT-05: members come for many owners, and each owner's are confirmed", members_come_for_many_owners},
    {"FLT-05: owners without members are confirmed, too", owners_without_members_are_confirmed},
    {"FET-09, FET-10: a look-up is one call", a_look_up_is_one_call},
    {"a row fills no more than its room", a_row_fills_no_more_than_its_room},
    {"API-22: an insertion is one call", an_insertion_is_one_call},
    {"REF-18: objects go when they were given back", objects_go_when_they_were_given_back},
};
const test_topic blocks_topic = TOPIC("blocks", tests);
