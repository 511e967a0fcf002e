/* batch.h: the tokens of one step, or of a part of it. A batch is ragged: its sequences lie one
 * after another in N rows, without padding. Only the embedding and attention know where a sequence
 * begins; all other layers work on N rows. */
#ifndef PULGA_BATCH_H
#define PULGA_BATCH_H

#include <stdint.h>

struct KvCache;

/* How many tokens before a row count for what is mixed with the model: see gpt.h. */
enum { HISTORY_MOST = 7 };

typedef struct {
    int rows;                    /* N                                                            */
    int sequences;               /* S                                                            */
    const int *start;            /* (S + 1) first row of each sequence; start[S] is N            */
    const int *tokens;           /* (N) the input                                                */
    const int *targets;          /* (N) the token to predict; -1: none, the row does not count   */
    int counted;                 /* rows whose target is not -1                                  */
    const int *prefix;           /* (S) the first tokens of each sequence that see each other in
                                    both directions; NULL: none does                             */
    uint32_t first_row;          /* the batch's first row among all rows of its step: a part of
                             a step draws the dropout masks that the whole would draw     */
    const int *history;          /* (S, HISTORY_MOST) the last tokens before each sequence, -1
                                    where there are none; NULL: there are none            */
    const struct KvCache *cache; /* in which each sequence goes on, or NULL: each begins
                                    at position 0                                         */
    const int *slots;            /* (S) of the cache                                      */
    const int *past;             /* (S) how many tokens of each sequence the cache holds  */
} Batch;

/* The position of a sequence's first row. */
static inline int batch_past(const Batch *batch, int sequence)
{
    return batch->cache ? batch->past[sequence] : 0;
}

#endif
