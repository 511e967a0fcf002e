/* strips.h: the geometry of attention, in attention.c: how a thread walks a head of a sequence, a
 * strip of queries at a time, and the keys that any query of a strip attends to. Nothing is copied:
 * queries and keys are views into the batch, and keys some tokens apart, as in a strided pattern,
 * are a view with a larger row step. */
#ifndef PULGA_STRIPS_H
#define PULGA_STRIPS_H

#include <assert.h>
#include <tgmath.h>

#include "model/matrix/matrix.h"
#include "model/shape/batch.h"
#include "attention.h"

/* Queries whose scores are held at once: enough rows for the product's tiles, few enough for the
 * strip to stay in the cache. */
enum { STRIP_ROWS = 32 };

/* A strip's rows are as wide as a multiple of this, so that loops over them are whole vectors. */
enum { STRIP_GRAIN = 16 };

/* How wide a row of `keys` keys is in memory. */
static inline int strip_width(int keys)
{
    return (keys + STRIP_GRAIN - 1) / STRIP_GRAIN * STRIP_GRAIN;
}

/* A head of a sequence: everything that a thread needs to work on it. */
typedef struct {
    Matrix q, mixed; /* (rows, D) views into the batch                                     */
    Matrix k, v;     /* (length, D) views into the batch, or into the KV cache             */
    Real *log_sum;   /* of the first row; rows are `heads` apart                           */
    Pattern pattern;
    int past;   /* tokens in the KV cache before the batch: row r is query past + r        */
    int prefix; /* the first tokens, which see each other in both directions               */
    int length; /* of the sequence, with its past                                          */
    int heads;  /* H                                                                       */
    int site;   /* layer · H + head: chooses the dropout mask                              */
    uint32_t first_row; /* among the rows of the step                                      */
    Real scale;         /* 1/√D                                                            */
} HeadView;

