/* fuzz_bpe.c: a byte that says how large the vocabulary is, and a text of any bytes: trained on,
 * cut by one of the patterns, encoded as the definition of BPE has it, and decoded, whole and as a
 * stream. */
#include <stb/stb_ds.h>

#include "base/base.h"
#include "text/encoder.h"
#include "text/subwords/bpe.h"
#include "harness.h"

typedef struct {
    Span text;
    int size;
    WordPattern pattern;
} Call;

/* The pair of the lowest rank in a word, the leftmost of equals; false if there is none. */
static bool lowest_pair(const Bpe *bpe, const int *ids, size_t count, size_t *place, int *id)
{
    int64_t lowest = INT64_MAX;
    for (size_t i = 0; i + 1 < count; i++) {
        const int64_t rank = pair_table_get(&bpe->ranks, ids[i], ids[i + 1]);
        if (rank && rank < lowest) {
            lowest = rank;
            *place = i;
            *id = bpe->merged[rank - 1];
        }
    }
    return lowest != INT64_MAX;
}

static void encode_plainly(const Bpe *bpe, WordPattern pattern, Span text, int **ids)
{
    Span word;
    while (pattern_word(&text.begin, text.end, pattern, &word)) {
        int *part = NULL, id;
        for (const char *at = word.begin; at < word.end; at++)
            arrput(part, bpe->byte_ids[(unsigned char)*at]);
        for (size_t place; lowest_pair(bpe, part, arrlenu(part), &place, &id);) {
            part[place] = id;
            arrdel(part, place + 1);
        }
        for (ptrdiff_t i = 0; i < arrlen(part); i++)
            arrput(*ids, part[i]);
        arrfree(part);
    }
}

static void check_decoding(const Bpe *bpe, const int *ids, Span text)
{
    char *stream;
    size_t size;
    FILE *out = memory_stream(&stream, &size);
    BpeStream held = {.count = 0};
    for (ptrdiff_t i = 0; i < arrlen(ids); i++)
        bpe_stream_put(&held, bpe_bytes(bpe, ids[i]), out);
    bpe_stream_end(&held, out);
    fclose(out);
    const size_t wanted = (size_t)(text.end - text.begin);
    if (size != wanted || memcmp(stream, text.begin, wanted))
        found("%zu bytes come back as %zu in a stream", wanted, size);
    free(stream);
}

static void train_and_encode(void *context)
{
    const Call *call = context;
    Vocabulary v = vocabulary_new();
    WordCounts counts = word_counts_new();
    Span rest = call->text, word;
    while (byte_level_word(&rest.begin, rest.end, &word))
        word_counts_add(&counts, word.begin, (size_t)(word.end - word.begin), 1);
    BpeMerge *merges = bpe_train(&v, &counts, call->size, 0);
    Bpe bpe = bpe_new(&v, merges, (int)arrlen(merges));
    int *ids = NULL, *wanted = NULL;
    const Tokenizer t = {.kind = TOKENIZER_BPE, .pattern = call->pattern, .bpe = bpe};
    Encoder *encoder = encoder_new(&t, (size_t)(call->text.end - call->text.begin), -1);
    Span unknown;
    encoder_add(encoder, call->text, &ids, &unknown);
    encoder_free(encoder);
    encode_plainly(&bpe, call->pattern, call->text, &wanted);
    if (arrlen(ids) != arrlen(wanted) || (ids && memcmp(ids, wanted, arrlenu(ids) * sizeof *ids)))
        found("%td ids are not the %td of the definition", arrlen(ids), arrlen(wanted));
    check_decoding(&bpe, ids, call->text);
    arrfree(ids);
    arrfree(wanted);
    bpe_free(&bpe);
    arrfree(merges);
    vocabulary_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!size)
        return 0;
    char *copy = malloc(size); /* without a 0: the sanitizer sees a read beyond the end */
    memcpy(copy, bytes, size);
    returns(train_and_encode,
            &(Call){{copy + 1, copy + size}, 256 + 2 * *bytes, (WordPattern)(*bytes & 3)});
    free(copy);
    return 0;
}
