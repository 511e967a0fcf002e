/* gpt.c: forward numbers its six steps. Backward undoes them in reverse; its comments repeat the
 * formula of the step that is undone. The last two steps, the head and the loss, work only on the
 * rows that count, a piece of them at a time, forward and backward together: the logits of all rows
 * would be most of the memory of a small model. */
#include "gpt.h"

#include <assert.h>

#include "base/parallel/threads.h"
#include "model/layers/linear.h"
#include "model/matrix/matrix.h"
#include "model/shape/batch.h"

/* ---- Memory ---- */

/* About how many logits are in memory at once, and the fewest rows of a piece. */
enum { LOGITS_AT_ONCE = 1 << 22, LEAST_PIECE = 64 };

static GptWork work_of(const Gpt *gpt, Arena *arena)
{
    const size_t N = (size_t)gpt->rows, C = (size_t)gpt->config.width;
    const int V = gpt->config.vocabulary;
    const int most = max_int(LOGITS_AT_ONCE / V, LEAST_PIECE);
    const int piece = min_int(gpt->rows, most);
    return (GptWork){.block = block_work(arena, &gpt->config, gpt->rows),
                     .dstream = arena_take(arena, N, C),
                     .logits = arena_take(arena, (size_t)piece, (size_t)V),
                     .targets = (int *)arena_take(arena, (size_t)piece, 1),
                     .row = (int *)arena_take(arena, (size_t)piece, 1),
                     .log_sum = arena_take(arena, (size_t)piece, 1),
                     .loss =
                         (double *)arena_take(arena, (size_t)piece, sizeof(double) / sizeof(Real)),
                     .piece = piece};
}

/* Makes all layers; an arena holds what they keep and work with. In a reader they share one place:
 * what a layer keeps is read only by its own forward. */
static void place_layers(Gpt *gpt, Arena *arena)
{
    const size_t N = (size_t)gpt->rows, C = (size_t)gpt->config.width;
    const int L = gpt->config.layers;
    gpt->work = work_of(gpt, arena);
    gpt->keep.stream = arena_take(arena, (gpt->learns ? (size_t)L + 1 : 2) * N, C);
    const size_t begin = arena->used;
    for (int l = 0; l < L; l++) {
        if (!gpt->learns)
            arena->used = begin;
        gpt->block[l] = block_new(arena, &gpt->config, l, &gpt->weights.block[l],
                                  &gpt->gradients.block[l], &gpt->work.block, gpt->rows);
    }
    if (gpt->config.norm == NORM_PRE) {
        gpt->norm = layernorm_new(arena, gpt->weights.norm, gpt->gradients.norm, gpt->rows);
        gpt->keep.normed = arena_take(arena, N, C);
    }
}

/* A model without its blocks of numbers; returns how many numbers its activations take. */
static size_t sketch(Gpt *gpt, const GptConfig *config, int rows, bool learns, Rounding rounding)
{
    *gpt = (Gpt){.config = *config, .rows = rows, .learns = learns};
    gpt->block = memory_new((size_t)config->layers, sizeof *gpt->block, "the layers");
    gpt->tensors = gpt_tensors(config, rounding, &gpt->tensor_count, &gpt->size);
    /* Both share one .block, which is freed below. */
    gpt->weights = gpt->gradients = gpt_weights(config, rounding, NULL);
    Arena arena = {0};
    place_layers(gpt, &arena);
    free(gpt->weights.block);
    return arena.used;
}

static double bytes_of_model(const GptConfig *config, int rows, bool learns)
{
    Gpt gpt;
    const size_t activations = sketch(&gpt, config, rows, learns, ROUNDING_NONE);
    free(gpt.block);
    free(gpt.tensors);
    return (double)sizeof(Real) * ((learns ? 2 : 1) * (double)gpt.size + (double)activations);
}

double gpt_bytes(const GptConfig *config, int rows)
{
    return bytes_of_model(config, rows, true);
}

double gpt_reader_bytes(const GptConfig *config, int rows)
{
    return bytes_of_model(config, rows, false);
}

