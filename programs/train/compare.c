/* compare.c: a run's settings and result are read from its config.json, its losses from its log: so
 * a run that is still being trained can be compared too. */
#include "session.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <strings.h>

#include "base/utf8.h"
#include "formats/huggingface/config.h"
#include "formats/json.h"
#include "formats/run/log.h"
#include "programs/pictures/svg.h"
#include "programs/train/plan/settings.h"

typedef struct {
    char *name; /* as it is shown */
    Config config;
    CurveLine evaluated;
    char *about; /* the settings in which it differs from others: "lr 0.1  seed 2" */
} Run;

/* A LogVisit. */
static void add_evaluation(void *line, const LogEntry *entry)
{
    curve_add(line, entry->step, entry->evaluated);
}

static Run read_run(const char *path)
{
    Directory directory = directory_open(path);
    Run run = {.name = display_text(path), .config = config_read(&directory)};
    if (!config_own(&run.config) || !run.config.text)
        die("%s is not a run: its config.json was not written by train", path);
    log_each(&directory, add_evaluation, &run.evaluated);
    directory_close(&directory);
    return run;
}

/* ---- Settings ---- */

/* A member of "pulga", as the command line has it; of the text, its name. The caller frees it. */
static char *value_of(const Run *run, const char *name)
{
    const cJSON *value = json_get(config_own(&run->config), name);
    if (cJSON_IsObject(value))
        return display_text(json_text(value, "name") ? json_text(value, "name") : run->config.text);
    if (cJSON_IsString(value))
        return display_text(value->valuestring);
    return !value || cJSON_IsNull(value) ? format_text("-") : cJSON_PrintUnformatted(value);
}

/* The text is known by its checksum. */
static bool is_equal(const Run *a, const Run *b, const char *name)
{
    if (!strcmp(name, "text"))
        return !strcmp(a->config.text, b->config.text);
    AUTOFREE char *one = value_of(a, name), *other = value_of(b, name);
    return !strcmp(one, other);
}

/* Whether two runs predict the same part of the same text, in the same tokens. All settings before
 * --counts decide it, but --causal-source. */
static bool are_comparable(const Run *a, const Run *b)
{
    bool equal = is_equal(a, b, "text");
    for (const Field *field = field_next(SETTINGS); field->offset != offsetof(Settings, counts);
         field = field_next(field + 1))
        equal = equal &&
                (field->offset == offsetof(Settings, causal_source) || is_equal(a, b, field->name));
    return equal;
}

/* If a setting is not the same in all runs, adds "name value" to what tells them apart. */
static void add_difference(Run *runs, const char *name)
{
    bool same = true;
    for (ptrdiff_t i = 1; i < arrlen(runs); i++)
        same &= is_equal(&runs[i], &runs[0], name);
    for (ptrdiff_t i = 0; i < arrlen(runs) && !same; i++) {
        AUTOFREE char *value = value_of(&runs[i], name);
        extend_text(&runs[i].about, "%s%s %s", runs[i].about ? "  " : "", name, value);
    }
}

/* ---- The table ---- */

/* run       best, all text     step  parameters  seconds  model             settings
 * runs/a-1        0.412301      300     101,056      0.5  e934a89039392319  seed 1
 *
 * The settings are below the rest if they do not fit beside it. */
