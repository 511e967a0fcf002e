/* options.c: one list holds the program's options and those that every program has. --help prints
 * the few that are used most, --help all the whole list: an option's value is called what its field
 * calls it, a choice by all its names; after the explanation stands the default, in brackets. Each
 * word of the command line that begins with - is looked up in it, and its value goes to
 * field_set(). */
#include "options.h"

#include <errno.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/zip.h"
#include "base/utf8.h"
#include "text/words/vocabulary.h"
#include "screen.h"

/* An option: a field by its name, or by its alias. A field that is a heading of the table stands
 * between the options as one of them. */
typedef struct {
    const Field *field;
    const char *name;
    char letter; /* the short form, or 0 */
} Option;

/* The options that every program has. */
typedef struct {
    bool help, usage, version;
} Common;

#define FIELD_STRUCT Common

static const Field COMMON[] = {
    FIELD_HEADING(""),
    {"help", LIFE_CALL, FLAG_FIELD(help), N_("print this help")},
    {"usage", LIFE_CALL, FLAG_FIELD(usage), N_("print a short list of the options")},
    {"version", LIFE_CALL, FLAG_FIELD(version), N_("print the version")},
    {.name = NULL},
};

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

static bool is_common(const Field *field)
{
    return field >= COMMON && field < COMMON + sizeof COMMON / sizeof *COMMON;
}

/* ---- Help ---- */

/* Lines are shorter than WIDTH, whatever the terminal's; explanations begin at COLUMN. */
enum { WIDTH = 80, COLUMN = 31 };

/* "=VALUE", or "" for a flag; the caller frees it. */
static char *value_of(const Field *field)
{
    if (field->kind == FIELD_FLAG)
        return format_text("%s", "");
    AUTOFREE char *names = field->choices ? field_choices(field, "|") : NULL;
    return format_text("=%s", names ? names : translated(field->value));
}

/* Whether the next option is another name of the same field. */
static bool has_alias(const Option *options, ptrdiff_t i)
{
    return i + 1 < arrlen(options) && options[i + 1].field == options[i].field;
}

/*   -o, --output=FILE             write a file instead of tables …
 *       --attend=LIST, --window=LIST
 *                                 …
 *
 * An option and its explanation, which begins in the next line if the names leave no room. */
static void print_option(const Option *option, bool with_alias)
{
    const Field *field = option->field;
    const bool tells = field->preset && strcmp(field->preset, "0"); /* "0 = off" is enough */
    AUTOFREE char *value = value_of(field), *names = NULL;
    extend_text(&names, option->letter ? "  -%c, " : "      ", option->letter);
    extend_text(&names, "--%s%s", option->name, value);
    if (with_alias)
        extend_text(&names, ", --%s%s", option[1].name, value);
    AUTOFREE char *text =
        format_text(tells ? "%s [%s]" : "%s", translated(field->help), field->preset);
    const int columns = display_width(names);
    if (columns + 2 > COLUMN)
        printf("%s\n%*s", names, COLUMN, "");
    else
        printf("%s%*s", names, COLUMN - columns, "");
    screen_wrap(text, COLUMN, WIDTH);
}

/* An example, "  train text.txt  ...", with the name by which the program was called, which is
 * pulga-train if it is installed. */
static void print_example(const char *line)
{
    const char *called = program_invocation_short_name, *command = line + strspn(line, " ");
    const size_t length = strcspn(command, " "), whole = strlen(called);
    const bool longer = whole > length && !strncmp(called + whole - length, command, length);
    printf("  %s%s\n", longer ? called : "", longer ? command + length : command);
}

/* Paragraphs are wrapped; lines that begin with a space are examples. */
static void print_paragraphs(const char *text)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        AUTOFREE char *line = format_text("%.*s", length, text);
        if (*line == ' ')
            print_example(line);
        else
            screen_wrap(line, 0, WIDTH);
        text += length + (text[length] == '\n');
    }
}

/* Whether --help shows an option or a heading: of all, or of those that are used most. */
static bool is_shown(const Program *program, const Option *option, bool all)
{
    if (all || !program->first || is_common(option->field))
        return true;
    AUTOFREE char *first = format_text(",%s,", program->first);
    AUTOFREE char *name = format_text(",%s,", option->name);
    return option->field->offset != FIELD_NONE && strstr(first, name);
}

/* Usage: train [OPTION...] TEXT...
 * Then the summary, each option with its explanation from column 31 on, and the notes, or of these
 * only the last part, the examples; at most 79 columns. */
static void print_help(const Program *program, const Option *options, bool all)
{
    const bool few = program->first && !all;
    const char *notes = translated(program->notes);
    printf(_("Usage: %s [OPTION...] %s\n"), program_invocation_short_name,
           translated(program->arguments));
    print_paragraphs(translated(program->summary));
    if (few)
        printf("\n %s\n", _("Used most; --help all shows all options:"));
    for (ptrdiff_t i = 0; i < arrlen(options); i++) {
        const bool heading = options[i].field->offset == FIELD_NONE;
        if (!is_shown(program, &options[i], all))
            continue;
        if (heading || (!i && !few)) /* each group after an empty line */
            putchar('\n');
        if (heading && *options[i].name)
            printf(" %s\n", translated(options[i].name));
        if (!heading && !(i && has_alias(options, i - 1)))
            print_option(&options[i], has_alias(options, i));
    }
    putchar('\n');
    for (const char *part; few && (part = strstr(notes, "\n\n"));)
        notes = part + 2;
    print_paragraphs(notes);
}

