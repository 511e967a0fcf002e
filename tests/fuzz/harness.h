/* harness.h: runs what the programs do with input from outside again and again in one process. A
 * job that ends in die() or usage_error() returns here, and everything it held is freed. */
#ifndef PULGA_HARNESS_H
#define PULGA_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls for each input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Runs a job. True if it returned; it must then have freed all that it took. False if it exited,
 * which it must do with status 1 or 64 and one line that is harmless on a terminal. Anything else
 * is a finding. */
typedef void Job(void *context);
bool returns(Job *job, void *context);

/* Prints a finding and ends the process. */
_Noreturn void found(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Checks a text for a terminal: UTF-8 without control characters (except \n) and without
 * bidirectional controls. */
void check_harmless(const char *text);

/* A folder of this process's own, in memory, removed when it ends; and a file in it, whose path the
 * caller frees. */
const char *folder(void);
char *put_file(const char *name, const void *bytes, size_t size);

/* A tiny run in the folder: "run". */
void put_run(const char *const *options);

#endif
