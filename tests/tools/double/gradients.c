/* gradients.c: the gradients of a case by the double build, as raw numbers on standard output,
 * for tests/model/precision.c. Usage: gradients NUMBER-OF-THE-CASE */
#include <stdio.h>
#include <stdlib.h>

#include "tests/helpers/cases.h"

int main(int argc, char **argv)
{
    const int number = argc == 2 ? atoi(argv[1]) : -1;
    if (number < 0 || number >= CASE_COUNT)
        return 64;
    Gpt gpt = case_model(&CASES[number]);
    case_learn(&gpt, &CASES[number]);
    const bool written = fwrite(gpt.gradient_block, sizeof(Real), gpt.size, stdout) == gpt.size;
    gpt_free(&gpt);
    return !written;
}
