/* counting.c: what is counted, and what is predicted; and that each probability is what its
 * definition says, worked out anew from the text. */

#include "model/generator.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/test.h"
#include "text/corpus/batches.h"
#include "text/corpus/counting.h"

enum { MOST_TOKENS = 2000 };

/* What counting reaches on what is held out of a text. */
static Counting counting_in(const char *name, ObjectiveKind objective, TokenizerKind kind,
                            bool stream, int context, double held_out)
{
    AUTOFREE char *path = format_text("data/%s.txt", name);
    FREED_BY(text_free) Text text = text_read(path, TEXT_COMPOSED);
    CORPUS(c, t, objective, kind, stream, text.clean);
    corpus_cut(&c, context, held_out, 1);
    return counting_of(&c);
}

/* The value is that of a program in Python with dictionaries, written from the formulas alone. */
TEST(a_stream_of_characters)
{
    const Counting found = counting_in("cuentos", OBJECTIVE_NEXT, TOKENIZER_CHAR, true, 64, 0.1);
    assert_int_equal(found.order, 8);
    assert_true(fabs(found.loss - 0.988677) < 1e-6);
    assert_false(found.some);
}

/* A model of a small context reads long lines in pieces; counting does not. */
TEST(lines_are_counted_whole)
{
    double loss[2];
    for (int i = 0; i < 2; i++)
        loss[i] =
            counting_in("cuentos", OBJECTIVE_NEXT, TOKENIZER_WORD, false, i ? 5 : 100, 0.1).loss;
    assert_true(fabs(loss[0] - loss[1]) < 1e-12);
    assert_true(loss[0] > 2 && loss[0] < 4);
}

TEST(what_has_no_counting)
{
    assert_true(isnan(counting_in("perro", OBJECTIVE_NEXT, TOKENIZER_WORD, false, 8, 0).loss));
    assert_true(isnan(counting_in("perro", OBJECTIVE_MASKED, TOKENIZER_WORD, false, 8, 0.3).loss));
}

/* What a model and counting reach together with a share of counting, and what counting alone. */
static double mixed_loss(Corpus *c, double share, double *counting)
{
    const GptConfig shape = {.vocabulary = c->vocabulary,
                             .layers = 1,
                             .heads = 1,
                             .head_size = 4,
                             .key_heads = 1,
                             .norm_epsilon = 1e-5,
                             .width = 4,
                             .hidden = 4,
                             .context = c->context};
    FREED_BY(gpt_free) Gpt gpt = gpt_new(&shape, 4 * c->context);
    gpt_init(&gpt, 1);
    const Counting found = counting_of(c);
    *counting = found.loss;
    FREED_BY(count_mixture_free) CountMixture mixture = count_mixture_new(c, found.order, share);
    gpt.mixture = count_mixture_of(&mixture);
    FREED_BY(batch_room_free) BatchRoom room = batch_room_new(gpt.rows);
    BatchPlace place = {0};
    double sum = 0;
    for (Batch batch; batch_next(&batch, &room, c, &c->evaluated, &place);)
        sum += gpt_evaluate(&gpt, &batch);
    return sum / (double)c->evaluated.targets;
}

/* With a share of 1 nothing is left of the model: an evaluation in pieces gives what the whole text
 * gives, also of the last text, of which a sample is evaluated: counting reads what stands before a
 * piece that was drawn. */
TEST(counting_alone_is_a_mixture)
{
    static const struct {
        const char *path;
        ObjectiveKind objective;
        TokenizerKind kind;
        bool stream;
        int context;
        double held_out;
    } texts[] = {{"data/cuentos.txt", OBJECTIVE_NEXT, TOKENIZER_CHAR, true, 16, 0.1},
                 {"data/cuentos.txt", OBJECTIVE_NEXT, TOKENIZER_WORD, false, 9, 0.1},
                 {"data/traducciones.tsv", OBJECTIVE_PAIRS, TOKENIZER_WORD, false, 64, 0.1},
                 {"data/cuentos.txt", OBJECTIVE_NEXT, TOKENIZER_CHAR, true, 3, 0.5}};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        FREED_BY(text_free) Text text = text_read(texts[i].path, TEXT_COMPOSED);
        CORPUS(c, t, texts[i].objective, texts[i].kind, texts[i].stream, text.clean);
        corpus_cut(&c, texts[i].context, texts[i].held_out, 1);
        assert_int_equal(c.evaluated.sample, i == 3);
        double counting;
        const double alone = mixed_loss(&c, 1, &counting);
        assert_close_one(texts[i].path, alone, counting, 1e-6);
        assert_true(mixed_loss(&c, 0, &counting) > 1.1 * counting);
        const size_t trained = c.train.targets;
        corpus_set_aside(&c);
        assert_in_range(c.train.targets + c.aside.targets, trained - 1, trained);
        assert_in_range(c.aside.targets, trained / 40 - 1, trained / 40 + 64);
    }
}

