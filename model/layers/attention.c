/* attention.c: one thread takes one head of one sequence and walks its queries in strips of 32;
 * strips.h has the geometry. Backward needs no atomic sums: all strips of the heads that share keys
 * and values, which add into the same dk and dv, belong to one thread. */
#include "strips.h"

#include <assert.h>
#include <tgmath.h>

#include "base/numbers/elementary.h"
#include "base/numbers/lanes.h"
#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"
#include "model/shape/batch.h"

/* ---- Memory ---- */

AttentionWork attention_work(Arena *arena, const AttentionShape *shape, int N, size_t strip_size)
{
    const size_t rows = (size_t)N, HD = (size_t)shape->heads * (size_t)shape->head_size;
    return (AttentionWork){.dqkv = arena_take(arena, rows, (size_t)attention_columns(shape)),
                           .dmixed = arena_take(arena, rows, HD),
                           .strips = arena_take(arena, 3 * (size_t)thread_limit(), strip_size),
                           .strip_size = strip_size};
}

Attention attention_new(Arena *arena, const AttentionShape *shape, const AttentionWeights *p,
                        const AttentionWeights *dp, AttentionWork work, int N)
{
    const size_t rows = (size_t)N, H = (size_t)shape->heads, HD = H * (size_t)shape->head_size;
    Attention layer = {.shape = *shape, .p = *p, .dp = *dp, .work = work};
    layer.keep.qkv = arena_take(arena, rows, (size_t)attention_columns(shape));
    layer.keep.mixed = arena_take(arena, rows, HD);
    layer.keep.log_sum = arena_take(arena, rows, H);
    return layer;
}

size_t attention_strip_size(const Pattern *patterns, int heads, int context)
{
    int keys = 0; /* of the widest strip */
    for (int h = 0; h < heads; h++)
        keys = max_int(keys, pattern_most_keys(pattern_at(patterns, h), context, STRIP_ROWS));
    return (size_t)STRIP_ROWS * (size_t)strip_width(keys);
}

/* (queries, keys) in one of a thread's three strips. */
static Matrix strip_matrix(AttentionWork work, int number, Strip s)
{
    const Real *at = ROW(work.strips, 3 * thread_index() + number, work.strip_size);
    return matrix_spaced(at, s.queries, s.keys, s.width);
}

/* scores = q·kᵀ, unscaled. */
static void strip_scores(Matrix scores, const HeadView *head, Strip s)
{
    for (KeySpan span = {0}; span_next(head, s, &span);)
        matmul(span_columns(scores, &span), strip_rows(head->q, s),
               transposed(span_rows(head->k, &span)));
    strip_mask(scores, head, s);
}

/* The maximum of a strip's row: first 16 maxima side by side in a vector, each of every 16th
 * number; then the largest of these. */
static Real largest(const Real *scores, int width)
{
    Real tops[STRIP_GRAIN];
    memcpy(tops, scores, sizeof tops);
    for (int from = STRIP_GRAIN; from < width; from += STRIP_GRAIN)
        for (int j = 0; j < STRIP_GRAIN; j++)
            tops[j] = scores[from + j] > tops[j] ? scores[from + j] : tops[j];
    Real top = tops[0];
    for (int j = 1; j < STRIP_GRAIN; j++)
        top = tops[j] > top ? tops[j] : top;
    return top;
}

static Real *log_sum_of(const HeadView *head, Strip s, int r)
{
    assert(head->log_sum);
    return head->log_sum + (ptrdiff_t)(s.query + r * s.step) * head->heads;
}

/* P = softmax(scale · scores), in place. Notes ln Σ exp(scale · score) of each row. All maxima come
 * first, then all sums, since what a row waits for is then computed while others are. */
static void strip_softmax(Matrix P, const HeadView *head, Strip s)
{
    const Real scale = head->scale;
    Real tops[STRIP_ROWS] = {0}, sums[STRIP_ROWS];
    for (int r = 0; r < s.queries; r++)
        tops[r] = largest(ROW(P.at, r, s.width), s.width);
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(P.at, r, s.width);
        const Real top = tops[r];
        SUM_IN_LANES(Real, sums[r], j, s.width, row[j] = real_exp((row[j] - top) * scale));
    }
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(P.at, r, s.width);
        const Real share = 1 / sums[r];
        for (int j = 0; j < s.width; j++)
            row[j] *= share;
        *log_sum_of(head, s, r) = tops[r] * scale + (Real)elementary_log((double)sums[r]);
    }
}

/* Steps 4 and 3 backward, in one pass: dscores from ddropped, with dropped = dropout(P). All four
 * have the same shape and row_step; dscores may lie in the place of ddropped. */
