/* ask.h: prompts, one on each line: typed at a terminal, with line editing, a history and words
 * that Tab completes, or read from a pipe. */
#ifndef PULGA_ASK_H
#define PULGA_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether standard input and output are a terminal, at which a person sits. */
bool ask_person(void);

/* The number of words that a prompt may be completed with, and the word at an index. */
typedef struct {
    int count;
    const char *(*word)(const void *words, int index); /* NULL: not to be completed */
    const void *words;
} Completions;

/* The next prompt of a person, without its line end; NULL at Ctrl-D. The caller frees. The words
 * must outlive it. */
char *ask_typed(Completions completions, size_t *size);

/* The next line of standard input, without its line end; NULL at the end. Dies if it is too long to
 * be a prompt. The caller frees. */
char *ask_piped(size_t *size);

#endif
