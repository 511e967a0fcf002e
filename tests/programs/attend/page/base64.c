/* base64.c: the examples of RFC 4648. */
#include "tests/helpers/close.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "programs/attend/page/page.h"

static void bytes_become_letters(void **state)
{
    (void)state;
    static const char *const examples[][2] = {{"", ""},
                                              {"f", "Zg=="},
                                              {"fo", "Zm8="},
                                              {"foo", "Zm9v"},
                                              {"foob", "Zm9vYg=="},
                                              {"fooba", "Zm9vYmE="},
                                              {"foobar", "Zm9vYmFy"},
                                              {"\xFB\xFF\xBF", "+/+/"}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char *text;
        size_t size;
        FILE *out = memory_stream(&text, &size);
        put_base64(out, (const uint8_t *)examples[i][0], strlen(examples[i][0]));
        fclose(out);
        assert_string_equal(text, examples[i][1]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_become_letters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
