/* trainable.c: the page of the lab has a line that the run replaces: a block of JSON, with the name
 * of the run and the text that its model reads first, and a block in base64 for each file. The lab
 * opens a page that has them with this run, see programs/lab/lab.js. */
#include "trainable.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "programs/attend/heads/numbers.h"
#include "base/display.h"
#include "base/files/file.h"
#include "base64.h"
#include "formats/json.h"
#include "formats/run/files.h"
#include "page.h"

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
