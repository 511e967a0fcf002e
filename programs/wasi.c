/* wasi.c: the programs as one of WebAssembly, which is compiled once for all of them. Its name says
 * which it is, train or pulga-train, or else its first word. */
#include <errno.h>

#include "base/base.h"

int train_main(int argc, char **argv);
int sample_main(int argc, char **argv);
int attend_main(int argc, char **argv);
int export_main(int argc, char **argv);

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} PROGRAMS[] = {{"train", train_main},
                {"sample", sample_main},
                {"attend", attend_main},
                {"export", export_main}};

int main(int argc, char **argv)
{
    for (int at = 0; at < argc && at < 2; at++) {
        char *slash = strrchr(argv[at], '/'), *called = slash ? slash + 1 : argv[at];
        const char *name = strncmp(called, "pulga-", 6) ? called : called + 6;
        program_invocation_short_name = called; /* what messages begin with */
        for (size_t i = 0; i < sizeof PROGRAMS / sizeof *PROGRAMS; i++)
            if (!strcmp(name, PROGRAMS[i].name))
                return PROGRAMS[i].main(argc - at, argv + at);
    }
    usage_error("give a program: train, sample, attend or export");
}
