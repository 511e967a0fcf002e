/* attention.c: one thread takes one head of one sequence and walks its queries in strips of 32. The
 * matrix products of a strip work on views into the batch, so nothing is copied. Backward needs no
 * atomic sums: all strips of a head, which add into the same dk and dv, belong to one thread. */
#include "attention.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

#include "base/threads.h"
#include "model/elementary.h"
#include "model/kv_cache.h"
#include "model/matrix/matrix.h"

/* Queries whose scores are held at once: enough rows for the product's tiles, few enough for the
 * strip to stay in the cache. */
enum { STRIP_ROWS = 32 };

/* A strip's rows are as wide as a multiple of this, so that loops over them are whole vectors. */
enum { STRIP_GRAIN = 16 };

/* ---- Memory ---- */

AttentionKeep attention_keep(Arena *arena, const AttentionShape *shape, int N)
{
    const size_t rows = (size_t)N, H = (size_t)shape->heads, HD = H * (size_t)shape->head_size;
    return (AttentionKeep){.qkv = arena_take(arena, rows, 3 * HD),
                           .mixed = arena_take(arena, rows, HD),
                           .log_sum = arena_take(arena, rows, H)};
}

AttentionWork attention_work(Arena *arena, const AttentionShape *shape, int N, size_t strip_size)
{
    const size_t rows = (size_t)N, HD = (size_t)shape->heads * (size_t)shape->head_size;
    return (AttentionWork){.dqkv = arena_take(arena, rows, 3 * HD),
                           .dmixed = arena_take(arena, rows, HD),
                           .strips = arena_take(arena, 3 * (size_t)thread_limit(), strip_size),
                           .strip_size = strip_size};
}

static int strip_width(int keys)
{
    return (keys + STRIP_GRAIN - 1) / STRIP_GRAIN * STRIP_GRAIN;
}

size_t attention_strip_size(const AttentionShape *shape)
{
    int keys = 0; /* of the widest strip */
    for (int h = 0; h < shape->heads; h++) {
        const Pattern pattern = pattern_at(shape->patterns, h);
        keys = max_int(keys, pattern_largest_span(pattern, shape->context, STRIP_ROWS));
    }
    return (size_t)STRIP_ROWS * (size_t)strip_width(keys);
}

/* ---- A head of a sequence ---- */

/* Everything that a thread needs to work on it. */
typedef struct {
    Matrix q, mixed; /* (rows, D) views into the batch                                     */
    Matrix k, v;     /* (length, D) views into the batch, or into the KV cache             */
    Real *log_sum;   /* of the first row; rows are `heads` apart                           */
    Pattern pattern;
    int past;   /* tokens in the KV cache before the batch: row r is query past + r        */
    int length; /* of the sequence, with its past                                          */
    int heads, site;
    uint32_t first_row; /* among the rows of the step                                      */
    Real scale;         /* 1/√D                                                            */
} HeadView;

/* The head of a batch's qkv and mixed, or of their gradients. */
static HeadView head_of(Real *qkv, Real *mixed, Real *log_sum, const Batch *batch,
                        const AttentionShape *shape, int sequence, int number)
{
    const int H = shape->heads, D = shape->head_size;
    const int first = batch->start[sequence], length = batch->start[sequence + 1] - first;
    const Matrix rows = matrix(ROW(qkv, first, 3 * H * D), length, 3 * H * D);
    return (HeadView){
        .q = matrix_cols(rows, number * D, D),
        .k = matrix_cols(rows, (H + number) * D, D),
        .v = matrix_cols(rows, (2 * H + number) * D, D),
        .mixed = matrix_cols(matrix(ROW(mixed, first, H * D), length, H * D), number * D, D),
        .log_sum = log_sum ? ROW(log_sum, first, H) + number : NULL,
        .pattern = pattern_at(shape->patterns, number),
        .length = length,
        .heads = H,
        .site = shape->layer * H + number,
        .first_row = batch->first_row + (uint32_t)first,
        .scale = 1 / sqrt((Real)D)};
}

