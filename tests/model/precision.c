/* precision.c: the float build's gradients against the double build's: within 1e-4 of each
 * tensor's largest. The double ones come from the program tests/tools/double/gradients. */
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/helpers/cases.h"
#include "tests/helpers/close.h"

/* The gradients of a case in double, as the double build lays them out. RUN comes from the
 * Makefile. */
static double *double_gradients(int number, size_t count)
{
    char self[4096] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    char *command = format_text("$RUN '%s/../tools/double/gradients' %d", dirname(self), number);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    double *gradients = memory_new(count, sizeof *gradients, "a test");
    assert_int_equal(fread(gradients, sizeof *gradients, count, pipe), count);
    assert_int_equal(pclose(pipe), 0);
    free(command);
    return gradients;
}

/* The two builds pad their tensors differently: the offset of a tensor in the double one. */
static size_t double_offset(const Gpt *gpt, int tensor)
{
    size_t offset = 0;
    for (int i = 0; i < tensor; i++) {
        const Tensor *t = &gpt->tensors[i];
        offset += (tensor_size(t) + 7) / 8 * 8;
    }
    return offset;
}

static void check_case(int number)
{
    const Case *c = &CASES[number];
    Gpt gpt = case_model(c);
    case_learn(&gpt, c);
    double *wanted = double_gradients(number, double_offset(&gpt, gpt.tensor_count));
    for (int i = 0; i < gpt.tensor_count; i++) {
        const Tensor *t = &gpt.tensors[i];
        const size_t count = tensor_size(t);
        const double *exact = wanted + double_offset(&gpt, i);
        double largest = 0;
        for (size_t j = 0; j < count; j++)
            largest = fmax(largest, fabs(exact[j]));
        assert_close(t->name, gpt.gradient_block + t->offset, exact, count, 1e-4 * largest);
        assert_true(largest > 0 || !t->trained);
    }
    free(wanted);
    gpt_free(&gpt);
}

TEST(float_gradients_are_close_to_double_ones)
{
    for (int i = 0; i < CASE_COUNT; i++) {
        print_message("%s\n", CASES[i].name);
        check_case(i);
    }
}
