/* bpe_train.c: each word that occurs is kept once, as a run of tokens, with its count. A queue has
 * the pairs, the most frequent first, each with the words that it was seen in; so a merge visits
 * only these. What a merge changes is summed up by neighbour: where x a b y becomes x ab y, the
 * pairs x a and b y are lost and x ab and ab y are found.
 *
 * No token is made twice, of different parts: wherever its bytes become one token, the same merges
 * made it, in the same order. So the new token stands nowhere yet, and all its pairs are new. */
#include "bpe_train.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/heap.h"
#include "byte_level.h"
#include "pair_table.h"

/* A word as tokens[start ... start + length). */
typedef struct {
    size_t start, length;
    int64_t count;
} Word;

typedef struct {
    int64_t count; /* at the time it was queued */
    int left, right;
    int *words; /* how many words to visit, then their numbers */
} QueuedPair;

/* A token that was found beside the new one, and in which word. */
typedef struct {
    int token, word;
} Found;

/* All tokens that were found on one side of the new one. */
typedef struct {
    Found *found;        /* stb_ds array: each token once for each word, in the order of words */
    int *tokens;         /* stb_ds array: each token once */
    int64_t *sum;        /* (size of the vocabulary) by token: how often it was found */
    int *words, *latest; /* likewise: in how many words, and which was the latest of them */
    int **list;          /* likewise: its words, as QueuedPair has them */
} Neighbours;

typedef struct {
    int *tokens; /* all words, one after another */
    Word *words; /* (word_count) */
    int word_count;
    PairTable counts;
    QueuedPair *queue; /* stb_ds array: a binary heap */
    Neighbours left, right;
} PairTrainer;

/* ---- The queue ---- */

