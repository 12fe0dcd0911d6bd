/* Hooks of entities, the program's data of an object, and transient properties. */
#include <string.h>

#include "support.h"
#include "topics.h"

static const char person_json[] =
    "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"firstName\",\"type\":\"string\"},"
    "{\"name\":\"lastName\",\"type\":\"string\"},{\"name\":\"age\",\"type\":\"integer64\",\"default\":0},"
    "{\"name\":\"fullName\",\"type\":\"string\",\"transient\":true}]}]}";

/* What the hooks of a test share. */
typedef struct {
    int freed, inserted, fetched, prepared, will_save, did_save, will_fault, did_fault, checked, validated;
    pinview_status status; /* what the hooks give */
    int makes_error;       /* whether they leave an error of their own */
    char text[64];
} notes;

static void count_freed(void *userdata) { ((notes *)userdata)->freed++; }

static pinview_status answer(notes *record) {
    pinview_error *error = NULL;
    if (!record->makes_error) return record->status;
    EXPECT_NUMBER(pinview_error_create(TEXT("Shop"), record->status, TEXT("Not today."), record, NULL, &error, NULL), PINVIEW_OK);
    pinview_status status = pinview_error_status(error);
    pinview_error_release(error);
    return status;
}

static pinview_status inserted(pinview_object *object, void *userdata) {
    pinview_value age = pinview_value_integer(1);
    ((notes *)userdata)->inserted++;
    EXPECT_NUMBER(pinview_object_set_value(object, TEXT("age"), &age, NULL), PINVIEW_OK);
    return answer(userdata);
}

/* fullName is made up of the other two, and the object's own data says that it was. */
static pinview_status fetched(pinview_object *object, void *userdata) {
    char full_name[64];
    pinview_value value;
    ((notes *)userdata)->fetched++;
    EXPECT_NUMBER(pinview_object_value(object, TEXT("firstName"), &value, NULL), PINVIEW_OK);
    strcpy(full_name, value.type == PINVIEW_VALUE_STRING ? value.as.string.data : "");
    strcat(full_name, " ");
    EXPECT_NUMBER(pinview_object_value(object, TEXT("lastName"), &value, NULL), PINVIEW_OK);
    strcat(full_name, value.type == PINVIEW_VALUE_STRING ? value.as.string.data : "");
    value = pinview_value_text(full_name);
    EXPECT_NUMBER(pinview_object_set_value(object, TEXT("fullName"), &value, NULL), PINVIEW_OK);
    int *was_refreshed = pinview_object_userdata(object);
    if (was_refreshed != NULL) *was_refreshed = 1;
    return answer(userdata);
}

static pinview_status prepared(pinview_object *object, void *userdata) {
    EXPECT((state_of(object) & PINVIEW_OBJECT_DELETED) == 0);
    ((notes *)userdata)->prepared++;
    return answer(userdata);
}

