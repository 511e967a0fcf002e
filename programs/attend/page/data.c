/* data.c: the JSON is printed as it is walked through, without a tree in memory. */
#include "data.h"

#include <inttypes.h>
#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "formats/run/checkpoint.h"
#include "formats/run/log.h"

/* The letters of RFC 4648. */
void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const int one = bytes[i], two = left > 1 ? bytes[i + 1] : 0;
        const int three = left > 2 ? bytes[i + 2] : 0;
        putc_unlocked(DIGITS[one >> 2], out);
        putc_unlocked(DIGITS[(one & 3) << 4 | two >> 4], out);
        putc_unlocked(left > 1 ? DIGITS[(two & 15) << 2 | three >> 6] : '=', out);
        putc_unlocked(left > 2 ? DIGITS[three & 63] : '=', out);
    }
}

/* The most tokens of a training text, and the most lines of a log, that a page carries. */
enum { MOST_COUNTED = 3 << 19, MOST_LINES = 2000 };

static const char *json_bool(bool value)
{
    return value ? "true" : "false";
}

/* "name":[1,2,3] */
static void put_ints(FILE *out, const char *name, const int *values, int count)
{
    fprintf(out, "\"%s\":[", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? "," : "", values[i]);
    fputc(']', out);
}

/* ---- The model ---- */

/* Bytes of the weights as they lie in memory: each tensor begins on a cache line. */
size_t data_weights_size(const Gpt *gpt)
{
    return gpt->size * sizeof(float);
}

void data_put_weights(FILE *out, const Gpt *gpt)
{
    float *numbers = memory_new(gpt->size, sizeof *numbers, "the weights of the page");
    for (size_t i = 0; i < gpt->size; i++)
        numbers[i] = (float)gpt->weight_block[i];
    put_base64(out, (const uint8_t *)numbers, data_weights_size(gpt));
    free(numbers);
}

/* All steps, as an stb_ds array; but not that of the run's own model, which is the same file. */
static int64_t *earlier_steps(const Directory *run)
{
    int64_t *steps = checkpoint_steps(run);
    for (ptrdiff_t i = arrlen(steps); i--;) {
        char *path = checkpoint_path(run, steps[i]), *model = format_text("%s/" MODEL_FILE, path);
        if (directory_is_same(run, MODEL_FILE, model))
            arrdel(steps, i);
        free(model);
        free(path);
    }
    return steps;
}

/* Only those of our own runs: Transformers also calls other things checkpoint-500. */
int64_t *data_checkpoints(const Pretrained *model)
{
    const ptrdiff_t most = (ptrdiff_t)(DATA_SMALL / data_weights_size(&model->gpt)) - 1;
    int64_t *all = model->config.identity ? earlier_steps(&model->directory) : NULL;
    int64_t *chosen = NULL; /* stb_ds array */
    const ptrdiff_t count = arrlen(all), kept = count < most ? count : most;
    for (ptrdiff_t i = 0; i < kept; i++)
        arrput(chosen, all[i * count / kept]);
    arrfree(all);
    return chosen;
}

void data_put_checkpoint(FILE *out, const Pretrained *model, int64_t step)
{
    char *path = checkpoint_path(&model->directory, step);
    Pretrained checkpoint = pretrained_open(path);
    data_put_weights(out, &checkpoint.gpt);
    pretrained_close(&checkpoint);
    free(path);
}

static void put_patterns(FILE *out, const GptConfig *config)
{
    fputs("\"patterns\":[", out);
    for (int i = 0; i < config->layers * config->heads; i++) {
        char text[PATTERN_TEXT];
        const bool begins = i % config->heads == 0, ends = (i + 1) % config->heads == 0;
        fprintf(out, "%s%s\"%s\"%s", i ? "," : "", begins ? "[" : "",
                pattern_text(pattern_at(config->patterns, i), text), ends ? "]" : "");
    }
    fputs("],", out);
}

static void put_tensors(FILE *out, const Gpt *gpt)
{
    fputs("\"tensors\":[", out);
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *t = &gpt->tensors[i];
        const int shape[] = {t->rows, t->cols};
        const bool vector = tensor_is_vector(t);
        fprintf(out, "%s\n{\"name\":\"%s\",\"at\":%zu,", i ? "," : "", t->name, t->offset);
        put_ints(out, "shape", shape + vector, 2 - vector);
        fputc('}', out);
    }
    fputc(']', out);
}

/* ,"off":["L2H3","L1"] */
static void put_off(FILE *out, const char *names)
{
    fputs(names ? ",\"off\":[\"" : ",\"off\":[", out);
    for (; names && *names; names++)
        if (*names == ',')
            fputs("\",\"", out);
        else
            fputc(*names, out);
    fputs(names ? "\"]" : "]", out);
}

