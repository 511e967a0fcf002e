/* attention.c: see attention.h. */
#include "attention.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

#include "model/elementary.h"
#include "model/matrix/matrix.h"
#include "base/threads.h"

/* Queries whose scores are held at once: enough rows for the product's tiles, few enough for the
 * strip to stay in the cache. */
enum { STRIP_ROWS = 32 };

/* A strip's rows are as wide as a multiple of this, so that loops over them are whole vectors. */
enum { STRIP_GRAIN = 16 };

/* One head of one sequence: everything a thread needs to work on it alone. */
typedef struct {
    Matrix q, k, v, mixed; /* (rows, D) views into the batch; k and v into the past, if any */
    Real *norm;            /* of the sequence's first row; rows are H apart */
    int past;              /* tokens of earlier parts: row r is query number past + r */
    int length;            /* of the sequence, its past with it */
    Pattern pattern;
    int heads, first_row, site;
    Real scale; /* 1/√D */
} Head;

/* A few queries of a head and the keys that at least one of them may see. */
typedef struct {
    int query, queries; /* first row, count */
    int key, keys;
    int width; /* of a row: the keys, rounded up */
} Strip;

static int strip_width(int keys)
{
    return (keys + STRIP_GRAIN - 1) / STRIP_GRAIN * STRIP_GRAIN;
}

/* The span of the keys of some rows. */
static KeyRange span_of(const Head *head, int row, int rows)
{
    return pattern_span(head->pattern, head->length, head->past + row, rows);
}

static Strip strip_from(const Head *head, int query)
{
    const int left = head->q.rows - query, queries = left < STRIP_ROWS ? left : STRIP_ROWS;
    const KeyRange span = span_of(head, query, queries);
    const int keys = span.end - span.from;
    return (Strip){query, queries, span.from, keys, strip_width(keys)};
}

static Head head_of(Real *qkv, Real *mixed, Real *norm, const Batch *batch, AttentionShape shape,
                    int sequence, int number)
{
    const int H = shape.heads, D = shape.head_size;
    const int first = batch->start[sequence], length = batch->start[sequence + 1] - first;
    const Matrix rows = matrix(ROW(qkv, first, 3 * H * D), length, 3 * H * D);
    return (Head){.q = matrix_cols(rows, number * D, D),
                  .k = matrix_cols(rows, (H + number) * D, D),
                  .v = matrix_cols(rows, (2 * H + number) * D, D),
                  .mixed =
                      matrix_cols(matrix(ROW(mixed, first, H * D), length, H * D), number * D, D),
                  .norm = norm ? ROW(norm, first, H) + number : NULL,
                  .length = length,
                  .pattern = shape.patterns ? shape.patterns[number] : (Pattern){0},
                  .heads = H,
                  .first_row = first,
                  .site = shape.layer * H + number,
                  .scale = 1 / sqrt((Real)D)};
}

/* A slot's first rows: k of all heads and, beside it, v. */
static Matrix slot_rows(Real *past, int slot, int rows, AttentionShape shape)
{
    const int width = 2 * shape.heads * shape.head_size;
    return matrix(ROW(past, (size_t)slot * (size_t)shape.context, width), rows, width);
}

/* Puts k and v of a batch's rows away. */
static void remember(Real *past, const Real *qkv, const Batch *batch, AttentionShape shape)
{
    const int HD = shape.heads * shape.head_size;
    for (int s = 0; s < batch->sequences; s++) {
        Real *slot = slot_rows(past, batch->slots[s], shape.context, shape).at;
        for (int i = batch->start[s]; i < batch->start[s + 1]; i++)
            memcpy(ROW(slot, batch->positions[i], 2 * HD), ROW(qkv, i, 3 * HD) + HD,
                   sizeof(Real) * 2 * (size_t)HD);
    }
}

/* Lets a head of sequence s see the parts that were read before. */
static void look_back(Head *head, Real *past, const Batch *batch, AttentionShape shape, int s,
                      int number)
{
    const int D = shape.head_size;
    head->past = batch->positions[batch->start[s]];
    head->length += head->past;
    const Matrix rows = slot_rows(past, batch->slots[s], head->length, shape);
    head->k = matrix_cols(rows, number * D, D);
    head->v = matrix_cols(rows, (shape.heads + number) * D, D);
}

