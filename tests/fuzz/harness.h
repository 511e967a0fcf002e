/* harness.h: what the programs do with what comes from outside, done again and again in one
 * process. A job that dies as die() does comes back here, with all that it held given back. */
#ifndef PULGA_HARNESS_H
#define PULGA_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's: once before all, and for each input. */
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Whether a job returned; it must then have freed all that it took. Else it exited: with status 1
 * or 64 and one line that is harmless on a terminal. Anything else is a finding. */
typedef void Job(void *context);
bool returns(Job *job, void *context);

/* A finding: says so and ends the process. */
_Noreturn void found(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text for a terminal: UTF-8 without control characters but \n, and without marks that turn the
 * writing round. */
void check_harmless(const char *text);

/* A folder of this process's own, in memory, gone with it; and a file in it, whose name the caller
 * frees. */
const char *folder(void);
char *put_file(const char *name, const void *bytes, size_t size);

/* A tiny run "run" in the folder; and the bytes of a file of it, or again what they were. */
void put_run(const char *const *options);

#endif
