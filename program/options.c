/* options.c: turns a table of fields into argp's options, and each option that argp finds into
 * field_set(). For a wrong option getopt, which argp calls, prints one line; argp gets no stream
 * for its errors, or it would add a second one. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/version.h"

/* What --version prints; argp looks for a variable of this name. */
const char *argp_program_version = "pulga " PULGA_VERSION;

/* argp's `input`: what parse_one() reads and fills. */
typedef struct {
    const Program *program;
    void *into;
    bool *decided;
    char **words;
    int count; /* of words */
} Parsing;

/* An option is known to argp by its key: its letter if it has one, else its place in the table plus
 * a number beyond all letters. */
static int key_of(const Program *program, const Field *field)
{
    enum { FIRST_KEY = 256 };
    if (program->letter && field->offset == program->letter_offset)
        return program->letter;
    return FIRST_KEY + (int)(field - program->fields);
}

/* Called by argp for each option and each other word, and with keys of its own, such as
 * ARGP_KEY_INIT before the first one. */
static error_t parse_one(int key, char *text, struct argp_state *state)
{
    Parsing *parsing = state->input;
    const Program *program = parsing->program;
    if (key == ARGP_KEY_INIT) {
        state->err_stream = NULL;
        return 0;
    }
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP); /* and exits */
    if (key == ARGP_KEY_ARG) {
        if (program->most_arguments && parsing->count == program->most_arguments)
            usage_error("'%s' is one argument too many; it needs %s", text, program->arguments);
        parsing->words[parsing->count++] = text;
        return 0;
    }
    EACH_FIELD (field, program->fields)
        if (key == key_of(program, field)) {
            field_set(field, parsing->into, text ? text : "");
            if (parsing->decided)
                parsing->decided[field->offset] = true;
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

/* A field as argp needs it: its help is followed by its default in brackets. The option owns its
 * doc and its arg. */
static struct argp_option option_of(const Program *program, const Field *field, int group)
{
    const bool tells = field->preset && strcmp(field->preset, "0"); /* "0 = off" is enough */
    char *value = NULL; /* what the usage line shows after the = */
    if (field->choices)
        value = field_choices(field, "|");
    else if (field->kind != FIELD_FLAG)
        value = format_text("%s", field->value);
    return (struct argp_option){.name = field->name,
                                .key = key_of(program, field),
                                .arg = value,
                                .doc = tells ? format_text("%s [%s]", field->help, field->preset)
                                             : format_text("%s", field->help),
                                .group = group};
}

/* The whole table, and the hidden option -h: an stb_ds array that argp reads up to an empty option.
 * Each heading of the table begins a group. */
static struct argp_option *options_of(const Program *program)
{
    struct argp_option *options = NULL;
    int group = 0;
    for (const Field *field = program->fields; field->name; field++) {
        if (field->offset == FIELD_NONE) {
            group++;
            arrput(options, ((struct argp_option){.doc = field->name, .group = group}));
        } else {
            arrput(options, option_of(program, field, group));
            if (program->alias && field->offset == program->alias_offset)
                arrput(options,
                       ((struct argp_option){
                           .name = program->alias, .flags = OPTION_ALIAS, .group = group}));
        }
    }
    arrput(options, ((struct argp_option){.key = 'h', .flags = OPTION_HIDDEN}));
    arrput(options, (struct argp_option){0});
    return options;
}

static void free_options(struct argp_option *options)
{
    for (ptrdiff_t i = 0; i < arrlen(options); i++)
        if (options[i].name) { /* a heading's doc is the table's */
            free((char *)options[i].doc);
            free((char *)options[i].arg);
        }
    arrfree(options);
}

char **options_read(const Program *program, int argc, char **argv, void *into, bool *decided)
{
    /* The column in which explanations begin; and no note about values of short options. */
    setenv("ARGP_HELP_FMT", "opt-doc-col=31,no-dup-args-note", false);
    unsetenv("POSIXLY_CORRECT"); /* options may come after other words */
    fields_preset(program->fields, into);

    Parsing parsing = {.program = program, .into = into, .decided = decided};
    parsing.words = memory_new((size_t)argc + 1, sizeof *parsing.words, "the command line");
    struct argp_option *options = options_of(program);
    char *doc = format_text("%s\v%s", program->summary, program->notes);
    const struct argp argp = {
        .options = options, .parser = parse_one, .args_doc = program->arguments, .doc = doc};
    const error_t wrong = argp_parse(&argp, argc, argv, 0, NULL, &parsing);
    if (wrong == EINVAL)
        exit(EX_USAGE); /* getopt has printed why */
    if (wrong)
        die("cannot read the command line: %s", reason(wrong));
    free_options(options);
    free(doc);
    return parsing.words;
}
