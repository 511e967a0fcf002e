/* tokenizer_train.c: the tokens of each block are counted by one thread. Blocks are then added up
 * in their order, so that the order of first appearance is the text's, whoever counted what. */
#include "tokenizer_train.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/threads.h"
#include "base/utf8.h"

/* In bytes. Anything longer is not a word of any language: the text has no white space. */
enum { LONGEST_WORD = 1000 };

/* Words or characters in the order of their first appearance. */
typedef struct {
    Vocabulary all;
    int64_t *counts; /* stb_ds array: of each id */
    char *wrong;     /* why they cannot be counted, or NULL */
} Counted;

struct TokenCounts {
    TokenizerRules rules;
    Counted counted;  /* of words and characters */
    WordCounts words; /* of subwords */
    size_t size;      /* of all blocks of subwords, in bytes */
};

/* ---- Counting ---- */

static void count_token(Counted *c, Span token, int64_t count)
{
    const size_t size = (size_t)(token.end - token.begin);
    const int known = vocabulary_find(&c->all, token.begin, size);
    if (known >= 0) {
        assert(c->counts);
        c->counts[known] += count;
    } else {
        vocabulary_add(&c->all, token.begin, size, false);
        arrput(c->counts, count);
    }
}

static void count_words(Counted *c, const Text *text, Span part)
{
    Span word;
    while (!c->wrong && split_word(&part.begin, part.end, PUNCTUATION_ALONE, &word)) {
        const size_t size = (size_t)(word.end - word.begin);
        if (size > LONGEST_WORD)
            c->wrong = format_text("%s: a word of %zu bytes; use --tokens char for a text without "
                                   "spaces between words",
                                   text_place(text, text->clean, word.begin), size);
        else
            count_token(c, word, 1);
    }
}

/* ids: of each code point below CODE_POINTS, −1 if it has not come yet. */
enum { CODE_POINTS = 1 << 16 };
static void count_characters(Counted *c, int *ids, Span part)
{
    while (part.begin < part.end) {
        const char *begin = part.begin;
        const bool ascii = (unsigned char)*begin < 0x80;
        const int32_t code = ascii ? *part.begin++ : utf8_next(&part.begin, part.end);
        const bool listed = code >= 0 && code < CODE_POINTS;
        if (listed && ids[code] >= 0) {
            c->counts[ids[code]]++;
            continue;
        }
        count_token(c, (Span){begin, part.begin}, 1);
        if (listed)
            ids[code] = c->all.count - 1;
    }
}

static void count_part(Counted *c, int *ids, const Text *block, Span part)
{
    if (ids)
        count_characters(c, ids, part);
    else
        count_words(c, block, part);
}

/* If it is read by lines, line ends and blank lines are in no sequence: they get no id. */
static Counted count_block(TokenizerRules rules, const Text *block)
{
    Counted c = {.all = vocabulary_new()};
    Span text = text_span(block), line;
    int *ids = NULL;
    if (rules.kind == TOKENIZER_CHAR)
        ids = memset(memory_take(CODE_POINTS * sizeof *ids), -1, CODE_POINTS * sizeof *ids);
    if (rules.stream)
        count_part(&c, ids, block, text);
    else
        while (!c.wrong && split_line(&text.begin, text.end, &line))
            if (!is_blank(line))
                count_part(&c, ids, block, line);
    free(ids);
    return c;
}

static void free_counted(Counted *c)
{
    vocabulary_free(&c->all);
    arrfree(c->counts);
}

static void add_counted(TokenCounts *t, Counted *block)
{
    if (block->wrong)
        die("%s", block->wrong);
    for (int id = 0; id < block->all.count; id++) {
        const char *word = vocabulary_word(&block->all, id);
        count_token(&t->counted, (Span){word, word + strlen(word)}, block->counts[id]);
    }
    free_counted(block);
}

/* What subwords are made of in a block that follows `before` bytes. */
static Span subword_part(const TokenizerRules *rules, size_t before, const Text *block)
{
    Span part = text_span(block);
    if (!rules->bytes || before + block->size <= rules->bytes)
        return part;
    part.end = part.begin + (before < rules->bytes ? rules->bytes - before : 0);
    while (part.end > part.begin && !strchr(" \n", *part.end))
        part.end--;
    return part;
}

static void count_subwords(TokenCounts *t, const Text *blocks, int count)
{
    Span *parts = memory_new((size_t)count, sizeof *parts, "counting");
    for (int i = 0; i < count; i++) {
        parts[i] = subword_part(&t->rules, t->size, &blocks[i]);
        t->size += blocks[i].size;
    }
    word_counts_add(&t->words, parts, count, !t->rules.stream);
    free(parts);
}

