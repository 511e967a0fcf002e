/* ask.h: prompts, one on each line: typed at a terminal, with line editing, a history and words
 * that Tab completes, or read from a pipe. */
#ifndef PULGA_ASK_H
#define PULGA_ASK_H

#include "data/tokenizer.h"

/* Whether a person asks: standard input and output are both a terminal. */
bool ask_person(void);

/* The next prompt that a person types, without its line end; NULL at Ctrl-D. If the tokenizer's
 * tokens are words, Tab completes them. The caller frees the prompt. */
char *ask_typed(const Tokenizer *tokenizer, size_t *size);

/* The next line of standard input, without its line end; NULL at the end. Dies if it is too long to
 * be a prompt. The caller frees. */
char *ask_piped(size_t *size);

#endif
