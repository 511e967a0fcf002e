/* matrix.c: what is promised of a product, tested with every kernel that the machine has, or with
 * the one that PULGA_KERNEL names:
 *
 * 1  Each element is the plain sum over the depth, to within rounding: at most depth + 2 roundings
 *    of Σ |a|·|b|. The plain sum is a triple loop in double; shapes, steps and views are drawn. In
 *    bfloat16 the operands are first rounded to 8 bits, to the nearest and of two to the even one.
 * 2  Nothing else in memory changes, and matmul() does not read what y held.
 * 3  The same kernel gives the same bits for any number of threads.
 * 4  All kernels for floats give the same bits; two for bfloat16 agree to within twice the rounding
 *    of 1.
 * 5  A multiply-add in software is rounded as in hardware.
 *
 * Not promised is that a row has always the same bits in a product of one row and in one of
 * many. */

#include "base/numbers/random.h"
#include "base/parallel/threads.h"
#include "model/matrix/kernel.h"
#include "model/matrix/kernels/software.h"
#include "model/matrix/matrix.h"
#include "tests/helpers/close.h"

static uint32_t drawn;
static bool in_pairs; /* a bfloat16 kernel is tested */

static int draw(int most)
{
    const Random4 words = random_words(1, 99, (Random4){{drawn++, 0, 0, 0}});
    return (int)(words.word[0] % (uint32_t)most);
}

/* A view of rows x cols numbers in a larger field, which may be transposed, or have gaps. */
typedef struct {
    Real *field;
    size_t size;
    Matrix view;
} Viewed;

static Viewed draw_view(int rows, int cols, int salt)
{
    const int pad_rows = draw(3), pad_cols = draw(5), apart = draw(6) == 0 ? 2 : 1;
    const bool turned = draw(2);
    const int high = (turned ? cols : rows) + pad_rows, wide = (turned ? rows : cols) + pad_cols;
    Viewed v = {.size = (size_t)high * (size_t)wide * (size_t)apart + 1};
    v.field = memory_new(v.size, sizeof *v.field, "a test");
    fill(v.field, v.size, salt);
    Matrix whole = matrix_spaced(v.field + 1, high, wide, (ptrdiff_t)wide * apart);
    whole.col_step = apart;
    whole = matrix_cols(matrix_rows(whole, pad_rows, turned ? cols : rows), pad_cols,
                        turned ? rows : cols);
    v.view = turned ? transposed(whole) : whole;
    return v;
}

static Real *at(Matrix m, int i, int j)
{
    return m.at + i * m.row_step + j * m.col_step;
}

/* An operand as the product sees it: itself or, in bfloat16, the nearest number whose lower 16 bits
 * are 0, the even one of two. */
static double rounded(Real x)
{
    if (!in_pairs)
        return (double)x;
    float nearest = (float)x;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
    memcpy(&nearest, &bits, sizeof bits);
    return (double)nearest;
}

/* y = a·b (+ y) in double; size: Σ |a|·|b|, which bounds the rounding. */
static double plain(Matrix a, Matrix b, int i, int j, double start, double *size)
{
    double sum = start;
    *size = fabs(start);
    for (int k = 0; k < a.cols; k++) {
        const double product = rounded(*at(a, i, k)) * rounded(*at(b, k, j));
        sum += product;
        *size += fabs(product);
    }
    return sum;
}

/* What rounding may add up to in a sum whose terms have this size. */
static double rounding_of(int depth, double size)
{
    return (depth + 2) * size * (sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53);
}

static void check_shape(int rows, int cols, int depth, bool add)
{
    Viewed y = draw_view(rows, cols, 1), a = draw_view(rows, depth, 2);
    Viewed b = draw_view(depth, cols, 3);
    Real *before = memory_new(y.size, sizeof *before, "a test");
    if (!add) /* then y must not be read */
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                *at(y.view, i, j) = NAN;
    memcpy(before, y.field, y.size * sizeof *before);
    (add ? matmul_add : matmul)(y.view, a.view, b.view);

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            Real *place = at(y.view, i, j), *old = before + (place - y.field);
            double size;
            const double wanted = plain(a.view, b.view, i, j, add ? (double)*old : 0, &size);
            if (!(fabs((double)*place - wanted) <= rounding_of(depth, size)))
                fail_msg("%dx%dx%d add %d: (%d, %d) is %.9g, wanted %.9g", rows, depth, cols, add,
                         i, j, (double)*place, wanted);
            *old = *place; /* checked; all the rest must not have changed */
        }
    assert_memory_equal(before, y.field, y.size * sizeof *before);
    free(before), free(y.field), free(a.field), free(b.field);
}

