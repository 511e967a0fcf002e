/* generation.c: the generator with its KV cache against reading everything again, sampling against
 * the exact distribution, beam search against all possible continuations. */

#include "base/numbers/random.h"
#include "model/generator.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

/* Changes a score by all tokens of the history: a wrong one would be seen. */
static void mix_by_history(const void *of, const int *history, int count, Real *logits)
{
    (void)of;
    int all = 0;
    for (int i = 0; i < count; i++)
        all = 3 * all + history[i] + 1;
    logits[all % 4] += (Real)0.25;
}

static const Mixture BY_HISTORY = {mix_by_history, NULL};

/* The scores of the token after some tokens, which are read at once, without a cache. The first
 * `prefix` of them see each other. */
static void read_at_once(Gpt *gpt, const int *tokens, int count, int prefix, Real *logits)
{
    const int start[] = {0, count};
    const Batch batch = {
        .rows = count, .sequences = 1, .start = start, .tokens = tokens, .prefix = &prefix};
    gpt_next_logits(gpt, &batch, logits);
}

static void assert_same_logits(const char *what, const Real *got, const Real *wanted, int V)
{
    for (int j = 0; j < V; j++)
        assert_close_one(what, (double)got[j], (double)wanted[j], 1e-5);
}

/* A model of a case, by the history too, and generators that share a cache. */
enum { BOS = 12, SCORES = 16 /* at least a case's vocabulary, 13 */ };
typedef struct {
    Gpt gpt;
    KvCache cache;
    Generator of[3];
} Reader;

static void reader_open(Reader *r, const Case *c)
{
    r->gpt = case_model(c);
    r->gpt.mixture = BY_HISTORY;
    r->cache = kv_cache_new(&r->gpt.config, 3);
    for (int slot = 0; slot < 3; slot++)
        r->of[slot] = generator_new(&r->gpt, r->cache, slot, BOS);
}

static void reader_close(Reader *r)
{
    for (int slot = 0; slot < 3; slot++)
        generator_free(&r->of[slot]);
    kv_cache_free(&r->cache);
    gpt_free(&r->gpt);
}

/* The next token's scores of several sequences at once, of different lengths. */
TEST(several_sequences_give_what_each_gives_by_itself)
{
    for (int c = 0; c < CASE_COUNT; c++) {
        FREED_BY(gpt_free) Gpt gpt = case_model(&CASES[c]);
        const int V = gpt.config.vocabulary;
        Real all[3 * SCORES], one[SCORES];
        gpt_next_logits(&gpt, &CASE_BATCH, all);
        for (int s = 0; s < CASE_BATCH.sequences; s++) {
            const int from = CASE_BATCH.start[s], count = CASE_BATCH.start[s + 1] - from;
            read_at_once(&gpt, CASE_BATCH.tokens + from, count, 0, one);
            assert_same_logits(CASES[c].name, ROW(all, s, V), one, V);
        }
    }
}

/* Far beyond the context of 7: each time it is full, [bos] and the last 3 stay. */
TEST(the_cache_gives_what_reading_at_once_gives)
{
    enum { PROMPT = 3, WORDS = 25 };
    for (int c = 0; c < CASE_COUNT; c++) {
        Reader r;
        reader_open(&r, &CASES[c]);
        const int T = r.gpt.config.context, V = r.gpt.config.vocabulary;
        Generator *w = &r.of[0];
        int held = PROMPT, seen[8] = {BOS, 5, 1};
        generator_begin(w, seen, PROMPT, 0);
        for (int i = 0; i < WORDS; i++) {
            Real logits[SCORES];
            read_at_once(&r.gpt, seen, held, 0, logits);
            assert_same_logits(CASES[c].name, w->logits, logits, V);
            assert_int_equal(w->forgot, i + PROMPT > T);
            const int token = i * 5 % V;
            seen[held++] = token;
            if (held > T) {
                memmove(seen + 1, seen + held - T / 2, sizeof *seen * (size_t)(T / 2));
                held = 1 + T / 2;
            }
            generator_add(w, token);
        }
        reader_close(&r);
    }
}