/* Stores k and v of a batch's rows in the KV cache. */
static void cache_rows(const Real *qkv, const Batch *batch, const AttentionShape *shape)
{
    const int HD = shape->heads * shape->head_size;
    for (int s = 0; s < batch->sequences; s++) {
        Real *slot = kv_cache_slot(batch->cache, shape->layer, batch->slots[s]);
        for (int i = batch->start[s]; i < batch->start[s + 1]; i++)
            memcpy(ROW(slot, batch->positions[i], 2 * HD), ROW(qkv, i, 3 * HD) + HD,
                   sizeof(Real) * 2 * (size_t)HD);
    }
}

/* Lets a head of a sequence attend to what the KV cache holds of it. */
static void use_cache(HeadView *head, const Batch *batch, const AttentionShape *shape, int sequence,
                      int number)
{
    assert(head->pattern.kind != PATTERN_FULL); /* the tokens ahead are not in the cache */
    const int H = shape->heads, D = shape->head_size;
    head->past = batch->positions[batch->start[sequence]];
    head->length += head->past;
    const Real *slot = kv_cache_slot(batch->cache, shape->layer, batch->slots[sequence]);
    const Matrix rows = matrix(slot, head->length, 2 * H * D);
    head->k = matrix_cols(rows, number * D, D);
    head->v = matrix_cols(rows, (H + number) * D, D);
}

/* ---- A strip: some queries of a head, and the span of the keys they attend to ---- */

typedef struct {
    int query, queries; /* first row, count                    */
    int key, keys;      /* first key, count                    */
    int width;          /* of a row in memory: keys, rounded up */
} Strip;

static Strip strip_from(const HeadView *head, int query)
{
    const int queries = min_int(head->q.rows - query, STRIP_ROWS);
    const KeyRange span = pattern_span(head->pattern, head->length, head->past + query, queries);
    const int keys = span.end - span.from;
    return (Strip){query, queries, span.from, keys, strip_width(keys)};
}

/* (queries, keys) in one of a thread's three strips. */
static Matrix strip_matrix(AttentionWork work, int number, Strip s)
{
    const Real *at = ROW(work.strips, 3 * thread_index() + number, work.strip_size);
    return (Matrix){(Real *)at, s.queries, s.keys, s.width, 1};
}

/* scores = q·kᵀ, unscaled; −∞ for keys not attended to, to the end of the row in memory. */
static void strip_scores(Matrix scores, const HeadView *head, Strip s)
{
    matmul(scores, matrix_rows(head->q, s.query, s.queries),
           transposed(matrix_rows(head->k, s.key, s.keys)));
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(scores.at, r, s.width);
        const int query = head->past + s.query + r;
        int j = 0;
        for (KeyRange keys = {0}; pattern_next(head->pattern, head->length, query, &keys);
             j = keys.end - s.key)
            for (; j < keys.from - s.key; j++)
                row[j] = -INFINITY;
        for (; j < s.width; j++)
            row[j] = -INFINITY;
    }
}

/* The maximum of a strip's row: first of every sixteenth number, side by side in a vector. */
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

/* scores[0..width) -> softmax(scale · scores); returns ln Σ exp(scale · score). */
static Real softmax(Real *scores, int width, Real scale)
{
    const Real top = largest(scores, width);
    Real sum = 0;
    OMP(simd reduction(+ : sum))
    for (int j = 0; j < width; j++)
        sum += scores[j] = real_exp((scores[j] - top) * scale);
    const Real share = 1 / sum;
    for (int j = 0; j < width; j++)
        scores[j] *= share;
    return top * scale + log(sum);
}

/* Steps 4 and 3 backward, in one pass: dscores from ddropped, with dropped = dropout(P). All four
 * have the same shape and row_step; dscores may lie in the place of ddropped. */
