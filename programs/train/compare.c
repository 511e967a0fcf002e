/* compare.c: a run's settings and result are read from its config.json, its losses from its log: so
 * a run that is still being trained can be compared too. What cannot be read is named, and left
 * out. */
#include "session.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stb/stb_ds.h>
#include <strings.h>

#include "base/utf8.h"
#include "formats/huggingface/config.h"
#include "formats/json.h"
#include "formats/run/log.h"
#include "programs/pictures/svg.h"
#include "programs/terminal/process.h"
#include "programs/train/plan/settings.h"

typedef struct {
    char *name; /* as it is shown */
    Config config;
    CurveLine evaluated;
    double best_loss, seconds; /* NAN if not known */
    double whole_loss;         /* over all that a sample was evaluated of, or as much as was read */
    double whole_tokens;
    double bits; /* per byte: of the whole loss, or of the best */
    int64_t best_step;
    size_t parameters;
    const char *checksum; /* of the best weights, or NULL */
    char *about; /* the settings in which it differs from others: "lr 0.1  seed 2", or NULL */
} Run;

/* A LogVisit. */
static void add_evaluation(void *line, const LogEntry *entry)
{
    curve_add(line, entry->step, entry->evaluated);
}

/* A call that was killed has left the result of the one before. */
static const cJSON *result_of(const Run *run)
{
    const cJSON *result = json_get(config_own(&run->config), "result");
    const bool last = json_number(result, "step") >= (double)run->evaluated.last;
    return last && !isnan(json_number(result, "best_loss")) ? result : NULL;
}

static Run read_run(const char *path)
{
    Directory directory = directory_open(path);
    Run run = {.name = display_text(path), .config = config_read(&directory)};
    if (!config_own(&run.config) || !run.config.text)
        die("%s is not a run: its config.json was not written by train", path);
    log_each(&directory, add_evaluation, &run.evaluated);
    directory_close(&directory);

    const cJSON *result = result_of(&run);
    int count;
    size_t numbers;
    AUTOFREE Tensor *tensors = gpt_tensors(&run.config.shape, ROUNDING_NONE, &count, &numbers);
    run.parameters = gpt_parameters(tensors, count);
    run.best_loss = result               ? json_number(result, "best_loss")
                    : run.evaluated.wide ? run.evaluated.minimum
                                         : (double)NAN;
    run.best_step = result ? (int64_t)json_number(result, "best_step") : run.evaluated.best;
    run.whole_loss = json_number(result, "whole_loss");
    run.whole_tokens = json_number(result, "whole_tokens");
    run.bits = json_number(result, isnan(run.whole_loss) ? "bits_per_byte" : "whole_bits_per_byte");
    run.seconds = json_number(result, "seconds");
    run.checksum = json_text(result, "checksum");
    return run;
}

static void run_free(Run *run)
{
    free(run->name);
    free(run->about);
    config_free(&run->config);
}

/* In a process of its own, which dies of what is wrong with the run. */
static bool try_run(void *path)
{
    Run run = read_run(path);
    run_free(&run);
    return true;
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

/* Whether a setting is the same in all runs. */
static bool is_common(const Run *runs, const char *name)
{
    bool same = true;
    for (ptrdiff_t i = 1; i < arrlen(runs); i++)
        same &= is_equal(&runs[i], &runs[0], name);
    return same;
}

/* The names of those that are not: an stb_ds array. Not the settings from --log-every on, which say
 * what is printed and kept. */
static const char **differences(const Run *runs)
{
    const char **names = NULL;
    if (!is_common(runs, "text"))
        arrput(names, "text");
    for (const Field *field = field_next(SETTINGS); field->offset != offsetof(Settings, log_every);
         field = field_next(field + 1))
        if (!is_common(runs, field->name))
            arrput(names, field->name);
    return names;
}

/* Adds "name value" to what tells the runs apart. */
static void add_difference(Run *runs, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(runs); i++) {
        AUTOFREE char *value = value_of(&runs[i], name);
        extend_text(&runs[i].about, "%s%s %s", runs[i].about ? "  " : "", name, value);
    }
}

