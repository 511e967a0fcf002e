/* gpt.c: see gpt.h. */
#include "gpt.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/layers/logits.h"
#include "model/layers/loss.h"
#include "base/threads.h"

/* ---- The list of tensors: the one place that knows them all ---- */

typedef struct {
    Tensor *list;
    int count;
    size_t used;
} Layout;

static Tensor *lay(Layout *layout, Real **place, int layer, const char *name, int rows, int cols)
{
    Tensor *tensor = &layout->list[layout->count++];
    Arena arena = {.used = layout->used};
    *tensor = (Tensor){
        .place = place, .rows = rows, .cols = cols, .trained = true, .offset = layout->used};
    arena_take(&arena, rows ? (size_t)rows : 1, (size_t)cols);
    layout->used = arena.used;
    if (layer < 0)
        snprintf(tensor->name, sizeof tensor->name, "%s", name);
    else
        snprintf(tensor->name, sizeof tensor->name, "h.%d.%s", layer, name);
    return tensor;
}

static Tensor *lay_matrix(Layout *layout, Real **place, int layer, const char *name, int rows,
                          int cols, double deviation)
{
    Tensor *tensor = lay(layout, place, layer, name, rows, cols);
    tensor->kind = MATRIX;
    tensor->deviation = deviation;
    return tensor;
}

static Tensor *lay_bias(Layout *layout, Real **place, int layer, const char *name, int cols)
{
    Tensor *tensor = lay(layout, place, layer, name, 0, cols);
    tensor->kind = BIAS;
    return tensor;
}

static void lay_norm(Layout *layout, LayerNorm *p, int layer, const char *gain, const char *bias,
                     int C)
{
    lay(layout, &p->gain, layer, gain, 0, C)->kind = GAIN;
    lay_bias(layout, &p->bias, layer, bias, C);
}

static void lay_block(Layout *layout, Block *p, int l, const GptConfig *shape)
{
    const int C = shape->width, F = shape->hidden, HD = shape->heads * shape->head_size;
    /* The two projections back into the residual stream start smaller: its variance would grow
     * with each of its 2L sums. */
    const double start = 0.02, back = start / sqrt(2.0 * shape->layers);

    lay_norm(layout, &p->norm1, l, "ln_1.weight", "ln_1.bias", C);
    lay_matrix(layout, &p->attention.qkv.weight, l, "attn.c_attn.weight", C, 3 * HD, start);
    lay_bias(layout, &p->attention.qkv.bias, l, "attn.c_attn.bias", 3 * HD)->trained =
        !shape->no_qkv_bias;
    lay_matrix(layout, &p->attention.out.weight, l, "attn.c_proj.weight", HD, C, back);
    lay_bias(layout, &p->attention.out.bias, l, "attn.c_proj.bias", C);
    lay_norm(layout, &p->norm2, l, "ln_2.weight", "ln_2.bias", C);
    lay_matrix(layout, &p->feedforward.widen.weight, l, "mlp.c_fc.weight", C, F, start);
    lay_bias(layout, &p->feedforward.widen.bias, l, "mlp.c_fc.bias", F);
    lay_matrix(layout, &p->feedforward.narrow.weight, l, "mlp.c_proj.weight", F, C, back);
    lay_bias(layout, &p->feedforward.narrow.bias, l, "mlp.c_proj.bias", C);
}

static void lay_weights(Layout *layout, GptWeights *p, const GptConfig *shape)
{
    const int T = shape->context, C = shape->width, V = shape->vocabulary;
    /* With fixed positions the table starts as large as they are; see embedding.h. */
    const double start = shape->learned_positions ? 0.02 : 1 / sqrt(C);

    lay_matrix(layout, &p->embedding.wte, -1, "wte.weight", V, C, start);
    Tensor *positions = lay_matrix(layout, &p->embedding.wpe, -1, "wpe.weight", T, C, start);
    positions->trained = shape->learned_positions;
    if (!shape->learned_positions)
        positions->kind = SINUSOIDS;
    for (int l = 0; l < shape->layers; l++)
        lay_block(layout, &p->block[l], l, shape);
    if (!shape->post_norm)
        lay_norm(layout, &p->norm, -1, "ln_f.weight", "ln_f.bias", C);
    if (shape->untied)
        lay_matrix(layout, &p->head, -1, "lm_head.weight", V, C, 0.02);
}

