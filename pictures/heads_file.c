/* heads_file.c: see heads_file.h. Numbers for other programs here; pictures in heatmap.h. */
#include "heads_file.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "heatmap.h"
#include "formats/npy.h"
#include "base/display.h"

const char HEADS_ENDINGS[] = ".html, .svg, .npy, .csv, .json";

static int count_of(Range range)
{
    return range.end - range.from;
}

/* (layers, heads, T, T) */
static void write_npy(FILE *out, const Heads *heads, About about)
{
    (void)about;
    const int T = heads->length;
    const int shape[] = {count_of(heads->layer), count_of(heads->head), T, T};
    npy_begin(out, shape, 4);
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++)
            npy_numbers(out, head_weights(heads, l, h), (size_t)T * (size_t)T);
}

static void put_csv(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_csv_head(FILE *out, const Heads *heads, int l, int h)
{
    const int T = heads->length;
    const Real *P = head_weights(heads, l, h);
    for (int i = 0; i < T; i++)
        for (int j = head_first_key(heads, l, h, i); j <= i; j++) {
            fprintf(out, "%d,%d,%d,%d,", l + 1, h + 1, i + 1, j + 1);
            put_csv(out, heads->tokens[i]);
            fputc(',', out);
            put_csv(out, heads->tokens[j]);
            fprintf(out, ",%.9g\n", (double)ROW(P, i, T)[j]);
        }
}

/* Only the pairs that a head may see: what is not there is 0 by rule, not by choice. */
static void write_csv(FILE *out, const Heads *heads, About about)
{
    (void)about;
    fputs("layer,head,query,key,query_token,key_token,weight\n", out);
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++)
            write_csv_head(out, heads, l, h);
}

static void put_range(FILE *out, const char *name, Range range)
{
    fprintf(out, "\"%s\": [", name);
    for (int i = range.from; i < range.end; i++)
        fprintf(out, "%s%d", i > range.from ? ", " : "", i + 1);
    fputs("],\n", out);
}

static void put_number(FILE *out, const char *name, double number, const char *behind)
{
    if (isnan(number))
        fprintf(out, "\"%s\": null%s", name, behind);
    else
        fprintf(out, "\"%s\": %.6g%s", name, number, behind);
}

static void put_summary(FILE *out, HeadSummary s)
{
    fputc('{', out);
    put_number(out, "entropy_bits", s.entropy, ", ");
    put_number(out, "back", s.back, ", ");
    put_number(out, "itself", s.itself, ", ");
    put_number(out, "before", s.before, ", ");
    put_number(out, "bos", s.bos, "}");
}

static void put_square(FILE *out, const Heads *heads, int l, int h)
{
    const int T = heads->length;
    const Real *P = head_weights(heads, l, h);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            fprintf(out, "%s%.9g%s",
                    j   ? ","
                    : i ? ",\n["
                        : "[[",
                    (double)ROW(P, i, T)[j],
                    j < T - 1   ? ""
                    : i < T - 1 ? "]"
                                : "]]");
}

typedef void PutHead(FILE *out, const Heads *heads, int layer, int head);

static void put_window(FILE *out, const Heads *heads, int l, int h)
{
    fprintf(out, "%d", pattern_window_size(head_pattern(heads, l, h)));
}

static void put_summary_of(FILE *out, const Heads *heads, int l, int h)
{
    put_summary(out, head_summary(heads, l, h));
}

/* A list of layers, each a list of heads. */
static void put_heads(FILE *out, const char *name, const Heads *heads, PutHead *put,
                      const char *behind)
{
    fprintf(out, "\"%s\": [", name);
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++) {
            fputs(h > heads->head.from ? ",\n" : l > heads->layer.from ? "],\n[" : "[", out);
            put(out, heads, l, h);
        }
    fprintf(out, "]]%s\n", behind);
}

static void write_json(FILE *out, const Heads *heads, About about)
{
    fputs("{\"run\": ", out);
    put_json(out, about.run);
    fputs(",\n\"text\": ", out);
    put_json(out, about.text);
    fputs(",\n\"tokens\": [", out);
    for (int i = 0; i < heads->length; i++) {
        fputs(i ? ", " : "", out);
        put_json(out, heads->tokens[i]);
    }
    fputs("],\n", out);
    put_range(out, "layers", heads->layer);
    put_range(out, "heads", heads->head);
    put_heads(out, "windows", heads, put_window, ",");
    put_heads(out, "summary", heads, put_summary_of, ",");
    put_heads(out, "weights", heads, put_square, "");
    fputs("}\n", out);
}

static const struct {
    const char *ending;
    void (*write)(FILE *out, const Heads *heads, About about);
    size_t most; /* pairs that such a file may show; 0: any */
} KINDS[] = {
    {".html", heatmap_html, HEATMAP_HTML_MOST},
    {".svg", heatmap_svg, HEATMAP_SVG_MOST},
    {".npy", write_npy, 0},
    {".csv", write_csv, 0},
    {".json", write_json, 0},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* Its index, or KIND_COUNT. */
static int kind_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    int kind = 0;
    while (kind < KIND_COUNT && (!dot || strcasecmp(dot, KINDS[kind].ending)))
        kind++;
    return kind;
}

bool heads_ending_is_known(const char *path)
{
    return kind_of(path) < KIND_COUNT;
}

char *heads_too_many(const char *path, const Heads *heads)
{
    const int kind = kind_of(path);
    const size_t pairs = heads_pairs(heads), most = KINDS[kind].most;
    if (!most || pairs <= most)
        return NULL;
    const int count = count_of(heads->layer) * count_of(heads->head);
    return format_text("%d heads over %d tokens have %zu weights, %s holds %zu: choose some with "
                       "--layer and --head, or shorten the text",
                       count, heads->length, pairs, KINDS[kind].ending, most);
}

bool heads_write(const char *path, const Heads *heads, About about)
{
    FileWriter writer;
    if (!file_begin_at(&writer, path))
        return false;
    KINDS[kind_of(path)].write(writer.stream, heads, about);
    return file_commit(&writer);
}
