/* attention.c: one thread takes one head of one sequence and walks its queries in strips of 32. The
 * matrix products of a strip work on views into the batch, so nothing is copied: keys that are some
 * tokens apart are rows of a view that are as far apart. Backward needs no atomic sums: all strips
 * of a head, which add into the same dk and dv, belong to one thread. */
#include "attention.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

#include "base/numbers/elementary.h"
#include "base/numbers/lanes.h"
#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"
#include "model/shape/kv_cache.h"

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
        keys = max_int(keys, pattern_most_keys(pattern, shape->context, STRIP_ROWS));
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
    int prefix; /* the first tokens, which see each other in both directions               */
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
        .prefix = batch->prefix ? batch->prefix[sequence] : 0,
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
    const int H = shape->heads, D = shape->head_size;
    head->past = batch->positions[batch->start[sequence]];
    head->length += head->past;
    assert(head->prefix <= head->length); /* else tokens ahead are not in the cache */
    const Real *slot = kv_cache_slot(batch->cache, shape->layer, batch->slots[sequence]);
    const Matrix rows = matrix(slot, head->length, 2 * H * D);
    head->k = matrix_cols(rows, number * D, D);
    head->v = matrix_cols(rows, (H + number) * D, D);
}

/* ---- A strip: some queries of a head, and the keys that any of them attends to ---- */

typedef struct {
    int query, queries, step; /* its rows: query, query + step, … */
    int keys;                 /* how many, in all parts           */
    int width;                /* of a row in memory: keys, rounded up */
} Strip;

/* The keys of one of the pattern's ranges: some columns of the strip. */
typedef struct {
    int next; /* number of the range after this one */
    KeyRange keys;
    int column, count;
} Part;

static KeyRange keys_of(const HeadView *head, int query, int number)
{
    const int i = head->past + query;
    return pattern_range(head->pattern, i, key_limit(i, head->prefix), number);
}

/* Steps through the parts that have keys: for (Part part = {0}; next_part(head, s, &part);) */
static bool next_part(const HeadView *head, Strip s, Part *part)
{
    part->column += part->count;
    for (part->count = 0; !part->count; part->next++) {
        if (part->next == pattern_ranges(head->pattern))
            return false;
        part->keys = keys_of(head, s.query, part->next);
        part->keys.end = keys_of(head, s.query + (s.queries - 1) * s.step, part->next).end;
        part->count = key_count(part->keys);
    }
    return true;
}

/* Steps through the strips of a head: first the queries 0, step, 2·step, …, then 1, 1 + step, … */
static bool next_strip(const HeadView *head, Strip *s)
{
    const int rows = head->q.rows, step = pattern_step(head->pattern);
    int64_t query = s->query + (int64_t)s->queries * step;
    if (query >= rows)
        query = s->query % step + 1 < step ? s->query % step + 1 : rows;
    if (query >= rows)
        return false;
    const int left = (rows - (int)query - 1) / step + 1;
    *s = (Strip){.query = (int)query, .queries = min_int(left, STRIP_ROWS), .step = step};
    for (Part part = {0}; next_part(head, *s, &part);)
        s->keys += part.count;
    s->width = strip_width(s->keys);
    return true;
}

/* (queries, keys) in one of a thread's three strips. */
static Matrix strip_matrix(AttentionWork work, int number, Strip s)
{
    const Real *at = ROW(work.strips, 3 * thread_index() + number, work.strip_size);
    return (Matrix){(Real *)at, s.queries, s.keys, s.width, 1};
}

static Matrix strip_rows(Matrix rows, Strip s)
{
    return matrix_rows_apart(rows, s.query, s.queries, s.step);
}

static Matrix part_rows(Matrix rows, const Part *part)
{
    return matrix_rows_apart(rows, part->keys.from, part->count, part->keys.step);
}

static Matrix part_columns(Matrix strip, const Part *part)
{
    return matrix_cols(strip, part->column, part->count);
}

/* The columns of a part that belong to keys of row r: [from, from + count) of the strip. */
typedef struct {
    int from, count;
} Columns;

static Columns columns_of(const HeadView *head, Strip s, const Part *part, int r)
{
    const KeyRange keys = keys_of(head, s.query + r * s.step, part->next - 1);
    const int before = keys.from - part->keys.from;
    return (Columns){part->column + (keys.step == 1 ? before : before / keys.step),
                     key_count(keys)};
}

/* −∞ for keys not attended to, to the end of the row in memory. */
static void mask_row(Real *row, const HeadView *head, Strip s, int r)
{
    int j = 0;
    for (Part part = {0}; next_part(head, s, &part);) {
        const Columns seen = columns_of(head, s, &part, r);
        for (; j < seen.from; j++)
            row[j] = -INFINITY;
        j = seen.from + seen.count;
    }
    for (; j < s.width; j++)
        row[j] = -INFINITY;
}

