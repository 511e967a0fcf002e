/* ask.c: libedit reads what is typed. What comes from a pipe is read byte by byte, so that a line
 * without an end is refused before it fills the memory. */
#include "ask.h"

#include <editline/readline.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stb/stb_ds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/language.h"
#include "base/utf8.h"

/* A line is added by one write at the end of the file, so several programs may add to it
 * at the same time. */
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

/* Bytes of a line that comes from a pipe. */
enum { PROMPT_MOST = 1 << 20 };

bool ask_person(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* ---- At a terminal ---- */

/* What Tab completes, and where prompts are kept; global, since libedit's callbacks get no
 * context. */
static struct {
    const Tokenizer *tokenizer;
    const Field *const *names;
    char *history; /* a path, or NULL */
    bool keeps;    /* prompts there; not after a failure */
} asker;

/* Called by libedit until it returns NULL, the first time with again == 0: the next word that
 * begins with `beginning`, in memory that libedit frees. */
static char *next_word(const char *beginning, int again)
{
    static int id;
    if (!again)
        id = 0;
    while (id < tokenizer_size(asker.tokenizer)) {
        const char *word = tokenizer_word(asker.tokenizer, id);
        const bool fits = !strncmp(word, beginning, strlen(beginning));
        if (tokenizer_is_text(asker.tokenizer, id++) && fits)
            return format_text("%s", word);
    }
    return NULL;
}

/* The next command that begins so, likewise. */
static char *next_command(const char *beginning, int again)
{
    static ptrdiff_t at;
    if (!again)
        at = 0;
    while (at < arrlen(asker.names)) {
        const char *name = asker.names[at++]->name;
        if (!strncmp(name, beginning + 1, strlen(beginning + 1)))
            return format_text(":%s", name);
    }
    return NULL;
}

/* Called by libedit when Tab is pressed; from and end say where in the line the word stands. */
static char **complete(const char *beginning, int from, int end)
{
    (void)end;
    rl_attempted_completion_over = 1; /* else the names of files would follow */
    if (!from && *beginning == ':')
        return rl_completion_matches(beginning, next_command);
    return tokenizer_has_words(asker.tokenizer) ? rl_completion_matches(beginning, next_word)
                                                : NULL;
}

void ask_begin(const Tokenizer *tokenizer, const Field *const *names)
{
    /* libedit must know that the terminal speaks UTF-8; numbers keep their decimal point. */
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8"))
        setlocale(LC_CTYPE, "C.UTF-8");
    rl_attempted_completion_function = complete;
    asker.tokenizer = tokenizer;
    asker.names = names;
    asker.history = history_path();
    asker.keeps = asker.history && history_read(asker.history);
}

/* A line that is typed twice in a row is kept once. */
static void keep(const char *line)
{
    const HIST_ENTRY *last = history_get(history_base + history_length - 1);
    if (!*line || (last && !strcmp(line, last->line)))
        return;
    add_history(line);
    asker.keeps = asker.keeps && history_add(asker.history, line);
}

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    interrupted = number;
}

/* Ctrl-C ends the read, as the signal is caught without SA_RESTART. Then readline() returns NULL,
 * as at Ctrl-D, and is called again. */
char *ask_typed(void)
{
    const struct sigaction noting = {.sa_handler = note_signal};
    struct sigaction before;
    char *line = NULL;
    sigaction(SIGINT, &noting, &before);
    do {
        interrupted = 0;
        line = readline("> ");
        if (!line)
            putchar('\n'); /* after the Ctrl-C or Ctrl-D */
    } while (!line && interrupted);
    sigaction(SIGINT, &before, NULL);
    if (line)
        keep(line);
    return line;
}

/* ---- In a pipe ---- */

/* A line may hold 0 bytes, and the last one may lack its line end; CRLF is also a line end. */
char *ask_piped(size_t *size)
{
    char *line;
    int c;
    FILE *out = memory_stream(&line, size);
    for (size_t length = 0; (c = getchar()) != EOF && c != '\n'; length++) {
        if (length == PROMPT_MOST)
            die("standard input has a line of more than %d bytes: that is no prompt", PROMPT_MOST);
        putc(c, out);
    }
    fclose(out);
    if (ferror(stdin))
        die("cannot read standard input: %s", reason(errno));
    if (c == EOF && !*size) {
        free(line);
        return NULL;
    }
    if (*size && line[*size - 1] == '\r')
        line[--*size] = 0;
    return line;
}
