/* verify.c: the rows of the receipt say at which steps to compare: the state, the loss if the row
 * has one, the best weights. Before that the files of the run and of its checkpoints are compared
 * with the rows of their steps, which takes no training. */
#include "session.h"

#include <inttypes.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/zip.h"
#include "base/system/system.h"
#include "base/utf8.h"
#include "formats/huggingface/weights.h"
#include "formats/run/checkpoint.h"
#include "formats/run/log.h"
#include "programs/terminal/process.h"

typedef struct {
    Session *session;
    Directory run; /* whose receipt it is, locked; its path is NULL if there is only a receipt */
    char *path;    /* of the receipt */
    Receipt receipt;
    int files;     /* that were compared */
    char *verdict; /* what came of it, in a line */
} Verification;

/* ---- What is to be verified ---- */

/* The run that this path is a checkpoint of, which the caller frees; NULL if it is none. */
static char *run_of_checkpoint(const char *path)
{
    AUTOFREE char *run = system_real_path(path);
    char *slash = run ? strrchr(run, '/') : NULL;
    if (!slash || checkpoint_step(slash + 1) < 0)
        return NULL;
    *slash = 0;
    AUTOFREE char *receipt = format_text("%s/" RECEIPT_FILE, run);
    return access(receipt, F_OK) ? NULL : format_text("%s", run);
}

/* The receipt of a checkpoint is that of its run, which has the rows after it. */
static void find_receipt(Verification *v)
{
    Settings *settings = &v->session->trainer.plan.settings;
    struct stat status;
    AUTOFREE char *parent = run_of_checkpoint(settings->verify);
    const char *path = parent ? parent : settings->verify;
    if (parent && settings->from)
        usage_error("--from does not go with a checkpoint: %s goes on from its own weights",
                    settings->verify);
    if (parent)
        settings->resume = format_text("%s", settings->verify);
    if (zip_is(path))
        v->run = directory_open(path);
    else if (!stat(path, &status) && S_ISDIR(status.st_mode))
        v->run = run_open(path);
    v->path = v->run.path ? path_in(&v->run, RECEIPT_FILE) : format_text("%s", path);
    if (v->run.path && !directory_has(&v->run, RECEIPT_FILE))
        die("%s has no receipt.txt: it is not a run, or an older version wrote it", path);
    /* A receipt that was sent may have got the line ends of Windows. */
    const Bytes file =
        v->run.path ? file_read_in(&v->run, RECEIPT_FILE, true) : file_read(v->path, true);
    AUTOFREE char *bytes = file.bytes, *clean = NULL;
    size_t size;
    if (text_clean("", bytes, file.size, TEXT_AS_IS, &clean, &size) ||
        !receipt_parse(&v->receipt, clean, 0))
        die("%s is damaged, or not a receipt", v->path);
}

/* The value of a key that every receipt has; the caller frees it. */
static char *value_of(const Verification *v, const char *key)
{
    char *value = receipt_value(&v->receipt, key);
    if (!value)
        die("%s has no %s: it is damaged, or another version wrote it", v->path, key);
    return value;
}

static uint64_t checksum_of_key(const Verification *v, const char *key)
{
    AUTOFREE char *value = value_of(v, key);
    return strtoull(value, NULL, 16);
}

/* Everything that a run keeps is decided by its receipt. But a model to start from brings its own
 * vocabulary, and a share of masked tokens is refused if none are masked. */
static void take_settings(const Verification *v, Settings *settings, Decided *decided)
{
    EACH_FIELD (field, SETTINGS) {
        if (field->life == LIFE_CALL)
            continue;
        AUTOFREE char *value = value_of(v, field->name);
        const bool unset = field->kind == FIELD_TEXT && !*value;
        if (!unset && !field_try(field, settings, value))
            die("%s is damaged: its %s is '%.60s'", v->path, field->name, value);
        decided->at[field->offset] = true;
    }
    DECIDED(decided, mask) = settings->objective == OBJECTIVE_MASKED;
    if (settings->from)
        DECIDED(decided, min_count) = DECIDED(decided, max_words) = DECIDED(decided, vocabulary) =
            false;
}

/* Dies if a small text is not the one that the receipt names: before anything is computed from it,
 * which might fail for a reason that has nothing to do with this. */
static void check_small_text(const Verification *v, char *const *texts)
{
    const uint64_t wanted = checksum_of_key(v, "text");
    Source *source = source_open(texts, (SourceRules){.form = TEXT_AS_IS, .large = LARGE_TEXT});
    if (source_text(source))
        check_text(source_name(source), source_checksum(source), wanted, v->path);
    source_free(source);
}

