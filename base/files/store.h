/* store.h: bytes that are written one after another and then read: in memory or, if they are many,
 * in a file that is mapped, so that they take no memory of their own.
 *
 * Until it is kept, the file has no name: whatever ends the program, nothing is left of it. */
#ifndef PULGA_STORE_H
#define PULGA_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "file.h"

typedef struct {
    int file;                /* -1: in memory */
    char *path;              /* of the file, for messages */
    char *at;                /* what store_view() has returned */
    size_t size, room;       /* bytes there are, and bytes that `at` has room for or has mapped */
    struct timespec written; /* when the file last was, as it was kept or opened */
} Store;

Store store_in_memory(void);

/* In a new file on the file system of a folder that need not exist yet. `name` is what the file
 * will be called, for messages. Dies if it cannot be made. */
Store store_in_file(const char *folder, const char *name);

/* In a file of $TMPDIR or, if that is not set, of /var/tmp. */
Store store_in_temporary_file(const char *name);

/* A file that was kept. Dies if it cannot be read. */
Store store_open(const Directory *directory, const char *name);
void store_free(Store *store);

/* Appends bytes; dies if the disk is full. */
void store_put(Store *store, const void *bytes, size_t size);

/* Replaces bytes that are there. Warns and returns false if that fails. */
bool store_set(Store *store, size_t offset, const void *bytes, size_t size);

/* All bytes that are there, until the next call of store_put(). */
const char *store_view(Store *store);

/* Copies bytes whose address store_view() has given. Those of a file are read, since a map of one
 * that someone shortens would end the program without a message. Returns false if they cannot be
 * read. */
bool store_read(const Store *store, const void *from, void *to, size_t size);

/* Whether a file that was kept or opened was written to since. */
bool store_is_changed(const Store *store);

/* Gives the file its name in a directory, in place of one that has it, or writes what is in memory
 * into a file of that name. Warns and returns false if that fails. */
bool store_keep(Store *store, const Directory *directory, const char *name);

#endif