/* A source of any length, with and without a beginning of its target, up to the whole context. */
TEST(the_cache_goes_on_after_a_prefix)
{
    enum { T = 7 };
    const int tokens[T + 1] = {BOS, 5, 1, 3, 0, 8, 2, 7};
    for (int c = 0; c < CASE_COUNT; c++) {
        Reader r;
        reader_open(&r, &CASES[c]);
        Generator *asked = &r.of[0], *w = &r.of[1];
        for (int prefix = 1; prefix <= T; prefix++)
            for (int count = prefix; count <= T; count++) {
                generator_begin(asked, tokens, count, prefix);
                generator_copy(w, asked);
                for (int read = count;; generator_add(w, tokens[read++])) {
                    Real logits[SCORES];
                    read_at_once(&r.gpt, tokens, read, prefix, logits);
                    assert_same_logits(CASES[c].name, w->logits, logits, r.gpt.config.vocabulary);
                    if (read == T)
                        break;
                }
                assert_false(w->forgot);
            }
        reader_close(&r);
    }
}

/* All tokens see each other; the loss of one row with each target gives its probabilities. */
TEST(the_logits_at_each_token_are_those_of_its_loss)
{
    enum { COUNT = 6 };
    const int tokens[COUNT] = {BOS, 5, 1, 3, 0, 8}, start[] = {0, COUNT}, prefix = COUNT;
    const int places[COUNT] = {2, 0, 5, 1, 4, 3};
    for (int c = 0; c < CASE_COUNT; c++) {
        Reader r;
        reader_open(&r, &CASES[c]);
        r.gpt.mixture = (Mixture){0};
        const int V = r.gpt.config.vocabulary;
        Real logits[COUNT * SCORES];
        generator_begin(&r.of[0], tokens, COUNT, COUNT);
        generator_look_at(&r.of[0], places, COUNT, logits);
        for (int i = 0; i < COUNT; i++) {
            double log_p[SCORES];
            log_softmax_of(log_p, ROW(logits, i, V), V);
            for (int j = 0; j < V; j++) {
                int targets[COUNT] = {-1, -1, -1, -1, -1, -1};
                targets[places[i]] = j;
                const Batch batch = {.rows = COUNT,
                                     .sequences = 1,
                                     .start = start,
                                     .tokens = tokens,
                                     .targets = targets,
                                     .counted = 1,
                                     .prefix = &prefix};
                assert_close_one(CASES[c].name, -gpt_evaluate(&r.gpt, &batch), log_p[j], 1e-5);
            }
        }
        reader_close(&r);
    }
}

/* A copy goes on exactly as a generator that reads the prompt itself, to the last bit, however far
 * beyond the context the copy before it went; with prompts that fit and one that does not. */
TEST(a_copy_goes_on_like_the_original)
{
    enum { WORDS = 12 };
    const int prompt[] = {BOS, 5, 1, 3, 0, 8, 2, 7, 4};
    for (int c = 0; c < CASE_COUNT; c++) {
        Reader r;
        reader_open(&r, &CASES[c]);
        Generator *fresh = &r.of[0], *asked = &r.of[1], *copy = &r.of[2];
        for (int count = 1; count <= 9; count += 2) {
            generator_begin(asked, prompt, count, 0);
            for (int round = 0; round < 3; round++) {
                generator_copy(copy, asked);
                generator_begin(fresh, prompt, count, 0);
                for (int i = 0; i < WORDS; i++) {
                    assert_memory_equal(copy->logits, fresh->logits,
                                        sizeof(Real) * (size_t)r.gpt.config.vocabulary);
                    assert_int_equal(copy->forgot, fresh->forgot);
                    generator_add(copy, (i * 5 + round) % 13);
                    generator_add(fresh, (i * 5 + round) % 13);
                }
                assert_true(copy->forgot);
            }
        }
        reader_close(&r);
    }
}