size_t attention_strip_size(AttentionShape shape, int T)
{
    int keys = 0; /* of the widest strip */
    for (int h = 0; h < shape.heads; h++) {
        const Pattern pattern = shape.patterns ? shape.patterns[h] : (Pattern){0};
        const int span = pattern_largest_span(pattern, T, STRIP_ROWS);
        keys = span > keys ? span : keys;
    }
    return (size_t)STRIP_ROWS * (size_t)strip_width(keys);
}

/* scores = q·kᵀ of a strip, unscaled; −∞ for what a query may not see, to the row's end. */
static Matrix strip_scores(Real *at, const Head *head, Strip s)
{
    Matrix scores = matrix(at, s.queries, s.keys);
    scores.row_step = s.width;
    matmul(scores, matrix_rows(head->q, s.query, s.queries),
           transposed(matrix_rows(head->k, s.key, s.keys)));
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(at, r, s.width);
        int j = 0;
        for (KeyRange keys = {0};
             pattern_next(head->pattern, head->length, head->past + s.query + r, &keys);
             j = keys.end - s.key)
            for (; j < keys.from - s.key; j++)
                row[j] = -INFINITY;
        for (; j < s.width; j++)
            row[j] = -INFINITY;
    }
    return scores;
}

/* The largest of a strip's row: of every sixteenth number first, which are vectors. */
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

/* P of a strip once more, from the scores and the norms that forward kept. */
static Matrix strip_weights(Real *at, const Head *head, Strip s)
{
    const Matrix P = strip_scores(at, head, s);
    assert(head->norm);
    for (int r = 0; r < s.queries; r++) {
        const Real norm = head->norm[(ptrdiff_t)(s.query + r) * head->heads];
        Real *row = ROW(at, r, s.width);
        for (int j = 0; j < s.width; j++)
            row[j] = real_exp(row[j] * head->scale - norm);
    }
    return P;
}

/* Dropout of a strip's rows, each over the span of its query's keys. */
static void strip_dropout(Matrix P, const Head *head, Strip s, Noise noise)
{
    for (int r = 0; r < s.queries; r++) {
        const KeyRange span = span_of(head, s.query + r, 1);
        dropout_row(P.at + r * P.row_step + span.from - s.key, span.end - span.from,
                    head->first_row + s.query + r, RANDOM_DROP_ATTENTION, head->site, noise);
    }
}

/* The rows of a strip, each in the place of its query in a square (length, length). */
static void show(Real *weights, Matrix P, const Head *head, Strip s)
{
    for (int r = 0; r < s.queries; r++) {
        Real *row = ROW(weights, s.query + r, head->length);
        memset(row, 0, sizeof *row * (size_t)head->length);
        memcpy(row + s.key, P.at + r * P.row_step, sizeof *row * (size_t)s.keys);
    }
}

static void attend(const Head *head, Real *strip, Real *weights, Noise noise)
{
    assert(head->norm);
    for (int query = 0; query < head->q.rows; query += STRIP_ROWS) {
        const Strip s = strip_from(head, query);

        /* 2  scores = q·kᵀ */
        const Matrix P = strip_scores(strip, head, s);

        /* 3  P = softmax(scores/√D) */
        for (int r = 0; r < s.queries; r++)
            head->norm[(ptrdiff_t)(query + r) * head->heads] =
                softmax(ROW(strip, r, s.width), s.width, head->scale);
        if (weights)
            show(weights, P, head, s);

        /* 4  P = dropout(P) */
        strip_dropout(P, head, s, noise);

        /* 5  mixed = P·v */
        matmul(matrix_rows(head->mixed, query, s.queries), P, matrix_rows(head->v, s.key, s.keys));
    }
}

/* d holds the gradients' places in the same views: d.mixed is given; d.q, d.k and d.v are set.
 * One thread walks all strips of a head: every sum into dk and dv has one owner and one order. */
