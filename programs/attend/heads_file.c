/* heads_file.c: a table of the kinds of files. An existing file may be replaced only if it begins
 * with the bytes with which attend begins every file of that kind. */
#include "heads_file.h"

#include <assert.h>
#include <strings.h>

#include "base/files/file.h"
#include "programs/attend/heads/figure.h"
#include "programs/pictures/svg.h"
#include "programs/terminal/screen.h"

typedef struct {
    const char *ending;
    const char *begin[4];                         /* with what such a file may begin */
    void (*write)(FILE *out, const Heads *heads); /* NULL: a page, which needs more */
    size_t most;                                  /* pairs of query and key; 0: any number */
    void (*write_positions)(FILE *out, const Positions *positions); /* or NULL */
    void (*write_because)(FILE *out, const Because *because);       /* likewise */
    void (*write_effects)(FILE *out, const Effects *effects);       /* likewise */
} FileKind;

/* Only pictures have a limit: a viewer or a browser must draw them. */
static const FileKind KINDS[] = {
    {".html", {PAGE_BEGIN}, NULL, PAGE_MOST, NULL, NULL, NULL},
    {".svg", {SVG_BEGIN}, heads_figure, FIGURE_MOST, positions_figure, NULL, NULL},
    {".npy", {NPY_BEGIN}, numbers_npy, 0, positions_npy, NULL, NULL},
    {".csv",
     {NUMBERS_CSV_HEADER, POSITIONS_CSV_HEADER, BECAUSE_CSV_HEADER, EFFECTS_CSV_HEADER},
     numbers_csv,
     0,
     positions_csv,
     because_csv,
     effects_csv},
    {".json", {"{\"run\": "}, numbers_json, 0, positions_json, because_json, effects_json},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

bool heads_file_is_output(const char *path)
{
    return path[0] == '-' && (!path[1] || path[1] == '.');
}

/* By the last dot of the file's name and what follows it, in capitals or not: a.html.svg is a
 * figure. NULL if that is unknown, or if there is no dot. */
static const FileKind *kind_of(const char *path)
{
    if (!strcmp(path, "-"))
        path = ".csv";
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    for (int i = 0; dot && i < KIND_COUNT; i++)
        if (!strcasecmp(dot, KINDS[i].ending))
            return &KINDS[i];
    return NULL;
}

void heads_file_check(const char *path, FileTopic topic)
{
    const FileKind *kind = kind_of(path);
    if (!kind)
        usage_error("--output %s: the ending must be .html, .svg, .npy, .csv or .json", path);
    if (topic == SHOWS_BECAUSE && !kind->write_because)
        usage_error("--output %s: with --because the ending must be .csv or .json", path);
    if (topic == SHOWS_EFFECTS && !kind->write_effects)
        usage_error("--output %s: with --heads the ending must be .csv or .json", path);
    if (topic == SHOWS_POSITIONS && !kind->write_positions)
        usage_error("--output %s: with --positions the ending must be .svg, .npy, .csv or .json",
                    path);
    bool ours = heads_file_is_output(path);
    for (int i = 0; i < 4 && kind->begin[i]; i++)
        ours |= file_is_ours(path, kind->begin[i]);
    if (!ours)
        die("--output %s: this file was not written by attend; choose another name, or remove it",
            path);
}

bool heads_file_is_page(const char *path)
{
    const FileKind *kind = kind_of(path);
    return kind && !kind->write;
}

/* Begins a file, and returns its kind; NULL if it cannot be begun. Standard output keeps its
 * descriptor: process.c reports if it could not be written. */
static const FileKind *begin(FileWriter *writer, const char *path)
{
    *writer = (FileWriter){.stream = stdout};
    return heads_file_is_output(path) || file_begin_at(writer, path) ? kind_of(path) : NULL;
}

static bool commit(FileWriter *writer)
{
    return writer->stream == stdout || file_commit(writer);
}

bool heads_file_write(const char *path, const Heads *heads, const PageSource *source)
{
    const FileKind *kind = kind_of(path);
    assert(kind); /* heads_file_check() has seen it */
    const size_t pairs = heads_pairs(heads);
    if (kind->most && pairs > kind->most)
        die("%s over %d tokens have %zu weights, but %s can hold only %zu: choose some with "
            "--layer and --head, or shorten the text",
            plural((size_t)heads->count, "head", "heads").text, heads->length, pairs, kind->ending,
            kind->most);
    AUTOFREE char *page = NULL; /* made before its file: it reads the run's, which may be damaged */
    size_t size = 0;
    if (!kind->write) {
        FILE *out = memory_stream(&page, &size);
        page_write(out, heads, source);
        fclose(out);
    }
    FileWriter writer;
    if (!begin(&writer, path))
        return false;
    if (kind->write)
        kind->write(writer.stream, heads);
    else if (page)
        fwrite(page, 1, size, writer.stream);
    return commit(&writer);
}

bool heads_file_write_positions(const char *path, const Positions *positions)
{
    FileWriter writer;
    const FileKind *kind = begin(&writer, path);
    if (kind)
        kind->write_positions(writer.stream, positions);
    return kind && commit(&writer);
}

bool heads_file_write_because(const char *path, const Because *because)
{
    FileWriter writer;
    const FileKind *kind = begin(&writer, path);
    if (kind)
        kind->write_because(writer.stream, because);
    return kind && commit(&writer);
}

bool heads_file_write_effects(const char *path, const Effects *effects)
{
    FileWriter writer;
    const FileKind *kind = begin(&writer, path);
    if (kind)
        kind->write_effects(writer.stream, effects);
    return kind && commit(&writer);
}
