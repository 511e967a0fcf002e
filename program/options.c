/* options.c: see options.h. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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
        /* getopt prints one line about what is wrong; argp's "Try --help" would be a second. */
        state->err_stream = parsing->nowhere;
        return 0;
    }
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
        char *help = field->preset ? format_text("%s [%s]", field->help, field->preset)
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
    arrput(options, (struct argp_option){0});
    return options;
}

/* A standard file that was closed would be the next one opened: what is printed would then go into
 * the run. Opened the wrong way round, it fails as it would have. */
static void open_standard_files(void)
{
    int file;
    while ((file = open("/dev/null", O_CLOEXEC)) <= STDERR_FILENO && file >= 0)
        if (file == STDIN_FILENO) {
            close(file);
            if (open("/dev/null", O_WRONLY | O_CLOEXEC) < 0)
                return;
        }
    close(file);
}

/* What was printed and cannot be written is no success. Whoever reads in a pipe may leave. */
static void check_output(int status, void *unused)
{
    (void)unused;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    errno = 0;
    const bool written = !fflush(stdout) && !ferror(stdout);
    const int reason = errno; /* 0 where it was some write before that failed */
    if (written || status || (poll(&output, 1, 0) > 0 && output.revents & POLLERR))
        return;
    warn("cannot write to standard output%s%s", reason ? ": " : "", reason ? strerror(reason) : "");
    _exit(1);
}

void options_parse(const Program *program, int argc, char **argv, void *into, bool *decided,
                   char **arguments)
{
    open_standard_files();
    on_exit(check_output, NULL);
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

/* Whether a word can be typed as it is. */
static bool is_bare(const char *word)
{
    return *word && !word[strcspn(word, " \"'\\$`!*?[]{}()<>|&;#~")];
}

/* Whether it would speak to a terminal, or not show as what it is. */
static bool is_armed(const char *word)
{
    char *disarmed = format_text("%s", word);
    text_sanitize(disarmed);
    const bool armed = strcmp(disarmed, word);
    free(disarmed);
    return armed;
}

static void put_word(FILE *out, const char *word)
{
    const bool escaped = is_armed(word); /* $'…' knows escapes, '…' takes all as it is */
    if (!escaped && is_bare(word)) {
        fputs(word, out);
        return;
    }
    fputs(escaped ? "$'" : "'", out);
    for (const unsigned char *c = (const unsigned char *)word; *c; c++)
        if (escaped && (*c < ' ' || *c >= 0x7F))
            fprintf(out, "\\%03o", *c);
        else if (escaped && (*c == '\'' || *c == '\\'))
            fprintf(out, "\\%c", *c);
        else
            fputs(*c == '\'' ? "'\\''" : (char[]){(char)*c, 0}, out);
    fputc('\'', out);
}

char *command_line(int count, char *const *words)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = memory_stream(&line, &size);
    for (int i = 0; i < count; i++) {
        if (i)
            fputc(' ', out);
        put_word(out, words[i]);
    }
    fclose(out);
    return line;
}

char *words_together(char **words)
{
    char *text = format_text("%s", words[0]);
    for (int i = 1; words[i]; i++) {
        char *longer = format_text("%s %s", text, words[i]);
        free(text);
        text = longer;
    }
    return text;
}

char **options_and_words(Program program, int argc, char **argv, void *into, bool *decided)
{
    char **words = memory_new((size_t)argc + 1, sizeof *words, "the command line");
    program.most_arguments = argc;
    fields_preset(program.fields, into);
    options_parse(&program, argc, argv, into, decided, words);
    return words;
}
