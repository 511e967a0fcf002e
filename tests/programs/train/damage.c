/* Every file of a tiny run, with its bytes flipped and its end cut off. Of the state, the model and
 * the text: whoever opens the run refuses it in one line, or comes to the very same numbers. A
 * person may edit config.json and the tokenizer's files: with those, the model opens or is refused
 * in one line, and a resumed run refuses every change of what the run is. */
#include <unistd.h>

#include "base/files/file.h"
#include "formats/run/training_text.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"
#include "text/corpus/counts.h"
#include "text/encoder.h"

/* What a job has come to, as one line: what must be the same, and what a person may change. */
static _Noreturn void say(uint64_t checksum, double loss, const char *settings)
{
    fprintf(stderr, "%016llx %a%s\n", (unsigned long long)checksum, loss, settings);
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
    const Vocabulary *words = &model.tokenizer.vocabulary;
    const size_t V = (size_t)words->count;
    size_t *next = calloc(V, sizeof *next);
    const Encoding encoding = prompt_encode(&model.tokenizer, "a test", prompt, strlen(prompt));
    if (encoding.wrong)
        die("%s: %s", (char *)directory, encoding.wrong);
    const int *tokens = encoding.ids, count = encoding.count;
    counts_next(&source.corpus, &model.tokenizer, next, (int)V, tokens, count);
    uint64_t checksum = more(0, next, V * sizeof *next);
    checksum = more(checksum, tokens, (size_t)count * sizeof *tokens);
    for (size_t id = 0; id < V; id++)
        checksum = more(checksum, vocabulary_word(words, (int)id),
                        strlen(vocabulary_word(words, (int)id)));
    const int rows = min_int(count - 1, 3); /* an edited tokenizer may cut the prompt finer */
    const Batch batch = {.rows = rows,
                         .sequences = 1,
                         .start = (const int[]){0, rows},
                         .tokens = tokens,
                         .targets = tokens + 1,
                         .counted = rows};
    say(checksum, gpt_evaluate(&model.gpt, &batch), "");
}

/* As a run goes on: a step more, and all that the next save would hold. */
static void go_on(void *directory)
{
    Trainer t = {.texts = (char *[]){NULL},
                 .plan.settings.resume = format_text("%s", (char *)directory)};
    trainer_open(&t);
    trainer_step(&t);
    const size_t size = t.gpt.size * sizeof(Real);
    const double progress[] = {
        (double)t.progress.step,       (double)t.progress.epoch,
        (double)t.progress.next,       (double)t.progress.worse,
        (double)t.progress.best_step,  t.progress.best_loss,
        (double)t.plan.settings.steps, schedule_rate(&t.plan.schedule, t.progress.step)};
    uint64_t checksum = more(more(0, t.gpt.weight_block, size), t.best, size);
    checksum = more(more(checksum, t.optimizer.m, size), t.optimizer.v, size);
    char *changeable = format_text(" ");
    EACH_FIELD (field, SETTINGS)
        if (field->life == LIFE_MAY_CHANGE)
            changeable = format_text("%s %s", changeable, field_text(field, &t.plan.settings));
    say(more(checksum, progress, sizeof progress), t.progress.loss, changeable);
}

/* ---- Damage ---- */

static const struct {
    const char *name;
    bool used, gone_on; /* by which of the two it is read */
    bool editable;
} FILES[] = {{"config.json", true, true, true},           {"model.safetensors", true, false, false},
             {"state.safetensors", false, true, false},   {"tokenizer.json", true, true, true},
             {"tokenizer_config.json", true, true, true}, {"text.txt", true, true, false},
             {"receipt.txt", false, true, true},          {"log.csv", false, true, true}};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES };

typedef struct {
    const char *text, *run;
    ChildEnd used, gone_on; /* of the whole one */
    size_t flipped, cut, refused, edited;
} Damage;

/* Whether a resumed run comes to the same as the whole one, after a warning about its kernel, its
 * log or its receipt; or has other settings than it, which a resumed run may. */
static bool is_edited(const ChildEnd *ending, const ChildEnd *whole)
{
    const char *warned = strchr(ending->said, '\n'), *line = ending->said;
    if (ending->lines == 2 &&
        (strstr(line, "kernel") || strstr(line, "log.csv") || strstr(line, "receipt.txt")))
        line = warned + 1;
    const char *settings = strstr(line, "  "), *others = strstr(whole->said, "  ");
    return !strcmp(line, whole->said) || (settings && strcmp(settings, others) != 0);
}

static void try_one(Damage *damage, Job *job, const ChildEnd *whole, int file, const char *what)
{
    const ChildEnd ending = run_apart(job, (void *)damage->run);
    /* Edited settings that do not go together are a usage error. */
    const bool misused = FILES[file].editable && ending.status == 64 && ending.lines == 1;
    const bool refused = misused || (has_died(&ending) && strstr(ending.said, damage->run));
    const bool same = !strcmp(ending.said, whole->said),
               finished = !ending.signal && !ending.status;
    const bool edited =
        FILES[file].editable && (job == use_it ? ending.lines == 1 : is_edited(&ending, whole));
    if (!refused && !(finished && (same || edited)))
        fail_msg("%s: signal %d, status %d, %d lines: %s", what, ending.signal, ending.status,
                 ending.lines, ending.said);
    damage->refused += refused;
    damage->edited += !refused && !same;
}

static void try_bytes(Damage *damage, int file, const char *bytes, size_t size, const char *how,
                      size_t where)
{
    char *what = format_text("%s %s %zu", FILES[file].name, how, where);
    free(scratch_write(damage->run, FILES[file].name, bytes, size));
    if (FILES[file].used)
        try_one(damage, use_it, &damage->used, file, what);
    if (FILES[file].gone_on)
        try_one(damage, go_on, &damage->gone_on, file, what);
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
    tiny_run(damage->run, damage->text, (const char *const[]){"attend", "2", NULL});
}

/* PULGA_EVERY=1 takes each byte, as make torture does. */
TEST(every_file_that_is_damaged_is_refused_or_changes_nothing)
{
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
           "%zu times read as an edit, else nothing changed\n",
           FILE_COUNT, damage.flipped, damage.cut, damage.refused, damage.edited);
    assert_true(damage.refused > damage.flipped);
    const ChildEnd again = run_apart(use_it, run);
    assert_string_equal(again.said, damage.used.said);
    free(path);
    free(run);
    scratch_remove(folder);
}
