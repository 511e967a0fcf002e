/* because.c: trains in this process and in memory, by the settings in the run's config.json; only
 * the vocabulary is made again, of the text that is left. The first training leaves out nothing:
 * it must give the run's own weights, bit by bit, or the others could not be compared with it. */
#include "because.h"

#include <signal.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "base/system/system.h"
#include "base/utf8.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "model/generator.h"
#include "programs/train/session.h"
#include "text/encoder.h"

/* Up to FEW_LINES lines are left out one by one. More are first left out in groups, each with about
 * as many lines as there are groups. Longer than MOST_SECONDS is refused; shorter than LONG seconds
 * is not announced. */
enum { FEW_LINES = 20, LEAST_GROUPS = 10, MOST_GROUPS = 20, MOST_SECONDS = 3600, LONG = 30 };

/* A line of the text that is not blank: its bytes, with the line end, and its number. */
typedef struct {
    Span bytes;
    size_t number;
} Line;

/* All trainings of a call. */
typedef struct {
    Because *because;
    Pretrained *model;
    char *name; /* of the text, for messages */
    Bytes text;
    Line *lines; /* stb_ds array */
    Task task;
    size_t done, all; /* trainings */
} Trials;

static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

/* ---- The question ---- */

/* The ids of TEXT and then WORD; *count receives how many are TEXT's, 0 if it has an unknown one.
 * A space stands between them, except before a mark or a letter that needs none. */
static Encoding encode(const Tokenizer *t, const char *text, const char *word, int *count)
{
    const char *at = word;
    const int32_t first = *word ? utf8_next(&at, word + strlen(word)) : ' ';
    const bool touches = is_punctuation(first) || is_unspaced(first);
    const bool ends = t->eos >= 0 && !strcmp(word, tokenizer_word(t, t->eos));
    AUTOFREE char *whole =
        ends ? format_text("%s", text) : format_text("%s%s%s", text, touches ? "" : " ", word);
    Encoding before = prompt_encode(t, "", text, strlen(text));
    Encoding all = prompt_encode(t, "--because", whole, strlen(whole));
    *count = before.count;
    encoding_free(&before);
    if (ends && !all.wrong) {
        arrput(all.ids, t->eos);
        all.count++;
    }
    return all;
}

/* The product of the probabilities of WORD's tokens, each after those before it. */
static double probability_of(Gpt *gpt, const Tokenizer *t, const char *text, const char *word)
{
    int count;
    Encoding e = encode(t, text, word, &count);
    double product = !count ? (double)NAN : e.wrong ? 0 : 1;
    if (product > 0) {
        const Objective objective = tokenizer_objective(t);
        AUTOFREE double *p = memory_new((size_t)tokenizer_size(t), sizeof *p, "the probabilities");
        KvCache cache = kv_cache_new(&gpt->config, 1);
        Generator reader = generator_new(gpt, cache, 0, t->bos);
        generator_begin(&reader, e.ids, count, objective_sequence(&objective, e.ids, count).prefix);
        for (int i = count; i < e.count; i++) {
            softmax_of(p, reader.logits, tokenizer_size(t), 1);
            product *= e.ids[i] == t->unk ? 0 : p[e.ids[i]];
            generator_add(&reader, e.ids[i]);
        }
        generator_free(&reader);
        kv_cache_free(&cache);
    }
    encoding_free(&e);
    return product;
}

/* Dies if the run's own model has no answer. */
static void check_question(const Pretrained *model, const char *text, const char *word)
{
    int count;
    Encoding e = encode(&model->tokenizer, text, word, &count);
    if (e.wrong)
        die("%s", e.wrong);
    if (e.count == count)
        usage_error("--because is empty: give the word whose probability you ask for");
    for (int i = count; i < e.count; i++)
        if (e.ids[i] == model->tokenizer.unk)
            die("--because %s: the model has no token for this word, so it has no probability",
                word);
    encoding_free(&e);
}

/* ---- The text ---- */

static Line *lines_of(Bytes text)
{
    Line *lines = NULL;
    const char end = text_line_end(text.bytes, text.size), *stop = text.bytes + text.size;
    size_t number = 1;
    for (const char *at = text.bytes, *next; at < stop; at = next, number++) {
        const char *found = memchr(at, end, (size_t)(stop - at));
        next = found ? found + 1 : stop;
        if (!is_blank((Span){at, next}))
            arrput(lines, ((Line){{at, next}, number}));
    }
    return lines;
}

