/* choice.c (test): options that are changed at the prompt line. */

#include "base/base.h"
#include "programs/sample/choice.h"
#include "tests/helpers/close.h"

typedef struct {
    Choice choice;
    ChoiceDecided decided;
    Tokenizer tokenizer;
} Fixture;

static Fixture fixture_new(ObjectiveKind objective)
{
    Fixture f = {.tokenizer = {.objective = objective}};
    f.tokenizer.vocabulary.count = 15;
    fields_preset(CHOICES, &f.choice);
    return f;
}

static const Field *field_of(const char *name)
{
    EACH_FIELD (field, CHOICES)
        if (!strcmp(field->name, name))
            return field;
    fail_msg("there is no option %s", name);
    return NULL;
}

/* Checks the value that an option has under the rules. */
static void has(const Fixture *f, const char *name, const char *wanted)
{
    const AnswerRules rules = choice_rules(&f->choice, &f->decided, &f->tokenizer);
    AUTOFREE char *value = choice_value(&f->choice, &rules, field_of(name));
    assert_string_equal(value, wanted);
}

static void change(Fixture *f, const char *name, const char *value, const char *now)
{
    char *wrong = choice_change(&f->choice, &f->decided, &f->tokenizer, field_of(name), value);
    if (wrong)
        fail_msg("%s %s: %s", name, value, wrong);
    has(f, name, now);
}

/* Checks that a change is refused with these words and changes nothing. */
static void refuse(Fixture *f, const char *name, const char *value, const char *words)
{
    const Fixture before = *f;
    AUTOFREE char *wrong =
        choice_change(&f->choice, &f->decided, &f->tokenizer, field_of(name), value);
    assert_non_null(wrong);
    if (!strstr(wrong, words))
        fail_msg("'%s' is not in '%s'", words, wrong);
    assert_memory_equal(&before, f, sizeof *f);
}

TEST(every_option_of_answers_changes_and_comes_back)
{
    Fixture f = fixture_new(OBJECTIVE_NEXT);
    int count = 0;
    EACH_FIELD (field, CHOICES) {
        if (field->offset >= CHOICE_LASTING)
            continue;
        const AnswerRules rules = choice_rules(&f.choice, &f.decided, &f.tokenizer);
        char *before = choice_value(&f.choice, &rules, field);
        const bool flag = field->kind == FIELD_FLAG;
        const char *other = flag ? "on" : field->kind == FIELD_NUMBER ? "0.5" : "7";
        if (strcmp(field->name, "beam") && strcmp(field->name, "greedy"))
            assert_string_not_equal(before, other);
        change(&f, field->name, other, other);
        assert_true(f.decided.at[field->offset]);
        change(&f, field->name, "default", before);
        assert_false(f.decided.at[field->offset]);
        free(before);
        count++;
    }
    assert_int_equal(count, 12);
    fields_free(CHOICES, &f.choice);
}

TEST(defaults_follow_other_options)
{
    Fixture f = fixture_new(OBJECTIVE_NEXT);
    has(&f, "count", "3");
    change(&f, "greedy", "", "on");
    has(&f, "count", "1");
    has(&f, "temperature", "0");
    change(&f, "greedy", "off", "off");
    has(&f, "count", "3");
    change(&f, "temperature", "0", "0");
    has(&f, "count", "1");
    Fixture pairs = fixture_new(OBJECTIVE_PAIRS);
    has(&pairs, "beam", "5");
    change(&pairs, "temperature", "1", "1");
    has(&pairs, "beam", "0");
}

TEST(a_conversation_has_one_answer_to_each_turn)
{
    Fixture f = fixture_new(OBJECTIVE_TURNS);
    has(&f, "temperature", "1"); /* of one prompt */
    has(&f, "beam", "0");
    f.choice.chat = true;
    has(&f, "count", "1");
    has(&f, "table", "0");
    has(&f, "temperature", "0.3");
    change(&f, "top-k", "5", "5");
    has(&f, "temperature", "1");
    change(&f, "top-k", "default", "0");
    refuse(&f, "count", "2", "one answer to each turn, so :count would have no effect");
    refuse(&f, "beam", "2", "one answer to each turn");
    refuse(&f, "table", "2", "shows no table");
}

TEST(mistakes_change_nothing)
{
    Fixture f = fixture_new(OBJECTIVE_NEXT), gaps = fixture_new(OBJECTIVE_MASKED);
    Fixture pairs = fixture_new(OBJECTIVE_PAIRS);
    refuse(&f, "count", "x", ":count needs a whole number from 0 to 100000, not 'x'");
    refuse(&f, "temperature", "-1", ":temperature needs a number");
    refuse(&f, "greedy", "maybe", ":greedy needs on or off, not 'maybe'");
    refuse(&f, "stop", "\xff", ":stop is not UTF-8");
    change(&f, "top-k", "5", "5");
    change(&f, "stop", "come", "come");
    refuse(&f, "greedy", "", ":top-k would have no effect; :OPTION default takes");
    refuse(&f, "beam", "3", ":top-k would have no effect");
    change(&f, "stop", "default", "default");
    change(&f, "top-k", "default", "0");
    change(&f, "beam", "3", "3");
    refuse(&f, "count", "4", ":count 4 is too many");
    refuse(&gaps, "words", "5", "one token into each gap");
    refuse(&gaps, "repetition-penalty", "2", "one token into each gap");
    refuse(&gaps, "stop", "come", "one token into each gap");
    refuse(&pairs, "count", "1001", "more than the 1000 that a search can find");
}
