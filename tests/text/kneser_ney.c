/* kneser_ney.c: each probability is what its definition says, worked out anew from the text. */
#include <math.h>
#include <string.h>

#include "tests/helpers/test.h"
#include "text/corpus/counting.h"

enum { MOST = 200 };

/* Sequences as Ngrams has them. */
typedef struct {
    int tokens[MOST], before[MOST];
    uint8_t purpose[MOST];
    Ngrams n;
} Sequences;

static void begin(Sequences *s, int vocabulary)
{
    s->n = (Ngrams){s->tokens, s->before, s->purpose, 0, vocabulary};
}

static void add(Sequences *s, const int *tokens, int length, const uint8_t *purpose)
{
    for (int i = 0; i < length; i++, s->n.count++) {
        s->tokens[s->n.count] = tokens[i];
        s->before[s->n.count] = i;
        s->purpose[s->n.count] = purpose[i];
    }
}

/* ---- By brute force ---- */

/* Whether the k tokens that end at x and y are there and alike. */
static bool alike(const Ngrams *t, size_t x, size_t y, int k)
{
    if (t->before[x] < k - 1 || t->before[y] < k - 1)
        return false;
    for (int i = 0; i < k; i++)
        if (t->tokens[x - (size_t)i] != t->tokens[y - (size_t)i])
            return false;
    return true;
}

static bool counts(const Ngrams *t, size_t x)
{
    return t->purpose[x] & NGRAM_COUNTED;
}

/* Whether the counted k-gram at x stands nowhere before it. */
static bool is_first(const Ngrams *t, size_t x, int k)
{
    for (size_t y = 0; y < x; y++)
        if (counts(t, y) && alike(t, x, y, k))
            return false;
    return true;
}

/* c(hw) of the k tokens that end at x. */
static int count_at(const Ngrams *t, size_t x, int k, bool highest)
{
    int count = 0;
    for (size_t y = 0; y < t->count; y++)
        if (counts(t, y) && alike(t, x, y, k))
            count += highest || t->before[y] < k || is_first(t, y, k + 1);
    return count;
}

static double discount(const Ngrams *t, int k, bool highest, int j)
{
    double n[5] = {0}, D[4] = {0};
    for (size_t x = 0; x < t->count; x++)
        if (counts(t, x) && t->before[x] >= k - 1 && is_first(t, x, k)) {
            const int count = count_at(t, x, k, highest);
            n[count < 5 ? count : 0]++;
        }
    const double Y = n[1] / (n[1] + 2 * n[2]);
    bool good = n[1] && n[2] && n[3] && n[4];
    for (int i = 1; good && i <= 3; i++) {
        D[i] = i - (i + 1) * Y * n[i + 1] / n[i];
        good = D[i] > 0 && D[i] <= i;
    }
    return good ? D[j] : j / 2.0;
}

static double probability(const Ngrams *t, size_t x, int k, bool highest)
{
    if (!k)
        return 1.0 / t->vocabulary;
    if (t->before[x] < k - 1)
        return probability(t, x, t->before[x] + 1, false);
    double sum = 0, left = 0;
    for (size_t y = 0; y < t->count; y++)
        if (counts(t, y) && t->before[y] >= k - 1 && (k == 1 || alike(t, x - 1, y - 1, k - 1)) &&
            is_first(t, y, k)) {
            const int count = count_at(t, y, k, highest);
            sum += count;
            left += discount(t, k, highest, count < 3 ? count : 3);
        }
    const double shorter = probability(t, x, k - 1, false);
    if (sum == 0)
        return shorter;
    const int count = count_at(t, x, k, highest);
    return (count - discount(t, k, highest, count < 3 ? count : 3)) / sum + left / sum * shorter;
}

static double loss(const Ngrams *t, int k)
{
    double sum = 0, predicted = 0;
    for (size_t x = 0; x < t->count; x++)
        if (t->purpose[x] & NGRAM_PREDICTED) {
            sum -= log(probability(t, x, k, true));
            predicted++;
        }
    return sum / predicted;
}

static int draw(uint32_t *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 16) % (uint32_t)below);
}

/* What is asked for after the history of each predicted token. */
static void check_predictions(const Ngrams *t, int k)
{
    double p[4];
    KneserNey *counted = kneser_ney_new(t, k);
    for (size_t x = 0; x < t->count; x++)
        if (t->purpose[x] & NGRAM_PREDICTED) {
            const int length = t->before[x];
            double sum = 0;
            kneser_ney_predict(counted, t->tokens + x - length, length, p);
            for (int w = 0; w < t->vocabulary; w++)
                sum += p[w];
            assert_true(fabs(sum - 1) < 1e-12);
            assert_true(fabs(p[t->tokens[x]] - probability(t, x, k, true)) < 1e-12);
        }
    kneser_ney_free(counted);
}

TEST(each_order_is_what_brute_force_says)
{
    double losses[KNESER_NEY_MOST + 1];
    for (uint32_t seed = 1; seed <= 12; seed++) {
        Sequences s;
        const int V = 2 + (int)(seed % 3);
        uint32_t drawn = seed;
        begin(&s, V);
        for (int sequence = 0; sequence < 4; sequence++) {
            int tokens[30];
            uint8_t purpose[30];
            const int length = 5 + draw(&drawn, 12);
            for (int i = 0; i < length; i++) {
                tokens[i] = draw(&drawn, V);
                purpose[i] = (uint8_t)(i ? draw(&drawn, 4) : 0);
            }
            purpose[length - 1] = NGRAM_PREDICTED;
            add(&s, tokens, length, purpose);
        }
        kneser_ney_losses(&s.n, KNESER_NEY_MOST, losses);
        for (int k = 0; k <= KNESER_NEY_MOST; k++)
            assert_true(fabs(losses[k] - loss(&s.n, k)) < 1e-12);
        for (int k = 1; k <= KNESER_NEY_MOST; k++)
            check_predictions(&s.n, k);
    }
}