static void products_of_every_shape(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++)
        check_shape(1 + draw(70), 1 + draw(70), 1 + draw(70), draw(2));
    check_shape(1, 1, 1, false);
    check_shape(14, 32, 256, true), check_shape(15, 33, 257, false);
    check_shape(505, 31, 513, true), check_shape(1009, 65, 300, false);
    check_shape(7, 5, 0, false), check_shape(7, 5, 0, true); /* nothing to sum: 0, or unchanged */
    check_shape(0, 5, 3, false), check_shape(5, 0, 3, true);
}

/* X·Xᵀ and R·R, which are symmetric, in float32 even if bfloat16 is chosen. */
static void symmetric_products(void **state)
{
    (void)state;
    const bool pairs = in_pairs;
    in_pairs = false;
    static const int sides[] = {1, 3, 31, 64, 65, 130, 200};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        const int side = sides[s], depth = 1 + draw(90);
        const Viewed x = draw_view(side, depth, 1);
        Viewed y = draw_view(side, side, 2), z = draw_view(side, side, 3);
        matmul_symmetric(y.view, x.view, transposed(x.view));
        matmul_symmetric(z.view, y.view, y.view);
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++) {
                double size;
                double wanted = plain(x.view, transposed(x.view), i, j, 0, &size);
                assert_true(fabs((double)*at(y.view, i, j) - wanted) <= rounding_of(depth, size));
                wanted = plain(y.view, y.view, i, j, 0, &size);
                assert_true(fabs((double)*at(z.view, i, j) - wanted) <=
                            2 * rounding_of(side, size));
            }
        free(x.field), free(y.field), free(z.field);
    }
    in_pairs = pairs;
}

/* The bits of a product must not depend on the number of threads. Every shape is large enough for
 * several. */
static void check_same_bits(int rows, int depth, int cols, bool turned)
{
    const size_t size = (size_t)rows * (size_t)cols;
    Real *a = memory_new((size_t)rows * (size_t)depth, sizeof *a, "a test");
    Real *b = memory_new((size_t)depth * (size_t)cols, sizeof *b, "a test");
    Real *once = memory_new(size, sizeof *once, "a test");
    Real *again = memory_new(size, sizeof *again, "a test");
    fill(a, (size_t)rows * (size_t)depth, 1), fill(b, (size_t)depth * (size_t)cols, 2);
    const Matrix b_view = turned ? transposed(matrix(b, cols, depth)) : matrix(b, depth, cols);
    const int threads = thread_limit();
    thread_set_limit(1);
    matmul(matrix(once, rows, cols), matrix(a, rows, depth), b_view);
    for (int t = 2; t <= 7; t++) {
        thread_set_limit(t);
        memset(again, 0, size * sizeof *again);
        matmul(matrix(again, rows, cols), matrix(a, rows, depth), b_view);
        assert_memory_equal(once, again, size * sizeof *once);
    }
    thread_set_limit(threads);
    free(a), free(b), free(once), free(again);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    check_same_bits(611, 301, 203, false), check_same_bits(900, 801, 70, true);
    check_same_bits(3, 1001, 403, false), check_same_bits(3, 1001, 403, true);
    check_same_bits(40, 900, 39, false), check_same_bits(2001, 128, 64, false);
}

/* A part of a product is computed without copies if it is small, but in the same order. Five rows,
 * or columns, are not so few that the order is another. */
static void a_small_product_has_the_bits_of_a_large_one(void **state)
{
    (void)state;
    enum { SIDE = 130, MOST = 40, DEPTH = 600 };
    for (int n = 0; n < 40 && !in_pairs; n++) {
        const int depth = 40 + draw(DEPTH - 39), rows = 5 + draw(MOST), cols = 5 + draw(MOST);
        const int i = draw(SIDE - rows + 1), j = draw(SIDE - cols + 1);
        const Viewed a = draw_view(SIDE, depth, 1), b = draw_view(depth, SIDE, 2);
        const Viewed all = draw_view(SIDE, SIDE, 3), part = draw_view(rows, cols, 4);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                *at(part.view, r, c) = *at(all.view, i + r, j + c);
        matmul_add(all.view, a.view, b.view);
        matmul_add(part.view, matrix_rows(a.view, i, rows), matrix_cols(b.view, j, cols));
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                assert_true(*at(part.view, r, c) == *at(all.view, i + r, j + c));
        free(a.field), free(b.field), free(all.field), free(part.field);
    }
}