/* A context of 1 to 3, with [bos] and without: each token is read, whatever else is forgotten. */
TEST(the_smallest_contexts)
{
    for (int T = 1; T <= 3; T++)
        for (int bos = -1; bos <= 0; bos++) {
            FREED_BY(gpt_free) Gpt gpt = gpt_new(&(GptConfig){SIZES(T, 1, 1, 2, 2, 2, 9)}, T);
            gpt_init(&gpt, 1);
            FREED_BY(kv_cache_free) KvCache cache = kv_cache_new(&gpt.config, 1);
            FREED_BY(generator_free) Generator w = generator_new(&gpt, cache, 0, bos);
            const int prompt[] = {0, 3, 4, 5, 6};
            generator_begin(&w, prompt, 5, 0);
            assert_true(w.forgot);
            assert_int_equal(w.tokens[w.count - 1], 6);
            for (int token = 1; token < 9; token++) {
                generator_add(&w, token);
                assert_true(w.count >= 1 && w.count <= T);
                assert_int_equal(w.tokens[w.count - 1], token);
                if (bos >= 0 && T > 1)
                    assert_int_equal(w.tokens[0], bos);
            }
        }
}

/* ---- Sampling ---- */

enum { V = 9, DRAWS = 20000 };
static const Real LOGITS[V] = {0.5f, -1, 2, 0.5f, 1.25f, -30, 1.75f, 0, 0.5f};

/* The distribution by its definition, token by token. */
static void exact(double *p, double temperature, int top_k, double top_p)
{
    int order[V], kept = 0;
    double reached = 0;
    for (int j = 0; j < V; j++) {
        order[j] = j;
        p[j] = exp((double)LOGITS[j] / temperature);
    }
    for (int i = 1; i < V; i++) /* most probable first; equal ones keep their order */
        for (int j = i; j > 0 && p[order[j]] > p[order[j - 1]]; j--) {
            const int other = order[j];
            order[j] = order[j - 1];
            order[j - 1] = other;
        }
    const int most = top_k && top_k < V ? top_k : V;
    double of_most = 0;
    for (int i = 0; i < most; i++)
        of_most += p[order[i]];
    while (kept < most && (kept == 0 || reached / of_most < top_p))
        reached += p[order[kept++]];
    for (int i = 0; i < V; i++)
        p[order[i]] = i < kept ? p[order[i]] / reached : 0;
}

TEST(samples_follow_the_exact_distribution)
{
    static const struct {
        double temperature;
        int top_k;
        double top_p;
    } cases[] = {{1, 0, 1},     {0.5, 0, 1},     {3, 0, 1},   {1, 1, 1},     {1, 4, 1},
                 {2, 5, 1},     {1, 0, 0.5},     {1, 0, 0.9}, {1, 0, 0.001}, {2, 0, 0.75},
                 {1.5, 6, 0.8}, {0.7, 20, 0.95}, {1, 0, 0},   {1, 0, 1e-17}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double wanted[V], p[V], squares = 0;
        Ranked ranked[V];
        int seen[V] = {0}, freedom = -1;
        exact(wanted, cases[c].temperature, cases[c].top_k, cases[c].top_p);
        sampler_probabilities(p, ranked, LOGITS, V,
                              (Sampling){cases[c].temperature, cases[c].top_p, cases[c].top_k});
        for (int i = 0; i < DRAWS; i++)
            seen[sampler_pick(
                p, V,
                random_uniform(7, RANDOM_SAMPLE, (Random4){{(uint32_t)i, (uint32_t)c, 0, 0}}))]++;
        for (int j = 0; j < V; j++) {
            assert_close_one("probability", p[j], wanted[j], 1e-12);
            const double expected = wanted[j] * DRAWS;
            if (wanted[j] == 0)
                assert_int_equal(seen[j], 0);
            else if (expected > 1) {
                squares += (seen[j] - expected) * (seen[j] - expected) / expected;
                freedom++;
            }
        }
        /* Chi-squared with up to 8 degrees of freedom exceeds 26.1 once in a thousand times; with
         * 0, if one token has all probability, nothing can vary. */
        assert_true(squares <= (freedom ? 26.1 : 0));
    }
}

TEST(temperature_0_takes_the_best)
{
    double p[V];
    Ranked ranked[V];
    sampler_probabilities(p, ranked, LOGITS, V, (Sampling){.temperature = 0, .top_p = 1});
    assert_int_equal(sampler_pick(p, V, 0), 2);
    assert_int_equal(sampler_pick(p, V, 0.999999), 2);
    const double none[] = {0.25, 0.25, 0}; /* a sum below 1, as rounding may leave it */
    assert_int_equal(sampler_pick(none, 3, 0.75), 1);
}

