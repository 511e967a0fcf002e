/* objective.c: what the rows of a sequence read and predict: data/objective.h. */
#include "data/objective.h"
#include "tests/helpers/close.h"

static void test_the_next_token_is_predicted(void **state)
{
    (void)state;
    static const int tokens[] = {0, 7, 5, 1};
    for (int i = 0; i < 3; i++) {
        const ObjectiveRow row = objective_row(OBJECTIVE_NEXT, tokens, i);
        assert_int_equal(row.input, tokens[i]);
        assert_int_equal(row.target, tokens[i + 1]);
        assert_int_equal(row.position, i);
    }
    assert_int_equal(objective_targets(OBJECTIVE_NEXT, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_next_token_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
