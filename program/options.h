/* options.h: the command line of a program, read through a table of fields (base/field.h). */
#ifndef PULGA_OPTIONS_H
#define PULGA_OPTIONS_H

#include "base/field.h"

typedef struct {
    const Field *fields;
    char letter;           /* the short form, or 0, of the option ... */
    size_t letter_offset;  /* ... for the member at this offset       */
    const char *arguments; /* "TEXT": what stands behind the options, for the usage line */
    const char *summary;   /* what --help says above the options */
    const char *notes;     /* and below them */
    int most_arguments;
} Program;

/* To be called before any file is opened: a standard file that was closed would be the next one.
 * From here on a program whose output could not be written ends with status 1.
 *
 * Sets the fields of `into` that are given, and decided[] at their offsets; arguments receives the others, NULL
 * where there are fewer. Whatever is wrong is said in one line, with exit status 64. */
void options_parse(const Program *program, int argc, char **argv, void *into, bool *decided,
                   char **arguments);

/* The same for a program that takes any number of words behind its options: presets the fields and
 * returns the words, ended by NULL. The caller frees the list. */
char **options_and_words(Program program, int argc, char **argv, void *into, bool *decided);

/* Words as one text, a space between each two. The caller frees. */
char *words_together(char **words);

/* Words as one could type them into a shell, in one line. The caller frees. */
char *command_line(int count, char *const *words);

#endif
