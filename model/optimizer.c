/* optimizer.c: walks the list of tensors. Every thread takes one of Muon's matrices after another,
 * and updates its share of each of AdamW's tensors. No thread waits for another before the end,
 * and a number does not depend on the thread that computes it. */
#include "optimizer.h"

#include <float.h>
#include <tgmath.h>

#include "base/numbers/elementary.h"
#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"

/* One element at a time, so the result does not depend on the number of threads. */
static const double BETA1 = 0.9, BETA2 = 0.98;

/* 0 for a subnormal number, one too small for all its digits. The moments of a weight whose
 * gradients stay 0 shrink to such numbers and then no further, and processors compute with them up
 * to a hundred times as slowly. */
static inline Real normal(Real x)
{
    return fabs(x) < FLT_MIN ? 0 : x;
}

AdamBias adam_bias(int64_t t)
{
    return (AdamBias){1 - elementary_power(BETA1, (double)t),
                      1 - elementary_power(BETA2, (double)t)};
}

void adam_update(Real *w, Real *m, Real *v, Real *g, size_t count, double scale, double rate,
                 double decay, double epsilon, AdamBias bias)
{
    const Real b1 = (Real)BETA1, b2 = (Real)BETA2, s = (Real)scale;
    const Real keep = (Real)(1 - rate * decay);
    const Real step = (Real)(rate / bias.m);
    const Real v_scale = (Real)(1 / sqrt(bias.v));
    /* The header's formula, with what is the same for all elements taken out of the loop. */
    OMP(for simd nowait)
    for (size_t i = 0; i < count; i++) {
        const Real gradient = s * g[i];
        m[i] = b1 * m[i] + (1 - b1) * gradient;
        v[i] = b2 * v[i] + (1 - b2) * gradient * gradient;
        w[i] = keep * w[i] - step * m[i] / (sqrt(v[i]) * v_scale + (Real)epsilon);
        m[i] = normal(m[i]);
        v[i] = normal(v[i]);
        g[i] = 0;
    }
}

enum { ROUNDS = 5 };
static const double MU = 0.9, FACTOR = 0.2;

/* 1/|X| from R = X·Xᵀ, whose trace is |X|². 1 for a matrix of zeros, such as the gradient of
 * queries that have only one key to choose from, and for one so small that a float does not hold
 * 1/|X|². */
static double inverse_norm(Matrix R)
{
    double trace = 0;
    for (int i = 0; i < R.rows; i++)
        trace += R.at[i * R.row_step + i];
    return trace < 1e-30 ? 1 : 1 / sqrt(trace);
}

/* square *= factor */
static void scale_by(Matrix square, double factor)
{
    for (int i = 0; i < square.rows * square.cols; i++)
        square.at[i] *= (Real)factor;
}

/* Z = 3.4445·1 − 4.7750·R + 2.0315·R² */
static void lift_once(Matrix Z, Matrix R)
{
    const Real identity = (Real)3.4445, linear = (Real)-4.7750, square = (Real)2.0315;
    matmul_symmetric(Z, R, R);
    for (int i = 0; i < R.rows; i++) {
        const Real *r = ROW(R.at, i, R.cols);
        Real *z = ROW(Z.at, i, R.cols);
        for (int j = 0; j < R.cols; j++)
            z[j] = linear * r[j] + square * z[j];
        z[i] += identity;
    }
}

static void swap_squares(Matrix *a, Matrix *b)
{
    const Matrix old = *a;
    *a = *b;
    *b = old;
}

Matrix muon_lift(Matrix u, Real *room)
{
    const Matrix X = u.rows > u.cols ? transposed(u) : u; /* no more rows than columns */
    const int n = X.rows;
    const size_t size = (size_t)n * (size_t)n;
    Matrix R = matrix(room, n, n), Z = matrix(room + size, n, n);
    Matrix P = matrix(room + 2 * size, n, n), next = matrix(room + 3 * size, n, n);
    /* All squares are symmetric and commute, since all are polynomials of the first R. */
    matmul_symmetric(R, X, transposed(X));
    const double factor = inverse_norm(R);
    scale_by(R, factor * factor);
    lift_once(P, R);
    for (int round = 1; round < ROUNDS; round++) {
        const Matrix last = round == 1 ? P : Z;
        /* R = Z·R·Z, with the Z of the round before */
        matmul_symmetric(next, last, R);
        matmul_symmetric(R, next, last);
        lift_once(Z, R);
        /* P = Z·P */
        matmul_symmetric(next, Z, P);
        swap_squares(&P, &next);
    }
    scale_by(P, factor);
    return P;
}