static void attend_backward(const Head *d, const Head *head, AttentionWork work, Noise noise)
{
    Real *strip = ROW(work.strips, 3 * thread_index(), work.strip);
    for (int j = 0; j < head->length; j++) {
        memset(d->k.at + j * d->k.row_step, 0, sizeof(Real) * (size_t)d->k.cols);
        memset(d->v.at + j * d->v.row_step, 0, sizeof(Real) * (size_t)d->v.cols);
    }
    for (int query = 0; query < head->q.rows; query += STRIP_ROWS) {
        const Strip s = strip_from(head, query);
        const Matrix P = strip_weights(strip, head, s);
        Matrix dropped = P, dP = P; /* the same view, of the other strips */
        dropped.at = strip + work.strip, dP.at = strip + 2 * work.strip;
        const Matrix q = matrix_rows(head->q, query, s.queries);
        const Matrix k = matrix_rows(head->k, s.key, s.keys);
        const Matrix v = matrix_rows(head->v, s.key, s.keys);
        const Matrix dmixed = matrix_rows(d->mixed, query, s.queries);

        /* 5  mixed = dropped·v, where dropped = dropout(P); its gradient in dP's place */
        memcpy(dropped.at, P.at, sizeof(Real) * (size_t)s.queries * (size_t)s.width);
        strip_dropout(dropped, head, s, noise);
        matmul_add(matrix_rows(d->v, s.key, s.keys), transposed(dropped), dmixed);
        matmul(dP, dmixed, transposed(v));

        /* 4  dropped = P·mask and
         * 3  P = softmax(scores/√D): dscores = P · (dP − Σ P·dP)/√D, where
         *    dP = mask·ddropped, so that P·dP = dropped·ddropped: the mask is not read again */
        for (int r = 0; r < s.queries; r++) {
            const Real *p = P.at + r * P.row_step, *kept = dropped.at + r * P.row_step;
            Real *dp = dP.at + r * P.row_step, along = 0;
            OMP(simd reduction(+ : along))
            for (int j = 0; j < s.keys; j++)
                along += kept[j] * dp[j];
            for (int j = 0; j < s.keys; j++)
                dp[j] = (kept[j] * dp[j] - p[j] * along) * head->scale;
        }

        /* 2  scores = q·kᵀ */
        matmul(matrix_rows(d->q, query, s.queries), dP, k);
        matmul_add(matrix_rows(d->k, s.key, s.keys), transposed(dP), q);
    }
}

size_t attention_map_size(const Batch *batch, int sequences, int heads)
{
    size_t numbers = 0;
    for (int s = 0; s < sequences; s++) {
        const size_t length = (size_t)(batch->start[s + 1] - batch->start[s]);
        numbers += (size_t)heads * length * length;
    }
    return numbers;
}

void attention_forward(Real *y, AttentionKeep keep, AttentionWork work, Real *weights, Attention p,
                       const Real *x, const Batch *batch, AttentionShape shape, Noise noise)
{
    const int N = batch->rows, C = shape.width, H = shape.heads, HD = H * shape.head_size;

    /* 1 */ linear_forward(keep.qkv, p.qkv, x, N, C, 3 * HD);
    if (batch->slots)
        remember(keep.past, keep.qkv, batch, shape);

    /* 2 to 5, each head of each sequence by one thread; sequences differ in length: dynamic */
    OMP(parallel for collapse(2) schedule(dynamic))
    for (int s = 0; s < batch->sequences; s++)
        for (int h = 0; h < H; h++) {
            Head head = head_of(keep.qkv, keep.mixed, keep.norm, batch, shape, s, h);
            const size_t square = (size_t)head.length * (size_t)head.length;
            if (batch->slots)
                look_back(&head, keep.past, batch, shape, s, h);
            attend(&head, ROW(work.strips, 3 * thread_index(), work.strip),
                   weights ? weights + attention_map_size(batch, s, H) + (size_t)h * square : NULL,
                   noise);
        }

    /* 6 */ linear_forward(y, p.out, keep.mixed, N, HD, C);
}

void attention_backward(Real *dx, Attention dp, AttentionWork work, const Real *dy,
                        AttentionKeep keep, Attention p, const Real *x, const Batch *batch,
                        AttentionShape shape, Noise noise)
{
    const int N = batch->rows, C = shape.width, H = shape.heads, HD = H * shape.head_size;

    /* 6  y = mixed·Wout + bout */
    linear_backward(work.dmixed, dp.out, dy, p.out, keep.mixed, N, HD, C);

    /* 5 to 2 */
    OMP(parallel for collapse(2) schedule(dynamic))
    for (int s = 0; s < batch->sequences; s++)
        for (int h = 0; h < H; h++) {
            const Head d = head_of(work.dqkv, work.dmixed, NULL, batch, shape, s, h);
            const Head head = head_of(keep.qkv, keep.mixed, keep.norm, batch, shape, s, h);
            attend_backward(&d, &head, work, noise);
        }

    /* 1  qkv = x·Wqkv + bqkv */
    linear_backward(dx, dp.qkv, work.dqkv, p.qkv, x, N, C, 3 * HD);
}