/* A large vocabulary with many equal tokens: top-p keeps the most probable that together reach p,
 * and no more. */
TEST(top_p_keeps_no_more_than_it_needs)
{
    enum { MANY = 5000 };
    static const double tops[] = {0.001, 0.3, 0.9, 0.95, 0.999};
    Real *logits = malloc(MANY * sizeof *logits);
    double *p = malloc(MANY * sizeof *p), *all = malloc(MANY * sizeof *all);
    Ranked *ranked = malloc(MANY * sizeof *ranked), *best = malloc(MANY * sizeof *best);
    for (int spread = 0; spread < 4; spread++) {
        fill(logits, MANY, spread);
        for (int j = 0; j < MANY; j++) /* all equal, rounded, or peaked */
            logits[j] = spread == 1 ? (Real)round((double)logits[j]) : logits[j] * (Real)spread * 3;
        softmax_of(all, logits, MANY, 1);
        rank_best(best, MANY, all, MANY);
        for (size_t t = 0; t < sizeof tops / sizeof *tops; t++) {
            double reached = 0;
            int count = 0;
            while (reached < tops[t])
                reached += best[count++].value;
            sampler_probabilities(p, ranked, logits, MANY, (Sampling){1, tops[t], 0});
            for (int i = 0; i < MANY; i++) /* the last may be in or out, by rounding */
                if (i != count - 1)
                    assert_int_equal(p[best[i].id] > 0, i < count);
        }
    }
    free(logits), free(p), free(all), free(ranked), free(best);
}