void muon_update(Matrix w, Real *m, Real *g, Real *room, double scale, double rate, double decay)
{
    const int rows = w.rows, cols = w.cols;
    const Real mu = (Real)MU, s = (Real)scale;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            const ptrdiff_t at = i * w.row_step + j;
            const Real gradient = s * g[at];
            m[at] = mu * m[at] + (1 - mu) * gradient;
            ROW(room, i, cols)[j] = mu * m[at] + (1 - mu) * gradient;
            m[at] = normal(m[at]);
            g[at] = 0;
        }

    /* w = keep·w − step·O(u) */
    const Matrix u = matrix(room, rows, cols), P = muon_lift(u, ROW(room, rows, cols));
    const Real keep = (Real)(1 - rate * decay);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            w.at[i * w.row_step + j] *= keep;
    scale_by(P, -rate * FACTOR * sqrt(max_int(rows, cols)));
    matmul_add(w, rows > cols ? u : P, rows > cols ? P : u);
}

/* The rate of the schedule itself, and then the cool-down that some of them end
 * with. */
static double rate_before_cooldown(const Schedule *s, double t)
{
    const double warmup = (double)s->warmup;
    switch (s->kind) {
    case SCHEDULE_NOAM: {
        /* Without a warm-up only the falling branch remains. */
        const double rising = warmup > 0 ? t / (warmup * sqrt(warmup)) : INFINITY;
        return s->factor / sqrt(s->width) * fmin(1 / sqrt(t), rising);
    }
    case SCHEDULE_COSINE: {
        if (t < warmup)
            return s->rate * t / warmup;
        const double span = (double)s->horizon - warmup;
        const double done = span > 0 ? fmin((t - warmup) / span, 1) : 1;
        return s->min_rate + (s->rate - s->min_rate) * (1 + elementary_cos(M_PI * done)) / 2;
    }
    case SCHEDULE_CONSTANT: return t < warmup ? s->rate * t / warmup : s->rate;
    }
    return 0;
}

double schedule_rate(const Schedule *s, int64_t t)
{
    const double rate = rate_before_cooldown(s, (double)t);
    const double length = s->kind == SCHEDULE_COSINE ? 0 : floor(s->cooldown * (double)s->horizon);
    /* The last step still learns: its rate is 1/length of the schedule's. 0 would be reached one
     * step after it. */
    const double left = (double)(s->horizon - t + 1);
    return length > 0 && left <= length ? rate * fmax(left, 0) / length : rate;
}

/* Numbers whose squares are added up at once. Each tensor is cut into slices from its beginning, so
 * the norm has the same bits for any number of threads. */
enum { SLICE = 1 << 14 };

static const double VECTORS_EPSILON = 1e-9;

static bool takes_muon(OptimizerKind kind, const Tensor *tensor)
{
    return kind == OPTIMIZER_MUON && tensor->parts;
}

/* What Muon works in, on each thread, a matrix and four squares of the smaller side; 0 for
 * AdamW. Several matrices may lie side by side in a tensor: queries, keys and values. */
static size_t room_of(const Tensor *tensors, int count, OptimizerKind kind)
{
    size_t most = 0;
    for (int i = 0; i < count; i++)
        if (takes_muon(kind, &tensors[i])) {
            const int rows = tensors[i].rows, cols = tensors[i].cols / tensors[i].parts;
            const size_t n = (size_t)min_int(rows, cols);
            const size_t room = (size_t)rows * (size_t)cols + 4 * n * n;
            most = room > most ? room : most;
        }
    return most;
}

double optimizer_bytes(const Tensor *tensors, int count, size_t numbers, OptimizerKind kind,
                       bool average)
{
    const size_t room = (size_t)thread_limit() * room_of(tensors, count, kind);
    return ((average ? 3 : 2) * (double)numbers + (double)room) * sizeof(Real);
}

static size_t slices_of(const Tensor *tensor)
{
    return tensor->trained ? (tensor_size(tensor) + SLICE - 1) / SLICE : 0;
}

Optimizer optimizer_new(const Gpt *gpt, OptimizerKind kind, bool average)
{
    Optimizer optimizer = {
        .kind = kind,
        .room_size = room_of(gpt->tensors, gpt->tensor_count, kind),
        .m = memory_numbers(gpt->size, "the optimizer's first moment"),
        .v = kind == OPTIMIZER_MUON /* its matrices leave theirs untouched */
                 ? memory_new(gpt->size, sizeof(Real), "the optimizer's second moment")
                 : memory_numbers(gpt->size, "the optimizer's second moment"),
    };
    for (int i = 0; i < gpt->tensor_count; i++) {
        optimizer.slices += slices_of(&gpt->tensors[i]);
        optimizer.parts = max_int(optimizer.parts, gpt->tensors[i].parts);
    }
    optimizer.squares = memory_new(optimizer.slices, sizeof(double), "the norm");
    if (average)
        optimizer.average = memory_numbers(gpt->size, "the averaged weights");
    optimizer.room = memory_new((size_t)thread_limit() * optimizer.room_size, sizeof(Real),
                                "Muon's room to work in");
    return optimizer;
}

