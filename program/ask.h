/* ask.h: prompts, one a line: typed at a terminal, with a line to edit and a history, or read from
 * a pipe. */
#ifndef PULGA_ASK_H
#define PULGA_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a person is to be asked: standard input and output are a terminal's. */
bool ask_person(void);

/* The next prompt without its line's end, or NULL at the end; the caller frees. */
char *ask_line(bool person, size_t *size);

#endif