static void softmax_dropout_backward(Matrix dscores, Matrix ddropped, Matrix P, Matrix dropped,
                                     Real scale)
{
    for (int r = 0; r < P.rows; r++) {
        const ptrdiff_t row = r * P.row_step;
        const Real *p = P.at + row, *drop = dropped.at + row, *ddrop = ddropped.at + row;
        Real *ds = dscores.at + row, sum = 0;
        OMP(simd reduction(+ : sum))
        for (int j = 0; j < P.cols; j++)
            sum += drop[j] * ddrop[j];
        for (int j = 0; j < P.cols; j++)
            ds[j] = (drop[j] * ddrop[j] - p[j] * sum) * scale;
    }
}

/* P again, from the scores and the log_sum that forward kept. */
static void strip_softmax_again(Matrix P, const HeadView *head, Strip s)
{
    strip_scores(P, head, s);
    assert(head->log_sum);
    for (int r = 0; r < s.queries; r++) {
        const Real log_sum = head->log_sum[(ptrdiff_t)(s.query + r) * head->heads];
        Real *row = ROW(P.at, r, s.width);
        for (int j = 0; j < s.width; j++)
            row[j] = real_exp(row[j] * head->scale - log_sum);
    }
}

/* Dropout of a strip's rows, each over the span of its query's keys. */
static void strip_dropout(Matrix P, const HeadView *head, Strip s, Dropout dropout)
{
    if (dropout.rate == 0)
        return;
    for (int r = 0; r < s.queries; r++) {
        const int i = s.query + r;
        const KeyRange span = pattern_span(head->pattern, head->length, head->past + i, 1);
        dropout_apply_row(P.at + r * P.row_step + span.from - s.key, span.end - span.from,
                          head->first_row + (uint32_t)i, RANDOM_DROP_ATTENTION, head->site,
                          dropout);
    }
}

/* Copies a strip to its place in a head's map (length, length). */
static void strip_to_map(Real *map, Matrix P, const HeadView *head, Strip s)
{
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(map, s.query + r, head->length);
        memset(row, 0, sizeof *row * (size_t)head->length);
        memcpy(row + s.key, P.at + r * P.row_step, sizeof *row * (size_t)s.keys);
    }
}

/* ---- Forward and backward ---- */

static void attend(const HeadView *head, Real *map, AttentionWork work, Dropout dropout)
{
    assert(head->log_sum);
    for (int query = 0; query < head->q.rows; query += STRIP_ROWS) {
        const Strip s = strip_from(head, query);
        const Matrix P = strip_matrix(work, 0, s);
        const Matrix v = matrix_rows(head->v, s.key, s.keys);
        const Matrix mixed = matrix_rows(head->mixed, query, s.queries);

        /* 2  scores = q·kᵀ */
        strip_scores(P, head, s);

        /* 3  P = softmax(scores/√D) */
        for (int r = 0; r < s.queries; r++)
            head->log_sum[(ptrdiff_t)(query + r) * head->heads] =
                softmax(ROW(P.at, r, s.width), s.width, head->scale);
        if (map)
            strip_to_map(map, P, head, s);

        /* 4  dropped = dropout(P), in place */
        strip_dropout(P, head, s, dropout);

        /* 5  mixed = dropped·v */
        matmul(mixed, P, v);
    }
}

