/* bpe_train.c: each word that occurs is kept once, as a run of tokens, with its count. A queue has
 * the pairs, the most frequent first, each with the words that it was seen in; so a merge visits
 * only these. What a merge changes is summed up by neighbour: where x a b y becomes x ab y, the
 * pairs x a and b y are lost and x ab and ab y are found.
 *
 * No token is made twice, of different parts: wherever its bytes become one token, the same merges
 * made it, in the same order. So the new token stands nowhere yet, and all its pairs are new. */
#include "bpe.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/heap.h"
#include "base/utf8.h"

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

/* What was found: the tokens on one side of the new one or, at first, the pairs of bytes. */
typedef struct {
    int *found;   /* stb_ds array: each once */
    int64_t *sum; /* (how many there can be) how often each was found */
    int **words;  /* likewise: stb_ds arrays of the words that have it, in their order */
} Findings;

typedef struct {
    int *tokens; /* all words, one after another */
    Word *words; /* (word_count) */
    int word_count;
    PairTable counts;
    QueuedPair *queue; /* stb_ds array: a binary heap */
    Findings left, right;
} PairTrainer;

/* ---- What is found ---- */

static Findings findings_new(int most)
{
    const size_t size = (size_t)most;
    return (Findings){.sum = memory_new(size, sizeof(int64_t), "training subwords"),
                      .words = memory_new(size, sizeof(int *), "training subwords")};
}

static void findings_free(Findings *f)
{
    arrfree(f->found);
    free(f->sum);
    free(f->words);
}

/* Notes that something was found in a word that occurs `count` times. The words come in order, so
 * one that is listed already is the last of its list. */
static inline void note(Findings *f, int what, int word, int64_t count)
{
    int *words = f->words[what];
    if (!words)
        arrput(f->found, what);
    if (!words || arrlast(words) != word)
        arrput(f->words[what], word);
    f->sum[what] += count;
}

/* Forgets what was found, and returns the list of its words, as QueuedPair has it. */
static int *take_words(Findings *f, int what)
{
    const size_t count = arrlenu(f->words[what]);
    int *words = memory_take((count + 1) * sizeof *words);
    *words = (int)count;
    memcpy(words + 1, f->words[what], count * sizeof *words);
    arrfree(f->words[what]);
    f->sum[what] = 0;
    return words;
}

/* ---- The queue ---- */

/* The rule for pairs that occur equally often makes the merges the same everywhere. */
static bool comes_first(const QueuedPair *a, const QueuedPair *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

HEAP(QueuedPair, comes_first)

/* ---- The beginning: every byte is a token ---- */

void bpe_add_bytes(Vocabulary *v, int ids[256])
{
    for (int32_t c = 0; c <= byte_level_character(0xAD); c++) { /* that is the highest one */
        const int byte = byte_level_byte(c);
        if (byte < 0)
            continue;
        char name[4];
        vocabulary_add(v, name, utf8_put(name, c), false);
        ids[byte] = bpe_byte_id(v, byte);
    }
}

/* At first a word's tokens are its bytes. The counts are let go. */
static void read_words(PairTrainer *t, WordCounts *counted)
{
    const Vocabulary *words = &counted->words;
    size_t size = 0;
    t->word_count = words->count;
    t->words = memory_new((size_t)words->count + 1, sizeof *t->words, "the words of a text");
    t->tokens = memory_new(arrlenu(words->bytes) + 1, sizeof *t->tokens, "the words of a text");
    for (int w = 0; w < words->count; w++) {
        const char *bytes = vocabulary_word(words, w);
        t->words[w] = (Word){size, vocabulary_word_size(words, w), counted->counts[w]};
        for (size_t i = 0; i < t->words[w].length; i++)
            t->tokens[size++] = (unsigned char)bytes[i];
    }
    word_counts_free(counted);
}

/* Queues all pairs of bytes; then the bytes become their ids. Pairs that overlap also count: "aaa"
 * has a a twice. */
static void queue_byte_pairs(PairTrainer *t, const int ids[256])
{
    Findings pairs = findings_new(1 << 16);
    for (int w = 0; w < t->word_count; w++) {
        int *tokens = t->tokens + t->words[w].start;
        for (size_t i = 0; i < t->words[w].length; i++) {
            if (i + 1 < t->words[w].length)
                note(&pairs, tokens[i] << 8 | tokens[i + 1], w, t->words[w].count);
            tokens[i] = ids[tokens[i]];
        }
    }
    for (ptrdiff_t i = 0; i < arrlen(pairs.found); i++) {
        const int bytes = pairs.found[i];
        QueuedPair pair = {pairs.sum[bytes], ids[bytes >> 8], ids[bytes & 0xFF], NULL};
        pair.words = take_words(&pairs, bytes);
        *pair_table_at(&t->counts, pair.left, pair.right) = pair.count;
        heap_put(&t->queue, pair);
    }
    findings_free(&pairs);
}

/* ---- A merge ---- */

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
    for (ptrdiff_t i = 0; i < arrlen(t->left.found); i++) {
        const int token = t->left.found[i];
        *pair_table_at(&t->counts, token, merge.left) -= t->left.sum[token];
        *pair_table_at(&t->counts, token, merge.id) += t->left.sum[token];
    }
    for (ptrdiff_t i = 0; i < arrlen(t->right.found); i++) {
        const int token = t->right.found[i];
        *pair_table_at(&t->counts, merge.right, token) -= t->right.sum[token];
        *pair_table_at(&t->counts, merge.id, token) += t->right.sum[token];
    }
}

/* Queues the pairs of the new token with what was found on one side of it. */
static void queue_found(PairTrainer *t, Findings *side, int id)
{
    const bool on_left = side == &t->left;
    for (ptrdiff_t i = 0; i < arrlen(side->found); i++) {
        const int token = side->found[i];
        QueuedPair pair = {0, on_left ? token : id, on_left ? id : token, take_words(side, token)};
        pair.count = pair_table_get(&t->counts, pair.left, pair.right);
        if (pair.count > 0)
            heap_put(&t->queue, pair);
        else
            free(pair.words);
    }
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
            heap_take(t->queue);
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
    int ids[256] = {0};
    bpe_add_bytes(v, ids);
    const int most = max_int(size, v->count);
    PairTrainer t = {
        .counts = pair_table_new(), .left = findings_new(most), .right = findings_new(most)};
    read_words(&t, counts);
    queue_byte_pairs(&t, ids);

    BpeMerge *merges = NULL;
    QueuedPair pair;
    while (v->count < size && take_most_frequent(&t, min_count, &pair)) {
        const BpeMerge merge = {pair.left, pair.right, join_tokens(v, pair.left, pair.right)};
        arrput(merges, merge);
        merge_pair(&t, pair.words, merge);
        free(pair.words);
    }

    for (ptrdiff_t i = 0; i < arrlen(t.queue); i++)
        free(t.queue[i].words);
    arrfree(t.queue);
    pair_table_free(&t.counts);
    findings_free(&t.left);
    findings_free(&t.right);
    free(t.words);
    free(t.tokens);
    return merges;
}
