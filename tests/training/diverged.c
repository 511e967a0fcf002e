/* test_diverged.c: numbers that are no longer finite: each kind is seen in the step that makes it,
 * and told by its place and its sequence. */
#include <stdlib.h>
#include <string.h>

#include "training/trainer.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"

static const char TEXT[] = "un perro come\nel gato (negro) salta\nla cuerda\n";

/* A run of a step a sequence, some of whose weights are changed before the first. */
typedef struct {
    const char *options[5][2]; /* beyond those of run() */
    struct {
        const char *tensor;
        const char *word; /* whose row alone, or NULL */
        double by, plus;  /* a weight w becomes by · w + plus */
    } spoil[4];
    int steps; /* then it is evaluated */
} Case;

static void spoil(Trainer *t, const char *name, const char *word, double by, double plus)
{
    for (int i = 0; i < t->gpt.tensor_count; i++) {
        const Tensor *tensor = &t->gpt.tensors[i];
        Real *at = t->gpt.weight_block + tensor->offset;
        if (strcmp(tensor->name, name))
            continue;
        if (word)
            at = ROW(at, vocabulary_id(&t->vocabulary, word, strlen(word)), tensor->cols);
        for (size_t n = 0; n < (word ? (size_t)tensor->cols : tensor_size(tensor)); n++)
            at[n] = (Real)((double)at[n] * by + plus);
    }
}

/* All in the process that may end: the text, the run in a folder of its own, the steps. */
static void run(void *context)
{
    const Case *c = context;
    static const char *const sizes[][2] = {
        {"layers", "2"},          {"heads", "2"},  {"width", "8"},
        {"hidden", "16"},         {"steps", "9"},  {"batch", "1"},
        {"schedule", "constant"}, {"warmup", "0"}, {"threads", "1"},
    };
    Settings settings = {0};
    Decided decided = {{0}};
    Trainer trainer;
    char *folder = scratch_new(), *text = scratch_write(folder, "a.txt", TEXT, sizeof TEXT - 1);
    char *out = format_text("%s/run", folder);
    fields_preset(SETTINGS, &settings);
    tiny_set(&settings, &decided, "out", out);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        tiny_set(&settings, &decided, sizes[i][0], sizes[i][1]);
    for (int i = 0; c->options[i][0]; i++)
        tiny_set(&settings, &decided, c->options[i][0], c->options[i][1]);
    trainer_open(&trainer, text, &settings, &decided);
    for (int i = 0; c->spoil[i].tensor; i++)
        spoil(&trainer, c->spoil[i].tensor, c->spoil[i].word, c->spoil[i].by, c->spoil[i].plus);
    for (int i = 0; i < c->steps; i++)
        trainer_step(&trainer);
    trainer_evaluate(&trainer);
    trainer_close(&trainer);
    fields_free(SETTINGS, &settings);
    free(out);
    free(text);
    scratch_remove(folder);
}

/* Large, and none of its numbers is lost. */
static void test_finite(void **state)
{
    (void)state;
    Case plain = {.steps = 6};
    Case large = {.spoil = {{"wte.weight", NULL, 1e9}}, .steps = 3};
    Case clipped = {
        .spoil = {{"h.1.mlp.c_fc.weight", NULL, 1e-25}, {"h.1.mlp.c_proj.weight", NULL, 1e25}},
        .steps = 1};
    run(&plain);
    run(&large);
    run(&clipped);
}

/* Untied, a word's row is read with that word alone. An epoch sees each of the three sentences. */
static void test_loss(void **state)
{
    (void)state;
    Case c = {.options = {{"untied", "1"}}, .spoil = {{"wte.weight", "gato", 0, 3e38}}, .steps = 3};
    const char *const told = "the loss of 'el gato (negro) salta' is not finite: number 16 of the "
                             "embeddings is ";
    /* The row is finite, and layer norm cannot sum it, in whatever order. */
    assert_dies(run, &c, "step ",
                "the loss of 'el gato (negro) salta' is not finite: number 0 of "
                "what h.0 leaves is nan; ",
                "run keeps its last save; try a smaller --lr");
    c.spoil[0].by = 1e39, c.spoil[0].plus = 0;
    c.options[1][0] = "batch", c.options[1][1] = "3"; /* one of a step's sequences */
    assert_dies(run, &c, "step 1: ", told);
    c.options[2][0] = "dropout", c.options[2][1] = "0.1";
    assert_dies(run, &c, "step 1: ", told);
    c.options[3][0] = "norm", c.options[3][1] = "post";
    assert_dies(run, &c, "step 1: ", told);
    c.steps = 0; /* in the evaluation */
    assert_dies(run, &c, "step 0: ", told);
}

static void test_layer(void **state)
{
    (void)state;
    Case c = {
        .options = {{"batch", "3"}}, .spoil = {{"h.1.mlp.c_proj.weight", NULL, 1e42}}, .steps = 1};
    assert_dies(run, &c, "step 1: the loss of '", "' is not finite: number 0 of what h.1 leaves");
}

static void test_score(void **state)
{
    (void)state;
    Case c = {.options = {{"untied", "1"}},
              .steps = 1,
              .spoil = {{"ln_f.weight", NULL, 1e20}, {"lm_head.weight", NULL, 1e22}}};
    assert_dies(run, &c, "step 1: the loss of '", "' is not finite: number ",
                " of a row of scores is ");
    c.spoil[0].by = 1e39;
    assert_dies(run, &c, "step 1: the loss of '", " of what the head reads is ");
}

/* A small matrix before a large one: the loss is of this world, backward meets the large one. */
static void test_gradient(void **state)
{
    (void)state;
    Case c = {.steps = 1,
              .spoil = {{"h.1.mlp.c_fc.weight", NULL, 1e-36},
                        {"h.1.mlp.c_proj.weight", NULL, 1e38},
                        {"ln_f.weight", NULL, 1e3}}};
    assert_dies(run, &c, "step 1: the loss is finite, its gradient is not: number ",
                " of h.1.mlp.c_fc.bias is ", "run keeps its last save");
    c = (Case){
        .steps = 1,
        .options = {{"clip", "0"}},
        .spoil = {{"h.1.mlp.c_fc.weight", NULL, 1e-25}, {"h.1.mlp.c_proj.weight", NULL, 1e25}}};
    assert_dies(run, &c, "step 1: the gradient's norm is ", "no float holds its square");
}

/* A row that no sentence of the step reads, first known to be large, then multiplied by decay. */
static void test_weight(void **state)
{
    (void)state;
    Case c = {.options = {{"untied", "1"}, {"lr", "1e9"}, {"decay", "1e9"}},
              .steps = 1,
              .spoil = {{"wte.weight", "cuerda", 1e21}}};
    assert_dies(run, &c, "step 1: a weight is not finite: number ", " of wte.weight is ",
                "run keeps its last save");
    c.options[2][1] = "10"; /* by 1e10, a step later */
    c.steps = 2;
    assert_dies(run, &c, "step 2: a weight is not finite: number ", " of wte.weight is ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite),   cmocka_unit_test(test_loss),
        cmocka_unit_test(test_layer),    cmocka_unit_test(test_score),
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