/* All but the lines from index `from` up to `to`. */
static Bytes text_without(const Trials *trials, size_t from, size_t to)
{
    const Bytes all = trials->text;
    Bytes rest = {memory_take(all.size + 1), 0};
    const char *at = all.bytes;
    for (size_t i = from; i <= to; i++) {
        const Span gap =
            i < to ? trials->lines[i].bytes : (Span){all.bytes + all.size, all.bytes + all.size};
        memcpy(rest.bytes + rest.size, at, (size_t)(gap.begin - at));
        rest.size += (size_t)(gap.begin - at);
        at = gap.end;
    }
    rest.bytes[rest.size] = 0;
    return rest;
}

/* ---- Training again ---- */

/* An EvaluationWatch. */
static bool watch(void *of, double share)
{
    Trials *trials = of;
    screen_task(&trials->task, N_("training again"),
                ((double)trials->done + share) / (double)trials->all);
    return !stop_signal;
}

/* Sets what train would be told on the command line: all settings of the run. */
static void take_settings(Trainer *t, const Pretrained *model)
{
    Settings *settings = &t->plan.settings;
    Config config = record_take_over(&model->directory, settings, &t->decided);
    config_free(&config);
    DECIDED(&t->decided, mask) = false; /* which is for another objective */
    settings->show = 0;
    settings->verify = format_text("%s", model->directory.path); /* writes nothing */
}

/* Trains without some lines; *probability and *checksum, of the weights, receive what comes of it.
 * Returns false if a signal stopped it. */
static bool train_without(Trials *trials, size_t from, size_t to, double *probability,
                          uint64_t *checksum)
{
    char *texts[] = {trials->name, NULL};
    Trainer t = {.texts = texts};
    take_settings(&t, trials->model);
    const Text text = text_from(trials->name, text_without(trials, from, to),
                                t.plan.settings.lower ? TEXT_LOWER : TEXT_COMPOSED);
    t.source = source_of(&text);
    trainer_open(&t);
    const bool whole = session_train_in_memory(&t, watch, trials);
    if (whole) {
        Gpt gpt = gpt_new_reader(&t.plan.shape, t.plan.shape.context);
        memcpy(gpt.weight_block, t.best, t.gpt.size * sizeof(Real));
        *checksum = weights_checksum(&gpt, gpt.weight_block);
        *probability =
            probability_of(&gpt, &t.tokenizer, trials->because->text, trials->because->word);
        gpt_free(&gpt);
        trials->done++;
    }
    trainer_close(&t);
    return whole;
}

/* The largest change first, before it what the model then cannot read at all. */
static int larger_first(const void *a, const void *b)
{
    const Without *one = a, *other = b;
    const double x = isnan(one->change) ? (double)INFINITY : fabs(one->change);
    const double y = isnan(other->change) ? (double)INFINITY : fabs(other->change);
    if (x != y)
        return x < y ? 1 : -1;
    return one->first < other->first ? -1 : 1;
}

/* Cuts the lines from index `from` up to `to` into parts of about the same size, and trains without
 * each. Returns what came of them, until a signal stopped it. */
static Without *try_parts(Trials *trials, size_t from, size_t to, size_t parts)
{
    Without *list = NULL;
    for (size_t i = 0; i < parts; i++) {
        const size_t first = from + i * (to - from) / parts;
        const size_t last = from + (i + 1) * (to - from) / parts - 1;
        const Line *line = &trials->lines[first];
        Without w = {.first = line->number, .last = trials->lines[last].number};
        uint64_t checksum;
        if (!train_without(trials, first, last + 1, &w.probability, &checksum))
            break;
        w.change = w.probability - trials->because->probability;
        size_t length = (size_t)(line->bytes.end - line->bytes.begin);
        while (length && strchr("\r\n", line->bytes.begin[length - 1]))
            length--;
        w.text = format_text("%.*s", (int)length, line->bytes.begin);
        arrput(list, w);
    }
    if (list)
        qsort(list, arrlenu(list), sizeof *list, larger_first);
    return list;
}

