/* word_counts.c: a vocabulary gives the words their ids. */
#include "word_counts.h"

#include <string.h>
#include <stb/stb_ds.h>

WordCounts word_counts_new(void)
{
    return (WordCounts){.words = vocabulary_new()};
}

void word_counts_free(WordCounts *c)
{
    vocabulary_free(&c->words);
    arrfree(c->counts);
}

int word_counts_add(WordCounts *c, const char *word, size_t size, int64_t times)
{
    int id = vocabulary_find(&c->words, word, size);
    if (id < 0) {
        id = vocabulary_add(&c->words, word, size, false);
        arrput(c->counts, 0);
    }
    c->counts[id] += times;
    return id;
}

int64_t word_counts_of(const WordCounts *c, const char *word)
{
    const int id = vocabulary_find(&c->words, word, strlen(word));
    return id < 0 ? 0 : c->counts[id];
}
