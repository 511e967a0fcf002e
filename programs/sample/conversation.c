/* conversation.c: what :again and :more refer to is kept from the last prompt that had an
 * answer. */
#include "conversation.h"

#include <signal.h>
#include <stb/stb_ds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files/directory.h"
#include "base/language.h"
#include "base/utf8.h"
#include "programs/terminal/screen.h"
#include "ask.h"

/* The names of commands and options are one list. */

/* A name that can be typed, and what it stands for: a command or an option. The other is NULL. */
typedef struct {
    const char *name;
    const Command *command;
    const Field *field;
} Typed;

/* All of them: an stb_ds array. Options such as --json are for the whole call, not for the prompt
 * line. */
static Typed *entries_of(const CommandTable *table)
{
    Typed *entries = NULL;
    for (const Command *c = table->commands; c->name; c++)
        arrput(entries, ((Typed){c->name, c, NULL}));
    EACH_FIELD (field, table->fields)
        if (field->offset < table->end)
            arrput(entries, ((Typed){field->name, NULL, field}));
    return entries;
}

char **command_names(const CommandTable *table)
{
    char **names = NULL;
    Typed *entries = entries_of(table);
    for (ptrdiff_t i = 0; i < arrlen(entries); i++)
        arrput(names, format_text(":%s", entries[i].name));
    arrfree(entries);
    return names;
}

/* The entry that these letters stand for; NULL if there is none, or several. `several` receives
 * those that begin so, as one text: ":top-k, :top-p". Letters that are a whole name stand for it,
 * even if longer ones begin with them. */
static const Typed *find(const Typed *entries, const char *letters, char **several)
{
    const Typed *found = NULL;
    const size_t length = strlen(letters);
    int count = 0;
    *several = format_text("%s", "");
    for (const Typed *e = entries; e < entries + arrlen(entries); e++) {
        if (strncmp(e->name, letters, length) != 0)
            continue;
        extend_text(several, count++ ? ", :%s" : ":%s", e->name);
        found = e;
        if (!e->name[length]) {
            count = 1; /* a name as it is */
            break;
        }
    }
    return count == 1 ? found : NULL;
}

/* "temp 0.7  " becomes the option of the field "temperature" and the value "0.7": the line is cut
 * into three parts, the name, spaces and the value, which may hold spaces itself. */
CommandLine command_read(const CommandTable *table, char *line)
{
    size_t size = strlen(line), length = strcspn(line, " ");
    while (size && line[size - 1] == ' ')
        line[--size] = 0;
    CommandLine read = {.value = line + length + strspn(line + length, " ")};
    Typed *entries = entries_of(table);
    char *name = format_text(":%.*s", (int)length, line), *several;
    const Typed *meant = find(entries, name + 1, &several);
    if (!length)
        read.wrong = format_text(_("a command follows the colon; :help lists them"));
    else if (!meant && *several)
        read.wrong = format_text(_("%s may be %s"), name, several);
    else if (!meant)
        read.wrong = format_text(_("there is no command %s; :help lists them, and :%s is a prompt"),
                                 name, name);
    else if (meant->command && !meant->command->value && *read.value)
        read.wrong = format_text(_(":%s takes nothing after it, but there is '%s'"), meant->name,
                                 read.value);
    else {
        read.command = meant->command;
        read.field = meant->field;
    }
    arrfree(entries);
    free(several);
    free(name);
    return read;
}

typedef struct {
    Answerer *answerer;
    const Screen *screen;
    Choice *choice;
    ChoiceDecided *decided;
    char *prompt;  /* the last one that had an answer, or NULL */
    char *written; /* its first continuation, with the prompt before it, or NULL */
    bool ended;    /* nothing can follow that */
} Conversation;

/* In the order of :help; obey() does what they say. */
static const Command COMMANDS[] = {
    {"again", NULL, N_("answer the last prompt again, with other random numbers")},
    {"more", N_("[TEXT]"),
     N_("go on after the first continuation, or after it and TEXT, as in a conversation")},
    {"help", NULL, N_("print this")},
    {"quit", NULL, N_("leave, as Ctrl-D does")},
    {.name = NULL},
};

static const CommandTable TABLE = {COMMANDS, CHOICES, CHOICE_LASTING};

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
    char *typed = format_text("  :%s%s%s", name, value ? " " : "", value ? value : "");
    char *text = format_text("%s", help);
    put_fitted(stdout, typed, COLUMN, false);
    screen_wrap(text, COLUMN, screen_width());
    free(text);
    free(typed);
}

