/* tokenizer.h: from a text to the ids of its tokens, and back.
 *
 * A tokenizer is trained on a text, or read from a model directory (formats/huggingface). Read by
 * lines, each line that is not blank is a sequence of its own, which begins with [bos] and ends
 * with [eos]; read as a stream, the text is one long sequence without either. A line of pairs has
 * [sep] between its two sides; a text whose tokens are hidden has [mask] for them. A conversation
 * is a line that has [sep] before each answer and [eos] after it. Tokens that are not in the
 * vocabulary become [unk] if the tokenizer has one. Subwords from elsewhere may have tokens that
 * are cut out of a text whole, such as <|im_start|>.
 *
 * Trained on the lines  el perro come  and  el gato come, the vocabulary is
 *
 *     [bos] 0   [eos] 1   el 2   perro 3   come 4   gato 5
 *
 * and the prompt el gato becomes 0 2 5. Subwords are trained by merging bytes (subwords/bpe.h):
 * with [bos], [eos] and the 256 bytes, and then the most frequent pairs, any text has ids. */
#ifndef PULGA_TOKENIZER_H
#define PULGA_TOKENIZER_H

#include "text/subwords/bpe.h"
#include "text/words/split.h"
#include "text/words/vocabulary.h"
#include "objective.h"
#include "text.h"

typedef enum { TOKENIZER_WORD, TOKENIZER_CHAR, TOKENIZER_BPE } TokenizerKind;

/* Their names, and NULL. */
extern const char *const TOKENIZER_NAMES[];

/* It owns all that it points to. */
typedef struct {
    TokenizerKind kind;
    Punctuation punctuation; /* how words are cut; only for these */
    TextForm form;           /* of a text before it is cut */
    bool stream;             /* else it is read by lines */
    ObjectiveKind objective; /* what a model of these tokens learns */
    Vocabulary vocabulary;
    int bos, eos, unk; /* ids; -1 if there is none. The eos of a stream, if it has one, ends a
                          whole text: a continuation ends there */
    int sep, mask;     /* likewise */
    int opening;       /* of turns in ChatML: how many tokens "assistant\n" has; else 0 */
    int assistant;     /* ... and the first of them */
    char *system;      /* of ChatML: what comes before a conversation; or NULL */
    char *template;    /* how its files write a conversation, in Jinja; or NULL */
    Spacing spacing;
    /* only subwords have these */
    WordPattern pattern;
    bool ignore_merges; /* a word that is a token is not merged */
    BpeMerge *merges;   /* stb_ds array */
    Bpe bpe;
} Tokenizer;

/* Where a long text may be cut into chunks. */
TextCut tokenizer_chunks(const Tokenizer *tokenizer);

/* What messages call one token: "word", "character" or "subword"; and several. Both are English:
 * who prints them translates. */
const char *tokenizer_unit(TokenizerKind kind);
const char *tokenizer_units(TokenizerKind kind);

/* Whether a token is a whole word or mark of punctuation; else it is a part of one. */
bool tokenizer_has_words(const Tokenizer *tokenizer);

/* What its objective is; the caller sets how that is trained. */
Objective tokenizer_objective(const Tokenizer *tokenizer);

/* One without any tokens yet, to be filled by whoever reads it from a file. */
Tokenizer tokenizer_new(void);

/* Makes a tokenizer of subwords of it, whose vocabulary has its tokens already. The merges, an
 * stb_ds array, become its own; see bpe_new() for what they must be. */
void tokenizer_set_merges(Tokenizer *tokenizer, BpeMerge *merges);
void tokenizer_free(Tokenizer *tokenizer);

/* Lets a tokenizer read conversations in the way of ChatML,
 *
 *     <|im_start|>user\nhola<|im_end|>\n<|im_start|>assistant\n¡hola!<|im_end|>
 *
 * where [bos] and [sep] are <|im_start|> and [eos] is <|im_end|>. Returns whether it has both. */
bool tokenizer_take_chatml(Tokenizer *tokenizer);

/* How a text is cut that is read in this way. */
TextCut tokenizer_cut(bool stream, ObjectiveKind objective);

/* One line if a text contains one of the tokenizer's special tokens, such as [bos], or if one of
 * its lines is to be a pair or a turn and is none; else NULL. */
char *tokenizer_check_text(const Tokenizer *tokenizer, const Text *text);

