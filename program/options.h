/* options.h: the command line of a program, read through a table of fields (base/field.h). */
#ifndef PULGA_OPTIONS_H
#define PULGA_OPTIONS_H

#include "base/field.h"

typedef struct {
    const Field *fields;
    char letter;           /* the short form, or 0, of the option ... */
    size_t letter_offset;  /* ... for the member at this offset       */
    const char *arguments; /* "TEXT": what comes after the options, for the usage line */
    const char *summary;   /* what --help prints above the options */
    const char *notes;     /* and below them */
    int most_arguments;
} Program;

/* Sets the fields of `into` that are given, and decided[] at their offsets; arguments receives the
 * other words, NULL if there are fewer. Options and arguments may be mixed. What is wrong is a
 * usage error. */
void options_parse(const Program *program, int argc, char **argv, void *into, bool *decided,
                   char **arguments);

/* The same for a program that takes any number of words: presets the fields and returns the words,
 * ended by NULL. The caller frees the list. */
char **options_and_words(Program program, int argc, char **argv, void *into, bool *decided);

#endif
