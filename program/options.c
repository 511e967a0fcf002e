/* options.c: turns a table of fields into argp's options, and each option that argp finds into
 * field_set(). argp's own complaints, which take two lines, go to /dev/null: getopt's line is
 * enough. */
#include "options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"
#include "base/version.h"

const char *argp_program_version = "pulga " PULGA_VERSION;

/* An option's key is its place in the table, after all characters; that of the one with a short
 * form is its letter. */
enum { FIRST_KEY = 256 };

typedef struct {
    const Program *program;
    void *into;
    bool *decided;
    char **arguments;
    int count;     /* of the arguments */
    ptrdiff_t end; /* of the options' keys */
    FILE *nowhere;
} Parsing;

static error_t parse_one(int key, char *text, struct argp_state *state)
{
    Parsing *parsing = state->input;
    const Program *program = parsing->program;
    if (key == ARGP_KEY_INIT) {
        state->err_stream = parsing->nowhere;
        return 0;
    }
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP); /* and exits */
    if (key == ARGP_KEY_ARG) {
        if (parsing->count == program->most_arguments)
            usage_error("'%s' is one argument too many; it needs %s", text, program->arguments);
        parsing->arguments[parsing->count++] = text;
        return 0;
    }
    const Field *field;
    if (key && key == program->letter)
        field = field_at(program->fields, program->letter_offset);
    else if (key >= FIRST_KEY && key < parsing->end)
        field = &program->fields[key - FIRST_KEY];
    else
        return ARGP_ERR_UNKNOWN;
    field_set(field, parsing->into, text ? text : "");
    parsing->decided[field->offset] = true;
    return 0;
}

/* The table as argp needs it. The texts of each option, value and help, are noted in `texts`. */
static struct argp_option *options_of(const Program *program, char ***texts)
{
    struct argp_option *options = NULL;
    int group = 0;
    for (const Field *field = program->fields; field->name; field++) {
        if (field->offset == FIELD_NONE) {
            group++;
            arrput(options, ((struct argp_option){.doc = field->name, .group = group}));
            continue;
        }
        const bool tells = field->preset && strcmp(field->preset, "0"); /* "0 = off" is enough */
        char *help = tells ? format_text("%s [%s]", field->help, field->preset)
                           : format_text("%s", field->help);
        char *value = field->choices ? field_choices(field, "|")
                                     : format_text("%s", field->value ? field->value : "");
        arrput(*texts, help);
        arrput(*texts, value);
        const bool short_one = program->letter && program->letter_offset == field->offset;
        arrput(options,
               ((struct argp_option){.name = field->name,
                                     .doc = help,
                                     .group = group,
                                     .key = short_one ? program->letter
                                                      : FIRST_KEY + (int)(field - program->fields),
                                     .arg = field->kind == FIELD_FLAG ? NULL : value}));
    }
    arrput(options, ((struct argp_option){.key = 'h', .flags = OPTION_HIDDEN}));
    arrput(options, (struct argp_option){0});
    return options;
}

void options_parse(const Program *program, int argc, char **argv, void *into, bool *decided,
                   char **arguments)
{
    setenv("ARGP_HELP_FMT", "opt-doc-col=31,no-dup-args-note",
           false);               /* begin explanations there */
    unsetenv("POSIXLY_CORRECT"); /* options may come after arguments */
    char **texts = NULL, *doc = format_text("%s\v%s", program->summary, program->notes);
    struct argp_option *options = options_of(program, &texts);
    Parsing parsing = {
        program, into, decided, arguments, 0, FIRST_KEY + arrlen(options), fopen("/dev/null", "w")};
    const struct argp argp = {options, parse_one, program->arguments, doc, NULL, NULL, NULL};
    const error_t wrong = argp_parse(&argp, argc, argv, 0, NULL, &parsing);
    if (wrong)
        usage_error("%s", strerror(wrong));
    if (parsing.nowhere)
        fclose(parsing.nowhere);
    for (ptrdiff_t i = 0; i < arrlen(texts); i++)
        free(texts[i]);
    arrfree(texts);
    arrfree(options);
    free(doc);
}

char **options_and_words(Program program, int argc, char **argv, void *into, bool *decided)
{
    char **words = memory_new((size_t)argc + 1, sizeof *words, "the command line");
    program.most_arguments = argc;
    fields_preset(program.fields, into);
    options_parse(&program, argc, argv, into, decided, words);
    return words;
}
