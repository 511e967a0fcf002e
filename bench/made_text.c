/* made_text.c: a word is drawn by a random number of its own and spelled by another, which belongs
 * to its rank. So parts of the text are made on all threads, and the words are stored nowhere. */
#include "made_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/numbers/random.h"
#include "base/parallel/threads.h"

enum { PART = 1 << 20, PARTS = 16, LONGEST_WORD = 32, WORDS_OF_A_LINE = 12 };
enum { DRAW = 1000, SPELL }; /* purposes of the random numbers; those of Pulga itself are smaller */

static const double RANKS = 3e5;

/* A consonant and a vowel, as in Spanish: one in 16 syllables has a letter that is not ASCII. */
static char *put_syllable(char *out, unsigned bits)
{
    static const char *const vowels[16] = {"a", "e", "o", "a",  "e",  "i", "o", "a",
                                           "e", "u", "o", "as", "en", "i", "a", "ó"};
    *out++ = "bcdfghjlmnprstvz"[bits >> 4 & 15];
    return stpcpy(out, vowels[bits & 15]);
}

/* Frequent words have one to three syllables, rare ones three to five. */
static char *put_word(char *out, uint32_t rank)
{
    const Random4 random = random_words(1, SPELL, (Random4){{rank, 0, 0, 0}});
    const int syllables = 1 + (rank > 30) + (int)(random.word[3] % 3) + (rank > 3000);
    for (int i = 0; i < syllables; i++)
        out = put_syllable(out, random.word[i / 4] >> i % 4 * 8);
    return out;
}

/* One part of the text, which ends with a line. Returns its size. */
static size_t make_part(char *part, uint32_t number)
{
    char *out = part;
    for (uint32_t i = 0; out < part + PART; i++) {
        const Random4 random = random_words(1, DRAW, (Random4){{i, number, 0, 0}});
        out = put_word(out, (uint32_t)exp(log(RANKS) * random.word[0] / 0x1p32));
        const bool ends = random.word[1] % WORDS_OF_A_LINE == 0;
        if (!ends && random.word[2] % 16 == 0)
            *out++ = ',';
        out = stpcpy(out, ends ? ".\n" : " ");
    }
    out[-1] = '\n';
    return (size_t)(out - part);
}

void made_text_write(const char *path, size_t size)
{
    FILE *file = fopen(path, "w");
    char *parts[PARTS];
    size_t sizes[PARTS], written = 0;
    if (!file)
        die("cannot write %s", path);
    for (int i = 0; i < PARTS; i++)
        parts[i] = memory_take(PART + LONGEST_WORD);
    for (uint32_t first = 0; written < size; first += PARTS) {
        OMP(parallel for)
        for (int i = 0; i < PARTS; i++)
            sizes[i] = make_part(parts[i], first + (uint32_t)i);
        for (int i = 0; i < PARTS && written < size; i++)
            written += fwrite(parts[i], 1, sizes[i], file);
        if (ferror(file))
            break;
    }
    for (int i = 0; i < PARTS; i++)
        free(parts[i]);
    if (ferror(file) | fclose(file))
        die("cannot write %s: is the disk full?", path);
}
