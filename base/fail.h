/* fail.h: error messages and warnings. */
#ifndef PULGA_FAIL_H
#define PULGA_FAIL_H

/* The two ways to fail. Both print "program: message" as one line on standard error and end the
 * program: if the world is wrong (a file, the machine) with status 1, if the call was wrong (an
 * option) with status 64. The formats are translated (language.h). */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the same line and goes on: for what failed without harm, such as a save that will be tried
 * again. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
