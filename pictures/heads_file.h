/* heads_file.h: what each head looks at as a file, of the kind that its ending says. */
#ifndef PULGA_HEADS_FILE_H
#define PULGA_HEADS_FILE_H

#include <stdio.h>

#include "heads.h"

/* Where the weights come from, as it was typed. */
typedef struct {
    const char *run, *text; /* a directory; a text */
} About;

/* The endings that are known, for people: ".html, .svg, ...". */
extern const char HEADS_ENDINGS[];
bool heads_ending_is_known(const char *path);

/* Whether so much goes into a file of this kind: NULL, or what is wrong (the caller frees). */
char *heads_too_many(const char *path, const Heads *heads);

/* Writes the wanted heads. Says what failed, leaves no part of the file and returns false. */
bool heads_write(const char *path, const Heads *heads, About about);

#endif