static void put_model(FILE *out, const PageSource *source)
{
    const Pretrained *model = source->model;
    const GptConfig *c = &model->gpt.config;
    fputc('{', out);
    EACH_GPT_FIELD (f) {
        char *value = field_text(&f->field, c);
        put_json(out, f->field.name);
        fprintf(out, f->field.kind == FIELD_CHOICE ? ":\"%s\"," : ":%s,", value);
        free(value);
    }
    put_patterns(out, c);
    put_tensors(out, &model->gpt);
    put_off(out, source->without);
    fputc('}', out);
}

/* ---- The tokenizer ---- */

/* The vocabulary's own words, in which a byte of a subword is a character; and how a token is
 * shown, if that is something else. */
static void put_tokens(FILE *out, const Tokenizer *t)
{
    fputs("\"tokens\":[", out);
    for (int id = 0; id < tokenizer_size(t); id++) {
        fputs(id ? "," : "", out);
        put_json(out, vocabulary_word(&t->vocabulary, id));
    }
    fputs("],\n\"display\":{", out);
    for (int id = 0, count = 0; id < tokenizer_size(t); id++) {
        char *shown = display_token(tokenizer_word(t, id));
        if (strcmp(shown, vocabulary_word(&t->vocabulary, id))) {
            fprintf(out, "%s\"%d\":", count++ ? "," : "", id);
            put_json(out, shown);
        }
        free(shown);
    }
    fputs("},\n\"specials\":[", out);
    for (int id = 0, count = 0; id < tokenizer_size(t); id++)
        if (!tokenizer_is_text(t, id))
            fprintf(out, "%s%d", count++ ? "," : "", id);
    fputs("],\n", out);
}

static void put_spacing(FILE *out, const Tokenizer *t)
{
    const Spacing *s = &t->spacing;
    const int V = tokenizer_size(t), count = s->before ? V : 0;
    fputs("\"spacing\":{\"pairs\":[", out);
    for (ptrdiff_t i = 0; i < hmlen(s->pairs); i++)
        fprintf(out, "%s%d,%d,%d", i ? "," : "", (int)(s->pairs[i].key / V),
                (int)(s->pairs[i].key % V), s->pairs[i].value);
    fputs("],", out);
    put_ints(out, "before", s->before, count);
    fputc(',', out);
    put_ints(out, "after", s->after, count);
    fputc('}', out);
}

/* How a text is cut: the names of CUTS in model/tokens.js. */
static const char *cut_name(const Tokenizer *t)
{
    switch (t->kind) {
    case TOKENIZER_CHAR: return "characters";
    case TOKENIZER_BPE: return "bytes";
    case TOKENIZER_WORD: break;
    }
    return t->punctuation == PUNCTUATION_ALONE      ? "alone"
           : t->punctuation == PUNCTUATION_IN_WORDS ? "inWords"
                                                    : "inRuns";
}

static void put_tokenizer(FILE *out, const Pretrained *model)
{
    static const char *const FORMS[] = {"composed", "lower", "as is"};
    const Tokenizer *t = &model->tokenizer;
    fprintf(out,
            "{\"kind\":\"%s\",\"cut\":\"%s\",\"form\":\"%s\",\"stream\":%s,\"objective\":\"%s\","
            "\"causal-source\":%s,\n"
            "\"special\":{\"bos\":%d,\"eos\":%d,\"unk\":%d,\"sep\":%d,\"mask\":%d},\n",
            TOKENIZER_NAMES[t->kind], cut_name(t), FORMS[t->form], json_bool(t->stream),
            OBJECTIVE_NAMES[t->objective], json_bool(model->config.causal_source), t->bos, t->eos,
            t->unk, t->sep, t->mask);
    put_tokens(out, t);
    fputs("\"merges\":[", out);
    for (ptrdiff_t i = 0; i < arrlen(t->merges); i++)
        fprintf(out, "%s%d,%d,%d", i ? "," : "", t->merges[i].left, t->merges[i].right,
                t->merges[i].id);
    fputs("],\n", out);
    put_spacing(out, t);
    fputc('}', out);
}

/* Two bytes for each id, the lower one first. */
static void put_counts(FILE *out, const TrainingText *text)
{
    const Ids *ids = &text->corpus.ids;
    if (!text->there || ids->width != 2 || ids->count > MOST_COUNTED) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    put_base64(out, ids->at, ids->count * 2);
    fputc('"', out);
}

