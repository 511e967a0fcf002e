/* answer_print.h: writes an answer to standard output, as text for a person or as JSON for a
 * program. Nothing is computed here. */
#ifndef PULGA_ANSWER_PRINT_H
#define PULGA_ANSWER_PRINT_H

#include "programs/terminal/screen.h"
#include "answer.h"
#include "next_words.h"

/* A table of probabilities, with a bar for each:
 *
 *      word       in the text    model
 *      perro      0.400  2 of 5  0.400  █████████▋
 *      muchacho   0.400  2 of 5  0.400  █████████▋
 *      gato       0.200  1 of 5  0.200  ████▊
 *      12 others                 0.000
 *
 * The counts are left out if there are none. If the model is mixed with counting:
 *
 *      word       in the text    model  counting  both
 *      perro      0.400  2 of 5  0.400     0.390  0.396  █████████▌
 *      12 others                 0.000     0.031  0.013 */
typedef struct {
    const char *heading;
    const Candidate *rows; /* (count) the most probable first */
    int count;
    double least; /* the last rows are left out if they are less probable and not in the text */
    size_t times_in_all; /* 0: no counts */
    bool in_parts;       /* the model with counting: each row says what each of them gives alone */
    int kinds;           /* how many rows there could be; 0: any number */
} Bars;

void bars_print(const Bars *bars, const Screen *screen);

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
const Continuation *answer_print_continuations(const Answerer *answerer, const Answer *answer,
                                               const Screen *screen);

/* Says so if the prompt or a continuation is longer than the context. */
void answer_print_full(const Answerer *answerer, const Answer *answer);

/* All of it, or why there is no answer, as one line of JSON. */
void answer_print_json(const Answerer *answerer, const Answer *answer);

#endif