static Gpt new_model(const GptConfig *config, int rows, bool learns, Rounding rounding)
{
    Gpt gpt;
    GptConfig own = *config;
    if (config->patterns) {
        const size_t heads = (size_t)config->layers * (size_t)config->heads;
        Pattern *patterns = memory_new(heads, sizeof *patterns, "the attention patterns");
        own.patterns = memcpy(patterns, config->patterns, heads * sizeof *patterns);
    }
    const size_t activations = sketch(&gpt, &own, rows, learns, rounding);

    gpt.weight_block = memory_numbers(gpt.size, "the weights");
    if (learns)
        gpt.gradient_block = memory_numbers(gpt.size, "the gradients");
    gpt.weights = gpt_weights(config, rounding, gpt.weight_block);
    gpt.gradients = gpt_weights(config, ROUNDING_NONE, gpt.gradient_block);

    gpt.activations = memory_new(activations, sizeof(Real), "the activations");
    Arena arena = {.at = gpt.activations};
    place_layers(&gpt, &arena);
    assert(arena.used == activations);
    if (config->positions == POSITIONS_ROTARY)
        rotary_fill(gpt.work.block.attention.rotary, config->context, config->theta);
    return gpt;
}

Gpt gpt_new(const GptConfig *config, int rows)
{
    return new_model(config, rows, true, ROUNDING_NONE);
}

Gpt gpt_new_reader(const GptConfig *config, int rows)
{
    return new_model(config, rows, false, ROUNDING_NONE);
}

Gpt gpt_new_rounded(const GptConfig *config, int rows, Rounding rounding)
{
    return new_model(config, rows, false, rounding);
}

bool gpt_rounds(const GptConfig *config)
{
    const int keys = config->key_heads * config->head_size;
    return config->width % ROUNDED_GRAIN == 0 && config->hidden % ROUNDED_GRAIN == 0 &&
           keys % ROUNDED_GRAIN == 0;
}

void gpt_free(Gpt *gpt)
{
    free((Pattern *)gpt->config.patterns); /* its own copy */
    free(gpt->tensors);
    free(gpt->block);
    free(gpt->weights.block);
    free(gpt->gradients.block);
    free(gpt->weight_block);
    free(gpt->gradient_block);
    free(gpt->activations);
}

void gpt_init(Gpt *gpt, uint32_t seed)
{
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        Real *at = gpt->weight_block + tensor->offset;
        if (tensor->kind == TENSOR_MATRIX)
            random_normal(at, tensor_size(tensor), tensor->deviation, seed, (uint32_t)i);
        else if (tensor->kind == TENSOR_SINUSOIDS)
            embedding_sinusoids(at, tensor->rows, tensor->cols);
        else
            for (int c = 0; c < tensor->cols; c++)
                at[c] = tensor->kind == TENSOR_GAIN ? 1 : 0;
    }
}

/* ---- Forward and backward ---- */

/* What block l reads: (N, C) of the stream. */
static Real *stream_at(const Gpt *gpt, int l)
{
    const int place = gpt->learns ? l : l % 2;
    return ROW(gpt->keep.stream, (size_t)place * (size_t)gpt->rows, gpt->config.width);
}

Real *gpt_head_input(const Gpt *gpt)
{
    return gpt->config.norm == NORM_POST ? stream_at(gpt, gpt->config.layers) : gpt->keep.normed;
}

void gpt_forward(Gpt *gpt, const Batch *batch, Real *maps, Dropout dropout)
{
    const int N = batch->rows, C = gpt->config.width, L = gpt->config.layers;
    const size_t map = attention_map_size(batch, batch->sequences, gpt->config.heads);
    assert(N <= gpt->rows);

    /* 1  stream[0] = wte[token] + wpe[position] */
    embedding_forward(stream_at(gpt, 0), gpt->weights.embedding, batch, C);
    /* 2  stream[0] = dropout(stream[0]) */
    dropout_apply(stream_at(gpt, 0), batch, C, RANDOM_DROP_EMBEDDING, 0, dropout);
    /* 3  stream[l + 1] = block(stream[l]) */
    for (int l = 0; l < L; l++)
        block_forward(stream_at(gpt, l + 1), maps ? maps + (size_t)l * map : NULL, &gpt->block[l],
                      stream_at(gpt, l), batch, dropout);
    /* 4  normed = layernorm(stream[L]); in a post-norm model the last block has done it */
    if (gpt->config.norm == NORM_PRE)
        layernorm_forward(gpt->keep.normed, &gpt->norm, stream_at(gpt, L), N);
}