enum { TENSORS_IN_BLOCK = 12, TENSORS_OUTSIDE = 5 };

/* Lists all tensors of p, whose blocks are made here. */
static Layout layout_of(GptWeights *p, const GptConfig *shape)
{
    const size_t most = (size_t)shape->layers * TENSORS_IN_BLOCK + TENSORS_OUTSIDE;
    Layout layout = {.list = memory_new(most, sizeof(Tensor), "the list of tensors")};
    *p = (GptWeights){.block = memory_new((size_t)shape->layers, sizeof(Block), "the layers")};
    lay_weights(&layout, p, shape);
    assert((size_t)layout.count <= most);
    return layout;
}

/* The weights' struct over a block of numbers. */
static GptWeights weights_over(Real *block, const GptConfig *shape)
{
    GptWeights p;
    Layout layout = layout_of(&p, shape);
    for (int i = 0; i < layout.count; i++)
        *layout.list[i].place = block + layout.list[i].offset;
    if (!shape->untied)
        p.head = p.embedding.wte;
    free(layout.list);
    return p;
}

Tensor *gpt_tensors(GptConfig shape, int *count, size_t *numbers)
{
    GptWeights p;
    Layout layout = layout_of(&p, &shape);
    for (int i = 0; i < layout.count; i++)
        layout.list[i].place = NULL;
    free(p.block);
    *count = layout.count;
    *numbers = layout.used;
    return layout.list;
}

size_t tensor_size(const Tensor *tensor)
{
    return (size_t)(tensor->rows ? tensor->rows : 1) * (size_t)tensor->cols;
}

size_t gpt_parameters(const Tensor *tensors, int count)
{
    size_t numbers = 0;
    for (int i = 0; i < count; i++)
        if (tensors[i].trained)
            numbers += tensor_size(&tensors[i]);
    return numbers;
}

void gpt_init(Gpt *gpt, uint32_t seed)
{
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        Real *at = gpt->weight_block + tensor->offset;
        if (tensor->kind == MATRIX)
            random_normal(at, tensor_size(tensor), tensor->deviation, seed, (uint32_t)i);
        else if (tensor->kind == SINUSOIDS)
            embedding_sinusoids(at, tensor->rows, tensor->cols);
        else
            for (int c = 0; c < tensor->cols; c++)
                at[c] = tensor->kind == GAIN ? 1 : 0;
    }
}

/* ---- Memory: one block for all that forward keeps and backward works with ---- */

/* Logits are held for a piece of the rows at a time, about this many numbers: 50,000 tokens times
 * all rows would be most of the memory of a small model. */
enum { LOGITS_AT_ONCE = 1 << 22, LEAST_PIECE = 64 };

static AttentionShape attention_shape(const GptConfig *shape, int layer)
{
    return (AttentionShape){.width = shape->width,
                            .heads = shape->heads,
                            .head_size = shape->head_size,
                            .patterns =
                                shape->patterns ? ROW(shape->patterns, layer, shape->heads) : NULL,
                            .layer = layer,
                            .context = shape->context};
}

static BlockShape block_shape(const GptConfig *shape, int layer)
{
    return (BlockShape){
        .post_norm = shape->post_norm,
        .attention = attention_shape(shape, layer),
        .feedforward = {.width = shape->width, .hidden = shape->hidden, .gelu = shape->gelu}};
}

static LayerNormKeep place_norm(Arena *arena, size_t N)
{
    return (LayerNormKeep){.mean = arena_take(arena, N, 1), .rstd = arena_take(arena, N, 1)};
}

