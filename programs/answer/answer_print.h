/* answer_print.h: writes an answer to standard output, as text for a person or as JSON for a
 * program. Nothing is computed here. */
#ifndef PULGA_ANSWER_PRINT_H
#define PULGA_ANSWER_PRINT_H

#include "programs/terminal/screen.h"
#include "answer.h"

/* Ends a line with a bar as long as a share from 0 to 1, or with nothing if that is nearly 0. */
void put_bar(double share);

/* Prints which words of a prompt were read in lower case, in one line after the indent, if any. */
void print_lowered(FILE *out, const Encoding *encoding, const char *indent);

/* The table of next tokens, or one for each gap, after answer_begin(). */
void answer_print_tables(const Answerer *answerer, const Answer *answer, const Screen *screen);

/* The text of the prompt and, unless it is NULL, a continuation of it, as it is printed: of one
 * that was not ended without the first bytes of a character that is not complete. The caller
 * frees. */
char *answer_written(const Answerer *answerer, const Answer *answer,
                     const Continuation *continuation);

/* What is printed after the text of a continuation: whether it goes on, its probability, whether
 * the training text has it. The caller frees. */
char *answer_tail(const Answerer *answerer, const Continuation *continuation);

/* The continuations; equal ones are printed once, with their number. Returns the first that is
 * printed, or NULL. */
const Continuation *answer_print_continuations(Answerer *answerer, const Answer *answer,
                                               const Screen *screen);

/* Prints once for all prompts that one of them, or a continuation, was longer than the context. */
void answer_print_full(Answerer *answerer, const Answer *answer);

/* All of it, or why there is no answer, as one line of JSON. */
void answer_print_json(const Answerer *answerer, const Answer *answer);

#endif
