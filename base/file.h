/* file.h: reading a file whole, and replacing one so that no moment leaves half of it. */
#ifndef PULGA_FILE_H
#define PULGA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    char *bytes; /* with a 0 behind the last; the caller frees */
    size_t size;
} Bytes;

/* The whole of a file; "-" is standard input. Dies where it cannot be read or is larger than the
 * machine's memory, or with a `text` at the first 0 byte, so that a device without an end is not
 * read for ever. */
Bytes file_read(const char *path, bool text);

/* Dies unless it is a file, or a link to one: in a directory that somebody handed over, a pipe
 * would be waited for, and a device read, for ever. */
void file_must_be_plain(const char *path);

bool file_exists(const char *path);
/* Dies where the directory may not be looked into. */
bool file_is_in(const char *directory, const char *name);

/* Checksum (XXH3, 64 bits) of some bytes, or of some that follow others whose checksum is known;
 * and as the 16 hex digits that files carry. */
uint64_t checksum_of(const void *bytes, size_t size);
uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size);
void checksum_hex(char text[17], uint64_t checksum);

/* A file being replaced: written beside its place, synced, and renamed into it at the end. */
typedef struct {
    FILE *stream;
    char path[4096], beside[4096];
} FileWriter;

/* Says in one line on standard error what could not be done to a file, and errno's reason; returns
 * false. */
bool file_failed(const char *what, const char *path);

/* Each says so where it fails, and returns false. */
bool file_begin(FileWriter *writer, const char *directory, const char *name);
bool file_begin_at(FileWriter *writer, const char *path);
bool file_commit(FileWriter *writer);
bool file_replace(const char *directory, const char *name, const void *bytes, size_t size);

/* Makes a directory and those above it; dies where it cannot. */
void directory_make(const char *path);

/* Bytes that may still be written there; infinity where that is not known. */
double directory_room(const char *path);

/* What was made, renamed or removed in a directory is so on the disk too. Says what failed and
 * returns false. */
bool directory_sync(const char *path);

#endif
