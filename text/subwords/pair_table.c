/* pair_table.c: a new pair takes the first free slot from its hash on. The table doubles when it is
 * half full, and all pairs are put again. */
#include "pair_table.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/numbers/random.h"

static PairSlot *slots_of(int bits)
{
    return memory_new((size_t)1 << bits, sizeof(PairSlot), "the pairs of tokens");
}

PairTable pair_table_new(void)
{
    PairTable table = {.bits = 10, .seed = random_seed()};
    table.slots = slots_of(table.bits);
    return table;
}

void pair_table_free(PairTable *table)
{
    free(table->slots);
}

static void grow(PairTable *table)
{
    PairTable larger = *table;
    larger.slots = slots_of(++larger.bits);
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
