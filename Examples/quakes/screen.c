#define _POSIX_C_SOURCE 200809L
#include "screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bar_width = 8 };
static const double bar_full = 8.0 * 1024 * 1024; /* bytes that fill the bar */

static int colours;

void screen_open(void) {
    const char *terminal = getenv("TERM");
    colours = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

static const char *start_of(screen_style style) {
    static const char *const codes[] = {"", "\033[1m", "\033[1;32m", "\033[33m", "\033[36m", "\033[1;37;41m"};
    return colours ? codes[style] : "";
}

static const char *end_of(screen_style style) { return colours && style != style_plain ? "\033[0m" : ""; }

void screen_line(screen_style style, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs(start_of(style), stdout);
    vprintf(format, arguments);
    va_end(arguments);
    printf("%s\n", end_of(style));
    fflush(stdout);
}

int same_answers(const answers *one, const answers *other) {
    return one->quakes == other->quakes && one->mean_magnitude == other->mean_magnitude && one->checksum == other->checksum;
}

static void print_size(int64_t bytes) {
    if (bytes < 1000 * 1024) {
        printf("%5lld KiB", (long long)(bytes + 1023) / 1024);
    } else {
        printf("%5.1f MiB", (double)bytes / (1024 * 1024));
    }
}

/* Eighths of a character make the bar grow smoothly. */
static void print_bar(int64_t bytes) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int filled = (int)((double)bytes / bar_full * bar_width * 8 + 0.5);
    if (bytes > 0 && filled == 0) filled = 1;
    if (filled > bar_width * 8) filled = bar_width * 8;
    fputs(start_of(style_journal), stdout);
    for (int cell = 0; cell < filled / 8; cell++) fputs("█", stdout);
    fputs(eighths[filled % 8], stdout);
    fputs(end_of(style_journal), stdout);
    for (int cell = (filled + 7) / 8; cell < bar_width; cell++) putchar(' ');
}

void screen_table_head(void) {
    puts("┌─────┬───────── pinned ────────┬──────── unpinned ───────┬────── journal ─────┐");
    puts("│ sec │ quakes mean M   check   │ quakes mean M   check   │                    │");
    puts("├─────┼─────────────────────────┼─────────────────────────┼────────────────────┤");
    fflush(stdout);
}

static void print_view(const answers *view, const answers *start, screen_style style) {
    printf("%s %6ld %6.2f  %06llx %s %s│", start_of(style), view->quakes, view->mean_magnitude,
           (unsigned long long)(view->checksum & 0xffffff), same_answers(view, start) ? "=" : "≠", end_of(style));
}

void screen_table_row(int second, const answers *pinned, const answers *unpinned, const answers *start, int64_t journal) {
    printf("│ %3d │", second);
    print_view(pinned, start, same_answers(pinned, start) ? style_pinned : style_alarm);
    print_view(unpinned, start, style_unpinned);
    putchar(' ');
    print_bar(journal);
    putchar(' ');
    print_size(journal);
    puts(" │");
    fflush(stdout);
}

void screen_table_foot(void) {
    puts("└─────┴─────────────────────────┴─────────────────────────┴────────────────────┘");
    puts("  = every value as at the start   ≠ something differs");
    fflush(stdout);
}

void screen_journal(const char *label, int64_t bytes) {
    printf("  %-34s ", label);
    print_bar(bytes);
    putchar(' ');
    print_size(bytes);
    putchar('\n');
    fflush(stdout);
}
