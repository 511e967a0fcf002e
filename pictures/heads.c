/* heads.c: see heads.h. */
#include "heads.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/display.h"

/* One sequence by itself. What is to be foretold plays no part. */
static void look(Real *weights, Gpt *gpt, const int *tokens, int count)
{
    int *positions = memory_new((size_t)count, sizeof *positions, "the positions");
    for (int i = 0; i < count; i++)
        positions[i] = i;
    const Batch batch = {.rows = count,
                         .sequences = 1,
                         .start = (const int[]){0, count},
                         .tokens = tokens,
                         .targets = tokens,
                         .positions = positions};
    gpt_forward(gpt, &batch, weights, (Dropout){0});
    free(positions);
}

Heads heads_look(Gpt *gpt, const Tokenizer *tokenizer, const int *tokens, int count)
{
    const size_t T = (size_t)count, H = (size_t)gpt->config.heads;
    const size_t all = (size_t)gpt->config.layers * H;
    assert(count > 0 && count <= gpt->config.context);
    Heads heads = {.heads = gpt->config.heads,
                   .length = count,
                   .layer = {0, gpt->config.layers},
                   .head = {0, gpt->config.heads},
                   .begun = tokenizer->bos >= 0 && tokens[0] == tokenizer->bos,
                   .tokens = memory_new(T, sizeof *heads.tokens, "the words"),
                   .shown = memory_new(T, sizeof *heads.shown, "the words"),
                   .patterns = memory_new(all, sizeof *heads.patterns, "the patterns"),
                   .weights = memory_new(all * T * T, sizeof(Real), "the attention of all heads")};
    for (int i = 0; i < count; i++) {
        heads.tokens[i] = format_text("%s", vocabulary_word(&tokenizer->vocabulary, tokens[i]));
        heads.shown[i] = display_token(heads.tokens[i]);
    }
    if (gpt->config.patterns)
        memcpy(heads.patterns, gpt->config.patterns, all * sizeof *heads.patterns);
    look(heads.weights, gpt, tokens, count);
    return heads;
}

void heads_free(Heads *heads)
{
    for (int i = 0; i < heads->length; i++) {
        free(heads->tokens[i]);
        free(heads->shown[i]);
    }
    free(heads->tokens);
    free(heads->shown);
    free(heads->patterns);
    free(heads->weights);
}

static size_t place(const Heads *heads, int layer, int head)
{
    return (size_t)layer * (size_t)heads->heads + (size_t)head;
}

const Real *head_weights(const Heads *heads, int layer, int head)
{
    const size_t T = (size_t)heads->length;
    return heads->weights + place(heads, layer, head) * T * T;
}

Pattern head_pattern(const Heads *heads, int layer, int head)
{
    return heads->patterns[place(heads, layer, head)];
}

int head_first_key(const Heads *heads, int layer, int head, int query)
{
    return pattern_span(head_pattern(heads, layer, head), heads->length, query, 1).from;
}

size_t head_pairs(const Heads *heads, int layer, int head)
{
    return pattern_pairs(head_pattern(heads, layer, head), heads->length);
}

size_t heads_pairs(const Heads *heads)
{
    size_t pairs = 0;
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++)
            pairs += head_pairs(heads, l, h);
    return pairs;
}

HeadSummary head_summary(const Heads *heads, int layer, int head)
{
    const int T = heads->length;
    const Real *P = head_weights(heads, layer, head);
    HeadSummary sum = {0};
    for (int i = 0; i < T; i++) {
        const Real *row = ROW(P, i, T);
        for (int j = head_first_key(heads, layer, head, i); j <= i; j++) {
            const double p = (double)row[j];
            sum.entropy -= p > 0 ? p * log2(p) : 0;
            sum.back += p * (i - j);
        }
        sum.itself += (double)row[i];
        sum.before += i ? (double)row[i - 1] : 0;
        sum.bos += i ? (double)row[0] : 0;
    }
    return (HeadSummary){
        .entropy = fmax(sum.entropy / T, 0), /* a weight rounded above 1 would make it -0.00 */
        .back = sum.back / T,
        .itself = sum.itself / T,
        .before = T > 1 ? sum.before / (T - 1) : (double)NAN,
        .bos = T > 1 && heads->begun ? sum.bos / (T - 1) : (double)NAN};
}
