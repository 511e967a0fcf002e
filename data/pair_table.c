/* pair_table.c: doubles when it is half full. */
#include "pair_table.h"

#include <stdlib.h>

#include "base/base.h"

static PairTable table_of(int bits)
{
    const size_t count = (size_t)1 << bits;
    return (PairTable){memory_new(count, sizeof(PairSlot), "the pairs of tokens"), bits, 0};
}

PairTable pair_table_new(void)
{
    return table_of(10);
}

void pair_table_free(PairTable *table)
{
    free(table->slots);
}

static void grow(PairTable *table)
{
    PairTable larger = table_of(table->bits + 1);
    larger.used = table->used;
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        const uint64_t pair = table->slots[i].key - 1;
        if (table->slots[i].key)
            *pair_table_slot(&larger, (int)(pair >> 32), (int)(uint32_t)pair) = table->slots[i];
    }
    free(table->slots);
    *table = larger;
}

int64_t *pair_table_at(PairTable *table, int left, int right)
{
    if (2 * (table->used + 1) > (size_t)1 << table->bits)
        grow(table);
    PairSlot *slot = pair_table_slot(table, left, right);
    if (!slot->key) {
        table->used++;
        slot->key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    }
    return &slot->value;
}
