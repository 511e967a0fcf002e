/* field.c: a field of each kind takes the texts it should, refuses all others without changing, and
 * prints what it can read again. */
#include "base/field.h"
#include "tests/helpers/test.h"

typedef enum { COLOUR_RED, COLOUR_GREEN, COLOUR_BLUE } Colour;
static const char *const COLOURS[] = {
    [COLOUR_RED] = "red", [COLOUR_GREEN] = "green", [COLOUR_BLUE] = "blue", NULL};

typedef enum { SHADE_OFF, SHADE_LIGHT, SHADE_DARK } Shade;
static const char *const SHADES[] = {
    [SHADE_OFF] = "off", [SHADE_LIGHT] = "light", [SHADE_DARK] = "dark", NULL};

typedef struct {
    int whole;
    double number, wide;
    Colour colour;
    Shade shade;
    bool flag;
    char *words;
} Example;

#define FIELD_STRUCT Example
static const Field TABLE[] = {
    {.name = "A heading:", .offset = FIELD_NONE},
    {"whole", LIFE_RUN, WHOLE_FIELD(whole, "3", "N", 1, 1000), ""},
    {"number", LIFE_RUN, NUMBER_FIELD(number, "0.5", "X", 0, 0.9), ""},
    {"wide", LIFE_RUN, NUMBER_FIELD(wide, NULL, "X", 0, 1e9), ""},
    {.name = "Another:", .offset = FIELD_NONE},
    {"colour", LIFE_RUN, CHOICE_FIELD(colour, COLOURS, "green"), ""},
    {"shade", LIFE_RUN, CHOICE_FIELD(shade, SHADES, NULL), ""},
    {"flag", LIFE_RUN, FLAG_FIELD(flag), ""},
    {"words", LIFE_RUN, TEXT_FIELD(words, "DIR"), ""},
    {.name = NULL},
};

#define FIELD(member) field_at(TABLE, offsetof(Example, member))

static void assert_takes(const Field *field, Example *into, const char *text, const char *printed)
{
    if (!field_try(field, into, text))
        fail_msg("--%s refuses '%s'", field->name, text);
    AUTOFREE char *again = field_text(field, into);
    assert_string_equal(again, printed);
}

/* These are printed as they were given. */
static void assert_takes_all(const Field *field, Example *into, const char *const *texts)
{
    for (; *texts; texts++)
        assert_takes(field, into, *texts, *texts);
}
#define TAKES(member, into, ...) \
    assert_takes_all(FIELD(member), into, (const char *const[]){__VA_ARGS__, NULL})

static void assert_refuses(const Field *field, Example *into, const char *const *texts)
{
    for (; *texts; texts++) {
        const Example before = *into;
        if (field_try(field, into, *texts))
            fail_msg("--%s takes '%s'", field->name, *texts);
        assert_memory_equal(&before, into, sizeof before);
    }
}
#define REFUSES(member, into, ...) \
    assert_refuses(FIELD(member), into, (const char *const[]){__VA_ARGS__, NULL})

TEST(whole_numbers_are_digits_within_the_limits)
{
    Example e = {.whole = 7};
    TAKES(whole, &e, "1", "1000");
    REFUSES(whole, &e, "", " ", "x", "1x", "1 ", " 5", "+5", "05", "1.5", "1.0", "1e3", "1,2",
            "0x10", "nan", "inf", "-", "--1", "-1", "0", "1001", "4294967297",
            "99999999999999999999", "-99999999999999999999");
}