/* The rule for pairs that occur equally often makes the merges the same everywhere. */
static bool comes_first(const QueuedPair *a, const QueuedPair *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

HEAP(QueuedPair, comes_first)

static void queue_put(QueuedPair **queue, QueuedPair pair)
{
    arrput(*queue, pair);
    heap_rise(*queue, arrlenu(*queue) - 1);
}

static void queue_take_first(QueuedPair *queue)
{
    const QueuedPair last = arrpop(queue);
    if (arrlen(queue)) {
        queue[0] = last;
        heap_sink(queue, arrlenu(queue), 0);
    }
}

/* ---- The beginning: every byte is a token ---- */

void bpe_add_bytes(Vocabulary *v, int ids[256])
{
    for (int32_t c = 0; c <= byte_level_character(0xAD); c++) { /* that is the highest one */
        const int byte = byte_level_byte(c);
        if (byte < 0)
            continue;
        char name[8];
        const char bytes[1] = {(char)byte};
        const size_t size = byte_level_write(name, bytes, 1);
        const int added = vocabulary_add(v, name, size, false);
        ids[byte] = added < 0 ? vocabulary_find(v, name, size) : added;
    }
}

/* At first a word's tokens are its bytes. The counts are let go. */
static void read_words(PairTrainer *t, WordCounts *counts)
{
    CountedWord *counted;
    const size_t count = word_counts_list(counts, &counted);
    if (count > INT_MAX)
        die("the text has %zu different words; this is too many to train subwords", count);
    size_t size = 0;
    for (size_t w = 0; w < count; w++)
        size += counted[w].size;
    t->word_count = (int)count;
    t->words = memory_new(count + 1, sizeof *t->words, "the words of a text");
    t->tokens = memory_new(size + 1, sizeof *t->tokens, "the words of a text");
    size = 0;
    for (size_t w = 0; w < count; w++) {
        t->words[w] = (Word){size, counted[w].size, counted[w].count};
        for (size_t i = 0; i < counted[w].size; i++)
            t->tokens[size++] = (unsigned char)counted[w].bytes[i];
    }
    free(counted);
    word_counts_free(counts);
}

/* A pair of bytes, and the list of a QueuedPair. */
typedef struct {
    int64_t count;
    int *words, size, latest; /* how many words, and the latest of them, plus 1 */
} BytePair;

static BytePair *byte_pair(BytePair *pairs, const int *tokens)
{
    return &pairs[tokens[0] << 8 | tokens[1]];
}

/* Pairs that overlap also count: "aaa" has a a twice. */
static void count_byte_pairs(const PairTrainer *t, BytePair *pairs)
{
    for (int w = 0; w < t->word_count; w++)
        for (size_t i = 0; i + 1 < t->words[w].length; i++) {
            BytePair *pair = byte_pair(pairs, t->tokens + t->words[w].start + i);
            pair->count += t->words[w].count;
            pair->size += pair->latest != w + 1;
            pair->latest = w + 1;
        }
}

/* The numbers of the words come in order, so a word that is listed already is the last one. */
static void list_byte_pairs(const PairTrainer *t, BytePair *pairs)
{
    for (int w = 0; w < t->word_count; w++)
        for (size_t i = 0; i + 1 < t->words[w].length; i++) {
            int *list = byte_pair(pairs, t->tokens + t->words[w].start + i)->words;
            if (!*list || list[*list] != w)
                list[++*list] = w;
        }
}

/* Queues all pairs of bytes; then the bytes become their ids. */
static void queue_byte_pairs(PairTrainer *t, const int ids[256])
{
    enum { PAIRS = 1 << 16 };
    BytePair *pairs = memory_new(PAIRS, sizeof *pairs, "the pairs of bytes");
    count_byte_pairs(t, pairs);
    for (int i = 0; i < PAIRS; i++)
        if (pairs[i].size) {
            pairs[i].words = memory_take(((size_t)pairs[i].size + 1) * sizeof(int));
            *pairs[i].words = 0;
            const QueuedPair pair = {pairs[i].count, ids[i >> 8], ids[i & 0xFF], pairs[i].words};
            *pair_table_at(&t->counts, pair.left, pair.right) = pair.count;
            queue_put(&t->queue, pair);
        }
    list_byte_pairs(t, pairs);
    free(pairs);
    for (int w = 0; w < t->word_count; w++)
        for (size_t i = 0; i < t->words[w].length; i++)
            t->tokens[t->words[w].start + i] = ids[t->tokens[t->words[w].start + i]];
}

/* ---- A merge ---- */

/* Notes that the new token has a neighbour in a word that occurs `count` times. */
static inline void note(Neighbours *side, int token, int word, int64_t count)
{
    if (!side->words[token])
        arrput(side->tokens, token);
    else if (side->latest[token] == word) {
        side->sum[token] += count;
        return;
    }
    side->sum[token] += count;
    side->words[token]++;
    side->latest[token] = word;
    arrput(side->found, ((Found){token, word}));
}

/* Merges a pair everywhere in a word, from left to right: a a a becomes aa a. The neighbour on the
 * left may be a new token itself; the one on the right is not yet merged. */
static void merge_word(PairTrainer *t, int number, BpeMerge merge)
{
    Word *word = &t->words[number];
    int *tokens = t->tokens + word->start;
    size_t length = 0;
    for (size_t i = 0; i < word->length; i++) {
        const bool here =
            tokens[i] == merge.left && i + 1 < word->length && tokens[i + 1] == merge.right;
        if (here && length)
            note(&t->left, tokens[length - 1], number, word->count);
        if (here && i + 2 < word->length)
            note(&t->right, tokens[i + 2], number, word->count);
        tokens[length++] = here ? merge.id : tokens[i];
        i += here;
    }
    word->length = length;
}

/* Moves the counts of the pairs that were lost to those that were found. */
static void update_counts(PairTrainer *t, BpeMerge merge)
{
    for (ptrdiff_t i = 0; i < arrlen(t->left.tokens); i++) {
        const int token = t->left.tokens[i];
        *pair_table_at(&t->counts, token, merge.left) -= t->left.sum[token];
        *pair_table_at(&t->counts, token, merge.id) += t->left.sum[token];
    }
    for (ptrdiff_t i = 0; i < arrlen(t->right.tokens); i++) {
        const int token = t->right.tokens[i];
        *pair_table_at(&t->counts, merge.right, token) -= t->right.sum[token];
        *pair_table_at(&t->counts, merge.id, token) += t->right.sum[token];
    }
}

/* Gives each neighbour the list of its words. */
static void list_words(Neighbours *side)
{
    for (ptrdiff_t i = 0; i < arrlen(side->tokens); i++) {
        const int token = side->tokens[i];
        side->list[token] = memory_take(((size_t)side->words[token] + 1) * sizeof(int));
        *side->list[token] = 0;
    }
    for (ptrdiff_t i = 0; i < arrlen(side->found); i++) {
        int *list = side->list[side->found[i].token];
        list[++*list] = side->found[i].word;
    }
}

/* Queues the pairs of the neighbours on one side with the new token, and forgets them. */
static void queue_found(PairTrainer *t, Neighbours *side, int id)
{
    list_words(side);
    for (ptrdiff_t i = 0; i < arrlen(side->tokens); i++) {
        const int token = side->tokens[i];
        const bool on_left = side == &t->left;
        QueuedPair pair = {0, on_left ? token : id, on_left ? id : token, side->list[token]};
        pair.count = pair_table_get(&t->counts, pair.left, pair.right);
        if (pair.count > 0)
            queue_put(&t->queue, pair);
        else
            free(pair.words);
        side->sum[token] = side->words[token] = 0;
        side->latest[token] = -1;
    }
    arrsetlen(side->tokens, 0);
    arrsetlen(side->found, 0);
}

/* The words lie anywhere in memory: those that come soon are fetched meanwhile. */
static void merge_pair(PairTrainer *t, const int *words, BpeMerge merge)
{
    enum { AHEAD = 8 };
    for (int i = 1; i <= *words; i++) {
        if (i + 2 * AHEAD <= *words)
            __builtin_prefetch(&t->words[words[i + 2 * AHEAD]]);
        if (i + AHEAD <= *words)
            __builtin_prefetch(&t->tokens[t->words[words[i + AHEAD]].start]);
        merge_word(t, words[i], merge);
    }
    update_counts(t, merge);
    queue_found(t, &t->left, merge.id);
    queue_found(t, &t->right, merge.id);
}

/* ---- Training ---- */

static Neighbours neighbours_new(int vocabulary)
{
    const size_t size = (size_t)vocabulary;
    Neighbours side = {.sum = memory_new(size, sizeof *side.sum, "training subwords"),
                       .words = memory_new(size, sizeof *side.words, "training subwords"),
                       .latest = memory_new(size, sizeof *side.latest, "training subwords"),
                       .list = memory_new(size, sizeof *side.list, "training subwords")};
    memset(side.latest, -1, size * sizeof *side.latest);
    return side;
}

static void neighbours_free(Neighbours *side)
{
    arrfree(side->found);
    arrfree(side->tokens);
    free(side->sum);
    free(side->words);
    free(side->latest);
    free(side->list);
}

static PairTrainer trainer_new(Vocabulary *v, WordCounts *counts, int size)
{
    int ids[256] = {0};
    bpe_add_bytes(v, ids);
    const int most = max_int(size, v->count);
    PairTrainer t = {
        .counts = pair_table_new(), .left = neighbours_new(most), .right = neighbours_new(most)};
    read_words(&t, counts);
    queue_byte_pairs(&t, ids);
    return t;
}

static void trainer_free(PairTrainer *t)
{
    for (ptrdiff_t i = 0; i < arrlen(t->queue); i++)
        free(t->queue[i].words);
    arrfree(t->queue);
    pair_table_free(&t->counts);
    neighbours_free(&t->left);
    neighbours_free(&t->right);
    free(t->words);
    free(t->tokens);
}

/* The id of the token that two make together. If a special token has its name, they become that
 * one, as they do with BpeTrainer. */
static int join_tokens(Vocabulary *v, int left, int right)
{
    char *name = format_text("%s%s", vocabulary_word(v, left), vocabulary_word(v, right));
    const int known = vocabulary_find(v, name, strlen(name));
    const int id = known >= 0 ? known : vocabulary_add(v, name, strlen(name), false);
    free(name);
    return id;
}

/* Takes the most frequent pair from the queue; false if none is left that occurs so often. Counts
 * only fall while a pair waits: if the first one's is still true, no other pair occurs more often.
 * If not, it goes back to where it belongs now. */
static bool take_most_frequent(PairTrainer *t, int64_t min_count, QueuedPair *pair)
{
    while (arrlen(t->queue)) {
        *pair = *t->queue;
        const int64_t now = pair_table_get(&t->counts, pair->left, pair->right);
        if (pair->count == now) {
            if (now < max_int64(min_count, 1))
                return false;
            queue_take_first(t->queue);
            return true;
        }
        pair->count = now;
        *t->queue = *pair;
        heap_sink(t->queue, arrlenu(t->queue), 0);
    }
    return false;
}

BpeMerge *bpe_train(Vocabulary *v, WordCounts *counts, int size, int64_t min_count)
{
    PairTrainer t = trainer_new(v, counts, size);
    BpeMerge *merges = NULL;
    QueuedPair pair;
    while (v->count < size && take_most_frequent(&t, min_count, &pair)) {
        const BpeMerge merge = {pair.left, pair.right, join_tokens(v, pair.left, pair.right)};
        arrput(merges, merge);
        merge_pair(&t, pair.words, merge);
        free(pair.words);
    }
    trainer_free(&t);
    return merges;
}
