/* bytes.c: the bytes that the tokens of a text stand for, counted by hand, and the loss in bits per
 * byte. */
#include <math.h>
#include <stdlib.h>

#include "tests/helpers/corpora.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/corpus/corpus.h"
#include "text/tokenizer.h"

/* The bytes of the whole text, and those of its first and last piece with a context of T tokens. */
typedef struct {
    double all, first, last;
} Counted;

static Counted count_bytes(const char *string, TokenizerRules rules, int T)
{
    FREED_BY(text_free) Text text = literal_text(string);
    FREED_BY(tokenizer_free) Tokenizer t = tokenizer_train(&text, rules);
    FREED_BY(corpus_free) Corpus c = corpus_new(&text, &t);
    corpus_cut(&c, T, 0, 1);
    FREED Piece *pieces = corpus_pieces(&c, &c.train);
    const Part first = {.count = 1, .list = pieces};
    const Part last = {.count = 1, .list = pieces + c.train.count - 1};
    const Counted counted = {corpus_bytes(&c, &t, &c.train), corpus_bytes(&c, &t, &first),
                             corpus_bytes(&c, &t, &last)};
    return counted;
}

/* NAN is wanted of what cannot be compared. */
static void check_one(const char *what, double got, double wanted)
{
    if (isnan(wanted))
        assert_true(isnan(got));
    else
        assert_close_one(what, got, wanted, 1e-12);
}

static void check(const char *string, TokenizerRules rules, int T, Counted wanted)
{
    const Counted got = count_bytes(string, rules, T);
    check_one("the bytes of all", got.all, wanted.all);
    check_one("the bytes of the first piece", got.first, wanted.first);
    check_one("the bytes of the last piece", got.last, wanted.last);
}

/* Each line counts with its end, the last one too; blank lines are in no sequence. */
TEST(lines_have_all_bytes_of_their_text)
{
    static const char text[] = "el  perro\n\nl'été\tya"; /* 10 and 11 bytes with their ends */
    const TokenizerKind kinds[] = {TOKENIZER_CHAR, TOKENIZER_BPE};
    for (int i = 0; i < 2; i++)
        check(text, (TokenizerRules){.kind = kinds[i], .vocabulary = 262}, 20,
              (Counted){21, 10, 11});
}

/* The first token of a stream is not predicted, and a piece has half a context. */
TEST(streams)
{
    check("añb\nc", (TokenizerRules){.kind = TOKENIZER_CHAR, .stream = true}, 4,
          (Counted){5, 3, 2});
}

/* A line with [unk] cannot be compared, but the others can. */
TEST(unknown_characters_cannot_be_compared)
{
    check("aa\nba", (TokenizerRules){.kind = TOKENIZER_CHAR, .min_count = 2}, 8,
          (Counted){NAN, 3, NAN});
}

/* Their vocabulary is taken from the text, so none has to be spelled. */
TEST(words_cannot_be_compared)
{
    for (int stream = 0; stream < 2; stream++)
        check("a bb  ccc\n", (TokenizerRules){.stream = stream}, 8, (Counted){NAN, NAN, NAN});
}

/* Two bits, by hand: a probability of 1/4 for a token of one byte. */
TEST(bits_per_byte)
{
    assert_close_one("bits", bits_per_byte(-log(0.25), 1), 2, 1e-15);
    assert_close_one("bits", bits_per_byte(-3 * log(0.5), 12), 0.25, 1e-15);
    assert_true(isnan(bits_per_byte(1, (double)NAN)));
}

/* For pairs, only the bytes of the targets and of their line ends count; white space of a source
 * does not. By hand: "the  dog" and its end are 9 bytes, "un" and its end 3. */
TEST(pairs_have_the_bytes_of_their_targets)
{
    static const char text[] = "el   perro\tthe  dog\n\na\tun";
    const TokenizerKind kinds[] = {TOKENIZER_CHAR, TOKENIZER_BPE};
    for (int i = 0; i < 2; i++)
        check(text,
              (TokenizerRules){.kind = kinds[i], .objective = OBJECTIVE_PAIRS, .vocabulary = 262},
              30, (Counted){12, 9, 3});
    const TokenizerRules rare = {
        .kind = TOKENIZER_CHAR, .objective = OBJECTIVE_PAIRS, .min_count = 2};
    check("x\taa\na\tb", rare, 8, (Counted){NAN, 3, NAN}); /* x is [unk], but no target */
}

/* What is predicted with the help of what comes after it is no measure of a text. */
TEST(hidden_tokens_cannot_be_compared)
{
    for (int stream = 0; stream < 2; stream++)
        check("a b c\n", (TokenizerRules){.objective = OBJECTIVE_MASKED, .stream = stream}, 8,
              (Counted){NAN, NAN, NAN});
}