/* How many groups the lines are left out in first; 0: none. */
static size_t groups_of(size_t lines)
{
    const int root = (int)sqrt((double)lines);
    return lines > FEW_LINES ? (size_t)min_int(max_int(root, LEAST_GROUPS), MOST_GROUPS) : 0;
}

/* Leaves out groups, if there are any, then each line of the one with the largest change. */
static void try_lines(Trials *trials)
{
    Because *b = trials->because;
    const size_t count = arrlenu(trials->lines), groups = groups_of(count);
    size_t from = 0, to = count;
    if (groups) {
        b->groups = try_parts(trials, 0, count, groups);
        if (stop_signal)
            return;
        while (trials->lines[from].number < b->groups->first)
            from++;
        while (trials->lines[to - 1].number > b->groups->last)
            to--;
    }
    trials->all = trials->done + to - from;
    b->lines = try_parts(trials, from, to, to - from);
}

/* ---- All of it ---- */

/* Dies if this run cannot be trained again; *seconds receives how long it took. */
static void check_run(const Pretrained *model, double *seconds)
{
    const char *run = model->directory.path;
    if (model->config.objective != OBJECTIVE_NEXT)
        die("--because is for models that predict what comes next; %s was trained for --objective "
            "%s",
            run, OBJECTIVE_NAMES[model->config.objective]);
    if (!model->config.text || !directory_has(&model->directory, TEXT_FILE))
        die("--because trains again, but %s holds no copy of the text that it was trained on", run);
    *seconds = json_number(json_get(config_own(&model->config), "result"), "seconds");
}

/* Counts the trainings, and dies if they would take too long. */
static void count_trainings(Trials *trials, double seconds, FILE *remarks)
{
    const size_t lines = arrlenu(trials->lines), groups = groups_of(lines);
    trials->all = 1 + (groups ? groups + (lines + groups - 1) / groups : lines);
    seconds *= (double)trials->all;
    if (lines < 2)
        die("--because leaves out one line after another, but %s has only one", trials->name);
    if (seconds > MOST_SECONDS)
        die("--because would train %zu times, about %s, more than an hour: train a run with fewer "
            "--steps, or on a shorter text",
            trials->all, duration(seconds).text);
    if (seconds > LONG)
        fprintf(remarks, _("training %zu times, about %s; Ctrl-C prints what is known so far\n"),
                trials->all, duration(seconds).text);
    fflush(remarks);
}

/* Trains with all lines. Dies if that gives another model. */
static bool train_whole(Trials *trials)
{
    const Pretrained *model = trials->model;
    double probability;
    uint64_t checksum;
    const bool whole = train_without(trials, 0, 0, &probability, &checksum);
    if (whole && checksum != weights_checksum(&model->gpt, model->gpt.weight_block))
        die("%s is not what its text and settings give: it was stopped, changed, begun --from "
            "another model, planned for other --steps or made by another version; train it again",
            model->directory.path);
    return whole;
}

Because because_read(Pretrained *model, const char *text, const char *word, const Screen *screen,
                     FILE *remarks)
{
    double seconds;
    check_run(model, &seconds);
    check_question(model, text, word);
    Because because = {.run = model->directory.path, .text = text, .word = word};
    because.probability = probability_of(&model->gpt, &model->tokenizer, text, word);
    pretrained_check(model, because.probability);
    Trials trials = {.because = &because,
                     .model = model,
                     .name = path_in(&model->directory, TEXT_FILE),
                     .text = file_read_in(&model->directory, TEXT_FILE, true),
                     .task = {.screen = screen}};
    check_text(trials.name, checksum_of(trials.text.bytes, trials.text.size),
               strtoull(model->config.text, NULL, 16), because.run);
    trials.lines = lines_of(trials.text);
    count_trainings(&trials, seconds, remarks);
    signal_catch(SIGINT, note_signal, true, false);
    if (train_whole(&trials))
        try_lines(&trials);
    because.signal = trials.done < trials.all ? stop_signal : 0;
    screen_status(screen, "");
    arrfree(trials.lines);
    free(trials.text.bytes);
    free(trials.name);
    return because;
}

static void list_free(Without *list)
{
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        free(list[i].text);
    arrfree(list);
}

void because_free(Because *because)
{
    list_free(because->groups);
    list_free(because->lines);
}
