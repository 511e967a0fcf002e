/* token_cache.c: takes at most 4 MB. */
#include "token_cache.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/numbers/random.h"

TokenCache token_cache_new(TokenizerKind kind, int most, size_t text_size)
{
    enum { LEAST_BITS = 4, MOST_BITS = 16 };
    TokenCache c = {
        .bits = LEAST_BITS, .slot_bits = most > 1 ? 6 : 5, .most = most, .seed = random_seed()};
    if (kind == TOKENIZER_CHAR) {
        c.characters = memory_take(CODE_POINTS * sizeof *c.characters);
        memset(c.characters, -1, CODE_POINTS * sizeof *c.characters);
        return c;
    }
    while (c.bits < MOST_BITS && text_size >> c.bits > 4)
        c.bits++;
    c.words = memory_new((size_t)1 << c.bits, (size_t)1 << c.slot_bits, "encoding");
    return c;
}

void token_cache_free(TokenCache *cache)
{
    free(cache->words);
    free(cache->characters);
}