/* Losses in bits per byte can be compared even if the runs have different tokens. */
static void add_bits(Run *runs)
{
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        if (!isnan(runs[i].bits))
            extend_text(&runs[i].about, _("%s%.4f bits per byte"), runs[i].about ? "  " : "",
                        runs[i].bits);
}

/* Whether a run has the model of the first one: "-" if that is not known. */
static const char *same_model(const Run *run, const Run *first)
{
    if (!run->checksum || !first->checksum)
        return "-";
    return strcmp(run->checksum, first->checksum) ? _("no") : _("yes");
}

/* ---- The table ---- */

/* Columns of a name, at most, and of the rest but the settings; and of a table in a pipe. */
enum { MOST_NAME = 60, REST = 74, WIDE = 140 };

/* run       best, all text     step  parameters  seconds  model             same   settings
 * runs/a-1        0.412301      300     101,056      0.5  e934a89039392319  yes    seed 1
 *
 * The settings are below the rest if they do not fit beside it. */
static void put_row(const Run *run, int columns, const Run *first, bool beside)
{
    char loss[32] = "-", time[32] = "-";
    if (!isnan(run->best_loss))
        snprintf(loss, sizeof loss, "%.6f", run->best_loss);
    if (!isnan(run->seconds))
        snprintf(time, sizeof time, "%.1f", run->seconds);
    put_fitted(stdout, run->name, columns, false);
    printf("  %14s%s %7" PRId64 "  %10s  %7s  %-16s  ", loss,
           are_comparable(first, run) ? " " : "*", run->best_step, thousands(run->parameters).text,
           time, run->checksum ? run->checksum : "-");
    if (run->about && beside) {
        put_fitted(stdout, same_model(run, first), 5, false);
        printf("  %s\n", run->about);
        return;
    }
    printf("%s\n", same_model(run, first));
    if (!run->about)
        return;
    AUTOFREE char *about = format_text("%s", run->about);
    printf("    ");
    screen_wrap(about, 4, screen_width());
}

/* The losses that can be compared with the first run's: their mean, and their deviation from it for
 * a sample: divided by one less than they are. */
static void put_mean(const Run *runs, const Screen *screen)
{
    double sum = 0, squares = 0;
    size_t count = 0;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        if (!isnan(runs[i].best_loss) && are_comparable(&runs[0], &runs[i])) {
            sum += runs[i].best_loss;
            count++;
        }
    const double mean = sum / (double)count;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        if (!isnan(runs[i].best_loss) && are_comparable(&runs[0], &runs[i]))
            squares += (runs[i].best_loss - mean) * (runs[i].best_loss - mean);
    if (count > 1)
        screen_paragraph(screen, "mean", "%.6f, standard deviation %.6f, of %zu runs", mean,
                         sqrt(squares / (double)(count - 1)), count);
}

static void put_table(const Run *runs, bool differ_by_seed, const Screen *screen)
{
    int columns = display_width(_("run")), about = 0;
    const cJSON *own = config_own(&runs->config), *result = json_get(own, "result");
    const bool held_out =
        result ? cJSON_IsTrue(json_get(result, "held_out")) : json_number(own, "val") > 0;
    bool comparable = true;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++) {
        columns = max_int(columns, min_int(display_width(runs[i].name), MOST_NAME));
        about = max_int(about, runs[i].about ? display_width(runs[i].about) : 0);
        comparable &= are_comparable(&runs[0], &runs[i]);
    }
    const bool beside = columns + REST + about < (screen->terminal ? screen_width() : WIDE);
    fputs(screen->bold, stdout);
    put_fitted(stdout, _("run"), columns + 2, false);
    put_fitted(stdout, held_out ? _("best, held-out") : _("best, all text"), 14, true);
    /* translators: the rest of the head of a table; keep the widths */
    printf("%s%s%s\n", _("     step  parameters  seconds  model             same "),
           about && beside ? _("  settings") : "", screen->plain);
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        put_row(&runs[i], columns, &runs[0], beside);
    if (arrlen(runs) > 1)
        screen_paragraph(screen, "same",
                         "the model of the first run, as the runs note it; train "
                         "--verify checks what a run notes");
    if (differ_by_seed)
        put_mean(runs, screen);
    if (comparable)
        return;
    AUTOFREE char *note =
        format_text("%s", _("* of another text, other tokens or another part held out than "
                            "the first: these losses cannot be compared"));
    screen_wrap(note, 0, screen_width());
}

