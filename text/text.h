/* text.h: a text as the model reads it: UTF-8, with lines that end in \n. */
#ifndef PULGA_TEXT_H
#define PULGA_TEXT_H

#include <stdint.h>

#include "base/files/file.h"
#include "text/words/split.h"

/* One file of a text that has several: its name, and how many lines come before it. */
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
    size_t lines;      /* of the text before this chunk */
    size_t columns;    /* how many characters of the chunk's first line come before it */
} Text;

/* Reads and cleans a text, or dies with the file, line and column of the first thing wrong. */
Text text_read(const char *path, TextForm form);

/* A text of bytes that are there already; they become the text's. */
Text text_from(const char *name, Bytes raw, TextForm form);

/* Sets the clean bytes of a text or a chunk whose other members are set. Returns NULL, or a message
 * of one line, which the caller frees. */
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

/* Returns NULL if every line is blank or a pair. Otherwise a message of one line about the first
 * that is neither, which the caller frees. */
char *text_check_pairs(const Text *text);

/* Likewise of conversations: each line is a turn, "NAME: WORDS"; two speak in turns, and the second
 * one is the last to speak before a blank line or the end. */
char *text_check_turns(const Text *text);

/* Cleans a prompt; messages call it `name`. Returns NULL and sets *clean, or returns a message of
 * one line and sets *clean to NULL. The caller frees what it gets. */
char *text_clean(const char *name, const char *bytes, size_t size, TextForm form, char **clean,
                 size_t *clean_size);

#endif
