/* test_settings.c: every field of the table, from text and from JSON and back. */
#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "training/settings.h"
#include "tests/helpers/close.h"

static bool is_group(const Field *field)
{
    return field->offset == (size_t)-1;
}

#define EACH_FIELD(field)                                     \
    for (const Field *field = SETTINGS; field->name; field++) \
        if (!is_group(field))

static size_t size_of(FieldKind kind)
{
    static const size_t sizes[] = {
        [WHOLE] = sizeof(int), [NUMBER] = sizeof(double), [CHOICE] = sizeof(int),
        [FLAG] = sizeof(bool), [WORDS] = sizeof(char *),  [WINDOWS] = sizeof(char *)};
    return sizes[kind];
}

static const Field *find(const char *name)
{
    const int index = field_index(SETTINGS, name);
    assert_true(index >= 0);
    return &SETTINGS[index];
}

static void *at(const Field *field, Settings *settings)
{
    return (char *)settings + field->offset;
}

static void settings_free(Settings *s)
{
    EACH_FIELD(field)
    if (field->kind == WORDS || field->kind == WINDOWS)
        free(*(char **)at(field, s));
}

/* ---- From text ---- */

static void assert_good(const Field *field, Settings *into, const char *text)
{
    char *wrong = field_set(field, into, text);
    if (wrong)
        fail_msg("%s", wrong);
}

/* What is wrong is said, with the field's name; the field stays as it was. */
static void assert_told(const Field *field, const Settings *before, const Settings *after,
                        char *wrong, const char *what)
{
    if (!wrong)
        fail_msg("%s took '%s'", field->name, what);
    if (!strstr(wrong, field->name) || strchr(wrong, '\n'))
        fail_msg("'%s' for %s: %s", what, field->name, wrong);
    assert_memory_equal(before, after, sizeof *before);
    free(wrong);
}

static void assert_bad(const Field *field, Settings *into, const char *text)
{
    const Settings before = *into;
    char *wrong = field_set(field, into, text);
    if (wrong && !strstr(wrong, text))
        fail_msg("'%s' is not in: %s", text, wrong);
    assert_told(field, &before, into, wrong, text);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      " ",
                                      "x",
                                      "1x",
                                      "1 ",
                                      "1.5",
                                      "1.0",
                                      "1e3",
                                      "1,2",
                                      "0x10",
                                      "nan",
                                      "inf",
                                      "-",
                                      "--1",
                                      "99999999999999999999",
                                      "-99999999999999999999",
                                      "4294967297"};
    Settings s = {0};
    EACH_FIELD(field)
    {
        if (field->kind != WHOLE)
            continue;
        char text[64];
        const int *value = at(field, &s);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_bad(field, &s, bad[i]);
        for (int side = 0; side < 2; side++) {
            const long long limit = (long long)(side ? field->most : field->least);
            snprintf(text, sizeof text, "%lld", limit);
            assert_good(field, &s, text);
            assert_int_equal(*value, limit);
            snprintf(text, sizeof text, "%lld", limit + (side ? 1 : -1));
            assert_bad(field, &s, text);
        }
    }
    assert_good(find("layers"), &s, "007");
    assert_int_equal(s.layers, 7);
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        " ",     "x",        "0.5x",  "0.5 ",   "0,5",
                                      ".",       "e5",    "1e",       "nan",   "NAN",    "-nan",
                                      "inf",     "-inf",  "infinity", "1e999", "-1e999", "-1",
                                      "-1e-300", "0.1.2", "--0.1"};
    Settings s = {0};
    EACH_FIELD(field)
    {
        if (field->kind != NUMBER)
            continue;
        char text[64];
        const double *value = at(field, &s);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_bad(field, &s, bad[i]);
        snprintf(text, sizeof text, "%.17g", field->least);
        assert_good(field, &s, text);
        assert_true(*value == field->least);
        snprintf(text, sizeof text, "%.17g", field->most);
        assert_good(field, &s, text);
        assert_true(*value == field->most);
        snprintf(text, sizeof text, "%.17g", field->most * 1.000001);
        assert_bad(field, &s, text);
    }
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0.1", 0.1}, {".25", 0.25}, {"1e-3", 1e-3}, {"5E-2", 0.05}, {"0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_good(find("val"), &s, good[i].text);
        assert_true(s.val == good[i].value);
    }
}

