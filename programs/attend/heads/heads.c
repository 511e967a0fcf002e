/* heads.c: runs the model once over the whole text, forward only, and asks it for its attention
 * maps. Each chosen head then points into these maps and lists the ranges of keys of its queries;
 * the summaries are sums over those. */
#include "heads.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/display.h"
#include "base/numbers/elementary.h"

/* One forward pass over one sequence. */
static void forward(Real *maps, Gpt *gpt, const Sequence *sequence)
{
    const int T = sequence->rows;
    const Batch batch = {.rows = T,
                         .sequences = 1,
                         .start = (const int[]){0, T},
                         .tokens = sequence->tokens,
                         .prefix = &sequence->prefix};
    gpt_forward(gpt, &batch, maps, (Dropout){0});
}

/* The tokens up to and with [sep]; the row of [sep] is the first that counts. */
static int source_size(const Sequence *sequence)
{
    const bool has_source = sequence->first && sequence->first < sequence->rows;
    return has_source ? sequence->first + 1 : 0;
}

void head_set_pattern(Head *head, Pattern pattern, int length, int prefix)
{
    head->pattern = pattern;
    head->ranges = NULL;
    head->first = memory_new((size_t)length + 1, sizeof *head->first, "the ranges of keys");
    bool *keys = memory_new((size_t)length + 1, sizeof *keys, "the ranges of keys");
    for (int i = 0; i < length; i++) {
        memset(keys, 0, (size_t)length);
        pattern_mark(pattern, i, key_limit(i, prefix), keys);
        for (int j = 0; j < length; j++)
            if (keys[j] && (!j || !keys[j - 1]))
                arrput(head->ranges, ((KeyRange){j, j + 1, 1}));
            else if (keys[j])
                arrlast(head->ranges).end = j + 1;
        head->first[i + 1] = (int)arrlen(head->ranges);
    }
    free(keys);
}

Heads heads_read(Gpt *gpt, const Tokenizer *tokenizer, const Sequence *sequence, Range layers,
                 Range heads)
{
    const GptConfig *config = &gpt->config;
    const int count = sequence->rows, *tokens = sequence->tokens;
    const size_t T = (size_t)count, all = (size_t)config->layers * (size_t)config->heads;
    assert(count > 0 && count <= config->context);
    Heads read = {.layers = layers.end - layers.from,
                  .heads = heads.end - heads.from,
                  .count = (layers.end - layers.from) * (heads.end - heads.from),
                  .length = count,
                  .prefix = sequence->prefix,
                  .source = source_size(sequence),
                  .begun = tokenizer->bos >= 0 && tokens[0] == tokenizer->bos,
                  .tokens = memory_new(T, sizeof *read.tokens, "the tokens"),
                  .display = memory_new(T, sizeof *read.display, "the tokens"),
                  .head = memory_new(all, sizeof *read.head, "the heads"),
                  .maps = memory_new(all * T * T, sizeof(Real), "the attention of all heads")};
    for (int i = 0; i < count; i++) {
        read.tokens[i] = format_text("%s", tokenizer_word(tokenizer, tokens[i]));
        read.display[i] = display_token(read.tokens[i]);
    }
    /* The model gives the maps of all its heads, (L, H, T, T); those that were not chosen stay in
     * this memory unused. */
    forward(read.maps, gpt, sequence);
    Head *head = read.head;
    for (int l = layers.from; l < layers.end; l++)
        for (int h = heads.from; h < heads.end; h++, head++) {
            const size_t index = (size_t)l * (size_t)config->heads + (size_t)h;
            *head = (Head){.layer = l, .head = h, .map = read.maps + index * T * T};
            head_set_pattern(head, pattern_at(config->patterns, (int)index), count,
                             sequence->prefix);
        }
    return read;
}

void heads_free(Heads *heads)
{
    for (int i = 0; i < heads->length; i++) {
        free(heads->tokens[i]);
        free(heads->display[i]);
    }
    for (int i = 0; i < heads->count; i++) {
        arrfree(heads->head[i].ranges);
        free(heads->head[i].first);
    }
    free(heads->tokens);
    free(heads->display);
    free(heads->head);
    free(heads->maps);
}

size_t heads_pairs(const Heads *heads)
{
    size_t pairs = 0;
    EACH_HEAD (head, heads)
        for (int i = 0; i < heads->length; i++)
            EACH_RANGE (keys, head, i)
                pairs += (size_t)(keys->end - keys->from);
    return pairs;
}

/* With p the weights of row i: its entropy is −Σ p·log2 p (a p of 0 adds nothing), its mean
 * distance Σ p·|i − j|. The others read single cells, which are 0 outside the pattern. */
HeadSummary head_summary(const Heads *heads, const Head *head)
{
    const int T = heads->length, ahead = heads->prefix - 1; /* queries that see the next token */
    HeadSummary sum = {0};
    for (int i = 0; i < T; i++) {
        const Real *row = ROW(head->map, i, T);
        EACH_KEY (j, head, i) {
            const double p = (double)row[j];
            sum.entropy -= p > 0 ? p * elementary_log(p) / M_LN2 : 0;
            sum.distance += p * abs(i - j);
        }
        sum.itself += (double)row[i];
        sum.before += i ? (double)row[i - 1] : 0;
        sum.after += i < ahead ? (double)row[i + 1] : 0;
        sum.bos += i ? (double)row[0] : 0;
    }
    return (HeadSummary){
        .entropy = fmax(sum.entropy / T, 0), /* a weight rounded above 1 would give -0.00 */
        .distance = sum.distance / T,
        .itself = sum.itself / T,
        .before = T > 1 ? sum.before / (T - 1) : (double)NAN,
        .after = ahead > 0 ? sum.after / ahead : (double)NAN,
        .bos = T > 1 && heads->begun ? sum.bos / (T - 1) : (double)NAN};
}
