/* page.c: prints page.html, which the Makefile quotes into page.inc, with the data in place of one
 * of its lines. The data are one block of JSON, and a block with the weights of the model. A page
 * without the model has a small picture of each head, and a block of its packed map, which the page
 * unpacks only when the head is shown large: so 16 heads over 1,000 words open at once. */
#include "page.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/language.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "formats/run/log.h"
#include "programs/attend/heads/numbers.h"
#include "programs/pictures/colours.h"
#include "data.h"

/* page.html with its style and scripts, a string for each of its lines, with the line's end. */
static const char *const LINES[] = {
#include "page.inc"
};

/* The line that the data replace. */
static const char DATA_LINE[] = "<!-- the data -->\n";

/* The most squares along each side of a head's small picture, about one for each pixel on
 * the screen. */
enum { LARGEST_SIDE = 96 };

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

/* ---- The data ---- */

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

/* The JSON, which data.h describes further:
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
    char *run = display_text(heads->run), *text = display_text(heads->text);
    fputs("<script type=\"application/json\" id=\"data\">\n{\"run\":", out);
    put_json(out, run);
    /* The language in which the page opens: "es" is the translation of "en". */
    fprintf(out, ",\"language\":\"%s\"", _("en"));
    fputs(",\"text\":", out);
    put_json(out, text);
    fputs(",\n", out);
    free(run);
    free(text);
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
            fputs("<script type=\"text/plain\" class=\"checkpoint\">", out);
            data_put_checkpoint(out, source->model, source->checkpoints[i]);
            fputs("</script>\n", out);
        }
        return;
    }
    EACH_HEAD (head, heads) {
        fputs("<script type=\"text/plain\" class=\"packed\">", out);
        page_put_map(out, heads, head);
        fputs("</script>\n", out);
    }
}

void page_write(FILE *out, const Heads *heads, const PageSource *source)
{
    if (source->trains) {
        trainable_write(out, source);
        return;
    }
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (strcmp(LINES[i], DATA_LINE))
            fputs(LINES[i], out);
        else
            put_data(out, heads, source);
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

/* ---- What a page can train ---- */

static size_t size_of_files(const Directory *run)
{
    size_t all = 0, size;
    for (const char *const *name = RUN_FILES; *name; name++)
        if (directory_has(run, *name)) {
            close(file_open_in(run, *name, &size));
            all += size;
        }
    return all;
}

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
    const size_t size = size_of_files(run);
    if (size > MOST)
        die("--train: %s has %zu MB, but a page can carry only %d", run->path, (size + MB - 1) / MB,
            MOST / MB);
}

/* ---- The page ---- */

/* Beside the program, where make lab builds it, or where make install puts it: there programs are
 * called pulga-attend and so on. The caller frees the path. */
static char *lab_path(void)
{
    char *program = system_program();
    const char *slash = program ? strrchr(program, '/') : NULL;
    if (!slash)
        die("--train: cannot find out where this program is");
    const bool installed = !strncmp(slash, "/pulga-", strlen("/pulga-"));
    char *path = format_text("%.*s/%s", (int)(slash - program), program,
                             installed ? "../share/pulga/pulga.html" : "build/lab/pulga.html");
    free(program);
    return path;
}

static Bytes read_lab(const char *path)
{
    if (access(path, F_OK))
        die("--train needs %s, which is missing: make lab builds it, make install then copies it",
            path);
    return file_read(path, true);
}

static void put_run(FILE *out, const PageSource *source)
{
    const Directory *run = &source->model->directory;
    char *name = display_text(run->path);
    fputs("<script type=\"application/json\" id=\"run\">{\"run\":", out);
    put_json(out, name);
    fputs(",\"text\":", out);
    put_json(out, source->texts[0]);
    fputs("}</script>\n", out);
    free(name);
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

void trainable_write(FILE *out, const PageSource *source)
{
    check(source);
    char *path = lab_path();
    const Bytes lab = read_lab(path);
    const char *html = strstr(lab.bytes, "<html"), *line = html ? strstr(html, RUN_LINE) : NULL;
    if (!line)
        die("--train: %s has no place for a run: build it again with make lab", path);
    fputs(PAGE_BEGIN, out);
    fwrite(html, 1, (size_t)(line - html), out);
    put_run(out, source);
    fputs(line + strlen(RUN_LINE), out);
    free(lab.bytes);
    free(path);
}
