/* text.h: a text as the model reads it: UTF-8, with lines that end in \n. */
#ifndef PULGA_TEXT_H
#define PULGA_TEXT_H

#include <stdint.h>

#include "base/files/file.h"
#include "text/words/split.h"

/* The lines of all files that a text is made of are numbered in one row: a file, and the number of
 * the lines before it. */
typedef struct {
    char *name;
    size_t line;
} TextPart;

/* What is done to the characters of a text: "e" and a combining accent become "é", as in NFC; that,
 * and lower case; or nothing, for subwords, which give a text back byte for byte. */
typedef enum { TEXT_COMPOSED, TEXT_LOWER, TEXT_AS_IS } TextForm;

/* A text, or a chunk of a larger one: see source.h. It owns its bytes. They are needed until the
 * clean ones are encoded and the raw ones are written as the run's text.txt. */
typedef struct {
    char *name;            /* what messages call it: the path, or "standard input" */
    const TextPart *parts; /* (part_count) of several files, else NULL */
    size_t part_count;
    Bytes raw;   /* as the file is */
    char *clean; /* without a byte order mark, CRLF as LF, in the form asked for; a 0 follows the
                    last byte. raw.bytes if nothing is to be cleaned */
    size_t size; /* of clean */
    uint64_t checksum; /* of raw; of a chunk 0 */
    char line_end;     /* of raw: \n, or \r in an old Mac's file */
    size_t lines,
        columns; /* before a chunk: lines, and in the line that goes on in it, characters */
} Text;

/* Reads and cleans a text, or dies with the file, line and column of the first thing wrong. */
Text text_read(const char *path, TextForm form);

/* A text of bytes that are there already; they become the text's. */
Text text_from(const char *name, Bytes raw, TextForm form);

/* Cleans a text of which all but the clean bytes is there, or a chunk. Returns NULL, or what is
 * wrong in one line, which the caller frees. */
char *text_clean_raw(Text *text, TextForm form);

/* What the lines of some bytes end with: \r only if there is no \n. */
char text_line_end(const char *bytes, size_t size);

/* Frees the clean bytes, or those and the raw ones; all else stays. */
void text_free_clean(Text *text);
void text_free_bytes(Text *text);
void text_free(Text *text);

/* All of the clean text. */
Span text_span(const Text *text);

/* "NAME:LINE" of a place `at` in `bytes`, which are the raw or the clean ones: their lines are the
 * same. The caller frees. */
char *text_place(const Text *text, const char *bytes, const char *at);

/* One line about the first line that is not blank and not a pair; NULL if there is none. The caller
 * frees it. */
char *text_check_pairs(const Text *text);

/* Cleans a prompt, which messages call `name`. Returns NULL, and the caller frees
 * the clean text; or what is wrong, in one line that the caller frees, and *clean is NULL. */
char *text_clean(const char *name, const char *bytes, size_t size, TextForm form, char **clean,
                 size_t *clean_size);

#endif
