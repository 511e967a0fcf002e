/* help.c: an option's value is called what its field calls it, a choice by all its names; after the
 * explanation stands the default, in brackets. */
#include "help.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/display.h"
#include "screen.h"

/* Lines are shorter than WIDTH, whatever the terminal's; explanations begin at COLUMN. */
enum { WIDTH = 80, COLUMN = 31 };

/* "=VALUE", or "" for a flag; the caller frees it. */
static char *value_of(const Field *field)
{
    if (field->kind == FIELD_FLAG)
        return format_text("%s", "");
    char *names = field->choices ? field_choices(field, "|") : NULL;
    char *value = format_text("=%s", names ? names : translated(field->value));
    free(names);
    return value;
}

/* Whether the next option is another name of the same field. */
static bool has_alias(const Option *options, ptrdiff_t i)
{
    return i + 1 < arrlen(options) && options[i + 1].field == options[i].field;
}

/*   -o, --output=FILE
 *       --attend=LIST, --window=LIST
 * The caller frees it. */
static char *names_of(const Option *option, bool with_alias)
{
    char *value = value_of(option->field), *names;
    if (option->letter)
        names = format_text("  -%c, --%s%s", option->letter, option->name, value);
    else if (with_alias)
        names = format_text("      --%s%s, --%s%s", option->name, value, option[1].name, value);
    else
        names = format_text("      --%s%s", option->name, value);
    free(value);
    return names;
}

/* An option and its explanation, which begins in the next line if the names leave no room. */
static void print_option(const Option *option, bool with_alias)
{
    const Field *field = option->field;
    const bool tells = field->preset && strcmp(field->preset, "0"); /* "0 = off" is enough */
    char *names = names_of(option, with_alias);
    char *text = format_text(tells ? "%s [%s]" : "%s", translated(field->help), field->preset);
    const int columns = display_width(names);
    if (columns + 2 > COLUMN)
        printf("%s\n%*s", names, COLUMN, "");
    else
        printf("%s%*s", names, COLUMN - columns, "");
    screen_wrap(text, COLUMN, WIDTH);
    free(text);
    free(names);
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
        char *line = format_text("%.*s", length, text);
        if (*line == ' ')
            print_example(line);
        else
            screen_wrap(line, 0, WIDTH);
        free(line);
        text += length + (text[length] == '\n');
    }
}

void help_print(const Program *program, const Option *options)
{
    printf(_("Usage: %s [OPTION...] %s\n"), program_invocation_short_name,
           translated(program->arguments));
    print_paragraphs(translated(program->summary));
    for (ptrdiff_t i = 0; i < arrlen(options); i++) {
        const bool heading = options[i].field->offset == FIELD_NONE;
        if (heading || !i) /* each group after an empty line */
            putchar('\n');
        if (heading && *options[i].name)
            printf(" %s\n", translated(options[i].name));
        if (!heading && !(i && has_alias(options, i - 1)))
            print_option(&options[i], has_alias(options, i));
    }
    putchar('\n');
    print_paragraphs(translated(program->notes));
}

void help_print_usage(const Program *program, const Option *options)
{
    char *all;
    size_t size;
    FILE *out = memory_stream(&all, &size);
    for (ptrdiff_t i = 0; i < arrlen(options); i++) {
        if (options[i].field->offset == FIELD_NONE)
            continue;
        char *value = value_of(options[i].field);
        fprintf(out, options[i].letter ? "[-%c|" : "[", options[i].letter);
        fprintf(out, "--%s%s] ", options[i].name, value);
        free(value);
    }
    fputs(translated(program->arguments), out);
    fclose(out);
    const int indent = printf(_("Usage: %s "), program_invocation_short_name);
    screen_wrap(all, indent, WIDTH);
    free(all);
}
