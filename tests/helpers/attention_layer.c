/* attention_layer.c: lays out the parameters, the input and the output; the layer itself lays out
 * what it keeps and works with. */
#include "attention_layer.h"

static Linear linear_new(Arena *arena, int in, int out)
{
    Real *weight = arena_take(arena, (size_t)in, (size_t)out);
    return (Linear){
        .weight = weight, .bias = arena_take(arena, 1, (size_t)out), .in = in, .out = out};
}

static void place(AttentionLayer *layer, const AttentionShape *shape, Arena *arena)
{
    const Batch *batch = &layer->batch;
    const int C = shape->width, HD = shape->heads * shape->head_size;
    const AttentionWeights p = {.qkv = linear_new(arena, C, attention_columns(shape)),
                                .out = linear_new(arena, HD, C)};
    const AttentionWork work =
        attention_work(arena, shape, batch->rows,
                       attention_strip_size(shape->patterns, shape->heads, shape->context));
    layer->attention = attention_new(arena, shape, &p, &p, work, batch->rows);
    layer->x = arena_take(arena, (size_t)batch->rows, (size_t)C);
    layer->y = arena_take(arena, (size_t)batch->rows, (size_t)C);
    layer->maps = arena_take(arena, 1, attention_map_size(batch, batch->sequences, shape->heads));
}

AttentionLayer attention_layer_new(AttentionShape shape, const int *lengths, int sequences)
{
    AttentionLayer layer = {0};
    shape.key_heads = shape.heads;
    layer.start = memory_new((size_t)sequences + 1, sizeof *layer.start, "a batch");
    layer.prefix = memory_new((size_t)sequences, sizeof *layer.prefix, "a batch");
    for (int s = 0; s < sequences; s++) {
        layer.start[s + 1] = layer.start[s] + lengths[s];
        shape.context = max_int(shape.context, lengths[s]);
    }
    layer.batch = (Batch){.rows = layer.start[sequences],
                          .sequences = sequences,
                          .start = layer.start,
                          .prefix = layer.prefix};
    Arena arena = {0};
    place(&layer, &shape, &arena);
    layer.numbers = memory_new(arena.used, sizeof(Real), "a layer");
    arena = (Arena){.at = layer.numbers};
    place(&layer, &shape, &arena);
    return layer;
}

void attention_layer_free(AttentionLayer *layer)
{
    free(layer->start);
    free(layer->prefix);
    free(layer->numbers);
}

void attention_layer_run(AttentionLayer *layer, const Real *x)
{
    attention_forward(layer->y, layer->maps, &layer->attention, x, &layer->batch, (Dropout){0});
}

static Matrix part_of(const AttentionLayer *layer, const Real *qkv, int rows, Part part, int head,
                      int heads)
{
    const int H = layer->attention.shape.heads, D = layer->attention.shape.head_size;
    return matrix_cols(matrix(qkv, rows, 3 * H * D), ((int)part * H + head) * D, heads * D);
}

Matrix attention_layer_weight(const AttentionLayer *layer, Part part, int head, int heads)
{
    return part_of(layer, layer->attention.p.qkv.weight, layer->attention.shape.width, part, head,
                   heads);
}

Matrix attention_layer_part(const AttentionLayer *layer, Part part, int head)
{
    return part_of(layer, layer->attention.keep.qkv, layer->batch.rows, part, head, 1);
}

Matrix attention_layer_map(const AttentionLayer *layer, int sequence, int head)
{
    const Batch *batch = &layer->batch;
    const int length = batch->start[sequence + 1] - batch->start[sequence];
    return matrix(layer->maps + attention_map_size(batch, sequence, layer->attention.shape.heads) +
                      (size_t)head * (size_t)length * (size_t)length,
                  length, length);
}
