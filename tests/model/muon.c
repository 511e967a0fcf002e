/* muon.c: Muon in float, where squares are soon too large or too small; tests/model/double/muon.c
 * has its formulas. */

#include "model/optimizer.h"
#include "tests/helpers/close.h"

/* Gradients of any size are lifted alike, down to 1e-14; smaller ones and zeros change nothing. */
TEST(gradients_of_any_size_stay_finite)
{
    static const double sizes[] = {0, 1e-38, 1e-22, 1e-18, 1e-14, 1, 1e17};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Real w[4] = {0}, m[4] = {0}, room[20];
        Real g[4] = {(Real)sizes[i], 0, 0, (Real)sizes[i]};
        muon_update(matrix(w, 2, 2), m, g, room, 1, 1, 0);
        const double largest = 0.2 * sqrt(2) * 1.21;
        for (int j = 0; j < 4; j++)
            assert_true(fabs((double)w[j]) <= largest);
        assert_true(sizes[i] < 1e-14 || (double)w[0] < -0.2 * sqrt(2) * 0.6);
    }
}
