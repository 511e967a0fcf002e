/* answer_print.h: writes an answer to standard output, as text for a person or as JSON for a
 * program. Nothing is computed here. */
#ifndef PULGA_ANSWER_PRINT_H
#define PULGA_ANSWER_PRINT_H

#include "continuation.h"
#include "program/screen.h"

typedef struct {
    Answerer *answerer;
    const Screen *screen;
    bool json;        /* for a program; else for a person */
    double refreshed; /* clock: when a growing continuation was last shown */
} AnswerPrinter;

/* Which words of a prompt were read in lower case, in one line after the indent; or nothing. */
void print_lowered(const Encoding *encoding, const char *indent);

/* The table of next tokens, or one for each gap, after answer_begin(). */
void answer_print_tables(const AnswerPrinter *printer, const Answer *answer);

/* An AnswerWatch for a terminal; watcher is the AnswerPrinter. */
void answer_print_growing(const Answer *answer, const Continuation *so_far, void *watcher);

/* The continuations; equal ones are printed once, with their number. */
void answer_print_continuations(const AnswerPrinter *printer, const Answer *answer);

/* All of it, or why there is no answer, as one line of JSON. */
void answer_print_json(const Answerer *answerer, const Answer *answer);

#endif
