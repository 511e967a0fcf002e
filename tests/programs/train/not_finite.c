/* not_finite.c: numbers that are no longer finite end a run in one line, with the step, the first
 * wrong number and what to do, before they are saved. */

#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"

static const char TEXT[] = "un perro come\nel gato (negro) salta\nla cuerda\n";

/* A run of a step a sequence, some of whose weights are changed before the first. */
typedef struct {
    const char *options[10]; /* beyond those of run() */
    struct {
        const char *tensor;
        const char *word; /* only the row of this one, if not NULL */
        double by, plus;  /* a weight w becomes by · w + plus */
    } spoil[4];
    int steps;
    bool save; /* after the steps; else it is evaluated */
} Case;

/* The tensor and the word must exist. */
static void spoil(Trainer *t, const char *name, const char *word, double by, double plus)
{
    const Tensor *tensor = t->gpt.tensors;
    while (strcmp(tensor->name, name) != 0)
        tensor++;
    Real *at = t->gpt.weight_block + tensor->offset;
    if (word)
        at = ROW(at, vocabulary_find(&t->tokenizer.vocabulary, word, strlen(word)), tensor->cols);
    for (size_t n = 0; n < (word ? (size_t)tensor->cols : tensor_size(tensor)); n++)
        at[n] = (Real)((double)at[n] * by + plus);
}

/* Everything happens in the process that may end: the text, the run in its folder, the steps. */
static void run(void *context)
{
    const Case *c = context;
    Trainer trainer;
    char *folder = scratch_new(), *text = scratch_write(folder, "a.txt", TEXT, sizeof TEXT - 1);
    char *out = format_text("%s/run", folder);
    const char *const sizes[] = {"layers",   "2",        "heads",  "2", "width",   "8",
                                 "hidden",   "16",       "steps",  "9", "batch",   "1",
                                 "schedule", "constant", "warmup", "0", "threads", "1",
                                 "out",      out,        NULL};
    tiny_open(&trainer, (char *[]){text, NULL}, sizes, c->options);
    for (int i = 0; c->spoil[i].tensor; i++)
        spoil(&trainer, c->spoil[i].tensor, c->spoil[i].word, c->spoil[i].by, c->spoil[i].plus);
    for (int i = 0; i < c->steps; i++)
        trainer_step(&trainer);
    if (c->save)
        trainer_save(&trainer);
    else
        trainer_evaluate(&trainer);
    trainer_close(&trainer);
    free(out);
    free(text);
    scratch_remove(folder);
}

TEST(large_numbers_that_stay_finite_do_not_end_a_run)
{
    Case plain = {.steps = 6};
    Case large = {.spoil = {{"wte.weight", NULL, 1e9}}, .steps = 3};
    Case clipped = {
        .spoil = {{"h.1.mlp.c_fc.weight", NULL, 1e-25}, {"h.1.mlp.c_proj.weight", NULL, 1e25}},
        .steps = 1};
    run(&plain);
    run(&large);
    run(&clipped);
}

TEST(a_loss_that_is_not_finite_ends_the_run)
{
    Case c = {.options = {"untied", "on"}, .spoil = {{"wte.weight", "gato", 0, 3e38}}, .steps = 3};
    /* The row is finite, but layer norm cannot sum it. */
    assert_dies(run, &c, "step ", ": the loss is not finite: in the gradient, number ",
                "run keeps its last save; try a smaller --lr");
    c.spoil[0].by = 1e39, c.spoil[0].plus = 0;
    c.options[2] = "batch", c.options[3] = "3";
    assert_dies(run, &c, "step 1: the loss is not finite: among the weights, number ",
                " of wte.weight is ");
    c.options[4] = "schedule", c.options[5] = "noam";
    assert_dies(run, &c, "step 1: the loss", "; try a smaller --lr-factor");
    c.options[6] = "norm", c.options[7] = "post";
    assert_dies(run, &c, "step 1: the loss is not finite: among the weights, ");
    c.steps = 0; /* in the evaluation */
    assert_dies(run, &c, "step 0: the loss is not finite: among the weights, ");
}

/* The loss is finite, but what it goes back through is not. */
TEST(a_gradient_that_is_not_finite_ends_the_run)
{
    Case c = {.steps = 1,
              .spoil = {{"h.1.mlp.c_fc.weight", NULL, 1e-36},
                        {"h.1.mlp.c_proj.weight", NULL, 1e38},
                        {"ln_f.weight", NULL, 1e3}}};
    assert_dies(run, &c, "step 1: the gradient is too large: in the gradient, number ",
                " of h.1.mlp.c_fc.bias is ", "run keeps its last save");
}

/* Adam would divide by an infinite number from then on. */
TEST(a_gradient_whose_square_no_float_holds_ends_the_run)
{
    Case c = {
        .steps = 1,
        .options = {"clip", "0"},
        .spoil = {{"h.1.mlp.c_fc.weight", NULL, 1e-25}, {"h.1.mlp.c_proj.weight", NULL, 1e25}}};
    assert_dies(run, &c, "step 1: the gradient is too large; /");
}

/* A row that no sentence reads, so that no loss shows it, is multiplied by weight decay. */
TEST(a_weight_that_is_not_finite_is_never_saved)
{
    Case c = {.options = {"untied", "on", "lr", "1e9", "decay", "1e9"},
              .steps = 1,
              .save = true,
              .spoil = {{"wte.weight", "cuerda", 1e21}}};
    assert_dies(run, &c, "step 1: the weights are not finite: among the weights, number ",
                " of wte.weight is ", "run keeps its last save");
}
