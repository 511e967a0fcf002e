/* made_text.h: a text for the figures about texts, of any size and the same on every machine. */
#ifndef PULGA_MADE_TEXT_H
#define PULGA_MADE_TEXT_H

#include <stddef.h>

/* Writes a file of about `size` bytes: lines of words that are made up of syllables. As in a real
 * text, the word of rank r occurs 1/r times as often as the first one; there are 300,000. */
void made_text_write(const char *path, size_t size);

#endif