static void put_row(const Run *run, int columns, const Run *first, bool beside)
{
    const cJSON *result = json_get(config_own(&run->config), "result");
    /* A call that was killed has left the result of the one before. */
    if (!(json_number(result, "step") >= (double)run->evaluated.last) ||
        isnan(json_number(result, "best_loss")))
        result = NULL;
    const double best = result ? json_number(result, "best_loss") : run->evaluated.minimum;
    const double seconds = json_number(result, "seconds");
    const char *checksum = json_text(result, "checksum");
    char loss[32] = "-", time[32] = "-";
    int count;
    size_t numbers;
    AUTOFREE Tensor *tensors = gpt_tensors(&run->config.shape, &count, &numbers);
    if (result || run->evaluated.wide)
        snprintf(loss, sizeof loss, "%.6f", best);
    if (!isnan(seconds))
        snprintf(time, sizeof time, "%.1f", seconds);
    put_fitted(stdout, run->name, columns, false);
    printf("  %14s%s %7" PRId64 "  %10s  %7s  %s", loss, are_comparable(first, run) ? " " : "*",
           result ? (int64_t)json_number(result, "best_step") : run->evaluated.best,
           thousands(gpt_parameters(tensors, count)).text, time,
           checksum ? checksum : "-               ");
    if (!run->about || beside) {
        printf("%s%s\n", run->about ? "  " : "", run->about ? run->about : "");
        return;
    }
    AUTOFREE char *about = format_text("%s", run->about);
    printf("\n    ");
    screen_wrap(about, 4, screen_width());
}

static void put_table(const Run *runs, const Screen *screen)
{
    int columns = display_width(_("run")), about = 0;
    const cJSON *own = config_own(&runs->config), *result = json_get(own, "result");
    const bool held_out =
        result ? cJSON_IsTrue(json_get(result, "held_out")) : json_number(own, "val") > 0;
    bool comparable = true;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++) {
        columns = max_int(columns, display_width(runs[i].name));
        about = max_int(about, runs[i].about ? display_width(runs[i].about) : 0);
        comparable &= are_comparable(&runs[0], &runs[i]);
    }
    const bool beside = !screen->terminal || columns + 66 + about < screen_width();
    fputs(screen->bold, stdout);
    put_fitted(stdout, _("run"), columns + 2, false);
    put_fitted(stdout, held_out ? _("best, held-out") : _("best, all text"), 14, true);
    /* translators: the rest of the head of a table; keep the widths */
    printf("%s%s%s\n", _("     step  parameters  seconds  model"),
           about && beside ? _("             settings") : "", screen->plain);
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        put_row(&runs[i], columns, &runs[0], beside);
    if (comparable)
        return;
    AUTOFREE char *note =
        format_text("%s", _("* of another text, other tokens or another part held out than "
                            "the first: these losses cannot be compared"));
    screen_wrap(note, 0, screen_width());
}

/* ---- The picture ---- */

/* Only a picture that Pulga drew is replaced, or an empty file. */
static void check_picture(const char *path)
{
    const size_t length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 4, ".svg") != 0)
        usage_error("--out %s: the picture of --compare is an .svg file", path);
    if (!file_is_ours(path, SVG_BEGIN))
        die("--out %s: this file was not written by train; choose another name, or remove it",
            path);
}

static bool draw(const Run *runs, const char *path)
{
    FileWriter writer;
    CurveNamed *lines = NULL;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        arrput(lines, ((CurveNamed){&runs[i].evaluated, runs[i].name, runs[i].about}));
    const bool begun = file_begin_at(&writer, path);
    if (begun)
        curves_write(writer.stream, lines, (int)arrlen(lines));
    arrfree(lines);
    return begun && file_commit(&writer);
}

bool compare(char *const *paths, const char *picture, const Screen *screen)
{
    Run *runs = NULL;
    if (picture)
        check_picture(picture);
    for (; *paths; paths++)
        arrput(runs, read_run(*paths));
    /* Not the settings from --log-every on, which say what is printed and kept. */
    add_difference(runs, "text");
    for (const Field *field = field_next(SETTINGS); field->offset != offsetof(Settings, log_every);
         field = field_next(field + 1))
        add_difference(runs, field->name);
    put_table(runs, screen);
    const bool good = !picture || draw(runs, picture);
    for (ptrdiff_t i = 0; i < arrlen(runs); i++) {
        free(runs[i].name);
        free(runs[i].about);
        config_free(&runs[i].config);
    }
    arrfree(runs);
    return good;
}
