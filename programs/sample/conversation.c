/* conversation.c: libedit reads what is typed. What :again and :more refer to is kept from the last
 * prompt that had an answer. */
#include "conversation.h"

#include <editline/readline.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/language.h"
#include "base/system/system.h"
#include "base/utf8.h"
#include "programs/terminal/screen.h"

/* ---- Prompts that are kept ---- */

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

/* ---- What is typed ---- */

/* What Tab completes, and where prompts are kept; global, since libedit's callbacks get no
 * context. */
static struct {
    const Tokenizer *tokenizer;
    const Field **names; /* stb_ds array: at the beginning of a line, after a colon */
    char *history;       /* a path, or NULL */
    bool keeps;          /* prompts there; not after a failure */
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
    const char *letters = beginning + 1;
    if (!again)
        at = 0;
    while (at < arrlen(asker.names)) {
        const char *name = asker.names[at++]->name;
        if (!strncmp(name, letters, strlen(letters)))
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

static void begin_asking(const Tokenizer *tokenizer)
{
    /* libedit must know that the terminal speaks UTF-8; numbers keep their decimal point. */
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8"))
        setlocale(LC_CTYPE, "C.UTF-8");
    rl_attempted_completion_function = complete;
    asker.tokenizer = tokenizer;
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

/* The signal that ends an answer or a line, 0 until it comes. */
static volatile sig_atomic_t interrupt;

static void note_signal(int number)
{
    interrupt = number;
}

/* The next line that a person types, without its line end, which the caller frees; NULL at Ctrl-D.
 * Ctrl-C empties the line: it ends the read. Then readline() returns NULL, as at Ctrl-D, and is
 * called again. */
static char *ask(void)
{
    char *line = NULL;
    SignalHandler *const before = signal_catch(SIGINT, note_signal, false, true);
    do {
        interrupt = 0;
        line = readline("> ");
        if (!line)
            putchar('\n'); /* after the Ctrl-C or Ctrl-D */
    } while (!line && interrupt);
    signal(SIGINT, before);
    if (line)
        keep(line);
    return line;
}

/* ---- Growing continuations ---- */

/* Each token's text is added to what is held, of which all that cannot be the beginning of
 * AnswerRules.stop is printed. So the bytes are those that answer_print_continuations() prints. */

/* What was printed of an answer. */
typedef struct {
    const Answerer *answerer;
    const Screen *screen;
    bool begun;       /* has printed something */
    double refreshed; /* clock: when the answer began, or something was shown last */
    int lines;        /* continuations that are printed whole */
    int tokens;       /* of the next one that were taken */
    char *held;       /* stb_ds array: the last of their text, which is not printed yet */
    BpeStream stream; /* what goes from there to the screen */
    int width, rows;  /* of the terminal when it began; that the lines take */
    Vocabulary texts; /* of the lines */
    bool repeats;     /* some are equal */
} Growing;

/* Rows that a line takes on a terminal of this width. */
static int rows_of(const char *line, int width)
{
    int rows = 1, column = 0;
    for (const char *end = line + strlen(line); line < end;) {
        const int32_t c = utf8_next(&line, end);
        const int columns = c == '\n' ? 0 : utf8_columns(c);
        if (c == '\n' || column + columns > width) {
            rows++;
            column = 0;
        }
        column += columns;
    }
    return rows;
}

/* How many of the last bytes held may be the beginning of a text. */
static size_t may_begin(const char *held, size_t size, const char *text)
{
    size_t most = text ? strlen(text) - 1 : 0;
    for (most = most < size ? most : size; most; most--)
        if (!memcmp(held + size - most, text, most))
            break;
    return most;
}

/* Prints the first `size` bytes held. The beginning of a character that is not complete is kept
 * for later, unless `all`. */
static void release(Growing *g, size_t size, bool all)
{
    AUTOFREE char *text = NULL;
    FILE *out = memory_stream(&text, NULL);
    bpe_stream_put(&g->stream, (Span){g->held, g->held + size}, out);
    if (all)
        bpe_stream_end(&g->stream, out);
    fclose(out);
    AUTOFREE char *shown = display_part(text);
    printf("%s", shown);
    if (size)
        arrdeln(g->held, 0, size);
}

/* Prints the rest of a continuation that is complete, without what --stop cuts off, and notes how
 * many rows it takes and whether an earlier one is equal. */
static void end_line(Growing *g, const Answer *answer, const Continuation *c)
{
    const Answerer *a = g->answerer;
    AUTOFREE char *tail = answer_tail(a, c);
    release(g, arrlenu(g->held) - c->cut, c->ended);
    printf("%s\n", tail);
    AUTOFREE char *text = answer_written(a, answer, c), *shown = display_part(text);
    AUTOFREE char *line = format_text("%3d  %s%s", g->lines + 1, shown, tail);
    g->rows += rows_of(line, g->width);
    g->lines++;
    g->tokens = 0;
    g->stream.count = 0;
    arrsetlen(g->held, 0);
    g->repeats |= vocabulary_add(&g->texts, text, strlen(text), false) < 0;
}

/* Prints what is new of the next continuation: most often one token. With --stop " come" the tokens
 *
 *     el perro cor re
 *
 * are printed as "el perro", nothing, since " co" may be the beginning of " come", and " corre". */
static void grow(Growing *g, const Answer *answer, const Continuation *c)
{
    const Answerer *a = g->answerer;
    if (!g->tokens) { /* "  1  el perro": the number, and the prompt in bold */
        AUTOFREE char *prompt = answer_text(a, answer, NULL), *shown = display_part(prompt);
        printf("%3d  %s%s%s", g->lines + 1, g->screen->bold, shown, g->screen->plain);
    }
    int count;
    AUTOFREE int *tokens = answer_tokens(answer, 0, c, &count);
    AUTOFREE char *text = tokenizer_decode_from(&a->model->tokenizer, tokens,
                                                answer->encoding.count + g->tokens, count);
    for (const char *at = text; *at; at++)
        arrput(g->held, *at);
    g->tokens = c->count;
    if (c->complete)
        end_line(g, answer, c);
    else if (!c->stopped) /* else the text to leave out is among what is held */
        release(g, arrlenu(g->held) - may_begin(g->held, arrlenu(g->held), a->rules.stop), false);
}

/* An AnswerWatch. Gaps are filled in any order, so the whole line is shown again each time, in the
 * status line. Several continuations that take no time are not worth watching: they are printed at
 * the end, equal ones once. */
static void watch(const Answer *answer, int number, const Continuation *so_far, void *watcher)
{
    Growing *g = watcher;
    const bool at_once = g->begun || (!g->answerer->gaps && g->answerer->rules.count == 1);
    if (!at_once && !screen_may_refresh(g->screen, &g->refreshed))
        return;
    if (g->answerer->gaps) {
        AUTOFREE char *text = answer_written(g->answerer, answer, so_far);
        AUTOFREE char *shown = display_text(text);
        screen_status(g->screen, shown);
        return;
    }
    g->begun = true;
    g->width = g->width ? g->width : screen_width();
    while (g->lines < number)
        grow(g, answer, &answer->continuations[g->lines]);
    grow(g, answer, so_far);
    fflush(stdout);
}

/* Draws the continuations of an answer and prints them as they grow; returns the first. If some are
 * equal, the lines are removed from the screen, if all of them are on it: it must be high enough,
 * and lines may have been wrapped again if its width has changed. */
static const Continuation *print_growing(Answerer *a, Answer *answer, const Screen *screen)
{
    Growing g = {
        .answerer = a, .screen = screen, .refreshed = clock_seconds(), .texts = vocabulary_new()};
    const Continuation *first;
    answer_continue(a, answer, a->rules.sources ? NULL : watch, &g);
    if (a->gaps)
        screen_status(screen, "");
    const bool back = g.repeats && g.rows < system_rows(STDOUT_FILENO) && g.width == screen_width();
    if (back)
        printf("\033[%dA\r\033[J", g.rows);
    if (!g.begun || back)
        first = answer_print_continuations(a, answer, screen);
    else {
        first = answer->continuations;
        answer_print_full(a, answer);
    }
    arrfree(g.held);
    vocabulary_free(&g.texts);
    return first;
}

/* What the model does not know of the prompt, and what it reads of it. */
static void warn_of_unknown(const Answerer *a, const Answer *answer)
{
    const Encoding *e = &answer->encoding;
    AUTOFREE char *text = tokenizer_decode(&a->model->tokenizer, e->ids, e->count);
    AUTOFREE char *shown = display_text(text);
    warn("%s", answer->unknown);
    if (*shown)
        warn("the answer goes on from '%s'", shown);
    else
        warn("the answer goes on from the beginning of a line");
}

const Continuation *answer_show(Answerer *a, Answer *answer, const Screen *screen)
{
    const Continuation *first = NULL;
    if (a->rules.json) {
        if (!answer->encoding.wrong)
            answer_continue(a, answer, NULL, NULL);
        first = answer->count ? answer->continuations : NULL;
        answer_print_json(a, answer);
    } else if (answer->encoding.wrong) {
        warn("%s", answer->encoding.wrong);
    } else {
        if (answer->unknown)
            warn_of_unknown(a, answer);
        if (a->rules.sources && !a->text->there) /* asked for at the prompt line */
            warn("--sources needs the text that %s was trained on; name it with --text FILE",
                 a->model->directory.path);
        answer_print_tables(a, answer, screen);
        first = print_growing(a, answer, screen);
    }
    fflush(stdout);
    return first;
}

/* ---- Commands ---- */

/* The one of these names that letters stand for; NULL if there is none, or several. `several`
 * receives those that begin so, as one text: ":top-k, :top-p". Letters that are a whole name stand
 * for it, even if longer ones begin with them. */
static const Field *find(const Field *const *names, const char *letters, char **several)
{
    const Field *found = NULL;
    const size_t length = strlen(letters);
    int count = 0;
    *several = format_text("%s", "");
    for (ptrdiff_t i = 0; i < arrlen(names); i++) {
        if (strncmp(names[i]->name, letters, length) != 0)
            continue;
        extend_text(several, count++ ? ", :%s" : ":%s", names[i]->name);
        found = names[i];
        if (!found->name[length]) {
            count = 1; /* a name as it is */
            break;
        }
    }
    return count == 1 ? found : NULL;
}

/* "temp 0.7  " becomes the option of the field "temperature" and the value "0.7": the line is cut
 * into three parts, the name, spaces and the value, which may hold spaces itself. */
CommandLine command_read(const Field *const *names, char *line)
{
    size_t size = strlen(line), length = strcspn(line, " ");
    while (size && line[size - 1] == ' ')
        line[--size] = 0;
    CommandLine read = {.value = line + length + strspn(line + length, " ")};
    AUTOFREE char *name = format_text(":%.*s", (int)length, line), *several;
    const Field *meant = find(names, name + 1, &several);
    if (!length)
        read.wrong = format_text(_("a command follows the colon; :help lists them"));
    else if (!meant && *several)
        read.wrong = format_text(_("%s may be %s"), name, several);
    else if (!meant)
        read.wrong = format_text(_("there is no command %s; :help lists them, and :%s is a prompt"),
                                 name, name);
    else if (meant->offset == COMMAND && !meant->value && *read.value)
        read.wrong = format_text(_(":%s takes nothing after it, but there is '%s'"), meant->name,
                                 read.value);
    else
        read.meant = meant;
    return read;
}

/* In the order of :help; obey() does what they say. */
static const Field COMMANDS[] = {
    {.name = "again",
     .offset = COMMAND,
     .help = N_("answer the last prompt again, with other random numbers")},
    {.name = "more",
     .offset = COMMAND,
     .value = N_("[TEXT]"),
     .help = N_("go on after the first continuation, or after it and TEXT, as in a conversation")},
    {.name = "help", .offset = COMMAND, .help = N_("print this")},
    {.name = "quit", .offset = COMMAND, .help = N_("leave, as Ctrl-D does")},
    {.name = NULL},
};

typedef struct {
    Answerer *answerer;
    const Screen *screen;
    Choice *choice;
    ChoiceDecided *decided;
    char *prompt;  /* the last one that had an answer, or NULL */
    char *written; /* its first continuation, with the prompt before it, or NULL */
    bool ended;    /* nothing can follow that */
} Conversation;

static const Tokenizer *tokenizer_of(const Conversation *c)
{
    return &c->answerer->model->tokenizer;
}

/* ---- Help ---- */

/* runs/perro knows 13 words; Tab completes them.
 * Type the beginning of a text, or nothing. :help says more, Ctrl-D leaves. */
static void greet(const Conversation *c)
{
    const Tokenizer *t = tokenizer_of(c);
    size_t count = 0;
    for (int id = 0; id < tokenizer_size(t); id++)
        count += tokenizer_is_text(t, id);
    printf(tokenizer_has_words(t) ? _("%s knows %s; Tab completes them.\n") : _("%s knows %s.\n"),
           c->answerer->model->directory.path,
           plural(count, tokenizer_unit(t->kind), tokenizer_units(t->kind)).text);
    switch (t->objective) {
    case OBJECTIVE_NEXT: printf(_("Type the beginning of a text, or nothing.")); break;
    case OBJECTIVE_TURNS:
        printf(_("Say something; a blank line begins a new conversation."));
        break;
    case OBJECTIVE_PAIRS: printf(_("Type a source; after -> its target may begin.")); break;
    case OBJECTIVE_MASKED:
        printf(_("Type a text with [mask] for each %s that is missing."),
               translated(tokenizer_unit(t->kind)));
        break;
    }
    printf(" %s\n", _(":help says more, Ctrl-D leaves."));
}

/* "  :more TEXT      go on …", the explanation in a column of its own. */
static void put_help(const char *name, const char *value, const char *help)
{
    enum { COLUMN = 19 };
    AUTOFREE char *typed = format_text("  :%s%s%s", name, value ? " " : "", value ? value : "");
    AUTOFREE char *text = format_text("%s", help);
    put_fitted(stdout, typed, COLUMN, false);
    screen_wrap(text, COLUMN, screen_width());
}

/* The options as they stand: ":count 3, :words 50, …". */
static char *options_text(const Conversation *c)
{
    char *text = NULL;
    for (ptrdiff_t i = 0; i < arrlen(asker.names); i++) {
        const Field *field = asker.names[i];
        if (field->offset == COMMAND)
            continue;
        AUTOFREE char *value = choice_value(c->choice, &c->answerer->rules, field);
        extend_text(&text, "%s:%s %s", text ? ", " : "", field->name, value);
    }
    return text;
}

/* The greeting again, the commands, the options as they stand now, and how a prompt begins with a
 * colon:
 *
 *   :again           answer the last prompt again; …
 *   :OPTION VALUE    give an option … another value; … Now: :count 3, :words 50, …
 *   ::TEXT           a prompt that begins with one colon */
static void help(const Conversation *c)
{
    greet(c);
    EACH_FIELD (command, COMMANDS)
        put_help(command->name, command->value ? translated(command->value) : NULL,
                 translated(command->help));
    AUTOFREE char *options = options_text(c);
    AUTOFREE char *text = format_text(
        _("give an option of the command line another value; without VALUE it is printed, and "
          "default takes it back. Now: %s"),
        options);
    put_help(_("OPTION"), _("VALUE"), text);
    put_help(_(":TEXT"), NULL, _("a prompt that begins with one colon"));
}

/* Whether a person asks for help or wants to leave. Called only for lines that the model cannot
 * read: if the model knows the word "help", that is a prompt like any other. */
static bool asks_for_help(const char *line)
{
    static const char *const words[] = {"help", "quit", "exit", "?"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(line, words[i]))
            return true;
    return false;
}

/* ---- Prompts ---- */

/* Answers a prompt, and keeps what :again and :more need; or says why there is no answer, then
 * these stay with the last that had one. Meanwhile Ctrl-C ends the answer, and a second one the
 * program. */
static void reply(Conversation *c, const char *prompt)
{
    interrupt = 0;
    c->answerer->interrupt = &interrupt;
    SignalHandler *const before = signal_catch(SIGINT, note_signal, true, false);
    Answer answer = answer_begin(c->answerer, _("the prompt"), prompt, strlen(prompt));
    if ((answer.encoding.wrong || answer.unknown) && asks_for_help(prompt))
        help(c);
    else {
        const Continuation *first = answer_show(c->answerer, &answer, c->screen);
        if (!answer.encoding.wrong) {
            char *kept = format_text("%s", prompt); /* which may be c->prompt or c->written */
            free(c->prompt);
            free(c->written);
            c->prompt = kept;
            c->written = first ? answer_written(c->answerer, &answer, first) : NULL;
            c->ended = first && first->ended;
        }
    }
    answer_free(&answer);
    signal(SIGINT, before);
}

/* :more, :more TEXT. The prompt is what stands on the screen: its tokens are those that were drawn,
 * except that subwords may be cut in another way. A text that was cut by --stop goes on there. */
static void go_on(Conversation *c, const char *text)
{
    if (!c->written)
        warn("there is no continuation yet that could go on");
    else if (tokenizer_of(c)->objective == OBJECTIVE_MASKED)
        warn("a line whose gaps are filled does not go on");
    else if (c->ended && !*text)
        warn("the continuation has come to its end; :more TEXT goes on after it and TEXT");
    else {
        AUTOFREE char *prompt = format_text("%s%s%s", c->written, *text ? " " : "", text);
        reply(c, prompt);
    }
}

/* "el gato -> the" is a source and the beginning of its target: a tab, which stands between them,
 * cannot be typed, since it completes words. The page takes → for it, and so does this. */
static void read_arrow(char *line)
{
    const char *typed = strstr(line, "->") ? "->" : "→";
    char *arrow = strstr(line, typed);
    if (!arrow)
        return;
    char *after = arrow + strlen(typed);
    after += strspn(after, " ");
    while (arrow > line && arrow[-1] == ' ')
        arrow--;
    *arrow = '\t';
    memmove(arrow + 1, after, strlen(after) + 1);
}

/* ---- Options ---- */

/* :temperature 0.7; :temperature prints the value, :greedy switches it on. The answerer is made
 * again, since it has memory for a beam of one width. A new seed draws what it would draw for the
 * first prompt of a call. */
static void set_option(Conversation *c, const Field *field, const char *value)
{
    if (*value || field->kind == FIELD_FLAG) {
        AUTOFREE char *wrong = choice_change(c->choice, c->decided, tokenizer_of(c), field, value);
        if (wrong) {
            warn("%s", wrong);
            return;
        }
        Answerer *a = c->answerer;
        const Answerer was = *a;
        answerer_free(a);
        *a =
            answerer_new(was.model, was.text, choice_rules(c->choice, c->decided, tokenizer_of(c)));
        a->counts = was.counts;
        a->asked = field->offset == offsetof(Choice, rules.seed) ? 0 : was.asked;
    }
    AUTOFREE char *now = choice_value(c->choice, &c->answerer->rules, field);
    printf("  :%s %s\n", field->name, now);
}

/* Does what a line says, without its colon; a mistake is told and changes nothing. Returns whether
 * the person stays. */
static bool obey(Conversation *c, char *line)
{
    const CommandLine typed = command_read(asker.names, line);
    const char *name = typed.meant ? typed.meant->name : "";
    if (!typed.meant)
        warn("%s", typed.wrong);
    else if (typed.meant->offset != COMMAND)
        set_option(c, typed.meant, typed.value);
    else if (!strcmp(name, "again") && c->prompt)
        reply(c, c->prompt);
    else if (!strcmp(name, "again"))
        warn("there is no prompt yet that could be answered again");
    else if (!strcmp(name, "more"))
        go_on(c, typed.value);
    else if (!strcmp(name, "help"))
        help(c);
    free(typed.wrong);
    return strcmp(name, "quit") != 0;
}

void converse(Answerer *answerer, const Screen *screen, Choice *choice, ChoiceDecided *decided)
{
    Conversation c = {.answerer = answerer, .screen = screen, .choice = choice, .decided = decided};
    bool stays = true;
    /* Ctrl-C ends an answer or empties the line; at any other moment it does nothing. */
    void (*const before)(int) = signal(SIGINT, SIG_IGN);
    EACH_FIELD (command, COMMANDS)
        arrput(asker.names, command);
    EACH_FIELD (field, CHOICES)
        if (field->offset < CHOICE_LASTING)
            arrput(asker.names, field);
    begin_asking(tokenizer_of(&c));
    greet(&c);
    for (char *line; stays && (line = ask()); free(line)) {
        if (line[0] == ':' && line[1] != ':')
            stays = obey(&c, line + 1);
        else {
            if (tokenizer_of(&c)->objective == OBJECTIVE_PAIRS)
                read_arrow(line);
            reply(&c, line + (line[0] == ':'));
        }
    }
    signal(SIGINT, before);
    arrfree(asker.names);
    free(c.prompt);
    free(c.written);
}
