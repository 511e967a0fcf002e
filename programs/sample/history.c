/* history.c: a line is added by one write at the end of the file, so several programs may add to it
 * at the same time. */
#include "history.h"

#include <editline/readline.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* One line for whatever goes wrong, with what to do about it. Returns false. */
static bool cannot_keep(const char *path)
{
    warn("prompts are not kept for the next time: %s: %s; PULGA_HISTORY=FILE keeps them elsewhere, "
         "PULGA_HISTORY= nowhere",
         path, reason(errno));
    return false;
}

bool history_read(const char *path)
{
    AUTOFREE char *line = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "re");
    stifle_history(KEPT_PROMPTS);
    if (!in)
        return errno == ENOENT || cannot_keep(path);
    while (getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (*line && utf8_is_valid(line, strlen(line)))
            add_history(line);
    }
    fclose(in);
    return true;
}

/* Makes the folders of a path that are not there, for the owner only. What fails, fails again when
 * the file is opened. */
static void make_folders(const char *path)
{
    AUTOFREE char *folder = format_text("%s", path);
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(folder, 0700);
        *at = '/';
    }
}

bool history_add(const char *path, const char *line)
{
    make_folders(path);
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return cannot_keep(path);
    AUTOFREE char *text = format_text("%s\n", line);
    const ssize_t size = (ssize_t)strlen(text);
    errno = ENOSPC; /* if only a part is written */
    const bool good = write(file, text, (size_t)size) == size || cannot_keep(path);
    close(file);
    return good;
}
