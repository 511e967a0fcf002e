/* ask.h: prompts, one on each line: typed at a terminal, with line editing, a history and words
 * that Tab completes, or read from a pipe. */
#ifndef PULGA_ASK_H
#define PULGA_ASK_H

#include <stdbool.h>

#include "base/field.h"
#include "text/tokenizer.h"

/* ---- History ---- */

/* The prompts that a person has typed, kept for the next time: one a line, in a file that only its
 * owner can read. */

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

/* Whether a person asks: standard input and output are both a terminal. */
bool ask_person(void);

/* Before a person is asked: Tab will complete the words of the tokenizer, if its tokens are words,
 * and at the beginning of a line these names after a colon, an stb_ds array. Both stay the
 * caller's. */
void ask_begin(const Tokenizer *tokenizer, const Field *const *names);

/* The next line that a person types, without its line end; NULL at Ctrl-D. Ctrl-C empties the
 * line. The caller frees. */
char *ask_typed(void);

/* The next line of standard input, without its line end; NULL at the end. Dies if it is too long to
 * be a prompt. The caller frees. */
char *ask_piped(size_t *size);

#endif