/* p (V) of the next token after a history, from the logits of a model and a share of counting. */
static void mixed_softmax(double *p, const Real *logits, CountMixture mixture, double share,
                          const int *history, int count)
{
    Real changed[MOST_TOKENS];
    memcpy(changed, logits, sizeof *changed * (size_t)mixture.vocabulary);
    mixture.share = share;
    const Mixture of = count_mixture_of(&mixture);
    of.mix(of.of, history, count, changed);
    softmax_of(p, changed, mixture.vocabulary, 1);
}

TEST(a_mixture_is_the_geometric_mean)
{
    FREED_BY(text_free) Text text = text_read("data/cuentos.txt", TEXT_COMPOSED);
    CORPUS(c, t, OBJECTIVE_NEXT, TOKENIZER_WORD, true, text.clean);
    corpus_cut(&c, 16, 0.1, 1);
    assert_in_range(c.vocabulary, 100, MOST_TOKENS);
    FREED_BY(count_mixture_free) CountMixture mixture = count_mixture_new(&c, 4, 0);
    for (int i = 0; i < 50; i++) {
        Real logits[MOST_TOKENS];
        double model[MOST_TOKENS], counting[MOST_TOKENS], both[MOST_TOKENS], all = 0, sum = 0;
        const int history[] = {i % c.vocabulary, i * 7 % c.vocabulary, 2}, count = i % 4;
        fill(logits, (size_t)c.vocabulary, i);
        mixed_softmax(model, logits, mixture, 0, history, count);
        mixed_softmax(counting, logits, mixture, 1, history, count);
        mixed_softmax(both, logits, mixture, 0.4, history, count);
        for (int j = 0; j < c.vocabulary; j++)
            all += pow(model[j], 0.6) * pow(counting[j], 0.4);
        for (int j = 0; j < c.vocabulary; j++) {
            const double wanted = pow(model[j], 0.6) * pow(counting[j], 0.4) / all;
            assert_true(fabs(both[j] - wanted) < 1e-5 * wanted); /* logits are floats */
            sum += both[j];
        }
        assert_true(fabs(sum - 1) < 1e-12);
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
    double losses[KNESER_NEY_MOST + 1], trial[KNESER_NEY_MOST + 1];
    for (uint32_t seed = 1; seed <= 12; seed++) {
        enum { MOST = 200 };
        int tokens[MOST], before[MOST];
        uint8_t purpose[MOST], tried[MOST];
        Ngrams n = {tokens, before, purpose, 0, 2 + (int)(seed % 3)};
        uint32_t drawn = seed;
        for (int sequence = 0; sequence < 4; sequence++) {
            const int length = 5 + draw(&drawn, 12);
            for (int i = 0; i < length; i++, n.count++) {
                tokens[n.count] = draw(&drawn, n.vocabulary);
                before[n.count] = i;
                purpose[n.count] = (uint8_t)(i ? draw(&drawn, 4) : 0);
                tried[n.count] = (uint8_t)(i ? draw(&drawn, 4) & ~(purpose[n.count] & 2) : 0);
            }
            purpose[n.count - 1] = NGRAM_PREDICTED;
            tried[n.count - 1] = NGRAM_COUNTED;
            purpose[n.count - 2] = NGRAM_COUNTED;
            tried[n.count - 2] = NGRAM_PREDICTED;
        }
        for (size_t i = 0; i < n.count; i++)
            purpose[i] |= (uint8_t)(tried[i] * NGRAM_TRIAL);
        const Ngrams in_trial = {tokens, before, tried, n.count, n.vocabulary};
        kneser_ney_losses(&n, KNESER_NEY_MOST, losses, trial);
        for (int k = 0; k <= KNESER_NEY_MOST; k++) {
            assert_true(fabs(losses[k] - loss(&n, k)) < 1e-12);
            assert_true(fabs(trial[k] - loss(&in_trial, k)) < 1e-12);
        }
        for (int k = 1; k <= KNESER_NEY_MOST; k++)
            check_predictions(&n, k);
    }
}
