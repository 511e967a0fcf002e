/* word_counts.c: a hash table with open addressing, whose slots hold the words themselves: a word
 * that was seen before costs one look at one place in memory. Long words, which have no key, are in
 * a Vocabulary. A text is cut into pieces, and each thread takes the next piece that is left; sums
 * of counts do not depend on who counted what. */
#include "word_counts.h"

#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/numbers/random.h"
#include "base/parallel/threads.h"
#include "byte_level.h"
#include "text/words/vocabulary.h"

typedef struct {
    WordKey key;
    int64_t count; /* 0: free */
} Slot;

typedef struct WordTable {
    Slot *slots; /* (slot_count), a power of 2 */
    size_t slot_count, used;
    Vocabulary long_words;
    int64_t *long_counts; /* stb_ds array, by their ids */
} WordTable;

WordCounts word_counts_new(void)
{
    WordCounts counts = {.count = thread_limit(), .seed = random_seed()};
    counts.tables = memory_new((size_t)counts.count, sizeof *counts.tables, "counting words");
    for (int i = 0; i < counts.count; i++)
        counts.tables[i].long_words = vocabulary_new();
    return counts;
}

static void free_table(WordTable *table)
{
    free(table->slots);
    vocabulary_free(&table->long_words);
    arrfree(table->long_counts);
}

void word_counts_free(WordCounts *counts)
{
    for (int i = 0; i < counts->count; i++)
        free_table(&counts->tables[i]);
    free(counts->tables);
}

/* ---- One table ---- */

/* The slot that holds a word, or the free one where it would be put. */
static inline Slot *slot_of(const WordTable *table, WordKey key, uint64_t seed)
{
    size_t at = word_key_hash(key, seed) & (table->slot_count - 1);
    while (table->slots[at].count && !word_key_equal(table->slots[at].key, key))
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

/* Doubles the table, so that at least a third of it is free. */
static void grow(WordTable *table, uint64_t seed)
{
    WordTable larger = *table;
    larger.slot_count = table->slot_count ? 2 * table->slot_count : 1 << 12;
    larger.slots = memory_new(larger.slot_count, sizeof *larger.slots, "counting words");
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].count)
            *slot_of(&larger, table->slots[i].key, seed) = table->slots[i];
    free(table->slots);
    *table = larger;
}

/* A word of up to LONGEST_KEY bytes. */
static inline void add_short(WordTable *table, WordKey key, int64_t count, uint64_t seed)
{
    if (3 * (table->used + 1) > 2 * table->slot_count)
        grow(table, seed);
    Slot *slot = slot_of(table, key, seed);
    table->used += !slot->count;
    slot->key = key;
    slot->count += count;
}

static void add_long(WordTable *table, const char *word, size_t size, int64_t count)
{
    const int id = vocabulary_find(&table->long_words, word, size);
    if (id >= 0) {
        table->long_counts[id] += count;
        return;
    }
    vocabulary_add(&table->long_words, word, size, false);
    arrput(table->long_counts, count);
}

/* ---- Texts ---- */

static void count_words(WordTable *table, Span text, uint64_t seed)
{
    Span word;
    while (byte_level_word(&text.begin, text.end, &word)) {
        const size_t size = (size_t)(word.end - word.begin);
        if (size <= LONGEST_KEY)
            add_short(table, word_key(word, text.end), 1, seed);
        else
            add_long(table, word.begin, size, 1);
    }
}

/* No word goes on from one part in the next. */
static void count_piece(WordTable *table, Span piece, TextCut cut, uint64_t seed)
{
    for (Span part; split_part(&piece.begin, piece.end, cut, &part);)
        count_words(table, part, seed);
}

/* Who counts which piece does not matter: the sums are the same. */
void word_counts_add(WordCounts *counts, const Span *texts, int count, TextCut cut)
{
    Span piece, *pieces = NULL; /* stb_ds array */
    for (int i = 0; i < count; i++)
        for (const char *at = texts[i].begin;
             byte_level_piece(&at, texts[i].end, cut != CUT_NOWHERE, &piece);)
            arrput(pieces, piece);
    const ptrdiff_t all = arrlen(pieces);
    OMP(parallel for schedule(dynamic) num_threads(counts->count) if (all > 1))
    for (ptrdiff_t i = 0; i < all; i++)
        count_piece(&counts->tables[thread_index()], pieces[i], cut, counts->seed);
    arrfree(pieces);
}

/* ---- All tables together ---- */

static CountedWord long_word(const WordTable *table, int id)
{
    const Vocabulary *v = &table->long_words;
    const size_t end = id + 1 < v->count ? v->start[id + 1] : (size_t)arrlen(v->bytes);
    return (CountedWord){v->bytes + v->start[id], end - v->start[id] - 1, table->long_counts[id]};
}

/* Moves the counts of a table into another one. */
static void move_counts(WordTable *into, WordTable *from, uint64_t seed)
{
    for (size_t i = 0; i < from->slot_count; i++)
        if (from->slots[i].count)
            add_short(into, from->slots[i].key, from->slots[i].count, seed);
    for (int id = 0; id < from->long_words.count; id++) {
        const CountedWord word = long_word(from, id);
        add_long(into, word.bytes, word.size, word.count);
    }
    free_table(from);
    *from = (WordTable){.long_words = vocabulary_new()};
}

/* The bytes of a short word are its key's, as far as its last byte says. */
size_t word_counts_list(WordCounts *counts, CountedWord **words)
{
    WordTable *all = &counts->tables[0];
    for (int i = 1; i < counts->count; i++)
        move_counts(all, &counts->tables[i], counts->seed);
    size_t count = 0;
    *words = memory_new(all->used + (size_t)all->long_words.count + 1, sizeof **words,
                        "the words of a text");
    for (size_t i = 0; i < all->slot_count; i++) {
        const Slot *slot = &all->slots[i];
        if (slot->count)
            (*words)[count++] =
                (CountedWord){(const char *)slot->key.part, slot->key.part[2] >> 56, slot->count};
    }
    for (int id = 0; id < all->long_words.count; id++)
        (*words)[count++] = long_word(all, id);
    return count;
}
