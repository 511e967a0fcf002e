/* word_counts.h: words or characters, in the order of their first appearance, and how often each
 * occurs. */
#ifndef PULGA_WORD_COUNTS_H
#define PULGA_WORD_COUNTS_H

#include "vocabulary.h"

typedef struct {
    Vocabulary words;
    int64_t *counts; /* stb_ds array, by the ids there */
} WordCounts;

WordCounts word_counts_new(void);
void word_counts_free(WordCounts *counts);

/* Adds to the count of a word of `size` bytes. Returns its id. */
int word_counts_add(WordCounts *counts, const char *word, size_t size, int64_t times);

/* How often a word occurs. */
int64_t word_counts_of(const WordCounts *counts, const char *word);

#endif