void optimizer_free(Optimizer *optimizer)
{
    free(optimizer->m);
    free(optimizer->v);
    free(optimizer->average);
    free(optimizer->room);
    free(optimizer->squares);
}

/* The sum of the squares, in enough running sums to hide the latency of an addition. */
static double sum_of_squares(const Real *x, size_t count)
{
    enum { SUMS = 64 };
    double sum[SUMS] = {0}, all = 0;
    size_t i = 0;
    for (; i + SUMS <= count; i += SUMS)
        for (int j = 0; j < SUMS; j++)
            sum[j] += (double)x[i + (size_t)j] * (double)x[i + (size_t)j];
    for (; i < count; i++)
        sum[0] += (double)x[i] * (double)x[i];
    for (int j = 0; j < (count < SUMS ? 1 : SUMS); j++) /* of fewer numbers, all are in the first */
        all += sum[j];
    return all;
}

double optimizer_gradient_norm(const Optimizer *optimizer, const Gpt *gpt)
{
    OMP(parallel)
    {
        double *squares = optimizer->squares; /* of the tensor's slices */
        for (int t = 0; t < gpt->tensor_count; t++) {
            const Tensor *tensor = &gpt->tensors[t];
            const Real *gradients = gpt->gradient_block + tensor->offset;
            const size_t slices = slices_of(tensor), size = tensor_size(tensor);
            OMP(for nowait)
            for (size_t i = 0; i < slices; i++) {
                const size_t from = i * SLICE, left = size - from;
                squares[i] = sum_of_squares(gradients + from, left < SLICE ? left : SLICE);
            }
            squares += slices;
        }
    }
    double sum = 0;
    for (size_t i = 0; i < optimizer->slices; i++)
        sum += optimizer->squares[i];
    return sqrt(sum);
}

/* One of the matrices that lie side by side in a tensor. */
static void muon_step(Optimizer *optimizer, Gpt *gpt, const Tensor *tensor, int part, double scale,
                      double rate, double decay)
{
    Real *const room = optimizer->room + optimizer->room_size * (size_t)thread_index();
    const int cols = tensor->cols / tensor->parts;
    const Matrix whole = matrix(gpt->weight_block + tensor->offset, tensor->rows, tensor->cols);
    const size_t at = tensor->offset + (size_t)(part * cols);
    muon_update(matrix_cols(whole, part * cols, cols), optimizer->m + at, gpt->gradient_block + at,
                room, scale, rate, decay);
}

void optimizer_step(Optimizer *optimizer, Gpt *gpt, double scale, double rate, double decay,
                    double epsilon, int64_t t)
{
    const AdamBias bias = adam_bias(t);
    int taken = 0;
    OMP(parallel)
    {
        /* number i is part i % parts of tensor i / parts */
        const int parts = optimizer->parts, count = gpt->tensor_count * parts;
        for (int i; (i = take_next(&taken)) < count;) {
            const Tensor *tensor = &gpt->tensors[i / parts];
            if (i % parts < tensor->parts && takes_muon(optimizer->kind, tensor))
                muon_step(optimizer, gpt, tensor, i % parts, scale, rate, decay);
        }

        for (int i = 0; i < gpt->tensor_count; i++) {
            const Tensor *tensor = &gpt->tensors[i];
            const size_t at = tensor->offset;
            const bool matrix = tensor->kind == TENSOR_MATRIX;
            if (tensor->trained && !takes_muon(optimizer->kind, tensor))
                adam_update(gpt->weight_block + at, optimizer->m + at, optimizer->v + at,
                            gpt->gradient_block + at, tensor_size(tensor), scale, rate,
                            matrix ? decay : 0, matrix ? epsilon : VECTORS_EPSILON, bias);
        }
    }
}

void optimizer_average(const Optimizer *optimizer, const Gpt *gpt, int64_t t)
{
    const Real share = t > 10 ? (Real)(10 / (double)t) : 1;
    const Real *w = gpt->weight_block;
    Real *average = optimizer->average;
    if (!average)
        return;
    OMP(parallel for simd)
    for (size_t i = 0; i < gpt->size; i++)
        average[i] += share * (w[i] - average[i]);
}
