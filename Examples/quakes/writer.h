/* The second process: keeps inserting, revising and deleting quakes until its standard input is
 * closed. */
#ifndef QUAKES_WRITER_H
#define QUAKES_WRITER_H

/* Writes to the store of another process, and a line to standard output when the first transaction
 * is committed. Returns how many transactions were committed, or -1 after a message. */
long write_until_told(const char *store);

#endif
