/* file.h: reads a file, whole or in parts, and replaces one so that nobody ever sees half of it. */
#ifndef PULGA_FILE_H
#define PULGA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/system/system.h"

/* A directory that is entered once, through a handle. Its files are opened, replaced
 * and removed relative to the handle, so that a directory which is moved away meanwhile stays the
 * same directory, and its successor of the same name is never touched. */
typedef struct {
    int handle;
    char *path;      /* as it was named, for messages */
    struct Zip *zip; /* or NULL: what is read is in a .zip, which nothing is written to */
} Directory;

/* Opens a directory, or a .zip that has one with a config.json in it (see zip.h); dies if it is
 * missing or cannot be opened. The caller closes it. */
Directory directory_open(const char *path);
void directory_close(Directory *directory);

/* Opens a directory within another, but not through a link, which might lead anywhere. Returns
 * false with errno set; then there is nothing to close. */
bool directory_enter(Directory *inner, const Directory *outer, const char *name);

/* Makes a directory and those above it; dies if it cannot. */
void directory_make(const char *path);

/* Whether it was removed since it was opened. */
bool directory_is_removed(const Directory *directory);

/* Locks it against other processes, until it is closed or the process ends. Returns false if
 * another process has locked it; warns if the file system cannot lock. */
bool directory_lock(const Directory *directory);

/* Whether there is a file of that name, or a link. Dies if that cannot be known. */
bool directory_has(const Directory *directory, const char *name);

/* Whether a directory's file and a path lead to the same file; false if either does not exist. */
bool directory_is_same(const Directory *directory, const char *name, const char *path);

/* The names of all files in it, except "." and "..": an stb_ds array, which names_free() frees.
 * NULL if it is empty, is in a .zip or, after a warning, cannot be listed. Dies without memory for
 * it. */
char **directory_names(const Directory *directory);
void names_free(char **names);

/* "directory/name", for messages; the caller frees it. */
char *path_in(const Directory *directory, const char *name);

/* The bytes that may still be written there; infinity if that is not known. */
double directory_room(const Directory *directory);

/* Syncs its list of files to the disk, after one was made, renamed or removed. Warns and returns
 * false if that fails. */
bool directory_sync(const Directory *directory);

/* Warns in one line what could not be done to a file, with errno's reason; returns false. */
bool file_failed(const char *what, const char *path);

typedef struct {
    char *bytes; /* with a 0 after the last; the caller frees */
    size_t size;
} Bytes;

/* The whole of a file; "-" is standard input. Dies if it is missing, cannot be read, or is larger
 * than the machine's memory; if it is to be a `text`, also at the first 0 byte, so that /dev/zero
 * is not read for ever. */
Bytes file_read(const char *path, bool text);

/* Dies if the bytes from `offset` of a file on, which is to be a text, have a 0 among them. */
void file_check_text(const char *name, const char *bytes, size_t size, size_t offset);

/* Reads the first bytes of a file, `size` at most; returns how many. 0 if it is missing, cannot be
 * read or is not a regular file: a pipe is not looked into. */
size_t file_peek(const char *path, char *bytes, size_t size);

/* Whether a path may be written to by a program whose files begin so: there is no file, it is
 * empty, as mktemp makes one, or it begins so. */
bool file_is_ours(const char *path, const char *begin);

/* Reads all of a file in a directory that may come from a stranger. It must be a regular file or a
 * link to one, since reading a pipe or a device might never end. Dies if it is missing. */
Bytes file_read_in(const Directory *directory, const char *name, bool text);

/* Opens such a file, of which only parts are read, and stores its size. The caller closes the
 * descriptor. */
int file_open_in(const Directory *directory, const char *name, size_t *size);

/* Reads `size` bytes, `offset` bytes after the file's beginning; returns false if they cannot be
 * read, or if the file ends before. Threads may call it at the same time. */
bool file_read_at(int file, void *bytes, size_t size, size_t offset);

/* A file being replaced: written under a temporary name beside its place, synced, and renamed into
 * its place at the end. Until then, signals that would end the program wait, so that only a kill
 * leaves a temporary file behind. */
typedef struct {
    FILE *stream;    /* to write to */
    char *path;      /* for messages; its last part is the file's name */
    char *temporary; /* the name until then; NULL if the file is written in place */
    int directory;   /* handle of its own, which both names are relative to */
    Signals signals; /* those that waited before */
} FileWriter;

/* Each of these warns if it fails, and returns false; the old file is then as it was, and there is
 * nothing to commit or free. */
bool file_begin(FileWriter *writer, const Directory *directory, const char *name);
bool file_commit(FileWriter *writer);
bool file_replace(const Directory *directory, const char *name, const void *bytes, size_t size);

/* Begins at a path that a user has named. A device or a pipe is written to and not replaced. */
bool file_begin_at(FileWriter *writer, const char *path);

/* Gives an open file without a name this one, in place of the file that has it. Returns false if
 * that cannot be done, as on file systems that have no such files; the old file is then as it
 * was. */
bool file_link(int file, const Directory *directory, const char *name);

/* Removes the temporary files that killed processes have left of these files; the names end with
 * NULL. Only for a directory that is locked. */
void file_remove_leftovers(const Directory *directory, const char *const *names);

/* 64-bit checksums (XXH3) of bytes, and their 16 hex digits, as files hold them. They
 * reveal damage and mix-ups, not tampering: whoever changes a file on purpose can also
 * change its checksum. */

uint64_t checksum_of(const void *bytes, size_t size);

/* The checksum of several pieces, one call for each: `before` is the result of the last call, 0 for
 * the first piece. The same bytes in other pieces have another checksum. */
uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size);

/* The checksum of a piece that is not in memory as a whole: its bytes are added a part at a time,
 * in any parts. checksum_end() gives the result, and frees. */
typedef struct XXH3_state_s Checksum;
Checksum *checksum_begin(uint64_t before);
void checksum_add(Checksum *checksum, const void *bytes, size_t size);
uint64_t checksum_end(Checksum *checksum);

/* Returned by value: nothing to free. */
typedef struct {
    char text[17];
} Hex;
Hex checksum_hex(uint64_t checksum);

#endif