/* "ranges" are those of the ids that were counted: where each begins and ends. */
static void put_ranges(FILE *out, const Corpus *corpus)
{
    const Part *part = &corpus->train;
    int *ranges = NULL; /* stb_ds array */
    for (size_t p = 0; p < part->count; p++) {
        const Piece piece = corpus_piece(corpus, part, p);
        const int from = (int)piece.from, end = from + (int)piece.length + 1;
        if (p && arrlast(ranges) >= from)
            arrlast(ranges) = end;
        else {
            arrput(ranges, from);
            arrput(ranges, end);
        }
    }
    put_ints(out, "ranges", ranges, (int)arrlen(ranges));
    arrfree(ranges);
}

static void put_mixture(FILE *out, const PageSource *source)
{
    Corpus corpus;
    CountMixture mixture;
    if (!source->training_text->there || !counted_read(source->model, &corpus, &mixture)) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"share\":%.9g,\"discounts\":[", mixture.share);
    for (int k = 1; k <= mixture.order; k++) {
        double d[3];
        kneser_ney_discounts(mixture.counts, k, d);
        fprintf(out, "%s[%.17g,%.17g,%.17g]", k > 1 ? "," : "", d[0], d[1], d[2]);
    }
    fputs("],", out);
    put_ranges(out, &corpus);
    fputc('}', out);
    count_mixture_free(&mixture);
    corpus_free(&corpus);
}

/* ---- The training ---- */

/* A LogVisit: appends a line to an stb_ds array. */
static void add_line(void *lines, const LogEntry *entry)
{
    LogEntry **list = lines;
    arrput(*list, *entry);
}

static void put_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.9g", number);
    else
        fputs("null", out);
}

/* Whether a line is one of about `most` that are spread over all. */
static bool is_chosen(ptrdiff_t i, ptrdiff_t count, ptrdiff_t most)
{
    return !i || i + 1 == count || i * most / count != (i - 1) * most / count;
}

/* Lines with an evaluation are kept first, if they are not too many themselves. */
static void put_log(FILE *out, const LogEntry *lines)
{
    const ptrdiff_t count = arrlen(lines);
    ptrdiff_t evaluations = 0, put = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        evaluations += isfinite(lines[i].evaluated);
    const bool keep = evaluations <= MOST_LINES / 2;
    fputs("\"log\":[", out);
    for (ptrdiff_t i = 0; i < count; i++) {
        const LogEntry *e = &lines[i];
        if (!is_chosen(i, count, MOST_LINES / 2 - 2) && !(keep && isfinite(e->evaluated)))
            continue;
        const double row[] = {(double)e->step, e->loss, e->evaluated, e->rate};
        fputs(put++ ? ",[" : "[", out);
        for (int column = 0; column < 4; column++) {
            fputs(column ? "," : "", out);
            put_number(out, row[column]);
        }
        fputc(']', out);
    }
    fputs("],\n", out);
}

/* The floor is the same in all lines that have it. */
static double floor_in(const LogEntry *lines)
{
    double floor = (double)NAN;
    for (ptrdiff_t i = 0; i < arrlen(lines) && !isfinite(floor); i++)
        floor = lines[i].evaluated - lines[i].gap;
    return floor;
}

static void put_training(FILE *out, const Pretrained *model)
{
    LogEntry *lines = NULL; /* stb_ds array */
    log_each(&model->directory, add_line, &lines);
    const struct cJSON *own = config_own(&model->config);
    put_log(out, lines);
    fprintf(out, "\"held_out\":%s,\"floor\":", json_bool(json_number(own, "val") > 0));
    put_number(out, floor_in(lines));
    fputs(",\"counting\":", out);
    put_number(out, json_number(json_get(own, "result"), "counting"));
    arrfree(lines);
}

static void put_checkpoints(FILE *out, const int64_t *steps)
{
    fputs(",\"checkpoints\":[", out);
    for (ptrdiff_t i = 0; i < arrlen(steps); i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", steps[i]);
    fputc(']', out);
}

void data_put(FILE *out, const PageSource *source)
{
    fputs("\"model\":", out);
    if (source->live) {
        put_model(out, source);
        fputs(",\n\"tokenizer\":", out);
        put_tokenizer(out, source->model);
        fputs(",\n\"counts\":", out);
        put_counts(out, source->training_text);
        fputs(",\n\"mixture\":", out);
        put_mixture(out, source);
    } else {
        fputs("null,\"tokenizer\":null,\"counts\":null,\"mixture\":null", out);
    }
    fputs(",\n", out);
    put_training(out, source->model);
    put_checkpoints(out, source->checkpoints);
}
