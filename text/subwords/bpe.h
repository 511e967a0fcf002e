/* bpe.h: byte-level BPE, the tokenizer of GPT-2 and of later models: from a text to the ids of its
 * subwords, and back.
 *
 * A text is cut into words. A word begins as its bytes; of all pairs of neighbours
 * that can be merged, the one whose merge comes first in the list is merged, the leftmost of
 * equals, until none is left. With the merges of the example below, "hugs" becomes hug and s:
 *
 *     h u g s  ->  h ug s  ->  hug s
 *
 * Any bytes can be encoded, and decoding returns them. */
#ifndef PULGA_BPE_H
#define PULGA_BPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "text/words/split.h"

/* ---- Words as bytes ---- */

/* How a model reads a text: cut into words, and each word as bytes that can be printed.
 *
 * For GPT-2, and for what Pulga trains from nothing, a word is what GPT-2's pattern matches: 's 't
 * 're 've 'm 'll 'd; else a run of letters, of numbers or of other characters, with the space
 * before it if there is one; else white space. Of a run of white space, the last character is part
 * of the next word. Here with _ for the space:
 *
 *     It's__5_o'clock!  ->  It | 's | _ | _5 | _o | ' | clock | !
 *
 * No byte is lost: the words of a text, one after another, are the text. In a vocabulary each byte
 * is written as a character: "!" to "~" and most of Latin-1 as themselves, the other bytes as
 * U+0100 and up. So the space is Ġ, and the word "_5" is the token "Ġ5".
 *
 * Later models cut in other ways. In all of them a number has no space before it, and few digits:
 *
 *     the text            It'S__1984_o'clock!\n\n
 *     PATTERN_GPT2        It | ' | S | _ | _1984 | _o | ' | clock | ! | \n\n
 *     PATTERN_DIGITS      It | ' | S | __ | 1 | 9 | 8 | 4 | _o | ' | clock | ! | \n\n
 *     PATTERN_QWEN        It | 'S | _ | _ | 1 | 9 | 8 | 4 | _o | 'clock | !\n\n
 *     PATTERN_LLAMA       It | 'S | _ | _ | 198 | 4 | _o | 'clock | !\n\n */
typedef enum { PATTERN_GPT2, PATTERN_DIGITS, PATTERN_QWEN, PATTERN_LLAMA } WordPattern;

/* Whether marks and blanks have the line ends after them in their word. Then a long text may be cut
 * after line ends, else before them. */
static inline bool pattern_has_lines(WordPattern pattern)
{
    return pattern >= PATTERN_QWEN;
}

/* The next word from *at; moves *at past it; false if there is none. A byte that is not UTF-8
 * counts as one of the other characters. */
bool pattern_word(const char **at, const char *end, WordPattern pattern, Span *word);

/* GPT-2's. */
static inline bool byte_level_word(const char **at, const char *end, Span *word)
{
    return pattern_word(at, end, PATTERN_GPT2, word);
}

/* The end of the word that a text goes on with after its first `before` bytes: of the word that
 * goes across that place, or of the next one; text + before if nothing follows. */
const char *pattern_word_after(const char *text, size_t before, const char *end,
                               WordPattern pattern);

/* The character that a byte is written as, and the byte of a character or -1. */
int32_t byte_level_character(unsigned char byte);
int byte_level_byte(int32_t character);

/* Writes bytes as characters, ended by a 0; `out` needs room for 2 * size + 1. Returns their size
 * without the 0. */
size_t byte_level_write(char *out, const char *bytes, size_t size);

/* A short word as three numbers, which are compared and hashed at once.
 *
 * "gato" is the bytes g a t o, 19 zeros, and 4, its size. Nearly all words of a text have at most
 * 23 bytes; longer ones have no key. */
enum { LONGEST_KEY = 23 };

typedef struct {
    uint64_t part[3];
} WordKey;

/* The key of a word of at most LONGEST_KEY bytes. Near the end of the text, where 24 bytes cannot
 * be read, the word is copied first. The bytes after the word are masked out by as many zeros: this
 * needs no branch, which the processor could not foresee. */
static inline WordKey word_key(Span word, const char *text_end)
{
    static const unsigned char mask[48] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                           0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                           0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    const size_t size = (size_t)(word.end - word.begin);
    char copy[24] = {0};
    const char *bytes = word.begin;
    if (text_end - bytes < 24)
        bytes = memcpy(copy, word.begin, size);
    WordKey key, keep;
    memcpy(&key, bytes, sizeof key);
    memcpy(&keep, mask + 24 - size, sizeof keep);
    return (WordKey){{key.part[0] & keep.part[0], key.part[1] & keep.part[1],
                      (key.part[2] & keep.part[2]) | (uint64_t)size << 56}};
}

static inline bool word_key_equal(WordKey a, WordKey b)
{
    return a.part[0] == b.part[0] && a.part[1] == b.part[1] && a.part[2] == b.part[2];
}

__extension__ typedef unsigned __int128 WideProduct;

