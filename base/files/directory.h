/* directory.h: a directory that is entered once, through a handle. Its files are opened, replaced
 * and removed relative to the handle, so that a directory which is moved away meanwhile stays the
 * same directory, and its successor of the same name is never touched. */
#ifndef PULGA_DIRECTORY_H
#define PULGA_DIRECTORY_H

#include <stdbool.h>

typedef struct {
    int handle;
    char *path; /* as it was named, for messages */
} Directory;

/* Opens a directory; dies if it is missing or cannot be opened. The caller closes it. */
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
 * NULL if it is empty or, after a warning, if it cannot be listed. Dies without memory for it. */
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

#endif
