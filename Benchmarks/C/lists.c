// W22: a list that follows what another process changes.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmark.h"

// The other process. For each byte that it is sent it commits the next change, and sends one back.
static struct {
    pid_t process;
    int orders, answers;
} changer;

static void change_ages(const struct cell *cell, int orders, int answers) {
    char path[512], byte;
    const int64_t persons = parameter(cell, "persons");
    snprintf(path, sizeof path, "%s/people.sqlite", cell->folder);
    sqlite3 *const database = raw_open(path);
    sqlite3_stmt *const update = raw_prepare(database, "UPDATE ZPERSON SET ZAGE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?");
    for (int64_t change = 0; read(orders, &byte, 1) == 1; change++) {
        sqlite3_bind_int64(update, 1, 37 * change % 90);
        sqlite3_bind_int64(update, 2, raw_random_key(change, persons));
        raw_check(database, sqlite3_step(update), SQLITE_DONE, "update");
        sqlite3_reset(update);
        if (write(answers, &byte, 1) != 1) exit(EXIT_FAILURE);
    }
    sqlite3_finalize(update);
    raw_close(database);
}

static void start_changer(const struct cell *cell) {
    int orders[2], answers[2];
    if (pipe(orders) != 0 || pipe(answers) != 0) exit(EXIT_FAILURE);
    changer.process = fork();
    if (changer.process < 0) exit(EXIT_FAILURE);
    if (changer.process == 0) {
        close(orders[1]);
        change_ages(cell, orders[0], answers[1]);
        _exit(EXIT_SUCCESS);
    }
    close(orders[0]);
    close(answers[1]);
    changer.orders = orders[1];
    changer.answers = answers[0];
}

static void end_changer(void) {
    int status;
    close(changer.orders);
    if (waitpid(changer.process, &status, 0) != changer.process || status != 0) exit(EXIT_FAILURE);
}

static void count_report(pinview_results_controller *controller, void *userdata) {
    (void)controller;
    ++*(int64_t *)userdata;
}

// Of the persons with keys 1 to 100.
static int64_t sum_of_positions(const struct stack *stack, pinview_context *context, pinview_results_controller *controller) {
    int64_t sum = 0;
    for (int64_t key = 1; key <= 100; key++) {
        pinview_object_id *const id = object_id(stack, "Person", key);
        pinview_object *person;
        pinview_index_path path;
        check(pinview_context_object(context, id, &person, &error));
        check(pinview_results_controller_index_path(controller, person, &path, &error));
        sum += (int64_t)path.item;
        check(pinview_object_release(person));
        check(pinview_object_id_release(id));
    }
    return sum;
}

static pinview_results_controller *followed(
    const char *name, pinview_string section_name_key_path, const struct cell *cell, pinview_context *context
) {
    const int64_t changes = parameter(cell, "changes");
    const pinview_sort_descriptor sort[] = {{.key_path = pinview_text("age")}, {.key_path = pinview_text("email")}};
    pinview_fetch_request request = request_for("Person", 0);
    request.sort_descriptors = sort;
    request.sort_descriptor_count = 2;
    int64_t reports = 0, time = 0;
    const pinview_results_callbacks callbacks = {.struct_size = sizeof callbacks, .did_change_content = count_report};
    pinview_results_controller *controller;
    check(pinview_results_controller_create(context, &request, section_name_key_path, &controller, &error));
    check(pinview_results_controller_set_callbacks(controller, &callbacks, &reports, NULL, &error));
    check(pinview_results_controller_perform_fetch(controller, &error));
    for (int64_t change = 0; change < changes; change++) {
        char byte = '\n';
        int32_t is_there;
        if (write(changer.orders, &byte, 1) != 1) exit(EXIT_FAILURE);
        const int64_t start = processor_time();
        while (reports == change) {
            check(pinview_context_wait_for_newer_generation(context, 60, &is_there, &error));
            if (!is_there) exit(EXIT_FAILURE);
            check(pinview_context_set_query_generation(context, pinview_token_current(), &error));
        }
        time += processor_time() - start;
        if (read(changer.answers, &byte, 1) != 1) exit(EXIT_FAILURE);
    }
    measure(name, (double)time / (double)changes);
    check(pinview_results_controller_set_callbacks(controller, NULL, NULL, NULL, &error));
    return controller;
}

static void follow_list_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    check(pinview_results_controller_release(followed("sections", pinview_text("age"), cell, context)));
    pinview_results_controller *const controller = followed("change", pinview_absent(), cell, context);
    checksum("order", sum_of_positions(stack, context, controller));
    check(pinview_results_controller_release(controller));
}

void follow_list(const struct cell *cell) {
    // Before anything of the library is used: a process that has forked must not go on with it.
    start_changer(cell);
    in_context(cell, "people.sqlite", false, follow_list_in);
    end_changer();
}
