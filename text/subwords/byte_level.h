/* byte_level.h: how GPT-2 reads a text: cut into words, and each word as bytes that can be printed.
 *
 * A word is what GPT-2's pattern matches: 's 't 're 've 'm 'll 'd; else a run of letters, of
 * numbers or of other characters, with the space before it if there is one; else white space. Of a
 * run of white space, the last character is part of the next word. Here with _ for the space:
 *
 *     It's__5_o'clock!  ->  It | 's | _ | _5 | _o | ' | clock | !
 *
 * No byte is lost: the words of a text, one after another, are the text. In a vocabulary each byte
 * is written as a character: "!" to "~" and most of Latin-1 as themselves, the other bytes as
 * U+0100 and up. So the space is Ġ, and the word "_5" is the token "Ġ5". */
#ifndef PULGA_BYTE_LEVEL_H
#define PULGA_BYTE_LEVEL_H

#include <stddef.h>
#include <stdint.h>

#include "text/words/split.h"

/* The next word from *at; moves *at past it; false if there is none. A byte that is not UTF-8
 * counts as one of the other characters. */
bool byte_level_word(const char **at, const char *end, Span *word);

/* The end of the word that a text goes on with after its first `before` bytes: of the word that
 * goes across that place, or of the next one; text + before if nothing follows. */
const char *byte_level_word_after(const char *text, size_t before, const char *end);

/* The character that a byte is written as, and the byte of a character or -1. */
int32_t byte_level_character(unsigned char byte);
int byte_level_byte(int32_t character);

/* Writes bytes as characters, ended by a 0; `out` needs room for 2 * size + 1. Returns their size
 * without the 0. */
size_t byte_level_write(char *out, const char *bytes, size_t size);

/* Reads the bytes back, without a 0 at the end; `out` needs room for `size`. Returns false if one
 * of the characters stands for no byte. */
bool byte_level_read(char *out, size_t *out_size, const char *characters, size_t size);

#endif
