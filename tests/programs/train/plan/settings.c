/* settings.c: what the table of settings promises: names, limits, and what a resumed run
 * keeps. How fields are read and printed is tested in tests/base/field.c. */

#include "programs/train/plan/settings.h"
#include "tests/helpers/close.h"

TEST(no_two_settings_share_a_name_or_a_place)
{
    EACH_FIELD (field, SETTINGS) {
        assert_non_null(field->help);
        assert_true(field->min <= field->max);
        assert_true(field->choices || field->kind == FIELD_FLAG || field->value);
        EACH_FIELD (other, SETTINGS)
            assert_true(other == field ||
                        (other->offset != field->offset && strcmp(other->name, field->name) != 0));
    }
}

TEST(limits_are_the_first_and_last_values_taken)
{
    Settings s = {0};
    EACH_FIELD (field, SETTINGS) {
        if (field->kind != FIELD_WHOLE && field->kind != FIELD_NUMBER)
            continue;
        const double beyond = field->kind == FIELD_WHOLE ? field->max + 1 : field->max * 1.000001;
        char *texts[] = {format_text("%.17g", field->min), format_text("%.17g", field->max),
                         format_text("%.17g", field->min - 1), format_text("%.17g", beyond)};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(field_try(field, &s, texts[i]), i < 2);
            free(texts[i]);
        }
    }
}

/* All that are not listed here are of the run, and a resumed run keeps them. */
TEST(a_resumed_run_keeps_all_but_a_few)
{
    static const char *const call[] = {"stop-after", "threads", "out",  "overwrite", "no-plot",
                                       "resume",     "text",    "from", "verify",    "compare",
                                       "val-text",   "minutes", "json", "shape"};
    static const char *const changing[] = {"epochs",           "steps", "patience", "log-every",
                                           "checkpoint-every", "keep",  "show",     "prompt"};
    EACH_FIELD (field, SETTINGS) {
        FieldLife life = LIFE_RUN;
        for (size_t i = 0; i < sizeof call / sizeof *call; i++)
            life = strcmp(field->name, call[i]) ? life : LIFE_CALL;
        for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
            life = strcmp(field->name, changing[i]) ? life : LIFE_MAY_CHANGE;
        assert_int_equal(field->life, life);
    }
}
