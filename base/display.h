/* shown.h: text from files and prompts made fit for the eye, and put into other languages' quotes.
 * What it holds is never trusted: escapes that move a terminal's cursor, marks that turn the
 * writing round, bytes that are not UTF-8, markup. */
#ifndef PULGA_DISPLAY_H
#define PULGA_DISPLAY_H

#include <stdbool.h>
#include <stdio.h>

/* A token as it is shown: a space as ␣, a line's end as ↵, other things that cannot be seen as
 * U+200B, a byte that is not UTF-8 as U+FFFD, a mark that stands on nothing on a dotted circle.
 * The caller frees. */
char *display_token(const char *token);

/* The same of a text, whose single spaces stay. */
char *display_text(const char *text);

/* The same of a part of a text that goes on: lines end, and marks stand on what came before. */
char *display_part(const char *text);

/* Columns that shown text takes on a terminal. */
int display_width(const char *shown);

/* Writes shown text into `columns` columns, cut with … where it is longer: to their left end, or
 * to their right one. */
void put_fitted(FILE *out, const char *shown, int columns, bool right);

/* Writes UTF-8 text as a JSON string, harmless inside a <script> and on a terminal too; and as text
 * of an XML document. */
void put_json(FILE *out, const char *text);
void put_xml(FILE *out, const char *text);

#endif
