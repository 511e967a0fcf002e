/* utf8.h: walks UTF-8 one code point at a time, and sorts code points into classes.
 *
 * A code point is an int32_t, as in utf8proc, whose tables of Unicode's categories answer most of
 * the questions below. Every walk through a text in this project uses utf8_next. */
#ifndef PULGA_UTF8_H
#define PULGA_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the code point at *at and moves *at past it; at a byte that is not UTF-8, returns -1 and
 * moves *at past that byte. *at must lie before `end`. */
int32_t utf8_next(const char **at, const char *end);

/* Whether `size` bytes are UTF-8 throughout. */
bool utf8_is_valid(const char *bytes, size_t size);

/* Writes a code point into `bytes`; returns how many bytes it takes. */
size_t utf8_put(char bytes[4], int32_t code_point);

/* Columns that a code point takes on a terminal: 0, 1 or 2. */
int utf8_columns(int32_t code_point);

/* Unicode's White_Space. */
bool is_space(int32_t code_point);

/* ASCII's punctuation, and Unicode's categories P*. */
bool is_punctuation(int32_t code_point);

/* Punctuation that touches the word after it: ( [ « “ ¿ ¡ */
bool is_opening(int32_t code_point);

/* What regular expressions call \w: letters and letter-like symbols, combining marks, decimal
 * digits, connectors such as _, and the two joiners. */
bool is_word_letter(int32_t code_point);

/* Letters of scripts that put no spaces between words: Chinese characters, Japanese kana, Thai,
 * Lao, Khmer, Burmese. */
bool is_unspaced(int32_t code_point);

/* Combining marks (categories M*): drawn on the letter before them. */
bool is_combining(int32_t code_point);

/* Characters that show nothing: unassigned, control, format, private use, separators; but not the
 * two joiners, which are part of words. */
bool is_invisible(int32_t code_point);

/* What a terminal obeys instead of drawing: control characters, line separators, and bidirectional
 * controls, which change the direction of the writing. */
bool is_control(int32_t code_point);

/* Makes a message harmless: each byte of a control character, and each that is not UTF-8, becomes
 * a question mark. A name from a damaged file must not look like a second line, nor control the
 * terminal. */
void text_sanitize(char *text);

/* ---- Text to be looked at ---- */

/* Makes text that came from files and prompts fit to be looked at, and quotes it for JSON, CSV and
 * XML. Such text is never trusted: it may hold escape sequences that move a terminal's cursor,
 * characters that change the direction of the writing, bytes that are not UTF-8, or markup. */

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
