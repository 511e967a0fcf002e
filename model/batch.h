/* batch.h: the tokens of one step, or of a part of it. A batch is ragged: its sequences lie one
 * after another in N rows, without padding. Everything but attention works on the N rows and never
 * knows where a sequence begins. */
#ifndef PULGA_BATCH_H
#define PULGA_BATCH_H

#include <stdint.h>

typedef struct {
    int rows;             /* N                                                        */
    int sequences;        /* S                                                        */
    const int *start;     /* (S + 1) first row of each sequence; start[S] is N        */
    const int *tokens;    /* (N) what is read                                         */
    const int *targets;   /* (N) the token to predict from it and those before; -1: none,
                             the row does not count                                   */
    int counted;          /* rows whose target is not -1                              */
    const int *positions; /* (N) a row's index in its own sequence                    */
    uint32_t first_row;   /* where the batch begins among the rows of its step: a part
                             of a step draws the same noise as it would in the whole   */
    const int *slots;     /* (S) the memory that each sequence goes on with, where its first
                             tokens were read before; NULL: each begins at position 0  */
} Batch;

#endif
