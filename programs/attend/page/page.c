/* page.c: prints page.html, which the Makefile quotes into page.inc, with the data in place of one
 * of its lines. The data are one block of JSON, printed as it is walked through, and a block with
 * the weights of the model. A page without the model has a small picture of each head, and a block
 * of its packed map, which the page unpacks only when the head is shown large: so 16 heads over
 * 1,000 words open at once. */
#include "page.h"

#include <inttypes.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/language.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "formats/run/checkpoint.h"
#include "formats/run/log.h"
#include "programs/pictures/colours.h"

/* page.html with its style and scripts, a string for each of its lines, with the line's end. */
static const char *const LINES[] = {
#include "page.inc"
};

/* The line that the data replace. */
static const char DATA_LINE[] = "<!-- the data -->\n";

/* The most squares along each side of a head's small picture, about one for each pixel on
 * the screen. */
enum { LARGEST_SIDE = 96 };

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
    AUTOFREE float *numbers = memory_new(gpt->size, sizeof *numbers, "the weights of the page");
    for (size_t i = 0; i < gpt->size; i++)
        numbers[i] = (float)gpt->weight_block[i];
    put_base64(out, (const uint8_t *)numbers, data_weights_size(gpt));
}

/* Only those of our own runs: Transformers also calls other things checkpoint-500. But not that of
 * the run's own model, which is the same file. */
int64_t *data_checkpoints(const Pretrained *model)
{
    const Directory *run = &model->directory;
    const ptrdiff_t most = (ptrdiff_t)(DATA_SMALL / data_weights_size(&model->gpt)) - 1;
    int64_t *all = model->config.identity ? checkpoint_steps(run) : NULL;
    int64_t *chosen = NULL; /* stb_ds array */
    for (ptrdiff_t i = arrlen(all); i--;) {
        AUTOFREE char *path = checkpoint_path(run, all[i]),
                      *file = format_text("%s/" MODEL_FILE, path);
        if (directory_is_same(run, MODEL_FILE, file))
            arrdel(all, i);
    }
    const ptrdiff_t count = arrlen(all), kept = count < most ? count : most;
    for (ptrdiff_t i = 0; i < kept; i++)
        arrput(chosen, all[i * count / kept]);
    arrfree(all);
    return chosen;
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
        AUTOFREE char *value = field_text(&f->field, c);
        put_json(out, f->field.name);
        fprintf(out, f->field.kind == FIELD_CHOICE ? ":\"%s\"," : ":%s,", value);
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
        AUTOFREE char *shown = display_token(tokenizer_word(t, id));
        if (strcmp(shown, vocabulary_word(&t->vocabulary, id))) {
            fprintf(out, "%s\"%d\":", count++ ? "," : "", id);
            put_json(out, shown);
        }
    }
    fputs("},\n\"specials\":[", out);
    for (int id = 0, count = 0; id < tokenizer_size(t); id++)
        if (!tokenizer_is_text(t, id))
            fprintf(out, "%s%d", count++ ? "," : "", id);
    fputs("],\n", out);
    put_ints(out, "whole", t->vocabulary.whole.ids, (int)arrlen(t->vocabulary.whole.ids));
    fputs(",\n", out);
}

static void put_spacing(FILE *out, const Tokenizer *t)
{
    const Spacing *s = &t->spacing;
    const int with = tokenizer_size(t) + 1, count = s->before ? with : 0;
    fputs("\"spacing\":{\"pairs\":[", out);
    for (ptrdiff_t i = 0; i < hmlen(s->pairs); i++)
        fprintf(out, "%s%d,%d,%d", i ? "," : "", (int)(s->pairs[i].key / with),
                (int)(s->pairs[i].key % with), s->pairs[i].value);
    fputs("],", out);
    put_ints(out, "before", s->before, count);
    fputc(',', out);
    put_ints(out, "after", s->after, count);
    fputs(",\"tabs\":[", out);
    for (int id = 0, some = 0; id < (s->tabs ? with : 0); id++)
        if (s->tabs[id] > 0)
            fprintf(out, "%s%d", some++ ? "," : "", id);
    fputs("]}", out);
}

