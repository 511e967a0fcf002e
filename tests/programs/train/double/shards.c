/* shards.c: a step that is cut into shards is the step taken at once, apart from rounding: its
 * dropout, its hidden tokens and its mean are those of the whole step. In double, rounding is too
 * small to hide a mistake. */

#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"

enum { STEPS = 4 };
static const char LINES[] =
    "un perro come\nel gato (negro) salta\nla cuerda\nel perro\nun gato come\n"
    "el muchacho jugaba con la cuerda\nun perro negro\n";
static const char PAIRS[] = "un perro\ta dog\nel gato negro\tthe black cat\nla cuerda\tthe rope\n"
                            "el gato come\tthe cat eats\nun perro come\ta dog eats\n";

/* What a run on a text has come to: the losses of its steps and of an evaluation, and weights. */
typedef struct {
    double loss[STEPS + 1], norm[STEPS];
    int64_t rows;
    Real *weights;
    size_t size;
} Outcome;

static Outcome run(const char *text, const char *const *options, const char *shards,
                   const char *accumulate)
{
    Trainer trainer;
    Outcome outcome = {.rows = 0};
    char *folder = scratch_new(), *path = scratch_write(folder, "a.txt", text, strlen(text));
    char *out = format_text("%s/run", folder);
    const char *const sizes[] = {
        "layers", "2",  "heads",    "2",        "width",      "8",        "hidden",  "16",
        "steps",  "20", "schedule", "constant", "dropout",    "0.3",      "threads", "1",
        "out",    out,  "shards",   shards,     "accumulate", accumulate, NULL};
    tiny_open(&trainer, (char *[]){path, NULL}, sizes, options);
    for (int i = 0; i < STEPS; i++) {
        outcome.rows += trainer_step(&trainer);
        outcome.loss[i] = trainer.progress.loss;
        outcome.norm[i] = trainer.progress.gradient_norm;
    }
    outcome.loss[STEPS] = trainer_evaluate(&trainer);
    outcome.size = trainer.gpt.size;
    outcome.weights = memory_new(outcome.size, sizeof(Real), "a test");
    memcpy(outcome.weights, trainer.gpt.weight_block, outcome.size * sizeof(Real));
    trainer_close(&trainer);
    free(out);
    free(path);
    scratch_remove(folder);
    return outcome;
}

static void check(const char *text, const char *const *options)
{
    Outcome whole = run(text, options, "1", "1");
    static const char *const cuts[][2] = {{"2", "1"}, {"4", "1"}, {"8", "1"},
                                          {"1", "3"}, {"2", "3"}, {"64", "5"}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        Outcome cut = run(text, options, cuts[i][0], cuts[i][1]);
        assert_int_equal(cut.rows, whole.rows);
        for (int j = 0; j <= STEPS; j++)
            assert_close_one("loss", cut.loss[j], whole.loss[j], 1e-9);
        for (int j = 0; j < STEPS; j++)
            assert_close_one("norm", cut.norm[j], whole.norm[j], 1e-9);
        assert_close("weights", cut.weights, whole.weights, whole.size, 1e-8);
        free(cut.weights);
    }
    free(whole.weights);
}

/* The last step of an epoch has fewer sequences than the others, and than there are shards. */
TEST(shards_make_up_the_step)
{
    check(LINES, (const char *const[]){"batch", "5", NULL});
    check(LINES, (const char *const[]){"batch", "5", "optimizer", "muon", "average", "on", NULL});
    check(LINES, (const char *const[]){"tokens", "char", "sequence", "stream", "context", "6",
                                       "batch", "9", "val", "0.3", NULL});
    check(LINES, (const char *const[]){"objective", "masked", "mask", "0.4", "batch", "6", NULL});
    check(PAIRS, (const char *const[]){"objective", "pairs", "batch", "3", NULL});
}