/* Opens the trainer at the beginning of the run. */
static void open_new(Verification *v)
{
    Trainer *t = &v->session->trainer;
    const Settings *settings = &t->plan.settings;
    take_settings(v, &t->plan.settings, &t->decided);
    AUTOFREE char *from = receipt_value(&v->receipt, "from");
    if (from && !settings->from)
        die("%s: the run started from another model; name it with --from DIR", v->path);
    if (strcmp(t->texts[0], "-") != 0)
        check_small_text(v, t->texts);
    trainer_open(t);
    AUTOFREE char *own = receipt_value(&t->receipt, "from");
    if (own && (!from || strcmp(own, from) != 0))
        die("the run did not start from the model in %s, says %s", settings->from, v->path);
}

/* Dies if the run that was opened is not the receipt's, or if the receipt begins later. */
static void check_identity(const Verification *v)
{
    const Trainer *t = &v->session->trainer;
    AUTOFREE char *begins = receipt_value(&v->receipt, "begins-after");
    check_text(t->text_name, t->origin.text, checksum_of_key(v, "text"), v->path);
    if (checksum_of_key(v, "identity") != t->origin.run)
        die("%s does not belong to its text and settings: it was changed, or another version makes "
            "other tokens of the text",
            v->path);
    if (begins && t->progress.step < strtoll(begins, NULL, 10))
        die("%s begins after step %s: only a later checkpoint can be verified", v->path, begins);
}

/* Another version or, in bfloat16, another kernel may compute other bits. */
static void note_version(const Verification *v)
{
    const Screen *screen = &v->session->screen;
    AUTOFREE char *version = value_of(v, "version"), *kernel = receipt_value(&v->receipt, "kernel");
    if (strcmp(version, PULGA_VERSION) != 0)
        screen_paragraph(screen, "note",
                         "version %s wrote the receipt, this is %s: another version may compute "
                         "other bits from the same text and settings",
                         version, PULGA_VERSION);
    if (kernel && strcmp(kernel, matrix_kernel_name()) != 0)
        screen_paragraph(screen, "note",
                         "the kernel %s computed this run in bfloat16, this is %s, whose sums "
                         "differ in the last bits",
                         kernel, matrix_kernel_name());
}

/* ---- The files ---- */

/* The last row up to this step, or NULL. */
static const ReceiptRow *row_at(const Verification *v, int64_t step)
{
    const ReceiptRow *last = NULL;
    for (ptrdiff_t i = 0; i < arrlen(v->receipt.rows); i++)
        if (v->receipt.rows[i].step <= step)
            last = &v->receipt.rows[i];
    return last;
}

/* Counts a file that was compared. If it is not what the receipt says, the verdict names it. */
static bool check(Verification *v, const Directory *directory, const char *file, bool same)
{
    AUTOFREE char *path = path_in(directory, file);
    v->files++;
    if (!same)
        v->verdict =
            format_text(_("differs: %s does not have the weights that the receipt says"), path);
    return same;
}

/* Compares the state and the model that a run or a checkpoint holds. The state's own numbers have a
 * row only if it was saved at a step that has one; the best weights are those of the last row,
 * unless nothing was evaluated yet. `room` has the trainer's sizes. */
static bool check_saved(Verification *v, const Directory *directory, Trainer *room)
{
    Progress p = {.step = INT64_MAX};
    const bool has_state = directory_has(directory, STATE_FILE);
    size_t log_size;
    if (has_state)
        p = state_read(directory, &room->gpt, &room->optimizer, room->best, &log_size,
                       v->session->trainer.origin.run);
    const ReceiptRow *row = row_at(v, p.step);
    const bool there = row && row->step == p.step, has_best = row && (there || !isinf(p.best_loss));
    const bool same = (!there || state_checksum(&room->gpt, &room->optimizer) == row->state) &&
                      (!has_best || weights_checksum(&room->gpt, room->best) == row->model);
    if (has_state && has_best && !check(v, directory, STATE_FILE, same))
        return false;
    if (!has_best || !directory_has(directory, MODEL_FILE))
        return true;
    /* A run that was stopped between two evaluations may have its last weights there. */
    const uint64_t last =
        has_state ? weights_checksum(&room->gpt, trainer_evaluated_weights(room)) : row->model;
    SafeTensors file = weights_open(directory);
    weights_read_model(&file, &room->gpt);
    safetensors_close(&file);
    const uint64_t model = weights_checksum(&room->gpt, room->gpt.weight_block);
    return check(v, directory, MODEL_FILE, model == row->model || model == last);
}