/* How a text is cut: the names of CUTS in model/tokens.js. */
static const char *cut_name(const Tokenizer *t)
{
    static const char *const PATTERNS[] = {[PATTERN_GPT2] = "bytes",
                                           [PATTERN_DIGITS] = "digits",
                                           [PATTERN_QWEN] = "qwen",
                                           [PATTERN_LLAMA] = "llama"};
    switch (t->kind) {
    case TOKENIZER_CHAR: return "characters";
    case TOKENIZER_BPE: return PATTERNS[t->pattern];
    case TOKENIZER_WORD: break;
    }
    return t->punctuation == PUNCTUATION_ALONE      ? "alone"
           : t->punctuation == PUNCTUATION_IN_WORDS ? "inWords"
                                                    : "inRuns";
}

/* To the page, a turn and its answer are a pair. */
static void put_tokenizer(FILE *out, const Pretrained *model)
{
    static const char *const FORMS[] = {"composed", "lower", "as is"};
    const Tokenizer *t = &model->tokenizer;
    const bool turns = t->objective == OBJECTIVE_TURNS;
    fprintf(out,
            "{\"kind\":\"%s\",\"cut\":\"%s\",\"ignoreMerges\":%s,\"form\":\"%s\",\"stream\":%s,"
            "\"objective\":\"%s\","
            "\"causal-source\":%s,\n"
            "\"special\":{\"bos\":%d,\"eos\":%d,\"unk\":%d,\"sep\":%d,\"mask\":%d},\n",
            TOKENIZER_NAMES[t->kind], cut_name(t), json_bool(t->ignore_merges), FORMS[t->form],
            json_bool(t->stream), OBJECTIVE_NAMES[turns ? OBJECTIVE_PAIRS : t->objective],
            json_bool(turns || model->config.causal_source), t->bos, t->eos, t->unk, t->sep,
            t->mask);
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

static void put_training(FILE *out, const Pretrained *model)
{
    LogEntry *lines = NULL;     /* stb_ds array */
    double floor = (double)NAN; /* the same in all lines that have it */
    log_each(&model->directory, add_line, &lines);
    for (ptrdiff_t i = 0; i < arrlen(lines) && !isfinite(floor); i++)
        floor = lines[i].evaluated - lines[i].gap;
    const struct cJSON *own = config_own(&model->config);
    put_log(out, lines);
    fprintf(out, "\"held_out\":%s,\"floor\":", json_bool(json_number(own, "val") > 0));
    put_number(out, floor);
    fputs(",\"counting\":", out);
    put_number(out, json_number(json_get(own, "result"), "counting"));
    arrfree(lines);
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
    fputs(",\"checkpoints\":[", out);
    for (ptrdiff_t i = 0; i < arrlen(source->checkpoints); i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", source->checkpoints[i]);
    fputc(']', out);
}

/* ---- A head, whole and small ---- */

void page_put_map(FILE *out, const Heads *heads, const Head *head)
{
    uint8_t *bytes = NULL; /* stb_ds array */
    for (int i = 0; i < heads->length; i++)
        EACH_KEY (j, head, i) {
            const int number = (int)lrint(1e4 * (double)ROW(head->map, i, heads->length)[j]);
            arrput(bytes, (uint8_t)number);
            arrput(bytes, (uint8_t)(number >> 8));
        }
    put_base64(out, bytes, (size_t)arrlen(bytes));
    arrfree(bytes);
}

int page_side(const Heads *heads)
{
    return min_int(heads->length, LARGEST_SIDE);
}

/* A square has the largest of its weights, because a mean would hide a line of single cells, which
 * is common; and the root of it, because with many words each weight is small. */
void page_put_small(FILE *out, const Heads *heads, const Head *head)
{
    const int T = heads->length, side = page_side(heads);
    double largest[LARGEST_SIDE][LARGEST_SIDE];
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            largest[y][x] = -1;
    for (int i = 0; i < T; i++)
        EACH_KEY (j, head, i) {
            double *at = &largest[(int64_t)i * side / T][(int64_t)j * side / T];
            *at = fmax(*at, (double)ROW(head->map, i, T)[j]);
        }
    uint8_t *bytes = NULL; /* stb_ds array */
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const double weight = largest[y][x];
            arrput(bytes, weight < 0 ? 255 : (uint8_t)lround(254 * sqrt(fmin(weight, 1))));
        }
    put_base64(out, bytes, (size_t)arrlen(bytes));
    arrfree(bytes);
}

/* ---- All data ---- */

/* The colours of 256 weights from 0 to 1, as six hex digits each. */
static void put_ramp(FILE *out, const char *name, Ground ground)
{
    fprintf(out, "\"%s\":\"", name);
    for (int i = 0; i < 256; i++) {
        const Colour c = colour_of(i / 255.0, ground);
        fprintf(out, "%02x%02x%02x", c.red, c.green, c.blue);
    }
    fputs("\",", out);
}

/* {"layer":1,"head":1,"pattern":"all"}: one head; in a page without the model, which cannot compute
 * the rest, with "summary":{…},"ranges":[…],"small":"…" but without its map. */
static void put_head(FILE *out, const Heads *heads, const Head *head, bool live)
{
    char pattern[PATTERN_TEXT];
    fprintf(out, "{\"layer\":%d,\"head\":%d,\"pattern\":\"%s\"", head->layer + 1, head->head + 1,
            pattern_text(head->pattern, pattern));
    if (!live) {
        fputs(",\"summary\":", out);
        put_summary(out, heads, head);
        fputs(",\"ranges\":", out);
        put_key_ranges(out, heads, head);
        fputs(",\"small\":\"", out);
        page_put_small(out, heads, head);
        fputs("\"", out);
    }
    fputs("}", out);
}

/* "name":["one","two"], */
static void put_strings(FILE *out, const char *name, char *const *strings, int count)
{
    fprintf(out, "\"%s\":[", name);
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        put_json(out, strings[i]);
    }
    fputs("],\n", out);
}