/* The upper half of a product added to the lower one: every bit depends on all bits of both. */
static inline uint64_t word_key_mix(uint64_t a, uint64_t b)
{
    const WideProduct product = (WideProduct)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* With a random seed, nobody can prepare words that collide. */
static inline uint64_t word_key_hash(WordKey key, uint64_t seed)
{
    return word_key_mix(word_key_mix(key.part[0] ^ seed, key.part[1] ^ 0x9E3779B97F4A7C15u) ^
                            key.part[2],
                        seed ^ 0xD1B54A32D192ED03u);
}

/* A number for each pair of tokens: its count in training, its rank in encoding.
 *
 * A hash table with open addressing; a pair is one key of 64 bits. */
typedef struct {
    uint64_t key;  /* left id << 32 | right id, plus 1; 0: free */
    int64_t value; /* 0 if it was never set */
} PairSlot;

typedef struct {
    PairSlot *slots; /* (1 << bits) */
    int bits;
    size_t used;
    uint64_t seed; /* of the hash: nobody can prepare pairs that collide */
} PairTable;

PairTable pair_table_new(void);
void pair_table_free(PairTable *table);

/* The number of a pair, to be changed there; valid until the next call. */
int64_t *pair_table_at(PairTable *table, int left, int right);

/* The slot of a pair, or the free one where it would be put. */
static inline PairSlot *pair_table_slot(const PairTable *table, int left, int right)
{
    const uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = word_key_mix(key ^ table->seed, 0x9E3779B97F4A7C15u) & mask;
    while (table->slots[at].key && table->slots[at].key != key)
        at = (at + 1) & mask;
    return &table->slots[at];
}

/* The number of a pair; 0 if it has none. */
static inline int64_t pair_table_get(const PairTable *table, int left, int right)
{
    return pair_table_slot(table, left, right)->value;
}

/* Wherever these two tokens stand side by side, they become the token `id`. Merges are in the order
 * in which they are to be made. */
typedef struct {
    int left, right, id;
} BpeMerge;

typedef struct {
    int byte_ids[256];
    PairTable ranks; /* of a pair: its place in the list of merges, plus 1 */
    int *merged;     /* (number of merges) by place: the id that the pair becomes */
    char *bytes;     /* what all tokens stand for, a 0 after each; this and the next are stb_ds
                        arrays */
    size_t *start;   /* (size of the vocabulary + 1) where each begins in bytes */
} Bpe;

/* The id of the token that is a byte, or -1. If all 256 bytes are tokens, any text can be
 * encoded. */
int bpe_byte_id(const Vocabulary *vocabulary, int byte);

/* The id of the token that stands for some bytes, or -1. */
int bpe_find(const Vocabulary *vocabulary, Span bytes);

/* The vocabulary must have all bytes; the ids of the merges must be ids of it. */
Bpe bpe_new(const Vocabulary *vocabulary, const BpeMerge *merges, int count);
void bpe_free(Bpe *bpe);

/* A long word while it is merged; all zero at first. One thread uses its memory for many words. */
typedef struct {
    struct WordPiece *pieces; /* stb_ds array */
    uint64_t *queue;          /* stb_ds array, a heap: the rank of a pair << 32 | its left piece */
} BpeWord;

/* Writes the ids of a word, at most one for each byte, which are at least 1; returns how many. */
int bpe_encode_word(const Bpe *bpe, BpeWord *work, Span word, int *ids);
void bpe_word_free(BpeWord *work);

/* The bytes that a token stands for, ended by a 0; a special one stands for its name. */
Span bpe_bytes(const Bpe *bpe, int id);

/* A stream of tokens that is shown as it comes. A token may end within a character: the character's
 * first bytes are held back until it is complete, or cannot be completed any more. */
typedef struct {
    char held[4];
    size_t count;
} BpeStream;

/* Writes the bytes of the next token to `out`, after those held back; at the end, the rest. */
void bpe_stream_put(BpeStream *stream, Span bytes, FILE *out);
void bpe_stream_end(BpeStream *stream, FILE *out);

/* ---- Training ---- */

/* Which subwords a text is best cut into: byte-pair encoding, trained as Hugging Face's BpeTrainer
 * does it, with the same merges and the same ids.
 *
 * At first every byte is a token. Then the pair of neighbours that occurs most often becomes a new
 * token, everywhere, again and again, until the vocabulary is large enough:
 *
 *     h u g (10 times)  p u g (5)  p u n (12)  b u n (4)  h u g s (5)
 *     u + g (20 times) -> ug        hug = h ug, pug = p ug, hugs = h ug s
 *     u + n (16)       -> un        pun = p un, bun = b un
 *     h + ug (15)      -> hug
 *
 * Pairs are counted within words, never across. If pairs occur equally often, the one with the
 * smaller left id comes first, then the one with the smaller right id. */

/* Adds the 256 bytes to a vocabulary, as their characters in their order, and then merges until it
 * has `size` tokens; those that it has already, which are special, are part of these. Ends sooner
 * if no pair is left that occurs `min_count` times. Frees the counts, whose memory it needs.
 * Returns the merges, an stb_ds array. */
BpeMerge *bpe_train(Vocabulary *vocabulary, WordCounts *counts, int size, int64_t min_count);

/* A vocabulary of the 256 bytes only; ids[byte] receives their ids. */
void bpe_add_bytes(Vocabulary *vocabulary, int ids[256]);

#endif