/* The head of a batch's qkv and mixed, or of their gradients. */
static inline HeadView head_view(Real *qkv, Real *mixed, Real *log_sum, const Batch *batch,
                                 const AttentionShape *shape, int sequence, int number)
{
    const int H = shape->heads, K = shape->key_heads, D = shape->head_size;
    const int first = batch->start[sequence], length = batch->start[sequence + 1] - first;
    const int columns = attention_columns(shape), keys = number / (H / K);
    const Matrix rows = matrix(ROW(qkv, first, columns), length, columns);
    return (HeadView){
        .q = matrix_cols(rows, number * D, D),
        .k = matrix_cols(rows, (H + keys) * D, D),
        .v = matrix_cols(rows, (H + K + keys) * D, D),
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

/* Lets it attend to what the KV cache holds of the sequence. */
static inline void head_view_cached(HeadView *head, const Batch *batch, const AttentionShape *shape,
                                    int sequence, int number)
{
    const int K = shape->key_heads, D = shape->head_size, keys = number / (shape->heads / K);
    head->past = batch_past(batch, sequence);
    head->length += head->past;
    assert(head->prefix <= head->length); /* else tokens ahead are not in the cache */
    const Real *slot = kv_cache_slot(batch->cache, shape->layer, batch->slots[sequence]);
    const Matrix rows = matrix(slot, head->length, 2 * K * D);
    head->k = matrix_cols(rows, keys * D, D);
    head->v = matrix_cols(rows, (K + keys) * D, D);
}

/* Some queries of a head, and the keys that any of them attends to. */
typedef struct {
    int query, queries, step; /* its rows: query, query + step, … */
    int keys;                 /* how many, in all spans           */
    int width;                /* of a row in memory: keys, rounded up */
} Strip;

/* The keys of one of the pattern's ranges, from the first query's first key to the last query's
 * last one (see pattern_range()): some columns of the strip. */
typedef struct {
    int next; /* number of the range after this one */
    KeyRange keys;
    int column, count;
} KeySpan;

static inline KeyRange keys_of(const HeadView *head, int query, int number)
{
    const int i = head->past + query;
    return pattern_range(head->pattern, i, key_limit(i, head->prefix), number);
}

/* Steps through the spans that have keys: for (KeySpan span = {0}; span_next(head, s, &span);) */
static inline bool span_next(const HeadView *head, Strip s, KeySpan *span)
{
    span->column += span->count;
    for (span->count = 0; !span->count; span->next++) {
        if (span->next == pattern_ranges(head->pattern))
            return false;
        span->keys = keys_of(head, s.query, span->next);
        span->keys.end = keys_of(head, s.query + (s.queries - 1) * s.step, span->next).end;
        span->count = key_count(span->keys);
    }
    return true;
}

/* Steps through the strips of a head, first the queries 0, step, 2·step, …, then 1, 1 + step, …:
 * for (Strip s = {0}; strip_next(head, &s);) */
static inline bool strip_next(const HeadView *head, Strip *s)
{
    const int rows = head->q.rows, step = pattern_step(head->pattern);
    int64_t query = s->query + (int64_t)s->queries * step;
    if (query >= rows)
        query = s->query % step + 1 < step ? s->query % step + 1 : rows;
    if (query >= rows)
        return false;
    const int left = (rows - (int)query - 1) / step + 1;
    *s = (Strip){.query = (int)query, .queries = min_int(left, STRIP_ROWS), .step = step};
    for (KeySpan span = {0}; span_next(head, *s, &span);)
        s->keys += span.count;
    s->width = strip_width(s->keys);
    return true;
}

/* The columns of a span that belong to keys of row r: [from, from + count) of the strip. */
typedef struct {
    int from, count;
} SpanColumns;

static inline SpanColumns span_columns_of_row(const HeadView *head, Strip s, const KeySpan *span,
                                              int r)
{
    /* The range of this span: next is already the one after it. */
    const KeyRange keys = keys_of(head, s.query + r * s.step, span->next - 1);
    const int before = keys.from - span->keys.from;
    return (SpanColumns){span->column + (keys.step == 1 ? before : before / keys.step),
                         key_count(keys)};
}

/* A strip's rows of q, or of a matrix shaped like it. */
static inline Matrix strip_rows(Matrix rows, Strip s)
{
    return matrix_rows_apart(rows, s.query, s.queries, s.step);
}

/* A span's rows of k or v. */
static inline Matrix span_rows(Matrix rows, const KeySpan *span)
{
    return matrix_rows_apart(rows, span->keys.from, span->count, span->keys.step);
}

static inline Matrix span_columns(Matrix strip, const KeySpan *span)
{
    return matrix_cols(strip, span->column, span->count);
}

/* Sets to −∞ the scores of the keys that a row does not attend to, and the padding at its end. */
static inline void strip_mask(Matrix scores, const HeadView *head, Strip s)
{
    for (KeySpan span = {0}; span_next(head, s, &span);) {
        const int end = span.column + span.count, filled = end < s.keys ? end : s.width;
        for (int r = 0; r < s.queries; r++) {
            const SpanColumns seen = span_columns_of_row(head, s, &span, r);
            Real *row = ROW(scores.at, r, s.width);
            for (int j = span.column; j < seen.from; j++)
                row[j] = -INFINITY;
            for (int j = seen.from + seen.count; j < filled; j++)
                row[j] = -INFINITY;
        }
    }
}

/* Copies the strip P to its place in a head's map (length, length). */
static inline void strip_to_map(Real *map, Matrix P, const HeadView *head, Strip s)
{
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(map, s.query + r * s.step, head->length);
        memset(row, 0, sizeof *row * (size_t)head->length);
        for (KeySpan span = {0}; span_next(head, s, &span);)
            for (int j = 0; j < span.count; j++)
                row[span.keys.from + j * span.keys.step] += P.at[r * P.row_step + span.column + j];
    }
}

#endif