/* The text of the token of an id, ended by a 0; and the id of a token of that text, or -1. A
 * subword may begin or end within a character: its text is bytes. */
const char *tokenizer_word(const Tokenizer *tokenizer, int id);
int tokenizer_find(const Tokenizer *tokenizer, const char *word);

/* Whether a token stands for text of its own, unlike [bos], [unk] or another model's padding. */
bool tokenizer_is_text(const Tokenizer *tokenizer, int id);

/* Whether a subword may be part of a longer word, unlike those that are cut out of a text whole. */
bool tokenizer_is_part(const Tokenizer *tokenizer, int id);

/* The number of tokens, V. */
int tokenizer_size(const Tokenizer *tokenizer);

/* Continues a checksum with all that decides which ids a text becomes: the tokens, the ids of the
 * special ones, the merges, and how the text is cut. */
uint64_t tokenizer_checksum(const Tokenizer *tokenizer, uint64_t checksum);

/* One line about a special token, by its id, in a text. Such a text is refused, since other
 * programs that open the model would read it as that token. The remedy for [bos] is [ bos], a space
 * after its first character. The caller frees it. */
char *tokenizer_reserved(const Tokenizer *tokenizer, const char *where, int id);

/* One line about a token that has no id, and the known tokens nearest to it; `where` is where it
 * stands. The caller frees it. */
char *tokenizer_unknown(const Tokenizer *tokenizer, const char *where, Span token);

/* Learns from a clean text where white space stands between tokens: see split.h. Does nothing for
 * characters and subwords, since spaces are among them. */
void tokenizer_learn_spacing(Tokenizer *tokenizer, Span text);

/* The text of some tokens, without [bos] and [eos] and with a tab for [sep] and between two turns;
 * the caller frees it.
 * Characters and subwords give the text that was encoded, byte for byte; of words, several spaces
 * or a line end between two of them have become one space. */
char *tokenizer_decode(const Tokenizer *tokenizer, const int *ids, int count);

/* The text that the tokens from number `from` on add to that of those before them. */
char *tokenizer_decode_from(const Tokenizer *tokenizer, const int *ids, int from, int count);

/* What a text that is decoded in pieces has before the next one; at first DECODING_BEGIN. */
typedef struct {
    int left;   /* the word before; -1: none */
    bool begun; /* whether there are tokens */
    bool open;  /* whether a quotation is    */
} Decoding;
#define DECODING_BEGIN ((Decoding){.left = -1})

/* Goes over tokens that were decoded before; then the text that the next ones add. */
void tokenizer_pass(const Tokenizer *tokenizer, Decoding *decoding, const int *ids, int count);
char *tokenizer_decode_next(const Tokenizer *tokenizer, Decoding *decoding, const int *ids,
                            int count);

/* How to train one. */
typedef struct {
    TokenizerKind kind;
    ObjectiveKind objective; /* what special tokens it needs */
    bool lower, stream;
    int min_count; /* keep only the tokens, or merge only the pairs of subwords, that occur at least
                      this often */
    int max_words; /* keep at most this many of them, the most frequent ones; 0: all. Not for
                      subwords */
    int vocabulary; /* subwords only: the size, special tokens and bytes included */
    size_t bytes;   /* train the subwords of a stream on this many bytes at its beginning, up to a
                      word's end, so that a tail that is held out has no part in them; 0: on all */
} TokenizerRules;

/* Makes the vocabulary of a text. If it is read by lines, [bos] is 0 and [eos] is 1; [sep] of pairs
 * and turns, or [mask], comes next. If the tokens are words or characters, then come [unk], unless
 * every token is kept, and the tokens in the order of their first appearance. If they are subwords,
 * then come the 256 bytes and the merged tokens, fewer than asked for if the text has no more
 * pairs. Dies if a word is too long to be a token, or if the rules keep no token. */
Tokenizer tokenizer_train(const Text *text, TokenizerRules rules);

/* The vocabulary of a text in chunks: begin, add, ..., add, end. All threads count; memory holds
 * only the different tokens of the text. Messages call the text `name`. The rules at the end may
 * differ from those at the beginning only in what is kept. */
typedef struct TokenCounts TokenCounts;
TokenCounts *token_counts_begin(TokenizerRules rules);
void token_counts_add(TokenCounts *counts, const Text *chunks, int count);
Tokenizer token_counts_end(TokenCounts *counts, const char *name, TokenizerRules rules);

#endif
