/* advice.c: a text is wrapped if the first word of the next line would make at least 80% of its
 * lines longer than nine tenths of the column, and half of the lines end within a sentence. (In
 * common licences 87 to 99% of the lines would become that long, in verse 39%.) A text has no
 * spaces if most of its letters belong to scripts that use none, or if its words are longer than
 * those of any language. */
#include "advice.h"

#include "base/base.h"
#include "base/utf8.h"

/* Columns at which texts are wrapped, and the mean length of a word, in code points; and how many
 * lines or letters it takes to judge a text. */
enum {
    NARROWEST = 40,
    WIDEST = 120,
    LONGEST_MEAN_WORD = 15,
    LEAST_LINES = 20,
    LEAST_LETTERS = 100
};

/* In code points. */
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

int text_wrapped_at(const Text *of)
{
    Span text = text_span(of);
    /* How many lines have each length, by themselves and together with the first word of the next
     * line. The last entry counts all that are longer than WIDEST. */
    size_t alone[WIDEST + 2] = {0}, with_next[WIDEST + 2] = {0}, count = 0, open = 0;
    Span line, next, word;
    bool more = split_line(&text.begin, text.end, &line);
    for (; more; line = next) {
        more = split_line(&text.begin, text.end, &next);
        const char *at = next.begin;
        if (!more || is_blank(line) || !split_word(&at, next.end, PUNCTUATION_IN_WORDS, &word))
            continue; /* it is blank, or the last line of its paragraph */
        const int length = length_of(line);
        alone[min_int(length, WIDEST + 1)]++;
        with_next[min_int(length + 1 + length_of(word), WIDEST + 1)]++;
        count++;
        open += !ends_sentence(line);
    }
    /* The length of the longest line, without the longest 2%: a word may be longer than a line. */
    int column = WIDEST + 1;
    size_t reach = alone[column], full = 0;
    while (column > 0 && reach <= count / 50)
        reach += alone[--column];
    for (int length = 9 * column / 10 + 1; length <= WIDEST + 1; length++)
        full += with_next[length];
    const bool wrapped = count >= LEAST_LINES && column >= NARROWEST && column <= WIDEST &&
                         full >= count * 8 / 10 && open >= count / 2;
    return wrapped ? column : 0;
}

/* Blocks of at most six lines, on average, with a blank line after each. */
bool text_in_blocks(const Text *of)
{
    Span text = text_span(of), line;
    size_t count = 0, blank = 0;
    for (; split_line(&text.begin, text.end, &line); count++)
        blank += is_blank(line);
    return count >= LEAST_LINES && 7 * blank >= count;
}

/* Whether most letters belong to scripts without spaces, or the words are too long to be words. */
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
    return letters >= LEAST_LETTERS &&
           (2 * unspaced > letters || letters > LONGEST_MEAN_WORD * words);
}

char *text_advice(const Text *text, TokenizerKind kind)
{
    if (kind != TOKENIZER_WORD || !has_no_spaces(text_span(text)))
        return NULL;
    return format_text(
        _("the text has no spaces between words; --tokens char reads it by characters"));
}

char *text_advice_of_pairs(const Text *text)
{
    Span all = text_span(text), line, source, target;
    size_t lines = 0, pairs = 0;
    for (; split_part(&all.begin, all.end, CUT_LINES, &line); lines++)
        pairs += split_pair(line, &source, &target);
    if (pairs == lines || 2 * pairs < lines)
        return NULL;
    return format_text(
        _("%zu of %zu lines have one tab; --objective pairs names those that do not"), pairs,
        lines);
}

bool text_has_few_spaces(const Text *text)
{
    size_t lines = 0, spaces = 0;
    for (size_t i = 0; i < text->size; i++) {
        lines += text->clean[i] == '\n';
        spaces += text->clean[i] == ' ';
    }
    return 2 * spaces < lines;
}