static void place_block(BlockKeep *keep, Arena *arena, const GptConfig *shape, size_t N)
{
    const size_t C = (size_t)shape->width, F = (size_t)shape->hidden;
    const size_t HD = (size_t)shape->heads * (size_t)shape->head_size;

    keep->norm1 = place_norm(arena, N);
    keep->norm2 = place_norm(arena, N);
    keep->attention.qkv = arena_take(arena, N, 3 * HD);
    keep->attention.mixed = arena_take(arena, N, HD);
    keep->attention.norm = arena_take(arena, N, (size_t)shape->heads);
    keep->feedforward.hidden = arena_take(arena, N, F);
    keep->feedforward.active = arena_take(arena, N, F);
    *(shape->post_norm ? &keep->summed1 : &keep->normed1) = arena_take(arena, N, C);
    *(shape->post_norm ? &keep->summed2 : &keep->normed2) = arena_take(arena, N, C);
    keep->middle = arena_take(arena, N, C);
}

static void place_work(GptWork *work, Arena *arena, const GptConfig *shape, size_t N)
{
    const size_t C = (size_t)shape->width, F = (size_t)shape->hidden;
    const size_t HD = (size_t)shape->heads * (size_t)shape->head_size;
    const size_t V = (size_t)shape->vocabulary;
    size_t piece = LOGITS_AT_ONCE / V > LEAST_PIECE ? LOGITS_AT_ONCE / V : LEAST_PIECE;
    piece = piece < N ? piece : N;

    size_t strip = 0;
    for (int l = 0; l < shape->layers; l++) {
        const size_t wanted = attention_strip_size(attention_shape(shape, l), shape->context);
        strip = wanted > strip ? wanted : strip;
    }
    work->block.attention.strip = strip;
    work->block.attention.strips = arena_take(arena, 3 * (size_t)thread_limit(), strip);
    work->block.attention.dqkv = arena_take(arena, N, 3 * HD);
    work->block.attention.dmixed = arena_take(arena, N, HD);
    work->block.dhidden = arena_take(arena, N, F);
    work->block.branch = arena_take(arena, N, C);
    work->block.dnormed = arena_take(arena, N, C);
    work->dstream = arena_take(arena, N, C);
    work->logits = arena_take(arena, piece, V);
    work->norm = arena_take(arena, piece, 1);
    work->loss = (double *)arena_take(arena, piece, sizeof(double) / sizeof(Real));
    work->piece = (int)piece;
}

static void place_all(GptKeep *keep, GptWork *work, Arena *arena, const GptConfig *shape, int rows)
{
    const size_t N = (size_t)rows, C = (size_t)shape->width, L = (size_t)shape->layers;
    keep->stream = arena_take(arena, (L + 1) * N, C);
    for (int l = 0; l < shape->layers; l++)
        place_block(&keep->block[l], arena, shape, N);
    keep->norm = place_norm(arena, N);
    keep->normed = shape->post_norm ? keep->stream ? ROW(keep->stream, L * N, C) : NULL
                                    : arena_take(arena, N, C);
    place_work(work, arena, shape, N);
}

/* How many numbers keep and work take together. */
static size_t count_all(GptKeep *keep, GptWork *work, const GptConfig *shape, int rows)
{
    Arena arena = {0};
    place_all(keep, work, &arena, shape, rows);
    return arena.used;
}

double gpt_bytes(GptConfig shape, int rows)
{
    int count;
    size_t numbers;
    free(gpt_tensors(shape, &count, &numbers));
    GptKeep keep = {.block = memory_new((size_t)shape.layers, sizeof(BlockKeep), "the layers")};
    GptWork work;
    const size_t activations = count_all(&keep, &work, &shape, rows);
    free(keep.block);
    return (double)sizeof(Real) * (2 * (double)numbers + (double)activations);
}

