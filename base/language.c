/* language.c: looks a text up in base/po/es.po, which the Makefile turns into C strings. The
 * programs need neither libintl, nor a catalogue that is installed, nor a locale that is: Spanish
 * also works for a single file on a system that has only the locale C. */
#include "language.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The messages of base/po/es.po; the empty string ends them. */
static const struct {
    const char *english, *spanish;
} MESSAGES[] = {
#include "es.inc"
    {"", ""}};

/* Whether a locale (es, es_MX.UTF-8, es@x, or an entry of a list, es:en) is of this language. */
static bool is_of(const char *locale, const char *language)
{
    const size_t length = strcspn(locale, "_.@:");
    return length == strlen(language) && !strncmp(locale, language, length);
}

const char *locale_named(const char *category)
{
    const char *const variables[] = {"LC_ALL", category, "LANG"};
    const char *locale = NULL;
    for (int i = 0; i < 3 && !(locale && *locale); i++)
        locale = getenv(variables[i]);
    return locale ? locale : "";
}

/* As in gettext, LANGUAGE, a list such as fr:es:en, comes before the locale, unless that is C. */
static bool wants_spanish(void)
{
    const char *locale = locale_named("LC_MESSAGES");
    if (!*locale || is_of(locale, "C") || is_of(locale, "POSIX"))
        return false;
    const char *list = getenv("LANGUAGE");
    if (!list || !*list)
        return is_of(locale, "es");
    for (; *list; list += strcspn(list, ":"), list += *list == ':')
        if (is_of(list, "es") || is_of(list, "en"))
            return is_of(list, "es");
    return false;
}

const char *translated(const char *english)
{
    if (wants_spanish())
        for (size_t i = 0; *MESSAGES[i].english; i++)
            if (!strcmp(MESSAGES[i].english, english))
                return MESSAGES[i].spanish;
    return english;
}

/* strerror() is in English, since no program sets LC_MESSAGES: glibc would translate only if the
 * locale is installed. */
const char *reason(int error)
{
    return translated(strerror(error));
}
