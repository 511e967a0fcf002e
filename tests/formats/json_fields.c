/* json_fields.c: a field comes back from JSON as it was put there, and only JSON of its kind is
 * read. */
#include <cjson/cJSON.h>

#include "formats/json.h"
#include "programs/train/plan/settings.h"
#include "tests/helpers/test.h"

/* Values that are not defaults: `turn` 0 and 1 differ in every field. */
static void put_value(const Field *field, Settings *into, int turn)
{
    AUTOFREE char *text = NULL;
    switch (field->kind) {
    case FIELD_WHOLE: text = format_text("%.0f", turn ? field->max : field->min + 1); break;
    case FIELD_NUMBER: /* with all its digits */
        text = format_text("%.17g", field->min + (field->max - field->min) / (turn ? 3 : 7));
        break;
    case FIELD_CHOICE: text = format_text("%s", field->choices[turn]); break;
    case FIELD_FLAG: *(bool *)((char *)into + field->offset) = turn; return;
    case FIELD_TEXT: text = format_text("%s", turn ? "a \"ñ\"\\\t/b" : "c"); break;
    }
    assert_true(field_try(field, into, text));
}

TEST(every_setting_comes_back)
{
    for (int turn = 0; turn < 2; turn++) {
        Settings from = {0}, into = {0};
        cJSON *object = cJSON_CreateObject();
        EACH_FIELD (field, SETTINGS) {
            put_value(field, &from, !turn);
            json_put_field(object, field, &from); /* replaced below */
            put_value(field, &from, turn);
            put_value(field, &into, !turn);
            json_put_field(object, field, &from);
        }
        AUTOFREE char *text = cJSON_Print(object);
        cJSON *again = cJSON_Parse(text);
        EACH_FIELD (field, SETTINGS) {
            json_get_field(again, field, &into, "config.json");
            assert_true(field_equal(field, &from, &into));
        }
        cJSON_Delete(object);
        cJSON_Delete(again);
        fields_free(SETTINGS, &from);
        fields_free(SETTINGS, &into);
    }
}

static void assert_json(const Field *field, const char *text, const char *wanted)
{
    Settings s = {0};
    cJSON *object = cJSON_CreateObject();
    if (text)
        field_set(field, &s, text);
    json_put_field(object, field, &s);
    AUTOFREE char *got = cJSON_PrintUnformatted(cJSON_GetObjectItem(object, field->name));
    assert_string_equal(got, wanted);
    cJSON_Delete(object);
    fields_free(SETTINGS, &s);
}

TEST(each_kind_has_its_json)
{
    assert_json(SETTING(shape.layers), "12", "12");
    assert_json(SETTING(lr), "0.1", "0.1");
    assert_json(SETTING(lr), "1e-7", "1e-07");
    assert_json(SETTING(shape.norm), "post", "\"post\"");
    assert_json(SETTING(lower), "", "true");
    assert_json(SETTING(shape.untied), NULL, "false");
    assert_json(SETTING(out), "a\"b", "\"a\\\"b\"");
    assert_json(SETTING(out), NULL, "null");
}

/* Reads a field from this value, or, if it is NULL, from an object without one. */
static void get(const Field *field, const char *value)
{
    Settings into = {0};
    AUTOFREE char *text =
        value ? format_text("{\"%s\": %s}", field->name, value) : format_text("{}");
    cJSON *object = cJSON_Parse(text);
    json_get_field(object, field, &into, "config.json");
    cJSON_Delete(object);
    fields_free(SETTINGS, &into);
}

TEST(only_json_of_its_kind_is_read)
{
    const Field *const kinds[] = {SETTING(shape.layers), SETTING(lr), SETTING(shape.norm),
                                  SETTING(lower), SETTING(out)};
    static const struct {
        const char *json, *takers; /* the names of the kinds that take it */
    } values[] = {{NULL, ""},         {"null", "out"},
                  {"true", "lower"},  {"false", "lower"},
                  {"1", "layers lr"}, {"0.5", "lr"},
                  {"-1", ""},         {"1e300", ""},
                  {"1e999", ""},      {"\"post\"", "norm out"},
                  {"\"x\"", "out"},   {"\"1\"", "out"},
                  {"\"\"", ""},       {"[1,2]", ""},
                  {"[]", ""},         {"[1.5]", ""},
                  {"[-1]", ""},       {"[1e10]", ""},
                  {"[\"1\"]", ""},    {"[null]", ""},
                  {"[true]", ""},     {"[[1]]", ""},
                  {"[1,{}]", ""},     {"{}", ""},
                  {"{\"a\":1}", ""}};
    for (size_t i = 0; i < COUNT_OF(values); i++)
        for (size_t k = 0; k < COUNT_OF(kinds); k++)
            if (strstr(values[i].takers, kinds[k]->name))
                get(kinds[k], values[i].json);
            else
                ASSERT_DIES(get(kinds[k], values[i].json), "config.json: ", kinds[k]->name,
                            "; supported is ");
}