static void softmax_dropout_backward(Matrix dscores, Matrix ddropped, Matrix P, Matrix dropped,
                                     Real scale)
{
    for (int r = 0; r < P.rows; r++) {
        const ptrdiff_t row = r * P.row_step;
        const Real *p = P.at + row, *drop = dropped.at + row, *ddrop = ddropped.at + row;
        Real *ds = dscores.at + row, sum;
        SUM_IN_LANES(Real, sum, j, P.cols, drop[j] * ddrop[j]);
        for (int j = 0; j < P.cols; j++)
            ds[j] = (drop[j] * ddrop[j] - p[j] * sum) * scale;
    }
}

/* P again, from the scores and the log_sum that forward kept. */
static void strip_softmax_again(Matrix P, const HeadView *head, Strip s)
{
    strip_scores(P, head, s);
    for (int r = 0; r < s.queries; r++) {
        const Real log_sum = *log_sum_of(head, s, r);
        Real *row = ROW(P.at, r, s.width);
        for (int j = 0; j < s.width; j++)
            row[j] = real_exp(row[j] * head->scale - log_sum);
    }
}

/* Dropout of a strip's rows. Element j of a row's mask belongs to the j-th key that its query
 * attends to. */
static void strip_dropout(Matrix P, const HeadView *head, Strip s, Dropout dropout)
{
    if (dropout.rate == 0)
        return;
    for (int r = 0; r < s.queries; r++) {
        const uint32_t row = head->first_row + (uint32_t)(s.query + r * s.step);
        int before = 0;
        for (KeySpan span = {0}; span_next(head, s, &span);) {
            const SpanColumns seen = span_columns_of_row(head, s, &span, r);
            dropout_apply_row(P.at + r * P.row_step + seen.from, before, seen.count, row,
                              RANDOM_DROP_ATTENTION, head->site, dropout);
            before += seen.count;
        }
    }
}

/* ---- Forward and backward ---- */

static void attend(const HeadView *head, Real *map, AttentionWork work, Dropout dropout)
{
    for (Strip s = {0}; strip_next(head, &s);) {
        const Matrix P = strip_matrix(work, 0, s);

        /* 2  scores = q·kᵀ */
        strip_scores(P, head, s);

        /* 3  P = softmax(scores/√D) */
        strip_softmax(P, head, s);
        if (map)
            strip_to_map(map, P, head, s);

        /* 4  dropped = dropout(P), in place */
        strip_dropout(P, head, s, dropout);

        /* 5  mixed = dropped·v, a sum over the spans: the first one sets it, the others add */
        for (KeySpan span = {0}; span_next(head, s, &span);)
            (span.column ? matmul_add : matmul)(strip_rows(head->mixed, s), span_columns(P, &span),
                                                span_rows(head->v, &span));
    }
}

/* Sets the gradients of keys and values to 0. */
static void clear_keys(const HeadView *d)
{
    for (int j = 0; j < d->length; j++) {
        memset(d->k.at + j * d->k.row_step, 0, sizeof(Real) * (size_t)d->k.cols);
        memset(d->v.at + j * d->v.row_step, 0, sizeof(Real) * (size_t)d->v.cols);
    }
}

/* d has the gradients in the same views: d->mixed is given, d->q is set, and d->k and d->v, which
 * other heads may share, are added to. */
static void attend_backward(const HeadView *d, const HeadView *head, AttentionWork work,
                            Dropout dropout)
{
    for (Strip s = {0}; strip_next(head, &s);) {
        const Matrix q = strip_rows(head->q, s), dq = strip_rows(d->q, s);
        const Matrix dmixed = strip_rows(d->mixed, s);
        const Matrix P = strip_matrix(work, 0, s);
        const Matrix dropped = dropout.rate > 0 ? strip_matrix(work, 1, s) : P;
        /* The third strip holds ddropped first, then dscores. */
        const Matrix ddropped = strip_matrix(work, 2, s), dscores = ddropped;

        strip_softmax_again(P, head, s);
        if (dropout.rate > 0)
            memcpy(dropped.at, P.at, sizeof(Real) * (size_t)s.queries * (size_t)s.width);
        strip_dropout(dropped, head, s, dropout);

        /* 5  mixed = dropped·v       so  dv += droppedᵀ·dmixed  and  ddropped = dmixed·vᵀ */
        for (KeySpan span = {0}; span_next(head, s, &span);) {
            matmul_add(span_rows(d->v, &span), transposed(span_columns(dropped, &span)), dmixed);
            matmul(span_columns(ddropped, &span), dmixed, transposed(span_rows(head->v, &span)));
        }

        /* 4  dropped = mask∘P        so  dP = mask∘ddropped, and P∘dP = dropped∘ddropped
         * 3  P = softmax(scores/√D)  so  dscores = (P∘dP − P∘Σ P∘dP)/√D, the sum over a row */
        softmax_dropout_backward(dscores, ddropped, P, dropped, head->scale);

        /* 2  scores = q·kᵀ           so  dq = dscores·k  and  dk += dscoresᵀ·q
         * dq is a sum over the spans: the first one sets it, the others add. */
        for (KeySpan span = {0}; span_next(head, s, &span);) {
            (span.column ? matmul_add : matmul)(dq, span_columns(dscores, &span),
                                                span_rows(head->k, &span));
            matmul_add(span_rows(d->k, &span), transposed(span_columns(dscores, &span)), q);
        }
    }
}