static pinview_status will_save(pinview_object *object, void *userdata) {
    pinview_context *context = NULL;
    pinview_error *error = NULL;
    ((notes *)userdata)->will_save++;
    EXPECT_NUMBER(pinview_object_context(object, &context, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_save(context, &error), PINVIEW_ERROR_INVALID_ARGUMENT);
    pinview_error_release(error);
    pinview_context_release(context);
    return answer(userdata);
}

static pinview_status grow(pinview_object *object, void *userdata) {
    pinview_value age;
    ((notes *)userdata)->will_save++;
    EXPECT_NUMBER(pinview_object_value(object, TEXT("age"), &age, NULL), PINVIEW_OK);
    age.as.integer++;
    EXPECT_NUMBER(pinview_object_set_value(object, TEXT("age"), &age, NULL), PINVIEW_OK);
    return PINVIEW_OK;
}

static void did_save(pinview_object *object, void *userdata) {
    EXPECT((state_of(object) & PINVIEW_OBJECT_INSERTED) == 0);
    ((notes *)userdata)->did_save++;
}

static void will_fault(pinview_object *object, void *userdata) {
    EXPECT((state_of(object) & PINVIEW_OBJECT_FAULT) == 0);
    ((notes *)userdata)->will_fault++;
}

static void did_fault(pinview_object *object, void *userdata) {
    EXPECT((state_of(object) & PINVIEW_OBJECT_FAULT) != 0);
    ((notes *)userdata)->did_fault++;
}

static pinview_status validated(pinview_object *object, void *userdata) {
    (void)object;
    ((notes *)userdata)->validated++;
    return answer(userdata);
}

static pinview_status checked(pinview_object *object, pinview_string key, const pinview_value *value, void *userdata) {
    notes *record = userdata;
    (void)object;
    record->checked++;
    strcpy(record->text, key.data);
    if (value->type == PINVIEW_VALUE_STRING && strcmp(value->as.string.data, "forbidden") == 0) return answer(record);
    return PINVIEW_OK;
}

static pinview_entity_hooks no_hooks(void) {
    pinview_entity_hooks hooks;
    memset(&hooks, 0, sizeof hooks);
    hooks.struct_size = sizeof hooks;
    return hooks;
}

/* A stack whose Person has hooks, and nothing stored. */
static data_stack hooked_stack(const pinview_entity_hooks *hooks, notes *record) {
    data_stack stack = {NULL, NULL, NULL, test_path("people.sqlite")};
    OK(pinview_model_create_from_json(TEXT(person_json), &stack.model, ERROR));
    OK(pinview_model_set_entity_hooks(stack.model, TEXT("Person"), hooks, record, count_freed, ERROR));
    OK(pinview_coordinator_create(stack.model, &stack.coordinator, ERROR));
    OK(pinview_coordinator_add_store(stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL,
                                     0, &stack.store, ERROR));
    return stack;
}

static pinview_object *new_person(pinview_context *context, const char *first, const char *last) {
    pinview_object *person = NULL;
    OK(pinview_context_insert_new_object(context, TEXT("Person"), &person, ERROR));
    set_text(person, "firstName", first);
    set_text(person, "lastName", last);
    return person;
}

static pinview_object *only_person(pinview_context *context) {
    pinview_result *result = fetch_named(context, "Person", NULL);
    pinview_object *person = NULL;
    OK(pinview_result_object(result, 0, &person, ERROR));
    pinview_result_release(result);
    return person;
}

static void hooks_follow_the_life_of_an_object(void) {
    notes record = {0};
    pinview_entity_hooks hooks = no_hooks();
    hooks.awake_from_insert = inserted;
    hooks.awake_from_fetch = fetched;
    hooks.prepare_for_deletion = prepared;
    hooks.will_save = will_save;
    hooks.did_save = did_save;
    hooks.will_turn_into_fault = will_fault;
    hooks.did_turn_into_fault = did_fault;
    data_stack stack = hooked_stack(&hooks, &record);
    pinview_context *context = context_on(&stack);
    pinview_object *person = new_person(context, "Sarit", "Smith");
    EXPECT_NUMBER(record.inserted, 1);
    EXPECT_NUMBER(integer_of(person, "age"), 1);
    save(context);
    EXPECT_NUMBER(record.will_save, 1);
    EXPECT_NUMBER(record.did_save, 1);
    OK(pinview_context_refresh(context, person, 0, ERROR));
    EXPECT(record.will_fault == 1 && record.did_fault == 1 && record.fetched == 0);
    EXPECT_TEXT(text_of(person, "fullName"), "Sarit Smith"); /* FLT-17, RFR-22 */
    EXPECT_NUMBER(record.fetched, 1);
    EXPECT(!has_changes(context)); /* DEC-55 */
    OK(pinview_context_delete(context, person, ERROR));
    EXPECT_NUMBER(record.prepared, 1);
    save(context);
    EXPECT_NUMBER(record.will_save, 2);
    pinview_object_release(person);
    pinview_context_release(context);
    EXPECT_NUMBER(record.freed, 0);
    stack_close(&stack);
    EXPECT_NUMBER(record.freed, 1);
}

static void failures_come_back_unchanged(void) {
    notes record = {0};
    pinview_entity_hooks hooks = no_hooks();
    pinview_object *person = NULL;
    hooks.awake_from_insert = inserted;
    hooks.awake_from_fetch = fetched;
    hooks.will_save = will_save;
    data_stack stack = hooked_stack(&hooks, &record);
    pinview_context *context = context_on(&stack);
    record.status = 4711;
    FAILS(4711, pinview_context_insert_new_object(context, TEXT("Person"), &person, ERROR));
    EXPECT(person == NULL && !has_changes(context));
    record.makes_error = 1;
    FAILS(4711, pinview_context_insert_new_object(context, TEXT("Person"), &person, ERROR));
    EXPECT_TEXT(pinview_error_domain(last_error()), "Shop");
    EXPECT(pinview_error_userdata(last_error()) == &record);
    record.status = PINVIEW_OK;
    record.makes_error = 0;
    person = new_person(context, "Sarit", "Smith");
    record.status = 150;
    FAILS(150, pinview_context_save(context, ERROR));
    record.status = PINVIEW_USE_DEFAULT;
    save(context);
    OK(pinview_context_refresh(context, person, 0, ERROR));
    pinview_value value;
    record.status = 200;
    FAILS(200, pinview_object_value(person, TEXT("age"), &value, ERROR));
    EXPECT((state_of(person) & PINVIEW_OBJECT_FAULT) != 0);
    record.status = PINVIEW_OK;
    EXPECT_NUMBER(integer_of(person, "age"), 1);
    pinview_object_release(person);
    pinview_context_release(context);
    stack_close(&stack);
}

static void saves_that_never_end_fail(void) {
    notes record = {0};
    pinview_entity_hooks hooks = no_hooks();
    hooks.will_save = grow;
    data_stack stack = hooked_stack(&hooks, &record);
    pinview_context *context = context_on(&stack);
    pinview_object_release(new_person(context, "Sarit", "Smith"));
    FAILS(PINVIEW_ERROR_STORE_SAVE, pinview_context_save(context, ERROR));
    EXPECT(strstr(last_message(), "1000 rounds") != NULL && record.will_save > 1000);
    EXPECT(has_changes(context));
    pinview_context_release(context);
    stack_close(&stack);
}

static void all_failures_of_checks_come_in_one_error(void) {
    notes record = {0};
    pinview_entity_hooks hooks = no_hooks();
    pinview_string keys[] = {TEXT("firstName"), TEXT("lastName")};
    pinview_error *detail = NULL;
    pinview_value value;
    hooks.validate_for_insert = validated;
    hooks.validate_for_update = validated;
    hooks.validate_for_delete = validated;
    hooks.validate_property = checked;
    hooks.checked_keys = keys;
    hooks.checked_key_count = 1;
    data_stack stack = hooked_stack(&hooks, &record);
    pinview_context *context = context_on(&stack);
    pinview_object *person = new_person(context, "forbidden", "forbidden");
    record.status = 77777;
    record.makes_error = 1;
    FAILS(PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS, pinview_context_save(context, ERROR)); /* SAV-08 */
    EXPECT_NUMBER(pinview_error_detailed_error_count(last_error()), 2);
    OK(pinview_error_detailed_error(last_error(), 0, &detail, NULL));
    EXPECT_NUMBER(pinview_error_status(detail), 77777);
    EXPECT_TEXT(pinview_error_domain(detail), "Shop");
    EXPECT(pinview_error_userdata(detail) == &record);
    EXPECT_TEXT(pinview_error_validation_key(detail), "firstName"); /* ERR-07 */
    OK(pinview_error_validation_value(detail, &value, NULL));
    EXPECT_TEXT(value.as.string, "forbidden");
    pinview_error_release(detail);
    EXPECT(record.checked == 1 && record.validated == 1);
    EXPECT_TEXT(pinview_text(record.text), "firstName");
    FAILS(PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS, pinview_object_validate(person, ERROR));
    FAILS(77777, pinview_object_validate_for_delete(person, ERROR));
    record.makes_error = 0;
    record.status = PINVIEW_STOP;
    FAILS(PINVIEW_ERROR_STOPPED, pinview_context_save(context, ERROR));
    record.status = PINVIEW_OK;
    save(context);
    pinview_object_release(person);
    pinview_context_release(context);
    stack_close(&stack);
}

static void wrong_registrations_are_refused(void) {
    notes record = {0};
    pinview_entity_hooks hooks = no_hooks();
    pinview_string key = TEXT("nickname");
    hooks.awake_from_insert = inserted;
    data_stack stack = hooked_stack(&hooks, &record);
    pinview_model *other = NULL;
    OK(pinview_model_create_from_json(TEXT(person_json), &other, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_model_set_entity_hooks(other, TEXT("Nobody"), &hooks, &record, count_freed, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_entity_hooks(stack.model, TEXT("Person"), &hooks, &record, count_freed, ERROR));
    hooks.validate_property = checked;
    hooks.checked_keys = &key;
    hooks.checked_key_count = 1;
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_model_set_entity_hooks(other, TEXT("Person"), &hooks, &record, count_freed, ERROR));
    hooks.struct_size = 8;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_entity_hooks(other, TEXT("Person"), &hooks, &record, count_freed, ERROR));
    EXPECT_NUMBER(record.freed, 0);
    pinview_model_release(other);
    /* The hooks of a model in use can be switched off. */
    pinview_context *context = context_on(&stack);
    OK(pinview_model_set_entity_hooks(stack.model, TEXT("Person"), NULL, NULL, NULL, ERROR));
    pinview_object_release(new_person(context, "Sarit", "Smith"));
    EXPECT_NUMBER(record.inserted, 0);
    pinview_context_release(context);
    stack_close(&stack);
    EXPECT_NUMBER(record.freed, 1);
}

/* Sarit Smith: context one makes her Fiona and saves, context two makes her Jones and refreshes. */
static void a_refresh_and_a_transient_property(void) {
    notes record = {0}, slot_freed = {0};
    int was_refreshed = 0;
    pinview_entity_hooks hooks = no_hooks();
    hooks.awake_from_fetch = fetched;
    data_stack stack = hooked_stack(&hooks, &record);
    pinview_context *writer = context_on(&stack), *one = context_on(&stack), *two = context_on(&stack);
    pinview_object_release(new_person(writer, "Sarit", "Smith"));
    save(writer);
    pinview_object *first = only_person(one), *second = only_person(two);
    EXPECT_TEXT(text_of(first, "fullName"), "Sarit Smith"); /* EX-29 */
    EXPECT_TEXT(text_of(second, "fullName"), "Sarit Smith");
    OK(pinview_object_set_userdata(second, &was_refreshed, NULL, ERROR));
    set_text(first, "firstName", "Fiona");
    set_text(first, "fullName", "Fiona Smith");
    save(one); /* EX-30 */
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZFIRSTNAME='Fiona' AND ZLASTNAME='Smith'"), 1);
    set_text(second, "lastName", "Jones");
    set_text(second, "fullName", "Sarit Jones"); /* EX-31 */
    EXPECT_NUMBER(was_refreshed, 0);
    OK(pinview_context_refresh(two, second, 1, ERROR));
    EXPECT_TEXT(text_of(second, "firstName"), "Fiona");     /* EX-32 */
    EXPECT_TEXT(text_of(second, "lastName"), "Jones");      /* EX-33 */
    EXPECT_TEXT(text_of(second, "fullName"), "Sarit Jones"); /* EX-34, RFR-21 */
    EXPECT_NUMBER(was_refreshed, 1);                        /* EX-35, RFR-23: time to recompute */
    set_text(second, "fullName", "Fiona Jones");
    EXPECT_TEXT(text_of(second, "fullName"), "Fiona Jones");
    OK(pinview_context_refresh(two, second, 0, ERROR)); /* RFR-22 */
    EXPECT_TEXT(text_of(second, "fullName"), "Fiona Smith");
    /* The data goes when it is replaced, and with the object. */
    OK(pinview_object_set_userdata(second, &slot_freed, count_freed, ERROR));
    OK(pinview_object_set_userdata(second, &slot_freed, count_freed, ERROR));
    EXPECT_NUMBER(slot_freed.freed, 1);
    EXPECT(pinview_object_userdata(second) == &slot_freed && pinview_object_userdata(first) == NULL);
    pinview_object_release(first);
    pinview_object_release(second);
    pinview_context_release(writer);
    pinview_context_release(one);
    pinview_context_release(two);
    EXPECT_NUMBER(slot_freed.freed, 2);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"DEC-55, FLT-17: hooks follow the life of an object", hooks_follow_the_life_of_an_object},
    {"failures of hooks come back unchanged", failures_come_back_unchanged},
    {"a willSave that never ends fails the save", saves_that_never_end_fail},
    {"SAV-08, ERR-07: all failures of the program's checks come in one error", all_failures_of_checks_come_in_one_error},
    {"ERR-05: wrong registrations are refused and free nothing", wrong_registrations_are_refused},
    {"EX-29 to EX-35, RFR-21 to RFR-23: a transient property, a refresh and the program's data", a_refresh_and_a_transient_property},
};
const test_topic hooks_topic = TOPIC("hooks", tests);
