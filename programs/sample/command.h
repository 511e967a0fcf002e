/* command.h: reads what a person types at the prompt line after a colon. */
#ifndef PULGA_COMMAND_H
#define PULGA_COMMAND_H

#include "base/field.h"

/* What a person types at the prompt line after a colon: one of some commands, such as :again, or
 * an option and its new value, as :temperature 0.7. A name may be cut as long as only one begins
 * with it. A command is a field without a member, whose offset is this; what may follow it is its
 * value. */
#define COMMAND (FIELD_NONE - 1)

typedef struct {
    const Field *meant; /* NULL at a mistake */
    const char *value;  /* what follows the name and spaces, in the line; "" if there is nothing */
    char *wrong;        /* the mistake, in one line that the caller frees; else NULL */
} CommandLine;

/* Reads a line, without its colon. Spaces at its end are removed. `names` is an stb_ds array. */
CommandLine command_read(const Field *const *names, char *line);

#endif