/* scores = q·kᵀ, unscaled. */
static void strip_scores(Matrix scores, const HeadView *head, Strip s)
{
    for (Part part = {0}; next_part(head, s, &part);)
        matmul(part_columns(scores, &part), strip_rows(head->q, s),
               transposed(part_rows(head->k, &part)));
    for (int r = 0; r < s.queries; r++)
        mask_row(ROW(scores.at, r, s.width), head, s, r);
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
    Real sum;
    SUM_IN_LANES(Real, sum, j, width, scores[j] = real_exp((scores[j] - top) * scale));
    const Real share = 1 / sum;
    for (int j = 0; j < width; j++)
        scores[j] *= share;
    return top * scale + (Real)elementary_log((double)sum);
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

static Real *log_sum_of(const HeadView *head, Strip s, int r)
{
    assert(head->log_sum);
    return head->log_sum + (ptrdiff_t)(s.query + r * s.step) * head->heads;
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

/* Dropout of a strip's rows. The mask of a row goes by the order of its query's own keys. */
static void strip_dropout(Matrix P, const HeadView *head, Strip s, Dropout dropout)
{
    if (dropout.rate == 0)
        return;
    for (int r = 0; r < s.queries; r++) {
        const uint32_t row = head->first_row + (uint32_t)(s.query + r * s.step);
        int before = 0;
        for (Part part = {0}; next_part(head, s, &part);) {
            const Columns seen = columns_of(head, s, &part, r);
            dropout_apply_row(P.at + r * P.row_step + seen.from, before, seen.count, row,
                              RANDOM_DROP_ATTENTION, head->site, dropout);
            before += seen.count;
        }
    }
}

/* Copies a strip to its place in a head's map (length, length). */
static void strip_to_map(Real *map, Matrix P, const HeadView *head, Strip s)
{
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(map, s.query + r * s.step, head->length);
        memset(row, 0, sizeof *row * (size_t)head->length);
        for (Part part = {0}; next_part(head, s, &part);)
            for (int j = 0; j < part.count; j++)
                row[part.keys.from + j * part.keys.step] += P.at[r * P.row_step + part.column + j];
    }
}

/* ---- Forward and backward ---- */

static void attend(const HeadView *head, Real *map, AttentionWork work, Dropout dropout)
{
    for (Strip s = {0}; next_strip(head, &s);) {
        const Matrix P = strip_matrix(work, 0, s);

        /* 2  scores = q·kᵀ */
        strip_scores(P, head, s);

        /* 3  P = softmax(scores/√D) */
        for (int r = 0; r < s.queries; r++)
            *log_sum_of(head, s, r) = softmax(ROW(P.at, r, s.width), s.width, head->scale);
        if (map)
            strip_to_map(map, P, head, s);

        /* 4  dropped = dropout(P), in place */
        strip_dropout(P, head, s, dropout);

        /* 5  mixed = dropped·v, a sum over the parts of the keys */
        for (Part part = {0}; next_part(head, s, &part);)
            (part.column ? matmul_add : matmul)(strip_rows(head->mixed, s), part_columns(P, &part),
                                                part_rows(head->v, &part));
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
    for (Strip s = {0}; next_strip(head, &s);) {
        const Matrix q = strip_rows(head->q, s), dq = strip_rows(d->q, s);
        const Matrix dmixed = strip_rows(d->mixed, s);
        const Matrix P = strip_matrix(work, 0, s), dropped = strip_matrix(work, 1, s);
        /* The third strip holds ddropped first, then dscores. */
        const Matrix ddropped = strip_matrix(work, 2, s), dscores = ddropped;

        strip_softmax_again(P, head, s);
        memcpy(dropped.at, P.at, sizeof(Real) * (size_t)s.queries * (size_t)s.width);
        strip_dropout(dropped, head, s, dropout);

        /* 5  mixed = dropped·v       so  dv += droppedᵀ·dmixed  and  ddropped = dmixed·vᵀ */
        for (Part part = {0}; next_part(head, s, &part);) {
            matmul_add(part_rows(d->v, &part), transposed(part_columns(dropped, &part)), dmixed);
            matmul(part_columns(ddropped, &part), dmixed, transposed(part_rows(head->v, &part)));
        }

        /* 4  dropped = mask∘P        so  dP = mask∘ddropped, and P∘dP = dropped∘ddropped
         * 3  P = softmax(scores/√D)  so  dscores = (P∘dP − P∘Σ P∘dP)/√D, the sum over a row */
        softmax_dropout_backward(dscores, ddropped, P, dropped, head->scale);

        /* 2  scores = q·kᵀ           so  dq = dscores·k  and  dk += dscoresᵀ·q */
        for (Part part = {0}; next_part(head, s, &part);) {
            (part.column ? matmul_add : matmul)(dq, part_columns(dscores, &part),
                                                part_rows(head->k, &part));
            matmul_add(part_rows(d->k, &part), transposed(part_columns(dscores, &part)), q);
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
