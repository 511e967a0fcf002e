/* text.h: a text as the model reads it: UTF-8 in NFC, with lines that end in \n. */
#ifndef PULGA_TEXT_H
#define PULGA_TEXT_H

#include <stdint.h>

#include "base/file.h"
#include "split.h"

/* The bytes are needed until the text is encoded and copied: see text_free_bytes. */
typedef struct {
    char *name;        /* what messages call it */
    Bytes raw;         /* as the file is */
    char *clean;       /* without a byte order mark, CRLF as LF, in NFC, in lower case if asked for;
                          a 0 follows the last byte */
    size_t size;       /* of clean */
    size_t raw_size;   /* these two stay when the bytes are let go */
    uint64_t checksum; /* of raw */
} Text;

/* Reads and cleans a text, or dies with the file, line and column of the first thing wrong. */
Text text_read(const char *path, bool lower);

/* The same for bytes that are there already; they become the text's. */
Text text_from(const char *name, Bytes raw, bool lower);

/* Frees the bytes, raw and clean; name, size and checksum stay. */
void text_free_bytes(Text *text);
void text_free(Text *text);

/* All of the clean text. */
Span text_span(const Text *text);

/* "NAME:LINE" of a place in the raw or in the clean bytes, whose lines are the same; the caller
 * frees. */
char *text_place(const Text *text, const char *bytes, const char *at);

/* The same cleaning for a prompt, which messages call `name`. Returns NULL, or what is wrong; the
 * caller frees either that or the clean text. */
char *text_clean(const char *name, const char *bytes, size_t size, bool lower, char **clean,
                 size_t *clean_size);

#endif
