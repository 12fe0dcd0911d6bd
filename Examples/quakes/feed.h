/* Reads earthquakes from a GeoJSON file, for example a feed of the USGS, with SQLite's own JSON
 * functions. */
#ifndef QUAKES_FEED_H
#define QUAKES_FEED_H

/* One earthquake of the feed. The texts belong to the reader and are valid during the call of the
 * visitor. */
typedef struct {
    const char *code;
    const char *place;
    const char *region;
    double magnitude;
    double time; /* seconds since 2001-01-01 00:00 UTC, as Pinview keeps dates */
    double latitude;
    double longitude;
    double depth; /* kilometres */
} feed_quake;

/* Called for each earthquake, oldest first; a value other than 0 stops the reading. */
typedef int (*feed_visitor)(const feed_quake *quake, void *userdata);

/* Calls visit for each earthquake of the file that has a magnitude. Returns how many were visited,
   or -1 after it has printed what is wrong with the file; -1 without a message where the visitor
   stopped. */
long feed_read(const char *path, feed_visitor visit, void *userdata);

#endif