/* From the gradient of the head's input, in work.dstream, back to the embedding. */
static void gpt_backward(Gpt *gpt, const Batch *batch, Dropout dropout)
{
    const int N = batch->rows, C = gpt->config.width, L = gpt->config.layers;
    Real *d = gpt->work.dstream;

    /* 4  normed = layernorm(stream[L]), in place: a row's gradients are read before they are set */
    if (gpt->config.norm == NORM_PRE)
        layernorm_backward(d, &gpt->norm, d, stream_at(gpt, L), N);
    /* 3  stream[l + 1] = block(stream[l]) */
    for (int l = L - 1; l >= 0; l--)
        block_backward(d, &gpt->block[l], stream_at(gpt, l), batch, dropout);
    /* 2  stream[0] = dropout(stream[0]) */
    dropout_apply(d, batch, C, RANDOM_DROP_EMBEDDING, 0, dropout);
    /* 1  stream[0] = wte[token] + wpe[position] */
    embedding_backward(gpt->gradients.embedding, d, batch, C,
                       gpt->config.positions == POSITIONS_LEARNED);
    /* What is not trained has no gradients. */
    for (int i = 0; i < gpt->tensor_count; i++)
        if (!gpt->tensors[i].trained)
            memset(gpt->gradient_block + gpt->tensors[i].offset, 0,
                   sizeof(Real) * tensor_size(&gpt->tensors[i]));
}

/* Gathers the next `rows` rows that count, from row `next` of the batch on: their numbers into
 * work.row, their targets into work.targets, their rows of the head's input into x (rows, C). x is
 * a part of that same input. No row is overwritten before it is read, since each stays or moves
 * towards the first row; and after the head nothing reads this input. Returns the row after the
 * last one gathered. */
static int gather(Gpt *gpt, Real *x, const Batch *batch, int next, int rows)
{
    const int C = gpt->config.width;
    for (int i = 0; i < rows; next++)
        if (batch->targets[next] >= 0) {
            memmove(ROW(x, i, C), ROW(gpt_head_input(gpt), next, C), sizeof *x * (size_t)C);
            gpt->work.row[i] = next;
            gpt->work.targets[i++] = batch->targets[next];
        }
    return next;
}

/* The token at a position of a sequence, which may be before the batch's first one; -1: none. */
static int token_at(const Batch *batch, int s, int position)
{
    const int past = batch_past(batch, s), back = past - position;
    if (back <= 0)
        return batch->tokens[batch->start[s] - back];
    if (batch->cache)
        return position < 0 ? -1 : kv_cache_tokens(batch->cache, batch->slots[s])[position];
    return batch->history && back <= HISTORY_MOST ? ROW(batch->history, s + 1, HISTORY_MOST)[-back]
                                                  : -1;
}

/* Mixes logits (count, V): those of some rows of the batch or, if rows is NULL, of the last row of
 * each sequence. */
static void mix(const Gpt *gpt, Real *logits, const Batch *batch, const int *rows, int count)
{
    if (!gpt->mixture.mix)
        return;
    OMP(parallel for)
    for (int i = 0; i < count; i++) {
        int history[HISTORY_MOST], from = HISTORY_MOST, s = 0;
        const int row = rows ? rows[i] : batch->start[i + 1] - 1;
        while (batch->start[s + 1] <= row)
            s++;
        int position = batch_past(batch, s) + row - batch->start[s];
        for (int token; from && (token = token_at(batch, s, position)) >= 0; position--)
            history[--from] = token;
        gpt->mixture.mix(gpt->mixture.of, history + from, HISTORY_MOST - from,
                         ROW(logits, i, gpt->config.vocabulary));
    }
}

/* Spreads dx from (counted, C) to (N, C), beginning with the last row: a row that counts moves back
 * to its place, and any other becomes 0. Once all rows that are left count, they are in place. */
static void spread(Real *dx, const Batch *batch, int C)
{
    const size_t size = sizeof *dx * (size_t)C;
    int left = batch->counted;
    for (int i = batch->rows - 1; i >= left; i--)
        if (batch->targets[i] >= 0)
            memcpy(ROW(dx, i, C), ROW(dx, --left, C), size);
        else
            memset(ROW(dx, i, C), 0, size);
}