/* The JSON, the last members of which page.h describes:
 *
 *     {"run":"runs/perro","language":"en","text":"un gato","texts":["un gato"],
 *      "words":["[bos]","un","gato"],
 *      "source":0,"prefix":0,"columns":4,"light":"edf6f1…","dark":"221942…","heads":[…],
 *      "model":{…},…}
 *
 * text: safe to look at; texts: as they are, to be read; columns: heads of a layer; light and dark:
 * see put_ramp. put_json escapes < and &, so that no word can end the block. */
static void put_json_block(FILE *out, const Heads *heads, const PageSource *source)
{
    AUTOFREE char *run = display_text(heads->run), *text = display_text(heads->text);
    fputs("<script type=\"application/json\" id=\"data\">\n{\"run\":", out);
    put_json(out, run);
    /* The language in which the page opens: "es" is the translation of "en". */
    fprintf(out, ",\"language\":\"%s\"", _("en"));
    fputs(",\"text\":", out);
    put_json(out, text);
    fputs(",\n", out);
    put_strings(out, "texts", source->texts, (int)arrlen(source->texts));
    put_strings(out, "words", heads->display, heads->length);
    fprintf(out, "\"source\":%d,\"prefix\":%d,\"columns\":%d,\n", heads->source, heads->prefix,
            heads->heads);
    put_ramp(out, "light", GROUND_LIGHT);
    put_ramp(out, "dark", GROUND_DARK);
    fputs("\n\"heads\":[", out);
    EACH_HEAD (head, heads) {
        fputs(head > heads->head ? ",\n" : "\n", out);
        put_head(out, heads, head, source->live);
    }
    fputs("],\n", out);
    data_put(out, source);
    fputs("}\n</script>\n", out);
}

/* After the JSON comes a block with the weights of the model, and one for each checkpoint; or, in a
 * page without the model, a block for each head, in the same order, which the page finds by its
 * class. */
static void put_data(FILE *out, const Heads *heads, const PageSource *source)
{
    put_json_block(out, heads, source);
    if (source->live) {
        fputs("<script type=\"text/plain\" id=\"weights\">", out);
        data_put_weights(out, &source->model->gpt);
        fputs("</script>\n", out);
        for (ptrdiff_t i = 0; i < arrlen(source->checkpoints); i++) {
            AUTOFREE char *path =
                checkpoint_path(&source->model->directory, source->checkpoints[i]);
            Pretrained checkpoint = pretrained_open(path);
            fputs("<script type=\"text/plain\" class=\"checkpoint\">", out);
            data_put_weights(out, &checkpoint.gpt);
            fputs("</script>\n", out);
            pretrained_close(&checkpoint);
        }
        return;
    }
    EACH_HEAD (head, heads) {
        fputs("<script type=\"text/plain\" class=\"packed\">", out);
        page_put_map(out, heads, head);
        fputs("</script>\n", out);
    }
}

/* ---- A page that trains ---- */

/* The page of the lab has a line that the run replaces: a block of JSON, with the name of the run
 * and the text that its model reads first, and a block in base64 for each file. The lab opens a
 * page that has them with this run, see programs/lab/lab.js. */