static void test_choices(void **state)
{
    (void)state;
    Settings s = {0};
    EACH_FIELD(field)
    {
        if (field->kind != CHOICE)
            continue;
        const int *value = at(field, &s);
        int count = 0;
        char *names = strdup(field->choices), *rest = names;
        for (char *name; (name = strsep(&rest, "|")); count++) {
            assert_good(field, &s, name);
            assert_int_equal(*value, count);
            char *longer = format_text("%sx", name), *shorter = strndup(name, strlen(name) - 1);
            assert_bad(field, &s, longer);
            assert_bad(field, &s, shorter);
            free(longer), free(shorter);
        }
        assert_true(count >= 2);
        static const char *const bad[] = {"", " ", "|", "0", "1", "Word", "PRE"};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_bad(field, &s, bad[i]);
        assert_bad(field, &s, field->choices);
        free(names);
    }
    /* Each name means what the programs take it for. */
    assert_good(find("tokens"), &s, "char");
    assert_int_equal(s.tokens, TOKENS_CHAR);
    assert_good(find("sequence"), &s, "stream");
    assert_int_equal(s.sequence, SEQUENCE_STREAM);
    assert_good(find("positions"), &s, "learned");
    assert_int_equal(s.positions, POSITIONS_LEARNED);
    assert_good(find("norm"), &s, "post");
    assert_int_equal(s.norm, NORM_POST);
    assert_good(find("activation"), &s, "gelu");
    assert_int_equal(s.activation, ACTIVATION_GELU);
}

static void test_flags(void **state)
{
    (void)state;
    Settings s = {0};
    EACH_FIELD(field)
    {
        if (field->kind != FLAG)
            continue;
        bool *value = at(field, &s);
        *value = field->most == 0;
        assert_good(field, &s, "");
        assert_int_equal(*value, field->most != 0);
    }
    assert_good(find("untied"), &s, "");
    assert_true(s.untied);
    assert_good(find("tied"), &s, "");
    assert_false(s.untied);
}

static void test_words(void **state)
{
    (void)state;
    Settings s = {0};
    EACH_FIELD(field)
    {
        if (field->kind != WORDS)
            continue;
        char **value = at(field, &s);
        assert_bad(field, &s, "");
        assert_good(field, &s, "runs/ñandú \"x\"");
        assert_string_equal(*value, "runs/ñandú \"x\"");
        assert_good(field, &s, "other"); /* in place of the first, which is freed */
        assert_string_equal(*value, "other");
        assert_bad(field, &s, "");
    }
    settings_free(&s);
}

/* ---- Windows ---- */

static const char *const NO_WINDOWS[] = {
    "",      ",",    "1,",  ",1",  "1,,2", "-1",         "1,-2",
    "+1",    "1,+2", " 1",  "1 ",  "1, 2", "1 ,2",       "x",
    "1x",    "1.5",  "1e2", "0x1", "1;2",  "2147483648", "1,99999999999999999999",
    "[1,2]", "1,2\n"};

static void test_window_list(void **state)
{
    (void)state;
    int got[4];
    assert_int_equal(window_list("1,2,3,4", got, 4), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got[i], i + 1);
    assert_int_equal(window_list("0", got, 4), 1);
    assert_int_equal(got[0], 0);
    assert_int_equal(window_list("2147483647,0,12", got, 4), 3);
    assert_int_equal(got[0], INT_MAX);
    assert_int_equal(got[2], 12);
    assert_int_equal(got[3], 4); /* nothing behind them is touched */
    assert_int_equal(window_list("1,2,3", NULL, INT_MAX), 3);

    got[2] = 77;
    assert_int_equal(window_list("1,2", got, 2), 2);
    assert_int_equal(window_list("1,2,3", got, 2), -1); /* more than there is room for */
    assert_int_equal(got[2], 77);
    for (size_t i = 0; i < sizeof NO_WINDOWS / sizeof *NO_WINDOWS; i++)
        if (window_list(NO_WINDOWS[i], NULL, INT_MAX) != -1)
            fail_msg("'%s' was taken for a list", NO_WINDOWS[i]);
}

static void test_windows(void **state)
{
    (void)state;
    Settings s = {0};
    const Field *window = find("window");
    for (int set = 0; set < 2; set++) {
        for (size_t i = 0; i + 1 < sizeof NO_WINDOWS / sizeof *NO_WINDOWS; i++)
            assert_bad(window, &s, NO_WINDOWS[i]);
        assert_good(window, &s, "1,2,0");
        assert_string_equal(s.window, "1,2,0");
    }
    settings_free(&s);
}

/* ---- The table ---- */

