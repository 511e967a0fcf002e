/* history.h: the prompts that a person has typed, kept for the next time: one a line, in a file
 * that only its owner can read. */
#ifndef PULGA_HISTORY_H
#define PULGA_HISTORY_H

#include <stdbool.h>

/* The file: $PULGA_HISTORY, else pulga/history in $XDG_STATE_HOME or in ~/.local/state. The caller
 * frees. NULL if $PULGA_HISTORY is empty: then nothing is kept; or, with a warning, if there is no
 * home. */
char *history_path(void);

/* Gives libedit the last lines of the file, at most KEPT_PROMPTS. If the file is there but cannot
 * be read, warns and returns false. */
enum { KEPT_PROMPTS = 1000 };
bool history_read(const char *path);

/* Adds a line to the file and makes the file, and folders above it, if need be. If that fails,
 * warns and returns false. */
bool history_add(const char *path, const char *line);

#endif