/* The run itself, then its checkpoints. */
static bool check_files(Verification *v)
{
    const Trainer *t = &v->session->trainer;
    Trainer room = {.gpt = gpt_new(&t->plan.shape, 1)};
    room.optimizer = optimizer_new(&room.gpt, t->optimizer.kind, t->optimizer.average);
    room.best = memory_new(room.gpt.size, sizeof *room.best, "the best weights");
    bool same = check_saved(v, &v->run, &room);
    int64_t *steps = checkpoint_steps(&v->run);
    for (ptrdiff_t i = 0; i < arrlen(steps) && same; i++) {
        AUTOFREE char *path = checkpoint_path(&v->run, steps[i]);
        Directory checkpoint = directory_open(path);
        same = check_saved(v, &checkpoint, &room);
        directory_close(&checkpoint);
    }
    arrfree(steps);
    free(room.best);
    optimizer_free(&room.optimizer);
    gpt_free(&room.gpt);
    if (same)
        screen_paragraph(&v->session->screen, "stored", "%s with the weights that the receipt says",
                         plural((size_t)v->files, "file", "files").text);
    return same;
}

/* ---- Training again ---- */

/* The last step to compare: that of the next checkpoint if it begins at one, or of the last row. */
static int64_t last_step(const Verification *v, bool from_checkpoint)
{
    int64_t last = arrlen(v->receipt.rows) ? arrlast(v->receipt.rows).step : -1;
    int64_t *steps = from_checkpoint ? checkpoint_steps(&v->run) : NULL;
    for (ptrdiff_t i = 0; i < arrlen(steps); i++)
        if (steps[i] > v->session->trainer.progress.step)
            last = min_int64(last, steps[i]);
    arrfree(steps);
    return last;
}

/* What differs, NULL if nothing does. */
static const char *difference(const ReceiptRow *row, const ReceiptRow *own)
{
    if (row->state != own->state)
        return N_("the weights, or what the optimizer remembers");
    if (!isnan(own->loss) && row->loss != own->loss)
        return N_("the evaluated loss");
    if (row->of != own->of && !row->replanned)
        return N_("how many steps are planned");
    return row->model != own->model ? N_("the best weights") : NULL;
}

/* Takes the steps up to a row, evaluates if the row has a loss, and returns what differs. A
 * checkpoint may have evaluated already. */
static const char *reach(Session *session, const ReceiptRow *row)
{
    Trainer *t = &session->trainer;
    double evaluated = NAN;
    while (t->progress.step < row->step) {
        session_take_step(session);
        const LogEntry entry = session_entry(session, NAN);
        report_step(&session->report, &entry);
    }
    if (!isnan(row->loss) && !t->progress.evaluated)
        evaluated = session_evaluate(session);
    const LogEntry entry = session_entry(session, evaluated);
    report_row(&session->report, &entry, NULL);
    const ReceiptRow own = trainer_receipt_row(t, evaluated);
    return difference(row, &own);
}

/* Changes the number of steps that the run is planned for. */
static void plan_steps(Trainer *t, const ReceiptRow *row)
{
    if (row)
        t->plan.schedule.horizon = t->plan.settings.steps = (int)row->of;
}

static bool train_again(Verification *v, bool from_checkpoint)
{
    Session *session = v->session;
    const int64_t first = session->trainer.progress.step, last = last_step(v, from_checkpoint);
    int64_t before = -1;
    const char *what = NULL;
    size_t rows = 0;
    session_start(session, last);
    if (from_checkpoint)
        plan_steps(&session->trainer, row_at(v, first));
    for (ptrdiff_t i = 0; i < arrlen(v->receipt.rows) && !what; i++) {
        const ReceiptRow *row = &v->receipt.rows[i];
        if (row->step < first || row->step > last)
            continue;
        what = reach(session, row);
        plan_steps(&session->trainer, row);
        if (!what) {
            before = row->step;
            rows++;
        }
    }
    report_end(&session->report);
    const int64_t step = session->trainer.progress.step;
    if (what && before < 0)
        v->verdict = format_text(_("differs at step %" PRId64 ": %s"), step, translated(what));
    else if (what)
        v->verdict = format_text(_("differs between step %" PRId64 " and step %" PRId64 ": %s"),
                                 before, step, translated(what));
    else if (!rows)
        die("%s has no row from step %" PRId64 " on: there is nothing to compare", v->path, first);
    else
        v->verdict =
            format_text(_("the same, bit by bit: %s, from step %" PRId64 " to step %" PRId64),
                        plural(rows, "row", "rows").text, first, last);
    return !what;
}

/* ---- One run ---- */

