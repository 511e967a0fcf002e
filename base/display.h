/* display.h: makes text that came from files and prompts fit to be looked at, and quotes it for
 * JSON, CSV and XML. Such text is never trusted: it may hold escape sequences that move a
 * terminal's cursor, characters that change the direction of the writing, bytes that are not UTF-8,
 * or markup. */
#ifndef PULGA_DISPLAY_H
#define PULGA_DISPLAY_H

#include <stdbool.h>
#include <stdio.h>

/* A token as it is shown: a space as ␣, a line end as ↵, an invisible character as its number
 * (U+200B), a byte that is not UTF-8, as in a part of a character, as \xC3, and a combining mark at
 * the beginning on a dotted circle. The caller frees. */
char *display_token(const char *token);

/* Shows a text so, except that spaces stay spaces, a tab, as between the two sides of a pair, is an
 * arrow, and a byte that is not UTF-8 is U+FFFD. */
char *display_text(const char *text);

/* Shows a part of a longer text, five columns from the left: lines go on there, and a combining
 * mark at the beginning stands on what was shown before. */
char *display_part(const char *text);

/* Columns that a shown text takes on a terminal. */
int display_width(const char *shown);

/* Writes a shown text; one that takes more than `columns` columns is cut and ends with … Returns
 * the columns written. */
int put_cut(FILE *out, const char *shown, int columns);

/* Writes a shown text, cut or padded with spaces to exactly `columns` columns: after the text, or
 * before it if `right`. */
void put_fitted(FILE *out, const char *shown, int columns, bool right);

/* Writes UTF-8 as a JSON string that is also harmless inside a <script> and on a terminal. */
void put_json(FILE *out, const char *text);

/* Writes a shown text as a cell of CSV, in quotes. */
void put_csv(FILE *out, const char *shown);

/* Writes UTF-8 as the text of an XML document. */
void put_xml(FILE *out, const char *text);

#endif
