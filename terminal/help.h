/* help.h: what --help and --usage print. */
#ifndef PULGA_HELP_H
#define PULGA_HELP_H

#include "options.h"

/* An option of the command line: a field by its name, or by its alias. A field that is a heading of
 * the table stands between the options as one of them. */
typedef struct {
    const Field *field;
    const char *name;
    char letter; /* the short form, or 0 */
} Option;

/* Usage: train [OPTION...] TEXT...
 * Then the summary, each option with its explanation from column 31 on, and the notes; at most 79
 * columns. `options` is an stb_ds array. */
void help_print(const Program *program, const Option *options);

/* Usage: train [-h|--help] [--lower] [--mask=SHARE] ... TEXT... */
void help_print_usage(const Program *program, const Option *options);

#endif