/* Threads that all need a kernel at once, before one is chosen; returns how many computed 2·3
 * wrong. */
static int wrong_first_products(void)
{
    int wrong = 0;
    OMP(parallel num_threads(4) reduction(+ : wrong))
    {
        Real y = NAN;
        const Real a = 2, b = 3;
        matmul(matrix(&y, 1, 1), matrix(&a, 1, 1), matrix(&b, 1, 1));
        wrong += y != 6;
    }
    return wrong;
}

/* ---- Every kernel ---- */

static const struct {
    const char *name;
    const Kernel *(*kernel)(void);
    Precision precision;
} KERNELS[] = {{"portable", kernel_portable, PRECISION_F32},
               {"avx2", kernel_avx2, PRECISION_F32},
               {"avx512", kernel_avx512, PRECISION_F32},
               {"avx512_bf16", kernel_avx512_bf16, PRECISION_BF16},
               {"amx", kernel_amx, PRECISION_BF16}};
enum { KERNEL_COUNT = sizeof KERNELS / sizeof *KERNELS };

/* Lets the next products use a kernel; false if the machine does not have it. */
static bool use_kernel(int number)
{
    const Kernel *kernel = KERNELS[number].kernel();
    if (!kernel || !kernel->supported())
        return false;
    setenv("PULGA_KERNEL", KERNELS[number].name, 1);
    in_pairs = KERNELS[number].precision == PRECISION_BF16;
    if (!matrix_choose(KERNELS[number].precision) || strcmp(matrix_kernel_name(), kernel->name))
        die("%s is on this machine, but is not chosen", kernel->name);
    return true;
}

/* The same product with each kernel, compared with the first one of its precision. */
static void check_agreement(int rows, int depth, int cols)
{
    const Viewed a = draw_view(rows, depth, 1), b = draw_view(depth, cols, 2);
    Matrix first[2] = {{0}};
    for (int n = 0; n < KERNEL_COUNT; n++) {
        if (!use_kernel(n))
            continue;
        const size_t count = (size_t)rows * (size_t)cols;
        const Matrix y = matrix(memory_new(count, sizeof(Real), "a test"), rows, cols);
        Matrix *other = &first[KERNELS[n].precision];
        matmul(y, a.view, b.view);
        if (!other->at) {
            *other = y;
            continue;
        }
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                double size;
                plain(a.view, b.view, i, j, 0, &size);
                const bool equal = KERNELS[n].precision == PRECISION_F32;
                assert_close_one(KERNELS[n].name, (double)*at(y, i, j), (double)*at(*other, i, j),
                                 equal ? 0 : 2 * rounding_of(depth, size));
            }
        free(y.at);
    }
    free(first[0].at), free(first[1].at), free(a.field), free(b.field);
}

static void kernels_of_a_precision_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++)
        check_agreement(1 + draw(70), 1 + draw(70), 1 + draw(70));
    check_agreement(15, 1000, 65), check_agreement(400, 300, 33), check_agreement(2, 700, 90);
}

/* A float of any sign, exponent and digits, or one within a few units of a power of two or of 1.5
 * times it: products of those are close to powers of two, and their sums with others cancel, or lie
 * just beside the middle between two floats. */
static float draw_float(void)
{
    const Random4 words = random_words(2, 99, (Random4){{drawn++, 0, 0, 0}});
    const uint32_t exponent = (111 + words.word[2] % 32) << 23;
    uint32_t bits = words.word[0];
    switch (words.word[1] % 4) {
    case 0: break;
    case 1: bits = (bits & 0x80400007) | exponent; break;
    case 2: bits = (bits & 0x80000007) | exponent | 0x7FFFF8; break;
    default: bits = (bits & 0x807FFFFF) | exponent;
    }
    float drawn_float;
    memcpy(&drawn_float, &bits, sizeof drawn_float);
    return drawn_float;
}

static void assert_same_float(float wanted, float got)
{
    if (memcmp(&wanted, &got, sizeof wanted) != 0 && !(isnan(wanted) && isnan(got)))
        fail_msg("%a is wanted, not %a", (double)wanted, (double)got);
}