size_t attention_map_size(const Batch *batch, int sequences, int heads)
{
    size_t size = 0;
    for (int s = 0; s < sequences; s++) {
        const size_t length = (size_t)(batch->start[s + 1] - batch->start[s]);
        size += (size_t)heads * length * length;
    }
    return size;
}

/* Stores k and v of a batch's rows in the KV cache. */
static void cache_rows(const Real *qkv, const Batch *batch, const AttentionShape *shape)
{
    const int HD = shape->heads * shape->head_size, columns = attention_columns(shape);
    for (int s = 0; s < batch->sequences; s++) {
        Real *slot = kv_cache_slot(batch->cache, shape->layer, batch->slots[s]);
        const int first = batch->start[s], past = batch_past(batch, s);
        for (int i = first; i < batch->start[s + 1]; i++)
            memcpy(ROW(slot, past + i - first, columns - HD), ROW(qkv, i, columns) + HD,
                   sizeof(Real) * (size_t)(columns - HD));
    }
}

void attention_forward(Real *y, Real *maps, const Attention *layer, const Real *x,
                       const Batch *batch, Dropout dropout)
{
    const AttentionShape *shape = &layer->shape;
    Real *qkv = layer->keep.qkv, *mixed = layer->keep.mixed, *log_sum = layer->keep.log_sum;
    const int N = batch->rows, H = shape->heads;
    assert(!maps || !batch->cache);

    /* 1  qkv = x·Wqkv + bqkv, with q and k turned by their positions */
    linear_forward(qkv, layer->p.qkv, x, N);
    if (layer->work.rotary.size)
        rotary_forward(qkv, layer->work.rotary, H + shape->key_heads, attention_columns(shape),
                       batch);
    if (batch->cache)
        cache_rows(qkv, batch, shape);

    /* 2 to 5, each head of each sequence by one thread. Sequences differ in length: a thread that
     * has done one takes the next. */
    int taken = 0;
    OMP(parallel)
    for (int i; (i = take_next(&taken)) < batch->sequences * H;) {
        const int s = i / H, h = i % H;
        HeadView head = head_view(qkv, mixed, log_sum, batch, shape, s, h);
        if (batch->cache)
            head_view_cached(&head, batch, shape, s, h);
        const size_t square = (size_t)head.length * (size_t)head.length;
        Real *map = maps ? maps + attention_map_size(batch, s, H) + (size_t)h * square : NULL;
        attend(&head, map, layer->work, dropout);
    }

    if (layer->patch)
        for (size_t i = 0; i < (size_t)N * (size_t)H * (size_t)shape->head_size; i++)
            mixed[i] = isnan(layer->patch[i]) ? mixed[i] : layer->patch[i];

    /* 6  y = mixed·Wout + bout */
    linear_forward(y, layer->p.out, mixed, N);
}

void attention_backward(Real *dx, const Attention *layer, const Real *dy, const Real *x,
                        const Batch *batch, Dropout dropout)
{
    const AttentionShape *shape = &layer->shape;
    Real *qkv = layer->keep.qkv, *mixed = layer->keep.mixed, *log_sum = layer->keep.log_sum;
    Real *dqkv = layer->work.dqkv, *dmixed = layer->work.dmixed;
    const int N = batch->rows, K = shape->key_heads, group = shape->heads / K;
    assert(!batch->cache);

    /* 6  y = mixed·Wout + bout */
    linear_backward(dmixed, layer->dp.out, dy, layer->p.out, mixed, N);

    /* 5 to 2 */
    int taken = 0;
    OMP(parallel)
    for (int i; (i = take_next(&taken)) < batch->sequences * K;) {
        const int s = i / K, k = i % K;
        for (int h = k * group; h < (k + 1) * group; h++) {
            const HeadView d = head_view(dqkv, dmixed, NULL, batch, shape, s, h);
            const HeadView head = head_view(qkv, mixed, log_sum, batch, shape, s, h);
            if (h == k * group)
                clear_keys(&d);
            attend_backward(&d, &head, layer->work, dropout);
        }
    }

    /* 1  qkv = x·Wqkv + bqkv, with q and k turned by their positions */
    if (layer->work.rotary.size)
        rotary_backward(dqkv, layer->work.rotary, shape->heads + K, attention_columns(shape),
                        batch);
    linear_backward(dx, layer->dp.qkv, dqkv, layer->p.qkv, x, N);
}
