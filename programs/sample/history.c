/* history.c: a line is added by one write at the end of the file, so several programs may add to it
 * at the same time. */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/language.h"
#include "base/utf8.h"

char *history_path(void)
{
    const char *named = getenv("PULGA_HISTORY"), *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (named)
        return *named ? format_text("%s", named) : NULL;
    if (state && *state == '/') /* else it is to be ignored, says the XDG specification */
        return format_text("%s/pulga/history", state);
    if (home && *home)
        return format_text("%s/.local/state/pulga/history", home);
    warn("prompts are not kept for the next time, as HOME is not set; PULGA_HISTORY=FILE keeps "
         "them there");
    return NULL;
}

/* One line for whatever goes wrong, with what to do about it. */
static void cannot_keep(const char *path, const char *why)
{
    warn("prompts are not kept for the next time: %s: %s; PULGA_HISTORY=FILE keeps them elsewhere, "
         "PULGA_HISTORY= nowhere",
         path, why);
}

/* Opens the file; -1 with a warning if it cannot be opened. If it is to be read and is not there
 * yet, there is no warning. */
static int open_file(const char *path, int flags)
{
    const int file = open(path, flags | O_CLOEXEC, 0600);
    if (file < 0 && (flags & O_CREAT || errno != ENOENT))
        cannot_keep(path, reason(errno));
    return file;
}

bool history_read(const char *path, char ***all)
{
    char **lines = NULL, *line = NULL;
    size_t room = 0;
    const int file = open_file(path, O_RDONLY);
    FILE *in = file < 0 ? NULL : fdopen(file, "r");
    *all = NULL;
    if (!in)
        return errno == ENOENT;
    while (getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (!*line || !utf8_is_valid(line, strlen(line)))
            continue;
        arrput(lines, format_text("%s", line));
        if (arrlen(lines) > KEPT_PROMPTS) {
            free(lines[0]);
            arrdel(lines, 0);
        }
    }
    free(line);
    fclose(in);
    *all = lines;
    return true;
}

/* Makes the folders of a path that are not there, for the owner only. What fails, fails again when
 * the file is opened. */
static void make_folders(const char *path)
{
    char *folder = format_text("%s", path);
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(folder, 0700);
        *at = '/';
    }
    free(folder);
}

bool history_add(const char *path, const char *line)
{
    make_folders(path);
    const int file = open_file(path, O_WRONLY | O_APPEND | O_CREAT);
    if (file < 0)
        return false;
    char *text = format_text("%s\n", line);
    const ssize_t size = (ssize_t)strlen(text);
    errno = ENOSPC; /* if only a part is written */
    const bool good = write(file, text, (size_t)size) == size;
    if (!good)
        cannot_keep(path, reason(errno));
    close(file);
    free(text);
    return good;
}