/* fmaf() is exact in every C library that we know. */
static void multiply_adds_in_software_are_exact(void **state)
{
    (void)state;
    static const float special[] = {0,         -0.0f,          1,        -1,        0x1p-149f,
                                    0x1p-126f, 3.40282347e38f, INFINITY, -INFINITY, NAN};
    enum { SPECIAL = sizeof special / sizeof *special, TRIES = 2000000 };
    for (int i = 0; i < TRIES + SPECIAL * SPECIAL * SPECIAL; i++) {
        const int s = i - TRIES;
        float a = s < 0 ? draw_float() : special[s % SPECIAL];
        float b = s < 0 ? draw_float() : special[s / SPECIAL % SPECIAL];
        float c = s >= 0 ? special[s / SPECIAL / SPECIAL] : i % 5 ? draw_float() : -(a * b);
        if (s < 0 && i % 2) /* sums below the smallest float that has all its bits */
            a = ldexpf(a, -75), b = ldexpf(b, -75), c = ldexpf(c, -130);
        assert_same_float(fmaf(a, b, c), fused_in_software(a, b, c));
    }
}

/* What an operand of a tile is drawn from. A single large number lets a tile be computed exactly
 * from the start, so most tiles have none. */
typedef enum { ORDINARY, SMALL, TINY, ANY, DRAWS } Draws;

static float draw_operand(Draws draws)
{
    float x = draw_float();
    while (draws != ANY && !(fabsf(x) < 0x1p17f))
        x = draw_float();
    if (draw(20) == 0)
        x = draw(2) ? 0 : -0.0f;
    return draws == SMALL ? ldexpf(x, -75) : draws == TINY ? ldexpf(x, -100) : x;
}

/* The sums of a tile are those of a chain of fmaf(). The first numbers of b are 1, and some of the
 * first of a take away a product that follows. */
static void check_software_tile(Draws draws, int rows, int depth, bool narrow, bool by_rows)
{
    static Real a[A_SIZE], b[DEPTH_BLOCK * SOFT_COLS], y[SOFT_ROWS * SOFT_COLS];
    const int cols = narrow ? SOFT_NARROW_COLS : SOFT_COLS;
    const ptrdiff_t a_row = by_rows ? A_ROW_STEP : 1, a_col = by_rows ? 1 : A_COL_STEP;
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < cols; j++)
            b[k * cols + j] = (Real)(k ? draw_operand(draws) : 1);
    for (int i = 0; i < rows; i++) {
        for (int k = 1; k < depth; k++)
            a[i * a_row + k * a_col] = (Real)draw_operand(draws);
        a[i * a_row] = depth > 1 && draw(2) ? -a[i * a_row + a_col] * b[cols + draw(cols)]
                                            : (Real)draw_operand(draws);
    }
    (narrow ? soft_narrow : soft_tile)(y, cols, a, by_rows, b, rows, depth, false);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            float wanted = 0;
            for (int k = 0; k < depth; k++)
                wanted = fmaf((float)a[i * a_row + k * a_col], (float)b[k * cols + j], wanted);
            assert_same_float(wanted, (float)y[i * cols + j]);
        }
}

static void tiles_in_software_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++)
        check_software_tile((Draws)(i % DRAWS), 1 + draw(SOFT_ROWS), 1 + draw(i % 3 ? 4 : 50),
                            draw(2), draw(2));
}

int main(int argc, char **argv)
{
    if (argc >
        1) { /* --has: dies if the machine does not have the kernel that PULGA_KERNEL names */
        matrix_kernel_name();
        return strcmp(argv[1], "--has") != 0;
    }
    if (wrong_first_products())
        die("the first product, in a parallel region, is wrong");
    const struct CMUnitTest of_one[] = {
        cmocka_unit_test(products_of_every_shape), cmocka_unit_test(symmetric_products),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(a_small_product_has_the_bits_of_a_large_one)};
    const struct CMUnitTest of_all[] = {cmocka_unit_test(kernels_of_a_precision_agree),
                                        cmocka_unit_test(multiply_adds_in_software_are_exact),
                                        cmocka_unit_test(tiles_in_software_are_exact)};
    const char *named = getenv("PULGA_KERNEL");
    char *only = named && *named ? format_text("%s", named) : NULL;
    int failures = 0, tested = 0;
    for (int n = 0; n < KERNEL_COUNT; n++) {
        if (only && strcmp(only, KERNELS[n].name))
            continue;
        if (use_kernel(n)) {
            failures += cmocka_run_group_tests_name(KERNELS[n].name, of_one, NULL, NULL);
            tested++;
        } else {
            printf("%s: not on this machine\n", KERNELS[n].name);
        }
    }
    if (!tested)
        die("no kernel has been tested");
    free(only);
    return failures + (only ? 0 : cmocka_run_group_tests(of_all, NULL, NULL));
}
