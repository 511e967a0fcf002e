/* muon.c: Muon against its formulas, in double. */

#include "model/optimizer.h"
#include "tests/helpers/close.h"

enum { SIDE = 3, LENGTH = 5 };

/* What the iteration makes of one singular value of a matrix whose norm is 1. */
static double lifted(double s)
{
    for (int round = 0; round < 5; round++)
        s = 3.4445 * s - 4.7750 * pow(s, 3) + 2.0315 * pow(s, 5);
    return s;
}

/* u = R·D, (3, 5) or its transpose, with a rotation R and a diagonal D: O(u) = R·O(D), and O(D) is
 * diagonal. One singular value is small, and one is 0. */
TEST(singular_values_are_lifted)
{
    const double s[SIDE] = {3, 0.04, 0}, c = cos(0.7), d = sin(0.7);
    const double norm = sqrt(s[0] * s[0] + s[1] * s[1]);
    const double R[SIDE][SIDE] = {{c, -d, 0}, {d, c, 0}, {0, 0, 1}};
    for (int tall = 0; tall < 2; tall++) {
        Real room[4 * SIDE * SIDE], numbers[SIDE * LENGTH] = {0}, found[SIDE * LENGTH];
        double known[SIDE * LENGTH] = {0};
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                const int at = tall ? j * SIDE + i : i * LENGTH + j;
                numbers[at] = R[i][j] * s[j];
                known[at] = R[i][j] * lifted(s[j] / norm);
            }
        const Matrix u = tall ? matrix(numbers, LENGTH, SIDE) : matrix(numbers, SIDE, LENGTH);
        const Matrix P = muon_lift(u, room);
        matmul(matrix(found, u.rows, u.cols), tall ? u : P, tall ? P : u);
        assert_close("orthogonal", found, known, SIDE * LENGTH, 1e-12);
    }
    for (double value = 0.0015; value <= 1; value += 0.0001)
        assert_true(lifted(value) > 0.65 && lifted(value) < 1.21);
}

/* Two steps of a 1x1 matrix, whose O(u) is lifted(1) with the sign of u, between two numbers that
 * belong to other matrices. */
TEST(two_steps_by_hand)
{
    Real w[3] = {1, 1, 1}, m[3] = {0}, g[3] = {7, 4, 7};
    Real room[5];
    const Matrix middle = matrix_cols(matrix(w, 1, 3), 1, 1);

    muon_update(middle, m + 1, g + 1, room, 0.5, 0.1, 0.01);
    const double first = 0.999 - 0.1 * 0.2 * lifted(1);
    assert_close_one("w", w[1], first, 1e-15);
    assert_close_one("m", m[1], 0.1 * 2, 1e-15);
    assert_close_one("g, for the next step", g[1], 0, 0);

    g[1] = -1; /* m = 0.9·0.2 − 0.1 = 0.08, u = 0.9·0.08 − 0.1 < 0 */
    muon_update(middle, m + 1, g + 1, room, 1, 0.1, 0.01);
    assert_close_one("w", w[1], 0.999 * first + 0.1 * 0.2 * lifted(1), 1e-15);
    assert_close_one("m", m[1], 0.08, 1e-15);

    const Real others[] = {w[0], w[2], m[0], m[2], g[0], g[2]};
    assert_close("the others", others, (double[]){1, 1, 0, 0, 7, 7}, 6, 0);
}
