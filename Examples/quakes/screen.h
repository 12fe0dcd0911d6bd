/* Draws the demo's table: the answers of the pinned and the unpinned view, and the size of the
 * journal. */
#ifndef QUAKES_SCREEN_H
#define QUAKES_SCREEN_H

#include <stdint.h>

/* What a view answers to the demo's questions. */
typedef struct {
    long quakes;
    double mean_magnitude;
    uint64_t checksum; /* over every value of every quake */
} answers;

typedef enum { style_plain, style_strong, style_pinned, style_unpinned, style_journal, style_alarm } screen_style;

/* Colours are used on a terminal only, unless NO_COLOR is set. */
void screen_open(void);

/* Prints one line in a style, like printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void screen_line(screen_style style, const char *format, ...);

void screen_table_head(void);
void screen_table_row(int second, const answers *pinned, const answers *unpinned, const answers *start, int64_t journal);
void screen_table_foot(void);

/* One line with a label, a bar and the size. */
void screen_journal(const char *label, int64_t bytes);

int same_answers(const answers *one, const answers *other);

#endif