/* The line that the run replaces. */
static const char RUN_LINE[] = "<!-- the run -->\n";

/* A browser has the page, its letters, the files, and the training in one tab's memory, and a
 * page is sent to others. */
enum { MB = 1 << 20, MOST = 64 * MB };

/* A run of a team can be trained by one process, to the same bits. */
static void check(const PageSource *source)
{
    const Directory *run = &source->model->directory;
    const char *precision = json_text(config_own(&source->model->config), "precision");
    if (arrlen(source->texts) > 1)
        die("--train: the page opens with one TEXT, but standard input has several lines");
    if (!directory_has(run, STATE_FILE))
        die("--train: %s has no state.safetensors, so it cannot be trained further; this makes a "
            "run of it: train TEXT --from %s",
            run->path, run->path);
    if (!directory_has(run, TEXT_FILE))
        die("--train: %s holds no copy of its text, which a page needs to train further",
            run->path);
    if (precision && !strcmp(precision, "bf16"))
        die("--train: %s was trained with --precision bf16, which browsers do not have", run->path);
    size_t all = 0, size;
    for (const char *const *name = RUN_FILES; *name; name++)
        if (directory_has(run, *name)) {
            close(file_open_in(run, *name, &size));
            all += size;
        }
    if (all > MOST)
        die("--train: %s has %zu MB, but a page can carry only %d", run->path, (all + MB - 1) / MB,
            MOST / MB);
}

/* Where make install puts it, if programs are called pulga-attend and so on; else where make lab
 * builds it or, as in the .zip for Windows, beside the program. The caller frees the path. */
static char *lab_path(void)
{
    AUTOFREE char *program = system_program();
    const char *slash = program ? strrchr(program, '/') : NULL;
    if (!slash)
        die("--train: cannot find out where this program is");
    const bool installed = !strncmp(slash, "/pulga-", strlen("/pulga-"));
    const int folder = (int)(slash - program);
    AUTOFREE char *beside = format_text("%.*s/pulga.html", folder, program);
    if (!installed && !access(beside, F_OK))
        return format_text("%s", beside);
    return format_text("%.*s/%s", folder, program,
                       installed ? "../share/pulga/pulga.html" : "build/lab/pulga.html");
}

static void put_run(FILE *out, const PageSource *source)
{
    const Directory *run = &source->model->directory;
    AUTOFREE char *name = display_text(run->path);
    fputs("<script type=\"application/json\" id=\"run\">{\"run\":", out);
    put_json(out, name);
    fputs(",\"text\":", out);
    put_json(out, source->texts[0]);
    fputs("}</script>\n", out);
    for (const char *const *file = RUN_FILES; *file; file++) {
        if (!directory_has(run, *file))
            continue;
        const Bytes bytes = file_read_in(run, *file, false);
        fprintf(out, "<script type=\"text/plain\" class=\"run\" data-name=\"%s\">", *file);
        put_base64(out, (const uint8_t *)bytes.bytes, bytes.size);
        fputs("</script>\n", out);
        free(bytes.bytes);
    }
}

/* Dies if a page cannot train the run, if its files are too large, or if there is no page of the
 * lab. */
static void put_trainable_page(FILE *out, const PageSource *source)
{
    check(source);
    AUTOFREE char *path = lab_path();
    if (access(path, F_OK))
        die("--train needs %s, which is missing: make lab builds it, make install then copies it",
            path);
    AUTOFREE char *lab = file_read(path, true).bytes;
    const char *html = strstr(lab, "<html"), *line = html ? strstr(html, RUN_LINE) : NULL;
    if (!line)
        die("--train: %s has no place for a run: build it again with make lab", path);
    fputs(PAGE_BEGIN, out);
    fwrite(html, 1, (size_t)(line - html), out);
    put_run(out, source);
    fputs(line + strlen(RUN_LINE), out);
}

void page_write(FILE *out, const Heads *heads, const PageSource *source)
{
    if (source->model->tokenizer.opening)
        die("the page cannot read %s, a model that talks by the tokens of ChatML; attend prints "
            "its tables and writes other files",
            source->model->directory.path);
    if (source->trains) {
        put_trainable_page(out, source);
        return;
    }
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (strcmp(LINES[i], DATA_LINE))
            fputs(LINES[i], out);
        else
            put_data(out, heads, source);
}
