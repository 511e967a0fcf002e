/* loss.c: one pass over a row of logits for its maximum, one for the sum of exponentials; the sum
 * is kept as its logarithm, from which backward gets the probabilities again. */
#include "loss.h"

#include "base/numbers/elementary.h"
#include "base/numbers/lanes.h"
#include "base/parallel/threads.h"

void loss_forward(double *loss, Real *log_sum, const Real *logits, const int *targets, int N, int V)
{
    OMP(parallel for if(worth_threads(N, V)))
    for (int i = 0; i < N; i++) {
        const Real *row = ROW(logits, i, V);
        Real top = row[0];
        for (int j = 1; j < V; j++)
            top = row[j] > top ? row[j] : top;
        /* In double: over 50,000 tokens a float would lose the small terms. */
        double sum;
        SUM_IN_LANES(double, sum, j, V, real_exp(row[j] - top));
        const double exact = (double)top + elementary_log(sum);
        log_sum[i] = (Real)exact;
        loss[i] = exact - (double)row[targets[i]];
    }
}

void loss_predictions(Prediction *out, const double *loss, const Real *logits, const int *targets,
                      int N, int V)
{
    OMP(parallel for if(worth_threads(N, V)))
    for (int i = 0; i < N; i++) {
        const Real *row = ROW(logits, i, V);
        const int target = targets[i];
        int best = 0, rank = 1;
        for (int j = 0; j < V; j++) {
            best = row[j] > row[best] ? j : best;
            rank += row[j] > row[target] || (j < target && row[j] == row[target]);
        }
        /* With z = logit − largest and S = Σ e^z, p is e^z/S and −Σ p ln p is ln S − Σ e^z z/S. */
        const Real top = row[best];
        double sum, weighted;
        SUM_IN_LANES(double, sum, j, V, real_exp(row[j] - top));
        SUM_IN_LANES(double, weighted, j, V,
                     (double)real_exp(row[j] - top) * (double)(row[j] - top));
        out[i] = (Prediction){.target = target,
                              .loss = loss[i],
                              .rank = rank,
                              .entropy = elementary_log(sum) - weighted / sum,
                              .best = best,
                              .best_p = 1 / sum};
    }
}

void loss_backward(Real *dlogits, const Real *log_sum, const Real *logits, const int *targets,
                   int N, int V, Real scale)
{
    /* loss[i] = log_sum[i] − logits[i][target[i]]   so   dlogits = softmax − (1 at the target) */
    OMP(parallel for if(worth_threads(N, V)))
    for (int i = 0; i < N; i++) {
        const Real *row = ROW(logits, i, V);
        Real *drow = ROW(dlogits, i, V);
        for (int j = 0; j < V; j++)
            drow[j] = scale * real_exp(row[j] - log_sum[i]);
        drow[targets[i]] -= scale;
    }
}
