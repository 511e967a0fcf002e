/* options.c: one list holds the program's options and those that every program has; each word of
 * the command line that begins with - is looked up in it, and its value goes to field_set(). */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/version.h"
#include "help.h"
#include "text/words/nearest.h"

/* The options that every program has. */
typedef struct {
    bool help, usage, version;
} Common;

#define FIELD_STRUCT Common

static const Field COMMON[] = {
    FIELD_HEADING(""),
    {"help", FLAG_FIELD(help), NULL, NULL, 0, 0, N_("print this help"), LIFE_CALL},
    {"usage", FLAG_FIELD(usage), NULL, NULL, 0, 0, N_("print a short list of the options"),
     LIFE_CALL},
    {"version", FLAG_FIELD(version), NULL, NULL, 0, 0, N_("print the version"), LIFE_CALL},
    {.name = NULL},
};

/* What the command line is read into. */
typedef struct {
    Option *options; /* stb_ds array: first those of the program, then the common ones */
    void *into;
    bool *decided; /* or NULL */
    Common common;
    char **next; /* the words that are not read yet, ended by NULL */
} Parsing;

/* The list of options, headings included. */
static Option *options_of(const Program *program)
{
    Option *options = NULL;
    const Field *field = program->fields;
    for (; field->name; field++) {
        const bool has_letter = program->letter && field->offset == program->letter_offset;
        arrput(options, ((Option){field, field->name, has_letter ? program->letter : 0}));
        if (program->alias && field->offset == program->alias_offset)
            arrput(options, ((Option){field, program->alias, 0}));
    }
    for (field = COMMON; field->name; field++) {
        const bool is_help = field->offset == offsetof(Common, help);
        const bool is_version = field->offset == offsetof(Common, version);
        arrput(options, ((Option){field, field->name, is_help ? 'h' : is_version ? 'V' : 0}));
    }
    return options;
}

/* Ends with a usage error that names the option which was meant: it begins with the letters of the
 * word, or few of them are wrong. */
static void unrecognized(const Option *options, const char *word) __attribute__((noreturn));
static void unrecognized(const Option *options, const char *word)
{
    const char *name = word + strspn(word, "-"), *meant = NULL;
    const size_t length = strcspn(name, "=");
    int least = min_int((int)length / 2, 2) + 1;
    for (const Option *o = options; o < options + arrlen(options); o++) {
        const bool begins = !strncmp(o->name, name, length);
        const int wrong = begins ? 1 : letters_apart(name, length, o->name);
        if (o->field->offset != FIELD_NONE && wrong < least) {
            least = wrong;
            meant = o->name;
        }
    }
    if (meant)
        usage_error("unrecognized option '%s'; did you mean --%s?", word, meant);
    usage_error("unrecognized option '%s'; see --help", word);
}

/* Sets an option. The value is NULL if it would be the next word; a flag needs none. */
static void set(Parsing *p, const Option *option, const char *value)
{
    const Field *field = option->field;
    const bool is_common = field >= COMMON && field < COMMON + sizeof COMMON / sizeof *COMMON;
    if (field->kind == FIELD_FLAG && !value)
        value = "";
    else if (!value && !(value = *p->next++))
        usage_error("option '--%s' requires an argument", option->name);
    field_set(field, is_common ? &p->common : p->into, value);
    if (p->decided && !is_common)
        p->decided[field->offset] = true;
}

/* --name, --name=VALUE */
static void read_long(Parsing *p, const char *word)
{
    const size_t length = strcspn(word + 2, "=");
    const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
    for (const Option *o = p->options; o < p->options + arrlen(p->options); o++)
        if (o->field->offset != FIELD_NONE && strlen(o->name) == length &&
            !strncmp(o->name, word + 2, length)) {
            set(p, o, value);
            return;
        }
    unrecognized(p->options, word);
}

/* -o FILE, -oFILE; and -h, of which nothing may follow. */
static void read_short(Parsing *p, const char *word)
{
    for (const Option *o = p->options; o < p->options + arrlen(p->options); o++)
        if (o->letter == word[1] && (!word[2] || o->field->kind != FIELD_FLAG)) {
            set(p, o, word[2] ? word + 2 : NULL);
            return;
        }
    unrecognized(p->options, word);
}

/* Prints what --help, --usage or --version ask for, and ends the program. */
static void answer(const Parsing *p, const Program *program)
{
    if (p->common.help)
        help_print(program, p->options);
    else if (p->common.usage)
        help_print_usage(program, p->options);
    else if (p->common.version)
        printf("pulga %s\n", PULGA_VERSION);
    else
        return;
    exit(0);
}

char **options_read(const Program *program, int argc, char **argv, void *into, bool *decided)
{
    Parsing p = {.options = options_of(program), .into = into, .decided = decided};
    char **words = memory_new((size_t)argc + 1, sizeof *words, "the command line");
    int count = 0;
    bool no_more = false; /* options: there was a -- */
    fields_preset(program->fields, into);
    for (p.next = argv + 1; *p.next;) {
        char *word = *p.next++;
        if (no_more || word[0] != '-' || !word[1]) {
            if (program->most_arguments && count == program->most_arguments)
                usage_error("'%s' is one argument too many; it needs %s", word,
                            translated(program->arguments));
            words[count++] = word;
        } else if (!strcmp(word, "--")) {
            no_more = true;
        } else if (word[1] == '-') {
            read_long(&p, word);
        } else {
            read_short(&p, word);
        }
        answer(&p, program);
    }
    arrfree(p.options);
    return words;
}

void options_check_path(const char *path, const char *folder)
{
    char *meant = format_text("%s/%s", folder, path);
    if (access(path, F_OK) && !access(meant, F_OK))
        die("there is no %s here; did you mean %s?", path, meant);
    free(meant);
}
