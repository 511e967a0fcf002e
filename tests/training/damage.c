/* test_damage.c: every file of a tiny run, its bytes flipped and its end cut off: who opens it
 * refuses in one line, or has the very numbers of the whole one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "training/run/training_text.h"
#include "training/trainer.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"

/* What is open when a job has come to its end, as the one line that it says. */
static _Noreturn void say(uint64_t checksum, double loss)
{
    fprintf(stderr, "%016llx %a\n", (unsigned long long)checksum, loss);
    _exit(0);
}

static uint64_t more(uint64_t checksum, const void *bytes, size_t size)
{
    return 31 * checksum + checksum_of(bytes, size);
}

/* As sample and attend read it: words, weights, and what the text has. */
static void use_it(void *directory)
{
    static const char prompt[] = "el perro come";
    Pretrained model = pretrained_open(directory);
    TrainingText source = training_text_open(&model, NULL);
    const Vocabulary *words = &model.vocabulary;
    const size_t V = (size_t)words->count;
    size_t *next = calloc(V, sizeof *next);
    int *tokens, count;
    char *wrong = pretrained_tokens(&model, "a test", prompt, strlen(prompt), &tokens, &count);
    if (wrong)
        die("%s: %s", (char *)directory, wrong);
    training_text_count_next(&source, next, (int)V, tokens, count);
    uint64_t checksum = more(0, next, V * sizeof *next);
    checksum = more(checksum, tokens, (size_t)count * sizeof *tokens);
    for (size_t id = 0; id < V; id++)
        checksum = more(checksum, words->words[id].key, strlen(words->words[id].key));
    const Batch batch = {.rows = count - 1,
                         .sequences = 1,
                         .start = (const int[]){0, count - 1},
                         .tokens = tokens,
                         .targets = tokens + 1,
                         .positions = (const int[]){0, 1, 2, 3}};
    say(checksum, gpt_evaluate(&model.gpt, &batch, NULL));
}

/* As a run goes on: a step more, and all that the next save would hold. */
static void go_on(void *directory)
{
    Settings settings = {.resume = directory};
    Decided decided = {{0}};
    Trainer t;
    trainer_open(&t, NULL, &settings, &decided);
    const Step step = trainer_step(&t);
    const size_t size = t.gpt.size * sizeof(Real);
    const double progress[] = {(double)t.progress.step,       (double)t.progress.epoch,
                               (double)t.progress.next,       (double)t.progress.worse,
                               (double)t.progress.best_step,  t.progress.best_loss,
                               (double)t.plan.settings.steps, step.rate};
    uint64_t checksum = more(more(0, t.gpt.weight_block, size), t.best, size);
    checksum = more(more(checksum, t.adam.m, size), t.adam.v, size);
    say(more(checksum, progress, sizeof progress), step.loss);
}

/* ---- Damage ---- */

static const struct {
    const char *name;
    bool used, gone_on; /* by which of the two it is read */
} FILES[] = {{"config.json", true, true},
             {"model.safetensors", true, false},
             {"state.safetensors", false, true},
             {"tokenizer.json", true, true},
             {"tokenizer_config.json", true, true},
             {"text.txt", true, true},
             {"log.csv", false, true}};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES };

typedef struct {
    const char *text, *run;
    Ending used, gone_on; /* of the whole one */
    size_t flipped, cut, refused;
} Damage;

static void try_one(Damage *damage, Job *job, const Ending *whole, const char *what)
{
    const Ending ending = run_apart(job, (void *)damage->run);
    const bool refused = has_died(&ending) && strstr(ending.said, damage->run);
    if (!refused && (ending.signal || ending.status || strcmp(ending.said, whole->said)))
        fail_msg("%s: signal %d, status %d, %d lines: %s", what, ending.signal, ending.status,
                 ending.lines, ending.said);
    damage->refused += refused;
}

static void try_bytes(Damage *damage, int file, const char *bytes, size_t size, const char *how,
                      size_t where)
{
    char *what = format_text("%s %s %zu", FILES[file].name, how, where);
    free(scratch_write(damage->run, FILES[file].name, bytes, size));
    if (FILES[file].used)
        try_one(damage, use_it, &damage->used, what);
    if (FILES[file].gone_on)
        try_one(damage, go_on, &damage->gone_on, what);
    free(what);
}

static void damage_file(Damage *damage, int file, size_t every)
{
    char *path = format_text("%s/%s", damage->run, FILES[file].name);
    Bytes kept = file_read(path, false);
    for (size_t i = (size_t)file % every; i < kept.size; i += every) {
        const char right = kept.bytes[i];
        kept.bytes[i] = (char)(right ^ 1 << i / every % 8);
        try_bytes(damage, file, kept.bytes, kept.size, "flipped at", i);
        kept.bytes[i] = (char)~right;
        try_bytes(damage, file, kept.bytes, kept.size, "turned at", i);
        kept.bytes[i] = right;
        damage->flipped++;
        if (!i && !strcmp(FILES[file].name, "log.csv"))
            continue; /* an empty log begins anew, and that is said */
        try_bytes(damage, file, kept.bytes, i, "cut at", i);
        damage->cut++;
    }
    free(scratch_write(damage->run, FILES[file].name, kept.bytes, kept.size));
    free(kept.bytes);
    free(path);
}

/* Apart: a process whose threads have computed has no children that can. */
static void make_run(void *context)
{
    const Damage *damage = context;
    tiny_run(damage->run, damage->text, (const char *const[]){"window", "2", NULL});
}

/* PULGA_EVERY=1 takes each byte, as make torture does. */
static void test_damage(void **state)
{
    (void)state;
    const char *asked = getenv("PULGA_EVERY");
    const size_t every = asked ? strtoul(asked, NULL, 10) : 37;
    static const char text[] = "el perro come\n¿qué come el perro?\n";
    char *folder = scratch_new(), *run = format_text("%s/run", folder);
    char *path = scratch_write(folder, "text.txt", text, strlen(text));
    Damage damage = {.text = path, .run = run};
    assert_int_equal(run_apart(make_run, &damage).status, 0);
    damage.used = run_apart(use_it, run);
    damage.gone_on = run_apart(go_on, run);
    if (damage.used.status || damage.gone_on.status)
        fail_msg("the whole one is refused: %s%s", damage.used.said, damage.gone_on.said);
    for (int file = 0; file < FILE_COUNT; file++)
        damage_file(&damage, file, every ? every : 1);
    printf("damage: %d files, %zu bytes flipped in two ways, %zu lengths cut: %zu times refused, "
           "else nothing changed\n",
           FILE_COUNT, damage.flipped, damage.cut, damage.refused);
    assert_true(damage.refused > damage.flipped);
    const Ending again = run_apart(use_it, run);
    assert_string_equal(again.said, damage.used.said);
    free(path);
    free(run);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
