/* heads_file.c: a table of the kinds of files. An existing file may be replaced only if it begins
 * with the bytes with which attend begins every file of that kind. */
#include "heads_file.h"

#include <assert.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "figure.h"
#include "numbers.h"
#include "page.h"

typedef struct {
    const char *ending;
    const char *begin; /* what such a file begins with */
    void (*write)(FILE *out, const Heads *heads);
    size_t most; /* pairs of query and key; 0: any number */
} Kind;

/* Only pictures have a limit: a viewer or a browser must draw them. */
static const Kind KINDS[] = {
    {".html", PAGE_BEGIN, page_write, PAGE_MOST}, {".svg", FIGURE_BEGIN, figure_write, FIGURE_MOST},
    {".npy", "\x93NUMPY", numbers_npy, 0},        {".csv", NUMBERS_CSV_HEADER, numbers_csv, 0},
    {".json", "{\"run\": ", numbers_json, 0},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* By the last dot of the file's name and what follows it, in capitals or not: a.html.svg is a
 * figure. NULL if that is unknown, or if there is no dot. */
static const Kind *kind_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    for (int i = 0; dot && i < KIND_COUNT; i++)
        if (!strcasecmp(dot, KINDS[i].ending))
            return &KINDS[i];
    return NULL;
}

/* An empty file may be replaced too: mktemp makes one. What is not a regular file, such as a pipe,
 * is not looked into. */
void heads_file_check(const char *path)
{
    const Kind *kind = kind_of(path);
    if (!kind)
        usage_error("--output %s: the ending must be .html, .svg, .npy, .csv or .json", path);
    struct stat status;
    FILE *file = !stat(path, &status) && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    char begin[64];
    const size_t size = strlen(kind->begin), got = file ? fread(begin, 1, size, file) : 0;
    if (file)
        fclose(file);
    if (got && (got < size || memcmp(begin, kind->begin, size)))
        die("--output %s: this file was not written by attend; choose another name, or remove it",
            path);
}

bool heads_file_write(const char *path, const Heads *heads)
{
    const Kind *kind = kind_of(path);
    assert(kind); /* heads_file_check() has seen it */
    const size_t pairs = heads_pairs(heads);
    if (kind->most && pairs > kind->most)
        die("%d head%s over %d tokens have %zu weights, but %s can hold only %zu: choose some with "
            "--layer and --head, or shorten the text",
            heads->count, heads->count == 1 ? "" : "s", heads->length, pairs, kind->ending,
            kind->most);
    FileWriter writer;
    if (!file_begin_at(&writer, path))
        return false;
    kind->write(writer.stream, heads);
    return file_commit(&writer);
}
