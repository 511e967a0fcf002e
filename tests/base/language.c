/* language.c (test): which language the environment asks for, by gettext's rules, and what a text
 * without a translation becomes. */
#include <errno.h>

#include "base/language.h"
#include "tests/helpers/test.h"

enum { VARIABLES = 4 };
static const char *const NAMES[VARIABLES] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};

/* Values of these four, NULL if one is not set, and whether they ask for Spanish. */
static const struct {
    const char *values[VARIABLES];
    bool spanish;
} CASES[] = {
    {{NULL, NULL, NULL, NULL}, false},
    {{NULL, NULL, NULL, ""}, false},
    {{NULL, NULL, NULL, "es_MX.UTF-8"}, true},
    {{NULL, NULL, NULL, "es"}, true},
    {{NULL, NULL, NULL, "es@euro"}, true},
    {{NULL, NULL, NULL, "est"}, false}, /* three letters: another language */
    {{NULL, NULL, NULL, "eo"}, false},
    {{NULL, NULL, NULL, "en_US.UTF-8"}, false},
    {{NULL, NULL, NULL, "C.UTF-8"}, false},
    {{NULL, NULL, "en_GB", "es_MX"}, false},
    {{NULL, NULL, "es_MX", "en_GB"}, true},
    {{NULL, "", "", "es_MX"}, true}, /* empty is not set */
    {{NULL, "C", "es_MX", "es_MX"}, false},
    {{NULL, "POSIX", "es_MX", "es_MX"}, false},
    {{NULL, "es_AR.UTF-8", "C", "C"}, true},
    {{"es", NULL, NULL, "en_US.UTF-8"}, true},
    {{"es", NULL, NULL, "C"}, false}, /* C is English, whatever LANGUAGE says */
    {{"es", NULL, NULL, NULL}, false},
    {{"en:es", NULL, NULL, "es_MX"}, false},
    {{"fr:es:en", NULL, NULL, "fr_FR"}, true}, /* the first that there is */
    {{"fr", NULL, NULL, "es_MX"}, false},
    {{"", NULL, NULL, "es_MX"}, true},
};

static void set(const char *const values[VARIABLES])
{
    for (int i = 0; i < VARIABLES; i++)
        if (values[i])
            setenv(NAMES[i], values[i], 1);
        else
            unsetenv(NAMES[i]);
}

TEST(the_environment_chooses)
{
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        set(CASES[i].values);
        if (!strcmp(translated("Is a directory"), "Es un directorio") != CASES[i].spanish)
            fail_msg("case %zu is wrong", i);
    }
}

/* A text without a translation stays; plurals are two texts. */
TEST(texts_are_translated)
{
    const char *text = "no such text";
    setenv("LC_ALL", "es_MX.UTF-8", 1);
    assert_ptr_equal(translated(text), text);
    assert_string_equal(translated(""), "");
    assert_string_equal(translated("evaluation"), "evaluación");
    assert_string_equal(translated("evaluations"), "evaluaciones");
}

TEST(the_systems_reasons)
{
    setenv("LC_ALL", "C", 1);
    /* For an error without a name, strerror() writes into memory that its next call frees. */
    for (int error = 1; error < 130; error++)
        if (strerrordesc_np(error))
            assert_string_equal(reason(error), strerror(error));
    setenv("LC_ALL", "es_MX.UTF-8", 1);
    assert_string_equal(reason(ENOSPC), "No queda espacio en el dispositivo");
    assert_string_equal(reason(EXFULL), strerror(EXFULL)); /* a rare one */
}