Gpt gpt_new(GptConfig shape, int rows)
{
    Gpt gpt = {.shape = shape, .rows = rows};
    if (shape.patterns) {
        const size_t heads = (size_t)shape.layers * (size_t)shape.heads;
        Pattern *patterns = memory_new(heads, sizeof *patterns, "the attention patterns");
        gpt.shape.patterns = memcpy(patterns, shape.patterns, heads * sizeof *patterns);
    }
    gpt.tensors = gpt_tensors(shape, &gpt.tensor_count, &gpt.numbers);
    gpt.weight_block = memory_new(gpt.numbers, sizeof(Real), "the weights");
    gpt.gradient_block = memory_new(gpt.numbers, sizeof(Real), "the gradients");
    gpt.weights = weights_over(gpt.weight_block, &shape);
    gpt.gradients = weights_over(gpt.gradient_block, &shape);

    gpt.keep.block = memory_new((size_t)shape.layers, sizeof(BlockKeep), "the layers");
    const size_t numbers = count_all(&gpt.keep, &gpt.work, &shape, rows);
    gpt.keep_block = memory_new(numbers, sizeof(Real), "what the layers keep for backward");
    Arena arena = {.at = gpt.keep_block};
    place_all(&gpt.keep, &gpt.work, &arena, &shape, rows);
    assert(arena.used == numbers);
    return gpt;
}

void gpt_free(Gpt *gpt)
{
    free((Pattern *)gpt->shape.patterns); /* its own copy */
    free(gpt->tensors);
    free(gpt->weights.block);
    free(gpt->gradients.block);
    free(gpt->keep.block);
    free(gpt->weight_block);
    free(gpt->gradient_block);
    free(gpt->keep_block);
    free(gpt->past_block);
}

/* ---- Memory of what was read ---- */

/* Numbers of one slot in one layer. */
static size_t slot_numbers(const GptConfig *shape)
{
    return 2 * (size_t)shape->heads * (size_t)shape->head_size * (size_t)shape->context;
}

void gpt_remember(Gpt *gpt, int slots)
{
    const size_t layer = (size_t)slots * slot_numbers(&gpt->shape);
    free(gpt->past_block); /* of a call before */
    gpt->past_block = memory_new((size_t)gpt->shape.layers * layer, sizeof(Real),
                                 "the keys and values of what is read");
    for (int l = 0; l < gpt->shape.layers; l++)
        gpt->keep.block[l].attention.past = gpt->past_block + (size_t)l * layer;
}

void gpt_copy_slot(Gpt *gpt, int to, int from, int rows)
{
    const GptConfig *shape = &gpt->shape;
    const size_t slot = slot_numbers(shape), row = slot / (size_t)shape->context;
    for (int l = 0; l < shape->layers; l++) {
        Real *past = gpt->keep.block[l].attention.past;
        memcpy(past + (size_t)to * slot, past + (size_t)from * slot,
               sizeof *past * (size_t)rows * row);
    }
}

/* ---- Forward and backward ---- */

/* What block l reads: (N, C) of the stream. */
static Real *stream_at(const Gpt *gpt, int l)
{
    return ROW(gpt->keep.stream, (size_t)l * (size_t)gpt->rows, gpt->shape.width);
}

void gpt_forward(Gpt *gpt, const Batch *batch, Real *weights, Noise noise)
{
    const GptConfig *shape = &gpt->shape;
    const int N = batch->rows, C = shape->width, L = shape->layers;
    assert(N <= gpt->rows);

    /* 1 */ embedding_forward(stream_at(gpt, 0), gpt->weights.embedding, batch, C);
    /* 2 */ dropout(stream_at(gpt, 0), N, C, RANDOM_DROP_EMBEDDING, 0, noise);
    const size_t layer_weights = attention_map_size(batch, batch->sequences, shape->heads);
    /* 3 */ for (int l = 0; l < L; l++)
        block_forward(stream_at(gpt, l + 1), gpt->keep.block[l], gpt->work.block,
                      weights ? weights + (size_t)l * layer_weights : NULL, gpt->weights.block[l],
                      stream_at(gpt, l), batch, block_shape(shape, l), noise);
    /* 4 */ if (!shape->post_norm)
        layernorm_forward(gpt->keep.normed, gpt->keep.norm, gpt->weights.norm, stream_at(gpt, L), N,
                          C);
}

