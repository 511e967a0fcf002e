/* text.h: a text file as the model reads it: checked UTF-8 in NFC with lines that end in \n. */
#ifndef PULGA_TEXT_H
#define PULGA_TEXT_H

#include "base/file.h"
#include "base/utf8.h"

typedef struct {
    Bytes raw;         /* as the file was                                          */
    char *clean;       /* without a byte order mark, CRLF as LF, in NFC, in lower case where wanted;
                          with a 0 behind the last byte                            */
    size_t size;       /* of clean                                                 */
    uint64_t checksum; /* of raw                                                   */
} Text;

/* Reads and cleans a text, or dies with the file, line and column of the first thing wrong. */
Text text_read(const char *path, bool lower);
/* The same of bytes that were read already, which become the text's. */
Text text_from(const char *name, Bytes raw, bool lower);
void text_free(Text *text);

/* The same cleaning for a prompt, `name` being what to call it. Returns NULL, or what is wrong; the
 * caller frees either that or what is clean. */
char *text_clean(const char *name, const char *bytes, size_t size, bool lower, char **clean,
                 size_t *clean_size);

/* Whether there is nothing but white space. */
bool is_blank(const char *at, const char *end);

/* What punctuation is among words. Ours is a token for each mark. The others are ways of models
 * from elsewhere: a mark belongs to the word that it touches; or each run of marks is a token, and
 * all that is no letter, digit or _ is a mark. */
typedef enum { MARKS_ALONE, MARKS_IN_WORDS, MARKS_IN_RUNS } Marks;

/* The next token from *at: a word, a punctuation mark or, with `characters`, a code point. Moves
 * *at behind it and returns its first byte, or NULL at the end. */
const char *token_next(const char **at, const char *end, bool characters, Marks marks);

#endif