/* d has the gradients in the same views: d->mixed is given; d->q, d->k and d->v are set. */
static void attend_backward(const HeadView *d, const HeadView *head, AttentionWork work,
                            Dropout dropout)
{
    for (int j = 0; j < head->length; j++) {
        memset(d->k.at + j * d->k.row_step, 0, sizeof(Real) * (size_t)d->k.cols);
        memset(d->v.at + j * d->v.row_step, 0, sizeof(Real) * (size_t)d->v.cols);
    }
    for (int query = 0; query < head->q.rows; query += STRIP_ROWS) {
        const Strip s = strip_from(head, query);
        const Matrix q = matrix_rows(head->q, query, s.queries);
        const Matrix k = matrix_rows(head->k, s.key, s.keys);
        const Matrix v = matrix_rows(head->v, s.key, s.keys);
        const Matrix dq = matrix_rows(d->q, query, s.queries);
        const Matrix dk = matrix_rows(d->k, s.key, s.keys);
        const Matrix dv = matrix_rows(d->v, s.key, s.keys);
        const Matrix dmixed = matrix_rows(d->mixed, query, s.queries);
        const Matrix P = strip_matrix(work, 0, s), dropped = strip_matrix(work, 1, s);
        /* The third strip holds ddropped first, then dscores. */
        const Matrix ddropped = strip_matrix(work, 2, s), dscores = ddropped;

        strip_softmax_again(P, head, s);
        memcpy(dropped.at, P.at, sizeof(Real) * (size_t)s.queries * (size_t)s.width);
        strip_dropout(dropped, head, s, dropout);

        /* 5  mixed = dropped·v       so  dv += droppedᵀ·dmixed  and  ddropped = dmixed·vᵀ */
        matmul_add(dv, transposed(dropped), dmixed);
        matmul(ddropped, dmixed, transposed(v));

        /* 4  dropped = mask∘P        so  dP = mask∘ddropped, and P∘dP = dropped∘ddropped
         * 3  P = softmax(scores/√D)  so  dscores = (P∘dP − P∘Σ P∘dP)/√D, the sum over a row */
        softmax_dropout_backward(dscores, ddropped, P, dropped, head->scale);

        /* 2  scores = q·kᵀ           so  dq = dscores·k  and  dk += dscoresᵀ·q */
        matmul(dq, dscores, k);
        matmul_add(dk, transposed(dscores), q);
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

void attention_forward(Real *y, Real *maps, AttentionKeep keep, AttentionWork work, Attention p,
                       const Real *x, const Batch *batch, const AttentionShape *shape,
                       Dropout dropout)
{
    const int N = batch->rows, C = shape->width, H = shape->heads, HD = H * shape->head_size;
    assert(!maps || !batch->cache);

    /* 1  qkv = x·Wqkv + bqkv */
    linear_forward(keep.qkv, p.qkv, x, N, C, 3 * HD);
    if (batch->cache)
        cache_rows(keep.qkv, batch, shape);

    /* 2 to 5, each head of each sequence by one thread. Sequences differ in length: dynamic. */
    OMP(parallel for collapse(2) schedule(dynamic))
    for (int s = 0; s < batch->sequences; s++)
        for (int h = 0; h < H; h++) {
            HeadView head = head_of(keep.qkv, keep.mixed, keep.log_sum, batch, shape, s, h);
            if (batch->cache)
                use_cache(&head, batch, shape, s, h);
            const size_t square = (size_t)head.length * (size_t)head.length;
            Real *map = maps ? maps + attention_map_size(batch, s, H) + (size_t)h * square : NULL;
            attend(&head, map, work, dropout);
        }

    /* 6  y = mixed·Wout + bout */
    linear_forward(y, p.out, keep.mixed, N, HD, C);
}

void attention_backward(Real *dx, Attention dp, AttentionWork work, const Real *dy,
                        AttentionKeep keep, Attention p, const Real *x, const Batch *batch,
                        const AttentionShape *shape, Dropout dropout)
{
    const int N = batch->rows, C = shape->width, H = shape->heads, HD = H * shape->head_size;
    assert(!batch->cache);

    /* 6  y = mixed·Wout + bout */
    linear_backward(work.dmixed, dp.out, dy, p.out, keep.mixed, N, HD, C);

    /* 5 to 2 */
    OMP(parallel for collapse(2) schedule(dynamic))
    for (int s = 0; s < batch->sequences; s++)
        for (int h = 0; h < H; h++) {
            const HeadView d = head_of(work.dqkv, work.dmixed, NULL, batch, shape, s, h);
            const HeadView head = head_of(keep.qkv, keep.mixed, keep.log_sum, batch, shape, s, h);
            attend_backward(&d, &head, work, dropout);
        }

    /* 1  qkv = x·Wqkv + bqkv */
    linear_backward(dx, dp.qkv, work.dqkv, p.qkv, x, N, C, 3 * HD);
}