static void test_table(void **state)
{
    (void)state;
    int count = 0;
    for (; SETTINGS[count].name; count++) {
        const Field *field = &SETTINGS[count];
        if (is_group(field))
            continue;
        assert_int_equal(field_index(SETTINGS, field->name), count); /* no name twice */
        assert_true(field->offset + size_of(field->kind) <= sizeof(Settings));
        assert_true(field->kind == FLAG || field->least <= field->most);
        assert_true(field->kind != CHOICE || field->choices);
        assert_true(field->of_the_run != MAY_CHANGE || field->kind < WORDS); /* field_copy's */
        assert_non_null(field->help);
        for (int i = 0; i < count; i++) /* --tied and --untied have one place */
            assert_true(SETTINGS[i].offset != field->offset || field->kind == FLAG);
    }
    assert_true(count <= SETTINGS_MOST);
    assert_int_equal(field_index(SETTINGS, "absent"), -1);
    assert_int_equal(field_index(SETTINGS, ""), -1);
    for (int i = 0; i < count; i++)
        if (is_group(&SETTINGS[i]))
            assert_int_equal(field_index(SETTINGS, SETTINGS[i].name), -1);

    Decided decided = {{0}};
    assert_false(is_decided(&decided, "seed"));
    decided.field[field_index(SETTINGS, "seed")] = true;
    assert_true(is_decided(&decided, "seed"));
    assert_false(is_decided(&decided, "steps"));
}

static void test_copy(void **state)
{
    (void)state;
    EACH_FIELD(field)
    {
        if (field->kind == WORDS || field->kind == WINDOWS)
            continue;
        Settings from, into, wanted;
        memset(&from, 0x55, sizeof from);
        memset(&into, 0, sizeof into);
        memset(&wanted, 0, sizeof wanted);
        memset(at(field, &wanted), 0x55, size_of(field->kind));
        field_copy(field, &into, &from);
        assert_memory_equal(&into, &wanted, sizeof into);
    }
}

/* What a resumed run keeps, and what it may be given anew. */
static void test_lives(void **state)
{
    (void)state;
    static const char *const call[] = {"stop-after", "threads", "out", "overwrite",
                                       "resume",     "text",    "from"};
    static const char *const changing[] = {"epochs",           "steps", "patience", "log-every",
                                           "checkpoint-every", "keep"};
    FieldLife wanted[SETTINGS_MOST];
    for (int i = 0; i < SETTINGS_MOST; i++)
        wanted[i] = THE_RUN;
    for (size_t i = 0; i < sizeof call / sizeof *call; i++)
        wanted[find(call[i]) - SETTINGS] = THIS_CALL;
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        wanted[find(changing[i]) - SETTINGS] = MAY_CHANGE;
    EACH_FIELD(field)
    assert_int_equal(field->of_the_run, wanted[field - SETTINGS]);
}

static void test_presets(void **state)
{
    (void)state;
    Settings s;
    memset(&s, 0, sizeof s);
    EACH_FIELD(field)
    if (field->preset)
        assert_good(field, &s, field->preset);
    fields_preset(SETTINGS, &s);
    assert_int_equal(s.tokens, TOKENS_WORD);
    assert_int_equal(s.min_count, 1);
    assert_int_equal(s.max_words, 0);
    assert_int_equal(s.positions, POSITIONS_SINUSOIDAL);
    assert_int_equal(s.norm, NORM_PRE);
    assert_int_equal(s.activation, ACTIVATION_RELU);
    assert_int_equal(s.accumulate, 1);
    assert_int_equal(s.schedule, 0);
    assert_true(s.lr == 0.001 && s.cooldown == 0.2 && s.decay == 0.01 && s.clip == 1);
    assert_int_equal(s.seed, 1);
    assert_false(s.lower || s.untied || s.no_qkv_bias || s.overwrite);
    assert_null(s.window);
    settings_free(&s);
}

/* ---- JSON ---- */

/* Values that are no defaults: `turn` 0 and 1 differ in every field. */
static void put_value(const Field *field, Settings *into, int turn)
{
    char text[64];
    switch (field->kind) {
    case WHOLE: /* at a limit, and beside the other one */
        snprintf(text, sizeof text, "%.0f", turn ? field->most : field->least + 1);
        break;
    case NUMBER: /* with all its digits */
        snprintf(text, sizeof text, "%.17g",
                 field->least + (field->most - field->least) / (turn ? 3 : 7));
        break;
    case CHOICE:
        snprintf(text, sizeof text, "%.*s", (int)strcspn(field->choices, "|"), field->choices);
        if (turn)
            snprintf(text, sizeof text, "%s", strrchr(field->choices, '|') + 1);
        break;
    case FLAG: *(bool *)at(field, into) = turn; return;
    case WORDS: snprintf(text, sizeof text, "%s", turn ? "a \"ñ\"\\\t/b" : "c"); break;
    case WINDOWS: snprintf(text, sizeof text, "%s", turn ? "1,0,2147483647,4" : "7"); break;
    }
    assert_good(field, into, text);
}

/* From JSON as it stands in a file. */
static char *set_from_json(const Field *field, Settings *into, const char *text)
{
    cJSON *value = text ? cJSON_Parse(text) : NULL;
    assert_true(value || !text);
    char *wrong = field_from_json(field, into, value);
    cJSON_Delete(value);
    return wrong;
}

