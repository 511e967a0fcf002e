/* ask.h: prompts, one on each line: typed at a terminal, with line editing, a history and words
 * that Tab completes, or read from a pipe. */
#ifndef PULGA_ASK_H
#define PULGA_ASK_H

#include "text/tokenizer.h"

/* Whether a person asks: standard input and output are both a terminal. */
bool ask_person(void);

/* What asking a person needs. */
typedef struct {
    const Tokenizer *tokenizer;
    char *const *commands; /* stb_ds array of words that begin with a colon */
    char *history;         /* file where prompts are kept (history.h), or NULL */
    char *last;            /* the last line, or NULL */
} Asker;

/* The tokenizer and the commands stay the caller's. */
Asker asker_new(const Tokenizer *tokenizer, char *const *commands);
void asker_free(Asker *asker);

/* The next line that a person types, without its line end; NULL at Ctrl-D. Ctrl-C empties the line.
 * Tab completes the words of the tokenizer, if its tokens are words, and commands at the beginning
 * of the line. The caller frees the line. */
char *ask_typed(Asker *asker);

/* The next line of standard input, without its line end; NULL at the end. Dies if it is too long to
 * be a prompt. The caller frees. */
char *ask_piped(size_t *size);

#endif