TEST(ranking_agrees_with_its_definition)
{
    enum { COUNT = 300 };
    double values[COUNT];
    Ranked best[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = (i * 37) % 50;
    for (int k = 0; k <= COUNT + 1; k += 7) {
        const int found = rank_best(best, k, values, COUNT);
        assert_int_equal(found, k < COUNT ? k : COUNT);
        for (int i = 0; i < found; i++) {
            int before = 0; /* how many come before it, by definition */
            for (int j = 0; j < COUNT; j++)
                before +=
                    values[j] > best[i].value || (values[j] == best[i].value && j < best[i].id);
            assert_int_equal(before, i);
        }
    }
}

/* ---- Beam search ---- */

/* ln p of each token after some, by the penalized logits if repetition is penalized. */
static void next_scores(double *next, Gpt *gpt, const int *tokens, int count, int prefix,
                        const BeamRules *rules)
{
    const Real factor = (Real)rules->penalty;
    Real logits[16], penalized[16];
    read_at_once(gpt, tokens, count, prefix, logits);
    memcpy(penalized, logits, sizeof logits);
    for (int i = 0; i < count && rules->seen; i++) {
        const Real logit = logits[tokens[i]];
        penalized[tokens[i]] = logit > 0 ? logit / factor : logit * factor;
    }
    log_softmax_of(next, penalized, gpt->config.vocabulary);
}

/* Finds all continuations of up to `most` tokens by reading each of their beginnings at once. */
static void continue_all(Gpt *gpt, int *tokens, int count, int prefix, int most,
                         const BeamRules *rules, double log_p, double *found, int *number)
{
    const int words = gpt->config.vocabulary;
    if (most == 0) {
        found[(*number)++] = log_p;
        return;
    }
    double next[16];
    next_scores(next, gpt, tokens, count, prefix, rules);
    for (int j = 0; j < words; j++) {
        tokens[count] = j;
        if (rules->barred && rules->barred[j])
            continue;
        if (j == rules->eos || (rules->ends && rules->ends(&j, 1, NULL)))
            found[(*number)++] = log_p + next[j];
        else
            continue_all(gpt, tokens, count + 1, prefix, most - 1, rules, log_p + next[j], found,
                         number);
    }
}

static double log_probability_of(Gpt *gpt, const int *prompt, int count, int prefix,
                                 const BeamRules *rules, const Hypothesis *h)
{
    int tokens[8];
    double next[16], log_p = 0;
    memcpy(tokens, prompt, sizeof *tokens * (size_t)count);
    for (int i = 0; i < h->count; i++) {
        next_scores(next, gpt, tokens, count + i, prefix, rules);
        log_p += next[h->tokens[i]];
        tokens[count + i] = h->tokens[i];
    }
    return log_p;
}

/* Each logarithm comes from float32 logits, after a few dozen operations that each round by up to
 * 6e-8 of a number's size: a sum of them is known to a millionth of its size. */
static double tolerance(double log_p)
{
    return 1e-6 * fmax(1, fabs(log_p));
}

static int largest_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* What ends a continuation in a test, if not [eos]. */
static bool is_two(const int *tokens, int count, void *judge)
{
    (void)judge;
    return tokens[count - 1] == 2;
}

/* A beam that is wide enough finds all continuations, the best first. */
static void check_beam(BeamRules rules, int prefix)
{
    FREED_BY(gpt_free) Gpt gpt = gpt_new(&(GptConfig){SIZES(6, 2, 2, 3, 6, 5, 5)}, 6);
    gpt_init(&gpt, 2);
    gpt.mixture = BY_HISTORY;
    for (size_t i = 0; i < gpt.size; i++)
        gpt.weight_block[i] *= 4; /* so that the probabilities differ */
    const int prompt[] = {0, 3};
    const BeamRules plain = {.width = 0};
    double all[1024];
    int tokens[8] = {0, 3}, number = 0, count;
    continue_all(&gpt, tokens, 2, prefix, rules.most, &rules, 0, all, &number);
    qsort(all, (size_t)number, sizeof *all, largest_first);

    FREED_BY(kv_cache_free) KvCache cache = kv_cache_new(&gpt.config, rules.width);
    FREED_BY(generator_free) Generator w = generator_new(&gpt, cache, 0, -1);
    generator_begin(&w, prompt, 2, prefix);
    Hypothesis *found = beam_search(&gpt, &cache, w.logits, 2, rules, &count);
    const bool wide = rules.width >= number;
    assert_int_equal(count, wide ? number : rules.width);
    for (int i = 0; i < count; i++) {
        /* Each of its tokens rounds. */
        const double near = found[i].count * tolerance(found[i].score);
        const int last = found[i].tokens[found[i].count - 1];
        assert_close_one("its own log probability", found[i].log_probability,
                         log_probability_of(&gpt, prompt, 2, prefix, &plain, &found[i]), near);
        assert_close_one("its score", found[i].score,
                         log_probability_of(&gpt, prompt, 2, prefix, &rules, &found[i]), near);
        assert_int_equal(found[i].ended,
                         last == rules.eos || (rules.ends && is_two(&last, 1, NULL)));
        assert_true(found[i].ended || found[i].count == rules.most);
        if (wide)
            assert_close_one("the best of all continuations", found[i].score, all[i], near);
        else
            assert_true(found[i].score <= all[i] + near);
        for (int j = 0; j < i; j++)
            assert_true(
                found[i].count != found[j].count ||
                memcmp(found[i].tokens, found[j].tokens, sizeof *tokens * (size_t)found[i].count));
    }
    beam_free(found, count);
}

TEST(beams_find_the_best_continuations)
{
    static const bool some[] = {true, false, false, true, false};
    static const BeamRules rules[] = {
        {.width = 625, .eos = -1}, /* 5⁴ */
        {.width = 341, .eos = 1},  /* 4⁴, and 85 that ended */
        {.width = 700, .eos = 1},
        {.width = 100, .eos = 1, .barred = some},
        {.width = 1, .eos = 1},
        {.width = 3, .eos = 1},
        {.width = 3, .eos = -1, .barred = some},
        {.width = 341, .eos = -1, .ends = is_two},
        {.width = 161, .eos = 1, .ends = is_two}, /* 3⁴, and 80 */
        {.width = 3, .eos = 1, .ends = is_two},
        {.width = 625, .eos = -1, .seen = some, .penalty = 0.5},
        {.width = 341, .eos = 1, .seen = some, .penalty = 1.75},
        {.width = 3, .eos = 1, .seen = some, .penalty = 3},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int prefix = 0; prefix <= 2; prefix++) {
            BeamRules of = rules[i];
            of.most = 4;
            check_beam(of, prefix);
        }
}