TokenCounts *token_counts_begin(TokenizerRules rules)
{
    TokenCounts *t = memory_new(1, sizeof *t, "counting");
    t->rules = rules;
    if (rules.kind == TOKENIZER_BPE)
        t->words = word_counts_new();
    else
        t->counted.all = vocabulary_new();
    return t;
}

void token_counts_add(TokenCounts *t, const Text *blocks, int count)
{
    if (t->rules.kind == TOKENIZER_BPE) {
        count_subwords(t, blocks, count);
        return;
    }
    Counted *counted = memory_new((size_t)count, sizeof *counted, "counting");
    OMP(parallel for schedule(dynamic) if (count > 1))
    for (int i = 0; i < count; i++)
        counted[i] = count_block(t->rules, &blocks[i]);
    for (int i = 0; i < count; i++)
        add_counted(t, &counted[i]);
    free(counted);
}

/* ---- Choosing ---- */

typedef struct {
    int64_t count;
    int id; /* in the order of appearance */
} Occurrences;

static int most_frequent_first(const void *a, const void *b)
{
    const Occurrences *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1)
                                : (x->id > y->id) - (x->id < y->id);
}

/* Sets kept[id] for the words that the rules keep; returns how many. Of words that occur equally
 * often, the earlier ones are kept. */
static int choose(bool *kept, const int64_t *counts, int count, TokenizerRules rules)
{
    Occurrences *frequent = memory_new((size_t)count, sizeof *frequent, "the vocabulary");
    int passing = 0;
    for (int id = 0; id < count; id++)
        if (counts[id] >= rules.min_count)
            frequent[passing++] = (Occurrences){counts[id], id};
    qsort(frequent, (size_t)passing, sizeof *frequent, most_frequent_first);
    if (rules.max_words)
        passing = min_int(passing, rules.max_words);
    for (int i = 0; i < passing; i++)
        kept[frequent[i].id] = true;
    free(frequent);
    return passing;
}

static int add_special(Tokenizer *t, const char *word)
{
    return vocabulary_add(&t->vocabulary, word, strlen(word), true);
}

static void put_words(Tokenizer *t, const Counted *c, const char *name, TokenizerRules rules)
{
    bool *kept = memory_new((size_t)c->all.count, sizeof *kept, "the vocabulary");
    const int passing = choose(kept, c->counts, c->all.count, rules);
    if (!passing && c->all.count)
        die("%s has no %s that occurs %d times: all would be [unk]; choose a smaller --min-count",
            name, tokenizer_unit(rules.kind), rules.min_count);
    if (passing < c->all.count)
        t->unk = add_special(t, "[unk]");
    for (int id = 0; id < c->all.count; id++) {
        const char *word = vocabulary_word(&c->all, id);
        if (kept[id])
            vocabulary_add(&t->vocabulary, word, strlen(word), false);
    }
    free(kept);
}

/* Each merge needs a pair of the text, so that a text cannot fill a larger vocabulary than `most`:
 * memory is taken by the size. */
static void put_subwords(Tokenizer *t, TokenCounts *counts, TokenizerRules rules)
{
    const int64_t most = t->vocabulary.count + 256 + (int64_t)counts->size;
    const int size = (int)min_int64(rules.vocabulary, most);
    tokenizer_set_merges(t, bpe_train(&t->vocabulary, &counts->words, size, rules.min_count));
}

Tokenizer token_counts_end(TokenCounts *counts, const char *name, TokenizerRules rules)
{
    Tokenizer t = tokenizer_new();
    t.kind = rules.kind;
    t.form = rules.lower ? TEXT_LOWER : rules.kind == TOKENIZER_BPE ? TEXT_AS_IS : TEXT_COMPOSED;
    t.stream = rules.stream;
    if (!rules.stream) {
        t.bos = add_special(&t, "[bos]");
        t.eos = add_special(&t, "[eos]");
    }
    if (rules.kind == TOKENIZER_BPE)
        put_subwords(&t, counts, rules);
    else
        put_words(&t, &counts->counted, name, rules);
    vocabulary_complete(&t.vocabulary);
    free_counted(&counts->counted);
    free(counts);
    return t;
}

Tokenizer tokenizer_train(const Text *text, TokenizerRules rules)
{
    TokenCounts *counts = token_counts_begin(rules);
    token_counts_add(counts, text, 1);
    return token_counts_end(counts, text->name, rules);
}
