/* A pinned and an unpinned view of the same store while a second process writes. quakes.py does the
 * same in Python.
 *
 *   quakes [--seconds N] [--unpinned] FEED.geojson
 *   quakes --write STORE                              the second process, started by the first
 *
 * Exits with 0 if the pinned view did not move, 1 if it did, 2 after an error. --unpinned omits the
 * pin, to show that the demo notices. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "difference.h"
#include "feed.h"
#include "screen.h"
#include "store.h"
#include "writer.h"

enum { exit_stood_still = 0, exit_moved = 1, exit_failed = 2 };

extern char **environ;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

static void sleep_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

/* The second process: this program with --write. It runs until its standard input is closed. */
typedef struct {
    pid_t process;
    int stop;   /* closing it stops the writer, as does the end of this process */
    int report; /* the writer's output: that it has begun, and how many transactions it committed */
} writer_process;

static int writer_start(const char *program, const char *store, writer_process *writer) {
    int input[2], output[2];
    if (pipe(input) != 0) return -1;
    if (pipe(output) != 0) {
        close(input[0]);
        close(input[1]);
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    const int all[] = {input[0], input[1], output[0], output[1]};
    for (size_t index = 0; index < 4; index++) posix_spawn_file_actions_addclose(&actions, all[index]);
    char *arguments[] = {(char *)program, "--write", (char *)store, NULL};
    int code = posix_spawn(&writer->process, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    writer->stop = input[1];
    writer->report = output[0];
    if (code == 0) return 0;
    fprintf(stderr, "quakes: cannot start the second process: %s\n", strerror(code));
    close(writer->stop);
    close(writer->report);
    return -1;
}

/* Returns when the writer has committed its first transaction or has failed, which stopping it
 * reports. */
static void writer_wait(const writer_process *writer) {
    char line[16];
    if (read(writer->report, line, sizeof line) < 0) return;
}

/* Stops the writer; returns how many transactions it committed, or -1 if it failed. */
static long writer_stop(writer_process *writer) {
    char text[32] = "";
    int status = 0;
    close(writer->stop);
    ssize_t size = read(writer->report, text, sizeof text - 1);
    close(writer->report);
    while (waitpid(writer->process, &status, 0) < 0 && errno == EINTR) continue;
    return size > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? atol(text) : -1;
}

/* Asks both views the same questions once a second. Clears *stood_still if the pinned view's answer
 * changes. */
static int watch(quake_store *store, pinview_context *pinned, pinview_context *unpinned, const answers *start, int seconds,
                 int *stood_still) {
    screen_table_head();
    for (int second = 1; second <= seconds && !interrupted; second++) {
        sleep_for(1);
        answers from_pinned, from_unpinned;
        if (ask(pinned, NULL, &from_pinned) != 0 || ask(unpinned, NULL, &from_unpinned) != 0) return -1;
        screen_table_row(second, &from_pinned, &from_unpinned, start, quake_store_journal(store));
        if (!same_answers(&from_pinned, start)) *stood_still = 0;
    }
    screen_table_foot();
    return 0;
}

/* A journal that grew by more than this while pinned is shortened at once; a smaller one is reused. */
static const int64_t worth_giving_back = 512 * 1024;

/* The journal is shortened in the background as soon as nobody needs it. */
static int64_t wait_for_empty_journal(quake_store *store, int64_t held) {
    const int attempts = held > worth_giving_back ? 1200 : 10;
    for (int attempt = 0; attempt < attempts && quake_store_journal(store) > 0; attempt++) sleep_for(0.05);
    return quake_store_journal(store);
}

typedef struct {
    const char *program, *feed, *store;
    int seconds, pin;
} options;

static int tell(const options *chosen, quake_store *store, pinview_context *pinned, pinview_context *unpinned) {
    quake_list before = {0}, after = {0};
    answers start, end;
    writer_process writer;
    int stood_still = 1;

    if (chosen->pin && pin(pinned) != 0) return exit_failed;
    /* The generation is taken at the first fetch. */
    if (ask(pinned, &before, &start) != 0) return exit_failed;

    screen_line(style_plain, "A second process now inserts, revises and deletes quakes.\n");
    if (writer_start(chosen->program, chosen->store, &writer) != 0) return exit_failed;
    writer_wait(&writer);
    int watched = watch(store, pinned, unpinned, &start, chosen->seconds, &stood_still);
    long transactions = writer_stop(&writer);
    if (watched != 0 || transactions < 0 || interrupted) {
        if (transactions < 0) fprintf(stderr, "quakes: the second process failed\n");
        if (interrupted) fprintf(stderr, "quakes: interrupted\n");
        quake_list_free(&before);
        return exit_failed;
    }
    screen_line(style_plain, "  The second process committed %ld transactions.\n", transactions);

    int64_t held = quake_store_journal(store);
    screen_line(style_strong, "Advance: the pinned view moves to the newest generation in one step.");
    int advanced = pin(pinned) == 0 && ask(pinned, &after, &end) == 0;
    if (advanced) print_difference(&before, &after);
    quake_list_free(&before);
    quake_list_free(&after);
    if (!advanced) return exit_failed;

    screen_line(style_strong, "\nRelease: nobody needs the old generations any more, so the journal shrinks.");
    if (unpin(pinned) != 0) return exit_failed;
    screen_journal("journal while the view was pinned", held);
    int64_t left = wait_for_empty_journal(store, held);
    screen_journal("journal after the release", left);

    if (!stood_still) {
        screen_line(style_alarm, "\nThe pinned view moved.");
        return exit_moved;
    }
    if (left > 0 && held > worth_giving_back) {
        fprintf(stderr, "quakes: the journal did not shrink after the release\n");
        return exit_failed;
    }
    screen_line(style_pinned, "\nThe pinned view gave the same answers %d times while the store changed under it.\n", chosen->seconds);
    return exit_stood_still;
}

/* Fills the store and runs the demo with two contexts of one coordinator. */
static int run(const options *chosen) {
    quake_store store;
    if (quake_store_open(chosen->store, &store) != 0) return exit_failed;
    int result = exit_failed;
    long count = quake_store_fill(&store, chosen->feed);
    if (count >= 0) {
        screen_line(style_strong, "Pinview %s, in C: %ld earthquakes from %s", pinview_version_string().data, count, chosen->feed);
        pinview_context *pinned = quake_store_context(&store), *unpinned = quake_store_context(&store);
        if (pinned != NULL && unpinned != NULL) result = tell(chosen, &store, pinned, unpinned);
        pinview_context_release(pinned);
        pinview_context_release(unpinned);
    }
    quake_store_close(&store);
    return result;
}

/* The path of this program, for the second process. */
static const char *own_path(const char *name) {
    static char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    return size > 0 ? path : name;
}

static int run_in_temporary_folder(options *chosen) {
    const char *parent = getenv("TMPDIR");
    char folder[4096], store[4200];
    int size = snprintf(folder, sizeof folder, "%s/pinview-quakes-XXXXXX", parent == NULL || *parent == 0 ? "/tmp" : parent);
    if (size < 0 || size >= (int)sizeof folder || mkdtemp(folder) == NULL) {
        fprintf(stderr, "quakes: cannot make a temporary folder: %s\n", strerror(errno));
        return exit_failed;
    }
    snprintf(store, sizeof store, "%s/quakes.sqlite", folder);
    chosen->store = store;
    int result = run(chosen);
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (size_t index = 0; index < 3; index++) {
        char path[4300];
        snprintf(path, sizeof path, "%s%s", store, suffixes[index]);
        unlink(path);
    }
    if (rmdir(folder) != 0) fprintf(stderr, "quakes: cannot remove %s: %s\n", folder, strerror(errno));
    return result;
}

static int usage(void) {
    fprintf(stderr, "usage: quakes [--seconds N] [--unpinned] FEED.geojson\n");
    return exit_failed;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "--write") == 0) {
        signal(SIGINT, SIG_IGN); /* the first process gets it and stops this one */
        long transactions = write_until_told(arguments[2]);
        if (transactions >= 0) printf("%ld\n", transactions);
        return transactions >= 0 ? exit_stood_still : exit_failed;
    }
    options chosen = {.program = own_path(arguments[0]), .seconds = 8, .pin = 1};
    for (int index = 1; index < count; index++) {
        if (strcmp(arguments[index], "--unpinned") == 0) {
            chosen.pin = 0;
        } else if (strcmp(arguments[index], "--seconds") == 0 && index + 1 < count) {
            char *end;
            long seconds = strtol(arguments[++index], &end, 10);
            if (*end != 0 || seconds < 1 || seconds > 3600) return usage();
            chosen.seconds = (int)seconds;
        } else if (arguments[index][0] != '-' && chosen.feed == NULL) {
            chosen.feed = arguments[index];
        } else {
            return usage();
        }
    }
    if (chosen.feed == NULL) return usage();
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    screen_open();
    return run_in_temporary_folder(&chosen);
}
