/* memory.c: as Linux tells it. */
#include "memory.h"

#include "close.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED true
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED false
#endif

bool memory_unknown(void)
{
    const char *run = getenv("RUN"); /* the Makefile's: valgrind, or an emulator */
    return INSTRUMENTED || (run && *run);
}

/* A number of kilobytes in /proc/self/status. */
static double kilobytes(const char *name)
{
    char line[256];
    double found = -1;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (found < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            found = strtod(line + strlen(name), NULL);
    fclose(file);
    assert_true(found > 0);
    return found;
}

double memory_resident(void)
{
    return 1024 * kilobytes("VmRSS:");
}

double memory_peak(void)
{
    return 1024 * kilobytes("VmHWM:");
}