TEST(numbers_are_decimal_within_the_limits)
{
    Example e = {.number = 0.25};
    TAKES(number, &e, "0.1", "0", "0.9", "0.09999999999999999", "0.30000000000000004");
    assert_takes(FIELD(number), &e, ".25", "0.25");
    assert_takes(FIELD(number), &e, "1e-3", "0.001");
    assert_takes(FIELD(number), &e, "5E-2", "0.05");
    assert_takes(FIELD(number), &e, "0.12345678901234567", "0.12345678901234566");
    assert_takes(FIELD(wide), &e, "1e+9", "1000000000");
    TAKES(wide, &e, "1e-300");
    REFUSES(number, &e, "", " ", "x", "0.5x", "0.5 ", " 0.5", "+0.5", "00.5", "0,5", ".", "e5",
            "1e", "nan", "NAN", "-nan", "inf", "-inf", "infinity", "1e999", "-1e999", "-1",
            "-1e-300", "0.1.2", "--0.1", "0.900001", "0x1p-3", "1e-400");
}

TEST(choices_are_named_by_their_enumerators)
{
    Example e = {0};
    TAKES(colour, &e, "red", "blue");
    assert_int_equal(e.colour, COLOUR_BLUE);
    REFUSES(colour, &e, "", " ", "|", "red|green", "0", "Red", "re", "redd");
}

/* A choice that may be off needs no more than its name. */
TEST(a_choice_may_stand_alone)
{
    Example e = {.shade = SHADE_DARK};
    assert_true(field_stands_alone(FIELD(shade)) && field_stands_alone(FIELD(flag)));
    assert_false(field_stands_alone(FIELD(colour)) || field_stands_alone(FIELD(words)));
    assert_takes(FIELD(shade), &e, "", "light");
    TAKES(shade, &e, "off", "dark");
    REFUSES(shade, &e, " ", "on", "true", "0");
}

TEST(a_flag_becomes_true_unless_it_is_false)
{
    Example e = {0};
    assert_takes(FIELD(flag), &e, "", "true");
    assert_true(e.flag);
    TAKES(flag, &e, "false", "true");
}

TEST(words_are_any_text_but_an_empty_one)
{
    Example e = {0};
    REFUSES(words, &e, "");
    TAKES(words, &e, "runs/ñandú \"x\"", "other"); /* the first is freed */
    REFUSES(words, &e, "");
    fields_free(TABLE, &e);
}

TEST(presets_are_set_and_the_rest_is_left)
{
    Example e = {.wide = 8};
    fields_preset(TABLE, &e);
    assert_int_equal(e.whole, 3);
    assert_true(e.number == 0.5 && e.wide == 8);
    assert_int_equal(e.colour, COLOUR_GREEN);
    assert_false(e.flag || e.words);
}

TEST(a_copy_owns_its_memory_and_is_equal)
{
    Example from = {0}, into = {0};
    static const char *const texts[] = {"5", "0.3", "7", "blue", "", "", "a b"};
    int i = 0;
    EACH_FIELD (field, TABLE) {
        assert_true(field_try(field, &from, texts[i++]));
        assert_false(field_equal(field, &from, &into));
        field_copy(field, &into, &from);
        field_copy(field, &into, &from); /* what it owned is freed */
        assert_true(field_equal(field, &from, &into));
    }
    assert_int_equal(i, 7);
    fields_free(TABLE, &from);
    fields_free(TABLE, &into);
}

TEST(a_wrong_value_is_a_usage_error_of_one_line)
{
    static const struct {
        size_t offset;
        const char *text, *line;
    } cases[] = {
        {offsetof(Example, whole), "0", "--whole needs a whole number from 1 to 1000, not '0'\n"},
        {offsetof(Example, number), "1", "--number needs a number from 0 to 0.9, not '1'\n"},
        {offsetof(Example, colour), "x", "--colour needs one of red, green, blue, not 'x'\n"},
        {offsetof(Example, words), "", "--words needs a DIR, not ''\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Example e = {0};
        const ChildEnd ending =
            APART(field_set(field_at(TABLE, cases[i].offset), &e, cases[i].text));
        assert_int_equal(ending.status, 64);
        assert_int_equal(ending.lines, 1);
        assert_non_null(strstr(ending.said, cases[i].line));
    }
}
