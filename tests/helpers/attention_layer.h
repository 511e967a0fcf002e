/* attention_layer.h: one layer of attention by itself, over sequences of given lengths. */
#ifndef PULGA_ATTENTION_LAYER_H
#define PULGA_ATTENTION_LAYER_H

#include "model/layers/attention.h"
#include "model/matrix/matrix.h"

typedef struct {
    Attention attention;
    Batch batch;
    int *start;  /* (S + 1)                        */
    int *prefix; /* (S) the batch's, all 0         */
    Real *x, *y; /* (N, C), (N, C)                 */
    Real *maps;  /* of all sequences and all heads */
    Real *numbers;
} AttentionLayer;

/* All weights and x are 0; the shape's context becomes the longest length. attention_layer_free()
 * frees it. */
AttentionLayer attention_layer_new(AttentionShape shape, const int *lengths, int sequences);
void attention_layer_free(AttentionLayer *layer);

/* Forward, with maps and without dropout, from x (N, C), its own or another. */
void attention_layer_run(AttentionLayer *layer, const Real *x);

typedef enum { QUERY, KEY, VALUE } Part;

/* The columns that make the queries, keys or values of some heads: of Wqkv [C, 3·H·D], and of qkv
 * in all rows of the batch. */
Matrix attention_layer_weight(const AttentionLayer *layer, Part part, int head, int heads);
Matrix attention_layer_part(const AttentionLayer *layer, Part part, int head);

/* A head's map of a sequence, (length, length). */
Matrix attention_layer_map(const AttentionLayer *layer, int sequence, int head);

#endif