/* The sum of the losses; unless it is NULL, each (counted) receives the predictions; and, if
 * `learn`, the gradient of scale · the sum with respect to the head's input, in work.dstream. */
static double output_and_loss(Gpt *gpt, const Batch *batch, Prediction *each, bool learn,
                              Real scale)
{
    const GptWork *work = &gpt->work;
    const int C = gpt->config.width, V = gpt->config.vocabulary;
    double sum = 0;
    for (int from = 0, next = 0; from < batch->counted; from += work->piece) {
        const int rows = min_int(batch->counted - from, work->piece);
        Real *x = ROW(gpt_head_input(gpt), from, C);
        next = gather(gpt, x, batch, next, rows);

        /* 5  logits = x·Wᵀ */
        logits_forward(work->logits, gpt->weights.head, x, rows);
        if (!learn)
            mix(gpt, work->logits, batch, work->row, rows);
        /* 6  loss = −ln softmax(logits)[target] */
        loss_forward(work->loss, work->log_sum, work->logits, work->targets, rows, V);
        for (int i = 0; i < rows; i++)
            sum += work->loss[i];
        if (each)
            loss_predictions(each + from, work->loss, work->logits, work->targets, rows, V);
        if (!learn)
            continue;

        /* 6  loss = −ln softmax(logits)[target]: the gradient takes the place of the logits */
        loss_backward(work->logits, work->log_sum, work->logits, work->targets, rows, V, scale);
        /* 5  logits = x·Wᵀ */
        logits_backward(ROW(work->dstream, from, C), gpt->gradients.head, work->logits,
                        gpt->weights.head, x, rows);
    }
    if (learn)
        spread(work->dstream, batch, C);
    return sum;
}

double gpt_evaluate_each(Gpt *gpt, const Batch *batch, Prediction *each)
{
    gpt_forward(gpt, batch, NULL, (Dropout){0});
    return output_and_loss(gpt, batch, each, false, 0);
}

double gpt_evaluate(Gpt *gpt, const Batch *batch)
{
    return gpt_evaluate_each(gpt, batch, NULL);
}

double gpt_forward_backward(Gpt *gpt, const Batch *batch, Real scale, Dropout dropout)
{
    assert(gpt->learns);
    gpt_forward(gpt, batch, NULL, dropout);
    const double loss = output_and_loss(gpt, batch, NULL, true, scale);
    gpt_backward(gpt, batch, dropout);
    return loss;
}

void gpt_next_logits(Gpt *gpt, const Batch *batch, Real *logits)
{
    const int S = batch->sequences, C = gpt->config.width;
    gpt_forward(gpt, batch, NULL, (Dropout){0});
    /* The last rows of all sequences together, so that the output table is read once. */
    Real *last = gpt->work.dstream;
    for (int s = 0; s < S; s++) {
        const int first = batch->start[s], end = batch->start[s + 1];
        memcpy(ROW(last, s, C), ROW(gpt_head_input(gpt), end - 1, C), sizeof *last * (size_t)C);
        if (batch->cache) /* notes which tokens it has read */
            memcpy(kv_cache_tokens(batch->cache, batch->slots[s]) + batch->past[s],
                   batch->tokens + first, sizeof(int) * (size_t)(end - first));
    }
    logits_forward(logits, gpt->weights.head, last, S);
    mix(gpt, logits, batch, NULL, S);
}

static Matrix weight_of(Linear p)
{
    return matrix_rounded(p.weight, p.in, p.out, p.rounding);
}

void ablate(Gpt *gpt, int layer, int head)
{
    const BlockWeights *block = &gpt->weights.block[layer];
    const int D = gpt->config.head_size;
    if (head < gpt->config.heads) { /* out.weight: [H·D, C] */
        matrix_clear(matrix_rows(weight_of(block->attention.out), head * D, D));
        return;
    }
    for (int half = 0; half < 2; half++) {
        const Linear last = half ? block->feedforward.narrow : block->attention.out;
        matrix_clear(weight_of(last));
        memset(last.bias, 0, (size_t)last.out * sizeof *last.bias);
    }
}
