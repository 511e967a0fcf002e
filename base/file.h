/* file.h: reading a file whole, and replacing one so that at no moment half of it is there. */
#ifndef PULGA_FILE_H
#define PULGA_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "directory.h"

typedef struct {
    char *bytes; /* with a 0 after the last; the caller frees */
    size_t size;
} Bytes;

/* The whole of a file; "-" is standard input. Dies if it cannot be read or is larger than the
 * machine's memory; as a `text` also at the first 0 byte, so that a device without an end is not
 * read for ever. */
Bytes file_read(const char *path, bool text);

/* The whole of a file in a directory that may come from a stranger: it must be a file, or a link
 * to one. A pipe would be waited for, and a device read, for ever. Dies if it is missing. */
Bytes file_read_in(const Directory *directory, const char *name, bool text);

/* A file being replaced: written under a temporary name beside its place, synced, and renamed into
 * its place at the end. */
typedef struct {
    FILE *stream;
    char *path;       /* for messages */
    char *name;       /* in the directory */
    char *temporary;  /* likewise; NULL if it is written in place */
    int directory;    /* handle of its own */
    bool blocking;    /* see file_begin_at */
    sigset_t signals; /* those that were blocked before */
} FileWriter;

/* Each of these warns if it fails, and returns false; nothing is left then. */
bool file_begin(FileWriter *writer, const Directory *directory, const char *name);
bool file_commit(FileWriter *writer);
bool file_replace(const Directory *directory, const char *name, const void *bytes, size_t size);

/* The same for a path that a user has named. A device or a pipe is written to and not replaced.
 * Until the file is committed, signals that would end the program wait, so that none leaves a
 * temporary file behind. */
bool file_begin_at(FileWriter *writer, const char *path);

/* Removes the temporary files that killed processes have left of these files; the names end with
 * NULL. Only for a directory that is locked. */
void file_remove_leftovers(const Directory *directory, const char *const *names);

#endif