static void assert_same(const Field *field, Settings *a, Settings *b)
{
    char *const *x = at(field, a), *const *y = at(field, b);
    if (field->kind != WORDS && field->kind != WINDOWS) {
        assert_memory_equal(at(field, a), at(field, b), size_of(field->kind));
        return;
    }
    assert_int_equal(!*x, !*y);
    if (*x)
        assert_string_equal(*x, *y);
}

static void test_json_round_trip(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        Settings from, into;
        memset(&from, 0, sizeof from);
        memset(&into, 0, sizeof into);
        EACH_FIELD(field)
        {
            put_value(field, &from, turn);
            put_value(field, &into, !turn);
            cJSON *json = field_to_json(field, &from);
            char *text = cJSON_Print(json);
            cJSON_Delete(json);
            char *wrong = set_from_json(field, &into, text);
            if (wrong)
                fail_msg("%s from %s: %s", field->name, text, wrong);
            assert_same(field, &from, &into);
            free(text);
        }
        settings_free(&from);
        settings_free(&into);
    }
}

/* cJSON tells no number from one that lies a rounding away: the first would come back as 0.1. */
static void test_json_of_many_digits(void **state)
{
    (void)state;
    static const char *const texts[] = {"0.09999999999999999", "0.30000000000000004",
                                        "0.12345678901234567", "1e-300"};
    const Field *field = find("val");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Settings from = {0}, into = {0};
        assert_good(field, &from, texts[i]);
        cJSON *json = field_to_json(field, &from);
        char *text = cJSON_Print(json);
        assert_null(set_from_json(field, &into, text));
        assert_same(field, &from, &into);
        cJSON_Delete(json);
        free(text);
    }
}

static void test_json_of_presets(void **state)
{
    (void)state;
    Settings from, into;
    memset(&from, 0, sizeof from);
    memset(&into, 0, sizeof into);
    fields_preset(SETTINGS, &from);
    from.heads = from.layers = from.width = from.head_size = from.hidden = from.context = 3;
    from.epochs = from.batch = from.eval_every = from.log_every = from.threads = 5;
    EACH_FIELD(field)
    {
        cJSON *json = field_to_json(field, &from);
        assert_non_null(json);
        assert_null(field_from_json(field, &into, json)); /* a name that is none is null */
        assert_same(field, &from, &into);
        cJSON_Delete(json);
    }
    settings_free(&from);
    settings_free(&into);
}

static void assert_json(const char *name, const char *text, const char *wanted)
{
    Settings s;
    memset(&s, 0, sizeof s);
    assert_good(find(name), &s, text);
    cJSON *json = field_to_json(find(name), &s);
    char *got = cJSON_PrintUnformatted(json);
    assert_string_equal(got, wanted);
    free(got);
    cJSON_Delete(json);
    settings_free(&s);
}

static void test_json_looks(void **state)
{
    (void)state;
    assert_json("layers", "12", "12");
    assert_json("lr", "0.1", "0.1");
    assert_json("lr", "1e-7", "1e-07");
    assert_json("norm", "post", "\"post\"");
    assert_json("window", "1,2,3", "[1,2,3]");
    assert_json("lower", "", "true");
    assert_json("untied", "", "true");
    assert_json("tied", "", "true");
    assert_json("out", "a\"b", "\"a\\\"b\"");
}

/* One field of each kind. */
static const char *const KINDS[] = {"layers", "lr", "norm", "lower", "out", "window"};

static void test_json_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text, *takers; /* those of KINDS that take it */
    } values[] = {{NULL, ""},         {"null", "out window"},
                  {"true", "lower"},  {"false", "lower"},
                  {"1", "layers lr"}, {"0.5", "lr"},
                  {"-1", ""},         {"1e300", ""},
                  {"1e999", ""},      {"\"post\"", "norm out"},
                  {"\"x\"", "out"},   {"\"1\"", "out"},
                  {"\"\"", ""},       {"[1,2]", "window"},
                  {"[]", ""},         {"[1.5]", ""},
                  {"[-1]", ""},       {"[1e10]", ""},
                  {"[\"1\"]", ""},    {"[null]", ""},
                  {"[true]", ""},     {"[[1]]", ""},
                  {"[1,{}]", ""},     {"{}", ""},
                  {"{\"a\":1}", ""}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
            const Field *field = find(KINDS[k]);
            Settings s;
            memset(&s, 0, sizeof s);
            put_value(field, &s, 1);
            const Settings before = s;
            char *wrong = set_from_json(field, &s, values[i].text);
            if (!strstr(values[i].takers, KINDS[k]))
                assert_told(field, &before, &s, wrong, values[i].text ? values[i].text : "");
            else if (wrong)
                fail_msg("%s for %s: %s", values[i].text, field->name, wrong);
            settings_free(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_window_list),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_lives),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_json_of_many_digits),
        cmocka_unit_test(test_json_of_presets),
        cmocka_unit_test(test_json_looks),
        cmocka_unit_test(test_json_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
