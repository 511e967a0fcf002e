/* hint.c: a text is wrapped if the first word of the next line would make nearly every line longer
 * than nine tenths of the column: of common licences that is true of 87 to 99 lines in a hundred,
 * of verse of 39. It has no spaces if most of its letters belong to scripts that use none, or if
 * its words are longer than those of any language. */
#include "hint.h"

#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"

/* In code points. */
enum { NARROWEST = 40, WIDEST = 120, LONGEST_MEAN_WORD = 15 };

/* A line of a paragraph that goes on in the next line. */
typedef struct {
    int length;    /* code points */
    int next_word; /* of the next line's first word */
    bool ends;     /* a sentence ends here */
} WrappedLine;

static int length_of(Span text)
{
    int length = 0;
    while (text.begin < text.end) {
        utf8_next(&text.begin, text.end);
        length++;
    }
    return length;
}

/* Whether the last code points, but for closing quotes and brackets, end a sentence. */
static bool ends_sentence(Span line)
{
    bool ends = false;
    while (line.begin < line.end) {
        const int32_t c = utf8_next(&line.begin, line.end);
        if (c == '.' || c == '!' || c == '?' || c == ':' || c == 0x2026 /* … */ ||
            c == 0x3002 /* 。 */)
            ends = true;
        else if (!is_space(c) && !is_punctuation(c))
            ends = false;
    }
    return ends;
}

static int by_length(const void *a, const void *b)
{
    const WrappedLine *x = a, *y = b;
    return (x->length > y->length) - (x->length < y->length);
}

/* The column at which a text is wrapped, or 0. */
static int wrapped_at(Span text)
{
    WrappedLine *lines = NULL;
    Span line, next, word;
    bool more = split_line(&text.begin, text.end, &line);
    for (; more; line = next) {
        more = split_line(&text.begin, text.end, &next);
        const char *at = next.begin;
        if (!more || is_blank(line) || !split_word(&at, next.end, PUNCTUATION_IN_WORDS, &word))
            continue;
        const WrappedLine wrapped = {length_of(line), length_of(word), ends_sentence(line)};
        arrput(lines, wrapped);
    }
    const ptrdiff_t count = arrlen(lines);
    int column = 0;
    if (count >= 20) {
        qsort(lines, (size_t)count, sizeof *lines, by_length);
        column = lines[count - 1 - count / 50].length; /* a few words may be longer than the line */
    }
    ptrdiff_t full = 0, open = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        full += 10 * (lines[i].length + 1 + lines[i].next_word) > 9 * column;
        open += !lines[i].ends;
    }
    arrfree(lines);
    return column >= NARROWEST && column <= WIDEST && full >= count * 8 / 10 && open >= count / 2
               ? column
               : 0;
}

static bool has_no_spaces(Span text)
{
    size_t letters = 0, unspaced = 0, words = 0;
    Span word;
    while (split_word(&text.begin, text.end, PUNCTUATION_ALONE, &word)) {
        const size_t before = letters;
        while (word.begin < word.end) {
            const int32_t c = utf8_next(&word.begin, word.end);
            letters += is_word_letter(c);
            unspaced += is_unspaced(c);
        }
        words += letters > before;
    }
    return letters >= 100 && (2 * unspaced > letters || letters > LONGEST_MEAN_WORD * words);
}

char *text_hint(const Text *text, TokenizerKind kind, bool stream)
{
    const Span all = text_span(text);
    if (kind == TOKENIZER_WORD && has_no_spaces(all))
        return format_text("the text has no spaces between words; --tokens char reads it by "
                           "characters");
    const int column = stream ? 0 : wrapped_at(all);
    return column ? format_text("the lines are wrapped at column %d; --sequence stream reads on "
                                "across line ends",
                                column)
                  : NULL;
}
