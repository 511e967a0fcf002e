/* source.h: the text that a run is trained on: one file or several, one after another, or standard
 * input. A small text is read whole. A large one is read in chunks, as often as it is needed, so
 * that memory does not grow with it.
 *
 * Several files are read as one text: a line end, \n, is added to each that lacks one before the
 * next.
 *
 * A chunk is cut before white space that follows something else: no word, subword or composed
 * letter goes on from one chunk to the next. A text that is read by lines, or whose words may have
 * line ends, is cut after the last line end of some white space, and conversations are cut before
 * blank lines. */
#ifndef PULGA_SOURCE_H
#define PULGA_SOURCE_H

#include "text.h"

typedef struct Source Source;

/* Shows what is being done and how much of it, from 0 to 1; NULL: nothing is shown. */
typedef void SourceWatch(void *watcher, const char *doing, double share);

typedef struct {
    TextForm form;
    size_t large; /* a text of more bytes is large; usually LARGE_TEXT */
    SourceWatch *watch;
    void *watcher;
} SourceRules;

#define LARGE_TEXT ((size_t)16 << 20)

/* Opens the files, an array that ends with NULL; "-" is standard input. Dies if one is missing or
 * empty, or if a small text is wrong. */
Source *source_open(char *const *paths, SourceRules rules);

/* The source of a small text that was read already. */
Source *source_of(const Text *text);
void source_free(Source *source);

/* Cleans the text into another form from now on. Do not call it between source_next and its
 * NULL. */
void source_set_form(Source *source, TextForm form);

/* The next chunks, of a small text the only one, which is all of it; NULL at the end. After it, the
 * text begins again. `doing` is what is shown. The chunks stay the source's, until the next call.
 * Dies at the first thing wrong, and at the first chunk that has changed since the text was read
 * first. */
const Text *source_next(Source *source, TextCut cut, const char *doing, int *count);

/* What messages call it, of many files "a.txt and 211 more"; and all of a small text, NULL if it is
 * large. */
const char *source_name(const Source *source);
const Text *source_text(const Source *source);

/* The raw bytes, and their checksum, which of a large text is known at its end. */
size_t source_size(const Source *source);
uint64_t source_checksum(const Source *source);

/* How many bytes are clean. A large text that was not read yet is read to its end for this. */
size_t source_clean_size(Source *source);

#endif
