/* field.c: reads and prints one member of a struct by its field. Numbers are read strictly: digits,
 * a point and an exponent, no sign, no leading zero, no space; a printed number is the shortest
 * that is read back as the same double. */
#include "field.h"

#include <errno.h>

#include "base.h"

/* The place of the field's member in a struct; its type follows from the field's kind, as
 * FIELD_ROW has checked. */
static void *member(const Field *field, const void *of)
{
    return (char *)of + field->offset;
}

/* ---- The table ---- */

const Field *field_next(const Field *field)
{
    while (field->name && field->offset == FIELD_NONE)
        field++;
    return field->name ? field : NULL;
}

const Field *field_at(const Field *table, size_t offset)
{
    EACH_FIELD (field, table)
        if (field->offset == offset)
            return field;
    abort(); /* the table has no such field */
}

void fields_preset(const Field *table, void *into)
{
    EACH_FIELD (field, table)
        if (field->preset)
            field_set(field, into, field->preset);
}

void fields_free(const Field *table, void *into)
{
    EACH_FIELD (field, table)
        if (field->kind == FIELD_TEXT)
            free(*(char **)member(field, into));
}

/* The copy of a text has memory of its own; what was there before is freed. */
void field_copy(const Field *field, void *into, const void *from)
{
    static const size_t sizes[] = {[FIELD_WHOLE] = sizeof(int),
                                   [FIELD_NUMBER] = sizeof(double),
                                   [FIELD_CHOICE] = sizeof(int),
                                   [FIELD_FLAG] = sizeof(bool)};
    if (field->kind == FIELD_TEXT) {
        char **to = member(field, into), *words = *(char *const *)member(field, from);
        free(*to);
        *to = words ? format_text("%s", words) : NULL;
    } else {
        memcpy(member(field, into), member(field, from), sizes[field->kind]);
    }
}

/* Two values are equal if they are printed alike: printing a double loses nothing. */
bool field_equal(const Field *field, const void *a, const void *b)
{
    char *one = field_text(field, a), *other = field_text(field, b);
    const bool equal = !strcmp(one, other);
    free(one);
    free(other);
    return equal;
}

/* ---- From text ---- */

/* Each of these returns false, and changes nothing, if the text is no value of the field. */

/* Ten digits fit in a long long, so nothing overflows. */
static bool try_whole(const Field *field, int *into, const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 10 || text[digits] || (*text == '0' && digits > 1))
        return false;
    const long long number = strtoll(text, NULL, 10);
    if ((double)number < field->min || (double)number > field->max)
        return false;
    *into = (int)number;
    return true;
}

/* strtod() also takes spaces, a sign, hexadecimal numbers, inf and nan, none of which are meant
 * here. It sets errno for a number that is too large or too small for a double. */
static bool try_number(const Field *field, double *into, const char *text)
{
    const bool plain = strspn(text, "0123456789.eE+-") == strlen(text) &&
                       strspn(text, "0123456789.") > 0 &&
                       !(text[0] == '0' && strspn(text + 1, "0123456789"));
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (!plain || end == text || *end || errno || !(number >= field->min && number <= field->max))
        return false;
    *into = number;
    return true;
}

bool field_stands_alone(const Field *field)
{
    return field->kind == FIELD_FLAG ||
           (field->kind == FIELD_CHOICE && !strcmp(field->choices[0], "off"));
}

static bool try_choice(const Field *field, int *into, const char *text)
{
    if (!*text && field_stands_alone(field))
        text = field->choices[1];
    for (int i = 0; field->choices[i]; i++)
        if (!strcmp(field->choices[i], text)) {
            *into = i;
            return true;
        }
    return false;
}

/* JSON has true and false. */
static bool try_flag(bool *into, const char *text)
{
    const bool on = !*text || !strcmp(text, "on") || !strcmp(text, "true");
    const bool off = !strcmp(text, "off") || !strcmp(text, "false");
    if (on || off)
        *into = on;
    return on || off;
}

/* An empty text is always a mistake, such as an unset shell variable. */
static bool try_text(char **into, const char *text)
{
    if (!*text)
        return false;
    char *words = format_text("%s", text);
    free(*into);
    *into = words;
    return true;
}

bool field_try(const Field *field, void *into, const char *text)
{
    void *at = member(field, into);
    switch (field->kind) {
    case FIELD_WHOLE: return try_whole(field, at, text);
    case FIELD_NUMBER: return try_number(field, at, text);
    case FIELD_CHOICE: return try_choice(field, at, text);
    case FIELD_FLAG: return try_flag(at, text);
    case FIELD_TEXT: return try_text(at, text);
    }
    return false;
}

void field_set(const Field *field, void *into, const char *text)
{
    if (!field_try(field, into, text))
        usage_error("--%s needs %s, not '%s'", field->name, field_needs(field, text), text);
}

/* ---- To text ---- */

char *field_choices(const Field *field, const char *separator)
{
    char *all = NULL;
    for (int i = 0; field->choices[i]; i++)
        extend_text(&all, "%s%s", i ? separator : "", field->choices[i]);
    return all;
}

char *field_needs(const Field *field, const char *text)
{
    switch (field->kind) {
    case FIELD_WHOLE:
        return format_text(_("a whole number from %.0f to %.0f"), field->min, field->max);
    case FIELD_NUMBER:
        return format_text(text && strchr(text, ',')
                               ? _("a number from %g to %g, written with a point")
                               : _("a number from %g to %g"),
                           field->min, field->max);
    case FIELD_CHOICE: {
        char *names = field_choices(field, ", "), *needs = format_text(_("one of %s"), names);
        free(names);
        return needs;
    }
    case FIELD_FLAG: return format_text(_("on or off"));
    case FIELD_TEXT: return format_text(_("a %s"), translated(field->value));
    }
    return NULL;
}

/* 15 digits are enough for what people type (0.1), 17 for every double. */
static char *number_text(double number)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return format_text("%s", text);
}

char *field_text(const Field *field, const void *from)
{
    const void *at = member(field, from);
    switch (field->kind) {
    case FIELD_WHOLE: return format_text("%d", *(const int *)at);
    case FIELD_NUMBER: return number_text(*(const double *)at);
    case FIELD_CHOICE: return format_text("%s", field->choices[*(const int *)at]);
    case FIELD_FLAG: return format_text("%s", *(const bool *)at ? "true" : "false");
    case FIELD_TEXT: return format_text("%s", *(char *const *)at ? *(char *const *)at : "");
    }
    abort(); /* a kind that is not listed */
}