/* Usage: train [-h|--help] [--lower] [--mask=SHARE] ... TEXT... */
static void print_usage(const Program *program, const Option *options)
{
    AUTOFREE char *all = NULL;
    FILE *out = memory_stream(&all, NULL);
    for (ptrdiff_t i = 0; i < arrlen(options); i++) {
        if (options[i].field->offset == FIELD_NONE)
            continue;
        AUTOFREE char *value = value_of(options[i].field);
        fprintf(out, options[i].letter ? "[-%c|" : "[", options[i].letter);
        fprintf(out, "--%s%s] ", options[i].name, value);
    }
    fputs(translated(program->arguments), out);
    fclose(out);
    const int indent = printf(_("Usage: %s "), program_invocation_short_name);
    screen_wrap(all, indent, WIDTH);
}

/* {"name":"norm","alias":"","kind":"choice","choices":["pre","post"],"help":"..."}
 *
 * A line for each option but those that every program has, for a program that calls this one. */
static void print_json(const Option *options)
{
    static const char *const KINDS[] = {[FIELD_WHOLE] = "whole",
                                        [FIELD_NUMBER] = "number",
                                        [FIELD_CHOICE] = "choice",
                                        [FIELD_FLAG] = "flag",
                                        [FIELD_TEXT] = "text"};
    for (ptrdiff_t i = 0; !is_common(options[i].field); i++) {
        const Field *field = options[i].field;
        if (field->offset == FIELD_NONE || (i && has_alias(options, i - 1)))
            continue;
        printf("{\"name\":\"%s\",\"alias\":\"%s\",\"kind\":\"%s\",\"choices\":[", options[i].name,
               has_alias(options, i) ? options[i + 1].name : "", KINDS[field->kind]);
        for (int k = 0; field->choices && field->choices[k]; k++)
            printf(k ? ",\"%s\"" : "\"%s\"", field->choices[k]);
        printf("],\"help\":");
        put_json(stdout, translated(field->help));
        printf("}\n");
    }
}

/* ---- The command line ---- */

/* What the command line is read into. */
typedef struct {
    Option *options; /* stb_ds array: first those of the program, then the common ones */
    void *into;
    bool *decided; /* or NULL */
    Common common;
    char **next;  /* the words that are not read yet, ended by NULL */
    char **words; /* those that are no options */
} Parsing;

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
    usage_error("unrecognized option '%s'; see --help all", word);
}

/* Sets an option. The value is NULL if it would be the next word. */
static void set(Parsing *p, const Option *option, const char *value)
{
    const Field *field = option->field;
    const bool common = is_common(field);
    if (field_stands_alone(field) && !value)
        value = "";
    else if (!value && !(value = *p->next++))
        usage_error("option '--%s' requires an argument", option->name);
    field_set(field, common ? &p->common : p->into, value);
    if (p->decided && !common)
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
    if (p->common.help && *p->next && !strcmp(*p->next, "json"))
        print_json(p->options);
    else if (p->common.help)
        print_help(program, p->options, *p->next && !strcmp(*p->next, "all"));
    else if (p->common.usage)
        print_usage(program, p->options);
    else if (p->common.version)
        printf("pulga %s\n", PULGA_VERSION);
    else
        return;
    free(p->words);
    exit(0);
}

char **options_read(const Program *program, int argc, char **argv, void *into, bool *decided)
{
    char **words = memory_new((size_t)argc + 1, sizeof *words, "the command line");
    Parsing p = {.options = options_of(program), .into = into, .decided = decided, .words = words};
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
    AUTOFREE char *meant = format_text("%s/%s", folder, path);
    struct stat about;
    if (access(path, F_OK) && !access(meant, F_OK))
        die("there is no %s here; did you mean %s?", path, meant);
    if (!strcmp(folder, "runs") && !stat(path, &about) && S_ISREG(about.st_mode) && !zip_is(path))
        die("%s is a file, and a run is a directory: train %s makes one of it", path, path);
}

/* ---- Words for a shell ---- */

/* A word that is empty, or has a character that means something to a shell, stands in single
 * quotes, and a single quote in it as '\''. Control characters become question marks even there,
 * since a terminal also obeys them inside quotes; such a name must be typed by hand. */
static void put_quoted(FILE *out, const char *word)
{
    AUTOFREE char *safe = format_text("%s", word);
    text_sanitize(safe);
    const bool plain = *safe && !safe[strcspn(safe, " \"'\\$`!*?[]{}()<>|&;#~")];
    fputs(plain ? "" : "'", out);
    for (const char *at = safe; *at; at++)
        if (*at == '\'')
            fputs("'\\''", out);
        else
            fputc(*at, out);
    fputs(plain ? "" : "'", out);
}

/* The words with spaces between them. */
static char *joined(char *const *words, bool quoted)
{
    char *line;
    FILE *out = memory_stream(&line, NULL);
    for (int i = 0; words[i]; i++) {
        fputs(i ? " " : "", out);
        if (quoted)
            put_quoted(out, words[i]);
        else
            fputs(words[i], out);
    }
    fclose(out);
    return line;
}

char *command_line(char *const *words)
{
    return joined(words, true);
}

char *words_together(char *const *words)
{
    return joined(words, false);
}
