/* prompt_line.c: libedit reads what is typed. What :again and :more refer to is kept from the last
 * prompt that had an answer. */
#include "prompt_line.h"

#include <editline/readline.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/language.h"
#include "base/system/system.h"
#include "programs/terminal/screen.h"
#include "chat.h"
#include "command.h"
#include "history.h"
#include "show.h"

/* ---- What is typed ---- */

/* What Tab completes, and where prompts are kept; global, since libedit's callbacks get no
 * context. */
static struct {
    const Tokenizer *tokenizer;
    const Field **names; /* stb_ds array: at the beginning of a line, after a colon */
    const char *asks;    /* before what is typed */
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
        line = readline(asker.asks);
        if (!line)
            putchar('\n'); /* after the Ctrl-C or Ctrl-D */
    } while (!line && interrupt);
    signal(SIGINT, before);
    if (line)
        keep(line);
    return line;
}

/* ---- Commands ---- */

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
    Chat chat;     /* with --chat */
} PromptLine;

static const Tokenizer *tokenizer_of(const PromptLine *c)
{
    return &c->answerer->model->tokenizer;
}

/* ---- Help ---- */

/* runs/perro knows 13 words; Tab completes them.
 * Type the beginning of a text, or nothing. :help says more, Ctrl-D leaves. */
static void greet(const PromptLine *c)
{
    const Tokenizer *t = tokenizer_of(c);
    size_t count = 0;
    for (int id = 0; id < tokenizer_size(t); id++)
        count += tokenizer_is_text(t, id);
    const bool completes = rl_library_version && tokenizer_has_words(t);
    printf(completes ? _("%s knows %s; Tab completes them.\n") : _("%s knows %s.\n"),
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
static char *options_text(const PromptLine *c)
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
static void help(const PromptLine *c)
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

/* Answers a turn, or the last one again. */
static void reply_in_chat(PromptLine *c, const char *turn)
{
    const Tokenizer *t = tokenizer_of(c);
    Encoding e = prompt_encode(t, "", turn ? turn : "", turn ? strlen(turn) : 0);
    if (turn && e.wrong && asks_for_help(turn))
        help(c);
    else if (turn)
        chat_reply(&c->chat, c->answerer, c->screen, _("the prompt"), turn, true);
    else if (!chat_again(&c->chat, c->answerer, c->screen))
        warn("there is no prompt yet that could be answered again");
    encoding_free(&e);
}

/* Answers a prompt, and keeps what :again and :more need; or says why there is no answer, then
 * these stay with the last that had one. Meanwhile Ctrl-C ends the answer, and a second one the
 * program. */
static void reply(PromptLine *c, const char *prompt)
{
    interrupt = 0;
    c->answerer->interrupt = &interrupt;
    SignalHandler *const before = signal_catch(SIGINT, note_signal, true, false);
    if (c->choice->chat) {
        reply_in_chat(c, prompt);
        signal(SIGINT, before);
        return;
    }
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
static void go_on(PromptLine *c, const char *text)
{
    if (c->choice->chat)
        warn("a conversation goes on with what is typed");
    else if (!c->written)
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
static void set_option(PromptLine *c, const Field *field, const char *value)
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
static bool obey(PromptLine *c, char *line)
{
    const CommandLine typed = command_read(asker.names, line);
    const char *name = typed.meant ? typed.meant->name : "";
    if (!typed.meant)
        warn("%s", typed.wrong);
    else if (typed.meant->offset != COMMAND)
        set_option(c, typed.meant, typed.value);
    else if (!strcmp(name, "again") && (c->prompt || c->choice->chat))
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

void prompt_line(Answerer *answerer, const Screen *screen, Choice *choice, ChoiceDecided *decided)
{
    PromptLine c = {.answerer = answerer, .screen = screen, .choice = choice, .decided = decided};
    bool stays = true;
    /* Ctrl-C ends an answer or empties the line; at any other moment it does nothing. */
    void (*const before)(int) = signal(SIGINT, SIG_IGN);
    EACH_FIELD (command, COMMANDS)
        arrput(asker.names, command);
    EACH_FIELD (field, CHOICES)
        if (field->offset < CHOICE_LASTING)
            arrput(asker.names, field);
    AUTOFREE char *you = format_text("%s: ", _("you"));
    asker.asks = choice->chat ? you : "> ";
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
    chat_free(&c.chat);
    free(c.prompt);
    free(c.written);
}