/* From the gradient of what the head reads, in work.dstream, back to the embedding. */
static void gpt_backward(Gpt *gpt, const Batch *batch, Noise noise)
{
    const GptConfig *shape = &gpt->shape;
    const int N = batch->rows, C = shape->width, L = shape->layers;
    Real *d = gpt->work.dstream;

    /* 4  normed = layernorm(stream), in place: a row's gradients are read before they are set */
    if (!shape->post_norm)
        layernorm_backward(d, gpt->gradients.norm, d, gpt->keep.norm, gpt->weights.norm,
                           stream_at(gpt, L), N, C);
    /* 3  stream = block(stream) */
    for (int l = L - 1; l >= 0; l--)
        block_backward(d, gpt->gradients.block[l], gpt->work.block, gpt->keep.block[l],
                       gpt->weights.block[l], stream_at(gpt, l), batch, block_shape(shape, l),
                       noise);
    /* 2  stream = dropout(stream) */
    dropout(d, N, C, RANDOM_DROP_EMBEDDING, 0, noise);
    /* 1  stream = embedding(tokens) */
    embedding_backward(gpt->gradients.embedding, d, batch, C, shape->learned_positions);

    /* What is not trained has no gradient: the norm that clips runs over the whole block. */
    for (int i = 0; i < gpt->tensor_count; i++)
        if (!gpt->tensors[i].trained)
            memset(gpt->gradient_block + gpt->tensors[i].offset, 0,
                   sizeof(Real) * tensor_size(&gpt->tensors[i]));
}

/* The head, a piece of the rows at a time: the sum of the losses; each of them, unless `each` is
 * NULL; and, where wanted, the gradient of scale · the sum with respect to what the head reads, in
 * work.dstream. */
static double head_and_loss(Gpt *gpt, const Batch *batch, double *each, bool learn, Real scale)
{
    const GptWork *work = &gpt->work;
    const int C = gpt->shape.width, V = gpt->shape.vocabulary;
    double sum = 0;
    for (int from = 0; from < batch->rows; from += work->piece) {
        const int left = batch->rows - from, rows = left < work->piece ? left : work->piece;
        const int *targets = batch->targets + from;
        const Real *x = ROW(gpt->keep.normed, from, C);

        /* 1 */ logits_forward(work->logits, gpt->weights.head, x, rows, C, V);
        /* 2 */ loss_forward(work->loss, work->norm, work->logits, targets, rows, V);
        for (int i = 0; i < rows; i++)
            sum += work->loss[i];
        if (each)
            memcpy(each + from, work->loss, sizeof *each * (size_t)rows);
        if (!learn)
            continue;
        /* 2  loss = cross-entropy(logits), in the place of the logits */
        loss_backward(work->logits, work->norm, work->logits, targets, rows, V, scale);
        /* 1  logits = head(x) */
        logits_backward(ROW(work->dstream, from, C), gpt->gradients.head, work->logits,
                        gpt->weights.head, x, rows, C, V);
    }
    return sum;
}

double gpt_losses(Gpt *gpt, const Batch *batch, double *loss)
{
    gpt_forward(gpt, batch, NULL, (Noise){0});
    return head_and_loss(gpt, batch, loss, false, 0);
}

double gpt_evaluate(Gpt *gpt, const Batch *batch)
{
    return gpt_losses(gpt, batch, NULL);
}

double gpt_forward_backward(Gpt *gpt, const Batch *batch, Real scale, Noise noise)
{
    noise.first_row = batch->first_row;
    gpt_forward(gpt, batch, NULL, noise);
    const double loss = head_and_loss(gpt, batch, NULL, true, scale);
    gpt_backward(gpt, batch, noise);
    return loss;
}

void gpt_next_logits(Gpt *gpt, const Batch *batch, Real *logits)
{
    const int C = gpt->shape.width, V = gpt->shape.vocabulary;
    gpt_forward(gpt, batch, NULL, (Noise){0});
    for (int s = 0; s < batch->sequences; s++)
        logits_forward(ROW(logits, s, V), gpt->weights.head,
                       ROW(gpt->keep.normed, batch->start[s + 1] - 1, C), 1, C, V);
}