/* ---- The file ---- */

/* The table as CSV, with a column for each setting that differs. What is not known is empty. */
#define CSV_BEGIN "run,best_loss,comparable,best_step"
static void write_csv(FILE *out, const Run *runs, const char *const *names)
{
    fputs(CSV_BEGIN ",parameters,seconds,model,same_model,bits_per_byte", out);
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        fprintf(out, ",%s", names[i]);
    for (const Run *run = runs; run < runs + arrlen(runs); run++) {
        putc('\n', out);
        put_csv(out, run->name);
        putc(',', out);
        if (!isnan(run->best_loss))
            fprintf(out, "%.9g", run->best_loss);
        fprintf(out, ",%d,%" PRId64 ",%zu,", are_comparable(runs, run), run->best_step,
                run->parameters);
        if (!isnan(run->seconds))
            fprintf(out, "%.1f", run->seconds);
        const bool known = run->checksum && runs->checksum;
        fprintf(out, ",%s,%s", run->checksum ? run->checksum : "",
                !known                                  ? ""
                : strcmp(run->checksum, runs->checksum) ? "0"
                                                        : "1");
        putc(',', out);
        if (!isnan(run->bits))
            fprintf(out, "%.6g", run->bits);
        for (ptrdiff_t i = 0; i < arrlen(names); i++) {
            AUTOFREE char *value = value_of(run, names[i]);
            putc(',', out);
            put_csv(out, value);
        }
    }
    putc('\n', out);
}

static void write_picture(FILE *out, const Run *runs)
{
    CurveNamed *lines = NULL;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        arrput(lines, ((CurveNamed){&runs[i].evaluated, runs[i].name, runs[i].about}));
    curves_write(out, lines, (int)arrlen(lines));
    arrfree(lines);
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && !strcasecmp(path + length - size, ending);
}

/* Standard output is called as attend calls it. */
static bool is_output(const char *path)
{
    return path && !strncmp(path, "-.", 2);
}

/* Only a file that Pulga wrote is replaced, or an empty one. */
static void check_file(const char *path)
{
    const bool csv = ends_with(path, ".csv");
    if (!csv && !ends_with(path, ".svg"))
        usage_error("--out %s: --compare writes an .svg file, a picture, or a .csv file", path);
    if (!is_output(path) && !file_is_ours(path, csv ? CSV_BEGIN : SVG_BEGIN))
        die("--out %s: this file was not written by train; choose another name, or remove it",
            path);
}

static bool write_file(const Run *runs, const char *const *names, const char *path)
{
    FileWriter writer = {.stream = stdout};
    if (!is_output(path) && !file_begin_at(&writer, path))
        return false;
    if (ends_with(path, ".csv"))
        write_csv(writer.stream, runs, names);
    else
        write_picture(writer.stream, runs);
    return is_output(path) || file_commit(&writer);
}

/* Losses over as many tokens of the whole part say more than those of a sample. */
static void prefer_whole(Run *runs)
{
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        if (!(runs[i].whole_tokens == runs->whole_tokens))
            return;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        runs[i].best_loss = runs[i].whole_loss;
}

bool compare(char *const *paths, const char *file, const Screen *screen)
{
    Run *runs = NULL;
    bool good = true;
    if (file)
        check_file(file);
    for (; *paths; paths++)
        if (process_apart(try_run, *paths))
            arrput(runs, read_run(*paths));
        else
            good = false;
    prefer_whole(runs);
    const char **names = differences(runs);
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        add_difference(runs, names[i]);
    if (runs && !is_common(runs, "tokens"))
        add_bits(runs);
    if (runs && !is_output(file))
        put_table(runs, arrlen(names) == 1 && !strcmp(names[0], "seed"), screen);
    if (runs && file)
        good &= write_file(runs, names, file);
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        run_free(&runs[i]);
    arrfree(names);
    arrfree(runs);
    return good;
}
