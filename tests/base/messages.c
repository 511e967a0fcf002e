/* messages.c: in a library the lines that would end a program, and the warnings, come to it. */
#include <setjmp.h>
#include <sysexits.h>

#include "base/base.h"
#include "tests/helpers/test.h"

static char got[100];
static int status_got;
static jmp_buf entered;

static void take(const char *line, int status)
{
    snprintf(got, sizeof got, "%s", line);
    status_got = status;
    if (status)
        longjmp(entered, 1);
}

TEST(a_library_gets_the_lines_and_goes_on)
{
    messages_redirect(take);
    if (!setjmp(entered))
        die("no file %s", "a\nb");
    assert_string_equal(got, "no file a?b");
    assert_int_equal(status_got, 1);
    if (!setjmp(entered))
        usage_error("no option %d", 3);
    assert_string_equal(got, "no option 3");
    assert_int_equal(status_got, EX_USAGE);
    warn("%s", "look");
    assert_string_equal(got, "look");
    assert_int_equal(status_got, 0);
    messages_redirect(NULL);
    ASSERT_DIES(die("no file"), "no file");
}
