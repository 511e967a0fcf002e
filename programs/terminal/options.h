/* options.h: the command line of a program, read through a table of fields (base/field.h).
 *
 * An option is --name VALUE or --name=VALUE. -o FILE and -oFILE are the same for an option with a
 * letter. Options and other words may be mixed; what comes after -- is no option. */
#ifndef PULGA_OPTIONS_H
#define PULGA_OPTIONS_H

#include "base/field.h"

/* All texts are English; --help translates them. */
typedef struct {
    const Field *fields;
    char letter;          /* the short form, or 0, of the option ... */
    size_t letter_offset; /* ... for the member at this offset       */
    const char *alias;    /* likewise another name, or NULL          */
    size_t alias_offset;
    const char *first;     /* the names of those that --help shows, with commas; NULL: all */
    const char *arguments; /* "TEXT": what comes after the options, for the usage line */
    const char *summary;   /* what --help prints above the options */
    const char *notes;     /* and below them; without `all` only what begins after an empty line */
    int most_arguments;    /* 0: any number */
} Program;

/* Sets the fields of `into`: first all defaults, then the options that are given. For these it also
 * sets decided[] at their offsets, unless decided is NULL. Returns the other words of the command
 * line, ended by NULL; the caller frees the list, not the words. A mistake is a usage error;
 * --help, --help all, --help json (the table, for programs), --usage and --version print and end
 * the program. */
char **options_read(const Program *program, int argc, char **argv, void *into, bool *decided);

/* Dies if there is no such file or directory, but one in this folder: runs/perro for perro; or if
 * the folder is runs, and the path that of a file. */
void options_check_path(const char *path, const char *folder);

/* Words, ended by NULL, as one could type them into a shell, in one line. The caller frees it. */
char *command_line(char *const *words);

/* Words, ended by NULL, as one text with a space between each two. The caller frees it. */
char *words_together(char *const *words);

#endif