/* The path of the copy of the text that the run holds, which the caller frees, or NULL. Dies if it
 * is another text. That in a .zip is read from its descriptor. */
static char *copy_of_text(const Verification *v)
{
    size_t size;
    if (!v->run.path || !directory_has(&v->run, TEXT_FILE))
        return NULL;
    AUTOFREE char *path = path_in(&v->run, TEXT_FILE);
    const Bytes text = file_read_in(&v->run, TEXT_FILE, true);
    check_text(path, checksum_of(text.bytes, text.size), checksum_of_key(v, "text"), v->path);
    free(text.bytes);
    return v->run.zip ? format_text("/dev/fd/%d", file_open_in(&v->run, TEXT_FILE, &size))
                      : format_text("%s", path);
}

/* Verifies settings.verify and prints what is found. If `columns` is not 0, several runs are
 * verified: then it prints one line, the run's name in that many columns and the verdict. */
static bool verify_run(Session *session, int columns)
{
    Trainer *t = &session->trainer;
    Settings *settings = &t->plan.settings;
    Verification v = {.session = session};
    FILE *lines = columns ? fdopen(system_duplicate(STDOUT_FILENO), "w") : NULL;
    if (columns && (!lines || !freopen("/dev/null", "w", stdout)))
        die("cannot write to standard output");
    process_start_threads(settings->threads);
    find_receipt(&v);
    AUTOFREE char *own = *t->texts || settings->resume ? NULL : copy_of_text(&v);
    char *copy[] = {own, NULL};
    if (settings->resume) {
        settings->text = *t->texts ? format_text("%s", *t->texts) : NULL;
        trainer_open(t);
    } else {
        if (!*t->texts && !own)
            die("%s holds no copy of the text; name it: train --verify %s TEXT", settings->verify,
                settings->verify);
        t->texts = *t->texts ? t->texts : copy;
        open_new(&v);
    }
    screen_status(&session->screen, "");
    check_identity(&v);
    screen_paragraph(&session->screen, "receipt", "%s: %s", v.path,
                     plural(arrlenu(v.receipt.rows), "row", "rows").text);
    note_version(&v);
    const bool same = (!v.run.path || check_files(&v)) && train_again(&v, settings->resume);
    screen_paragraph(&session->screen, "verify", "%s", v.verdict);
    if (lines) {
        AUTOFREE char *name = display_text(settings->verify);
        put_fitted(lines, name, columns, false);
        fprintf(lines, "  %s\n", v.verdict);
        fclose(lines);
    }
    if (!same)
        note_version(&v);
    receipt_free(&v.receipt);
    free(v.path);
    free(v.verdict);
    if (v.run.path)
        directory_close(&v.run);
    return same;
}

/* ---- Several ---- */

typedef struct {
    Session *session;
    char *run;
    int columns; /* of the longest name */
} Turn;

/* In a process of its own, which may end in an error. */
static bool take_turn(void *turn)
{
    const Turn *own = turn;
    own->session->trainer.plan.settings.verify = own->run;
    return verify_run(own->session, own->columns);
}

static bool is_run(const char *path)
{
    struct stat status;
    return zip_is(path) || (!stat(path, &status) && S_ISDIR(status.st_mode));
}

/* Prints a line for each. */
static bool verify_each(Session *session, char *const *runs, size_t count)
{
    Turn turn = {.session = session};
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        AUTOFREE char *name = display_text(runs[i]);
        turn.columns = max_int(turn.columns, min_int(display_width(name), 60));
    }
    for (size_t i = 0; i < count; i++) {
        turn.run = runs[i];
        same += process_apart(take_turn, &turn);
    }
    screen_paragraph(&session->screen, "verify", "the same, bit by bit: %zu of %zu", same, count);
    return same == count;
}

bool verify(Session *session)
{
    Trainer *t = &session->trainer;
    char **runs = NULL, **texts = NULL;
    arrput(runs, t->plan.settings.verify);
    for (char *const *word = t->texts; *word; word++)
        if (is_run(*word))
            arrput(runs, *word);
        else
            arrput(texts, *word);
    arrput(texts, NULL);
    t->texts = texts;
    if (arrlen(runs) > 1 && !process_has_others())
        usage_error("WebAssembly verifies one run at a time; give each a call of its own");
    const bool several = arrlen(runs) > 1,
               same = several ? verify_each(session, runs, arrlenu(runs)) : verify_run(session, 0);
    if (several)
        fields_free(SETTINGS, &t->plan.settings);
    else
        trainer_close(t);
    arrfree(runs);
    arrfree(texts);
    return same;
}
