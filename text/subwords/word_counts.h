/* word_counts.h: how often each word of a text occurs, its words being those of byte_level.h.
 *
 * Texts are counted on all threads, one after another; memory grows with the number of different
 * words, not with the texts. */
#ifndef PULGA_WORD_COUNTS_H
#define PULGA_WORD_COUNTS_H

#include "word_key.h"

/* A hash table of its own for each thread. */
typedef struct {
    struct WordTable *tables; /* (count) */
    int count;
    uint64_t seed;
} WordCounts;

WordCounts word_counts_new(void);
void word_counts_free(WordCounts *counts);

/* Counts the words of the parts of some texts. */
void word_counts_add(WordCounts *counts, const Span *texts, int count, TextCut cut);

/* A word and how often it occurs. */
typedef struct {
    const char *bytes; /* until the counts change */
    size_t size;
    int64_t count;
} CountedWord;

/* All words, in no particular order. Call it after the last text: it gathers the counts of all
 * threads. Returns how many words there are; the caller frees *words. */
size_t word_counts_list(WordCounts *counts, CountedWord **words);

#endif