/* The options as they stand: ":count 3, :words 50, …". */
static char *options_text(const Conversation *c)
{
    char *text = NULL;
    EACH_FIELD (field, CHOICES) {
        if (field->offset >= TABLE.end)
            continue;
        char *value = choice_value(c->choice, &c->answerer->rules, field);
        extend_text(&text, "%s:%s %s", text ? ", " : "", field->name, value);
        free(value);
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
    for (const Command *command = COMMANDS; command->name; command++)
        put_help(command->name, command->value ? translated(command->value) : NULL,
                 translated(command->help));
    char *options = options_text(c);
    char *text = format_text(
        _("give an option of the command line another value; without VALUE it is printed, and "
          "default takes it back. Now: %s"),
        options);
    put_help(_("OPTION"), _("VALUE"), text);
    put_help(_(":TEXT"), NULL, _("a prompt that begins with one colon"));
    free(text);
    free(options);
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

/* Keeps what :again and :more need. */
static void remember(Conversation *c, const char *prompt, const Answer *answer,
                     const Continuation *first)
{
    char *kept = format_text("%s", prompt); /* which may be c->prompt or c->written */
    free(c->prompt);
    free(c->written);
    c->prompt = kept;
    c->written = first ? answer_written(c->answerer, answer, first) : NULL;
    c->ended = first && first->ended;
}

/* The signal that ends an answer, 0 until it comes. */
static volatile sig_atomic_t interrupt;

static void note_signal(int number)
{
    interrupt = number;
}

/* Answers a prompt, or says why there is no answer; then :again and :more stay with the last that
 * had one. Meanwhile Ctrl-C ends the answer, and a second one the program. */
static void reply(Conversation *c, const char *prompt)
{
    const struct sigaction noting = {.sa_handler = note_signal,
                                     .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    struct sigaction before;
    interrupt = 0;
    c->answerer->interrupt = &interrupt;
    sigaction(SIGINT, &noting, &before);
    Answer answer = answer_begin(c->answerer, _("the prompt"), prompt, strlen(prompt));
    if (answer.encoding.wrong && asks_for_help(prompt))
        help(c);
    else {
        const Continuation *first = answer_show(c->answerer, &answer, c->screen);
        if (!answer.encoding.wrong)
            remember(c, prompt, &answer, first);
    }
    answer_free(&answer);
    sigaction(SIGINT, &before, NULL);
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
        char *prompt = format_text("%s%s%s", c->written, *text ? " " : "", text);
        reply(c, prompt);
        free(prompt);
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

/* ---- Commands ---- */

/* Makes the answerer again, since it has memory for a beam of one width. A new seed draws what it
 * would draw for the first prompt of a call. */
static void take_options(Conversation *c, bool new_seed)
{
    Answerer *a = c->answerer;
    const Answerer was = *a;
    answerer_free(a);
    *a = answerer_new(was.model, was.text,
                      choice_rules(c->choice, c->decided, &was.model->tokenizer));
    a->counts = was.counts;
    a->asked = new_seed ? 0 : was.asked;
}

/* :temperature 0.7; :temperature prints the value, :greedy switches it on. */
static void set_option(Conversation *c, const Field *field, const char *value)
{
    if (*value || field->kind == FIELD_FLAG) {
        char *wrong = choice_change(c->choice, c->decided, tokenizer_of(c), field, value);
        if (wrong) {
            warn("%s", wrong);
            free(wrong);
            return;
        }
        take_options(c, field->offset == offsetof(Choice, rules.seed));
    }
    char *now = choice_value(c->choice, &c->answerer->rules, field);
    printf("  :%s %s\n", field->name, now);
    free(now);
}

/* Does what a line says, without its colon; a mistake is told and changes nothing. Returns whether
 * the person stays. */
static bool obey(Conversation *c, char *line)
{
    const CommandLine typed = command_read(&TABLE, line);
    const char *name = typed.command ? typed.command->name : "";
    if (typed.wrong)
        warn("%s", typed.wrong);
    else if (typed.field)
        set_option(c, typed.field, typed.value);
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
    char **names = command_names(&TABLE);
    Asker asker = asker_new(tokenizer_of(&c), names);
    bool stays = true;
    /* Ctrl-C ends an answer or empties the line; at any other moment it does nothing. */
    void (*const before)(int) = signal(SIGINT, SIG_IGN);
    greet(&c);
    for (char *line; stays && (line = ask_typed(&asker)); free(line)) {
        if (line[0] == ':' && line[1] != ':')
            stays = obey(&c, line + 1);
        else {
            if (tokenizer_of(&c)->objective == OBJECTIVE_PAIRS)
                read_arrow(line);
            reply(&c, line + (line[0] == ':'));
        }
    }
    signal(SIGINT, before);
    asker_free(&asker);
    names_free(names);
    free(c.prompt);
    free(c.written);
}
