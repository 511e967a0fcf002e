/* pair_table.h: a number for each pair of tokens: its count in training, its rank in encoding.
 *
 * A hash table with open addressing; a pair is one key of 64 bits. */
#ifndef PULGA_PAIR_TABLE_H
#define PULGA_PAIR_TABLE_H

#include "word_key.h"

typedef struct {
    uint64_t key;  /* left id << 32 | right id, plus 1; 0: free */
    int64_t value; /* 0 if it was never set */
} PairSlot;

typedef struct {
    PairSlot *slots; /* (1 << bits) */
    int bits;
    size_t used;
    uint64_t seed; /* of the hash: nobody can prepare pairs that collide */
} PairTable;

PairTable pair_table_new(void);
void pair_table_free(PairTable *table);

/* The number of a pair, to be changed there; valid until the next call. */
int64_t *pair_table_at(PairTable *table, int left, int right);

/* The slot of a pair, or the free one where it would be put. */
static inline PairSlot *pair_table_slot(const PairTable *table, int left, int right)
{
    const uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = word_key_mix(key ^ table->seed, 0x9E3779B97F4A7C15u) & mask;
    while (table->slots[at].key && table->slots[at].key != key)
        at = (at + 1) & mask;
    return &table->slots[at];
}

/* The number of a pair; 0 if it has none. */
static inline int64_t pair_table_get(const PairTable *table, int left, int right)
{
    return pair_table_slot(table, left, right)->value;
}

#endif
