/* tokenizer.c: which tokens of a text get an id and which, how texts and prompts become ids, and
 * how ids become text again. */
#include <stb/stb_ds.h>

#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/encoder.h"
#include "text/tokenizer.h"

static Tokenizer train(const char *string, TokenizerRules rules)
{
    FREED_BY(text_free) Text text = literal_text(string);
    Tokenizer t = tokenizer_train(&text, rules);
    return t;
}

/* All tokens in the order of their ids, with a bar after each. */
static void assert_tokens(const Tokenizer *t, const char *wanted)
{
    const Vocabulary *v = &t->vocabulary;
    char got[1024], *put = got;
    for (int id = 0; id < v->count; id++) {
        const char *word = vocabulary_word(v, id);
        put += sprintf(put, "%s|", word);
        assert_int_equal(vocabulary_find(v, word, strlen(word)), id);
    }
    *put = 0;
    assert_string_equal(got, wanted);
}

static void assert_words(const char *text, TokenizerRules rules, const char *wanted)
{
    TOKENIZER t = train(text, rules);
    assert_tokens(&t, wanted);
    assert_int_equal(t.bos, rules.stream ? -1 : 0);
    assert_int_equal(t.eos, rules.stream ? -1 : 1);
    const int unk = rules.stream ? 0 : 2;
    const bool has_unk =
        unk < t.vocabulary.count && !strcmp(vocabulary_word(&t.vocabulary, unk), "[unk]");
    assert_int_equal(t.unk, has_unk ? unk : -1);
    assert_int_equal(t.kind, rules.kind);
}

static const TokenizerRules ALL = {.min_count = 1};

TEST(ids_are_in_the_order_of_first_appearance)
{
    assert_words("el perro el\n\ngato perro\n", ALL, "[bos]|[eos]|el|perro|gato|");
    assert_words("El el EL", ALL, "[bos]|[eos]|El|el|EL|");
    assert_words("¿Qué? bos", ALL, "[bos]|[eos]|¿|Qué|?|bos|");
    const TokenizerRules stream = {.stream = true, .min_count = 1};
    assert_words("un gato\nun perro", stream, "un|gato|perro|");
    const TokenizerRules characters = {.stream = true, .kind = TOKENIZER_CHAR, .min_count = 1};
    assert_words("añb a\nb..", characters, "a|ñ|b| |\n|.|");
    assert_words("👍🏽\u3000q\u0323\u0307", characters,
                 "👍|🏽|\u3000|q|\u0323|\u0307|"); /* code points */
    /* Read by lines, line ends and what stands in blank lines get no id. */
    TokenizerRules lines = {.kind = TOKENIZER_CHAR, .min_count = 1};
    assert_words("ab\nb a\n \t \nc", lines, "[bos]|[eos]|a|b| |c|");
    lines.max_words = 3; /* and nothing becomes unknown because of them */
    assert_words("ab\nab\nabc", lines, "[bos]|[eos]|a|b|c|");
}

TEST(rare_words_become_unk)
{
    const char *text = "d a b a c c d e a";
    assert_words(text, ALL, "[bos]|[eos]|d|a|b|c|e|");
    TokenizerRules rules = {.min_count = 2};
    assert_words(text, rules, "[bos]|[eos]|[unk]|d|a|c|");
    assert_words("b b a a", rules, "[bos]|[eos]|b|a|"); /* all words are kept: there is no [unk] */
    rules.stream = true;
    assert_words(text, rules, "[unk]|d|a|c|");
    rules.kind = TOKENIZER_CHAR;
    assert_words("abcab", rules, "[unk]|a|b|");
    ASSERT_DIES(train("a b a b", (TokenizerRules){.min_count = 3}), "a.txt", "occurs 3 times",
                "--min-count");
}

TEST(only_the_most_frequent_words_are_kept)
{
    const char *text = "b a c a b d d"; /* 2 2 1 2: ties go to the earlier one */
    static const char *const wanted[] = {"[bos]|[eos]|b|a|c|d|",   "[bos]|[eos]|[unk]|b|",
                                         "[bos]|[eos]|[unk]|b|a|", "[bos]|[eos]|[unk]|b|a|d|",
                                         "[bos]|[eos]|b|a|c|d|",   "[bos]|[eos]|b|a|c|d|"};
    for (int most = 0; most < 6; most++)
        assert_words(text, (TokenizerRules){.min_count = 1, .max_words = most}, wanted[most]);
    /* The ids stay in order of appearance, whatever the counts. */
    assert_words("x y y z z z", (TokenizerRules){.min_count = 1, .max_words = 2},
                 "[bos]|[eos]|[unk]|y|z|");
    assert_words("x y y z z z", (TokenizerRules){.min_count = 2, .max_words = 1, .stream = true},
                 "[unk]|z|");
    assert_words("x y y z z z", (TokenizerRules){.min_count = 2, .max_words = 5},
                 "[bos]|[eos]|[unk]|y|z|");
}

TEST(long_words_are_refused)
{
    AUTOFREE char *text = format_text("%01000d", 0), *longer = format_text("%01001d", 0);
    TOKENIZER t = train(text, ALL);
    assert_int_equal(t.vocabulary.count, 3);
    assert_int_equal(vocabulary_find(&t.vocabulary, text, 1000), 2);
    assert_int_equal(vocabulary_find(&t.vocabulary, longer, 1001), -1);

    AUTOFREE char *late = format_text("el %s", longer);
    ASSERT_DIES(train(late, ALL), "a.txt", "1001 bytes", "--tokens char");
    assert_words(late, (TokenizerRules){.kind = TOKENIZER_CHAR, .stream = true, .min_count = 1},
                 "e|l| |0|");
}

/* ---- Encoding ---- */

/* A prompt becomes ids, which stand in `wanted` with a space between them, or a message that begins
 * with "here". */
static void assert_prompt_of(const Tokenizer *t, const char *text, size_t size, const char *wanted)
{
    char got[512] = "", *put = got;
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", text, size);
    for (int i = 0; i < e.count && !e.wrong; i++)
        put += sprintf(put, "%s%d", i ? " " : "", e.ids[i]);
    assert_string_equal(e.wrong ? e.wrong : got, wanted);
}

static void assert_prompt(const Tokenizer *t, const char *text, const char *wanted)
{
    assert_prompt_of(t, text, strlen(text), wanted);
}

static const char SENTENCES[] = "el perro come un hueso\n¿qué come el perro?\n";

TEST(prompts_become_ids_or_a_message)
{
    TOKENIZER lines = literal_tokenizer(SENTENCES, TOKENIZER_WORD, false);
    lines.form = TEXT_LOWER;
    static const char *const cases[][2] = {
        {"", "0"},
        {" \n", "0"},
        {"El PERRO\ncome", "0 2 3 4"},
        {"¿que\xCC\x81?", "0 7 8 9"},
        {"el [bos]", "here: the text contains the reserved token [bos]; put a space in it: [ bos]"},
        {"el [EOS]", "here: the text contains the reserved token [eos]; put a space in it: [ eos]"},
        {"el pero", "here: the model does not know 'pero'; its nearest: perro, el, hueso"},
        {"el pero gata come pero",
         "here: the model does not know 'pero'; its nearest: perro, el, hueso; nor 'gata'"},
        {"el x\x1B[31m", "here: the model does not know 'x?'; nor '['; nor '31m'"},
        {"el x\302\23331m", "here: the model does not know 'x??31m'"},
        {"e\xFF", "here:1:2: byte 0xFF is not UTF-8; if the text is Latin-1, convert it: iconv "
                  "-f LATIN1 -t UTF-8"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_prompt(&lines, cases[i][0], cases[i][1]);
    assert_prompt_of(&lines, "el\0", 3, "here:1:3: byte 0x00: this is not a text");

    TOKENIZER stream = literal_tokenizer(SENTENCES, TOKENIZER_CHAR, true);
    assert_prompt(&stream, "", "");
    assert_prompt(&stream, "el p\n", "0 1 2 3 12");
    assert_prompt(&stream, "elz", "here: the model does not know 'z'");
}

static void assert_lowered(const Tokenizer *t, const char *text, const char *wanted, int count)
{
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", text, strlen(text));
    assert_int_equal(e.lowered_count, count);
    assert_string_equal(e.lowered ? e.lowered : "none", wanted);
}

/* A word that is known only in lower case is read so, and the encoding says which. */
TEST(upper_case_falls_back_to_lower_case)
{
    TOKENIZER t = literal_tokenizer("el perro Come", TOKENIZER_WORD, false);
    assert_prompt(&t, "El PERRO Come", "0 2 3 4");
    assert_prompt(&t, "COME", "here: the model does not know 'COME'; its nearest: Come");
    assert_lowered(&t, "el El Perro", "El, Perro", 2);
    assert_lowered(&t, "El El El El El El El El El PERRO Perro El",
                   "El, El, El, El, El, El, El, El, El, PERRO, …", 11);
    assert_lowered(&t, "el Come", "none", 0);
    t.punctuation = PUNCTUATION_IN_WORDS; /* but it is never a special token */
    assert_prompt(&t, "el [BOS] Come", "here: the model does not know '[BOS]'");

    /* It is tried before [unk]. */
    TOKENIZER rare = train("el el perro", (TokenizerRules){.min_count = 2});
    assert_prompt(&rare, "El Perro gato", "0 3 2 2");
}

/* ---- Pairs ---- */

static const char PAIRS[] = "el perro\tthe dog\nun gato\ta cat\n";

static Tokenizer train_for(ObjectiveKind objective, TokenizerKind kind, const char *string)
{
    return train(string, (TokenizerRules){.objective = objective,
                                          .kind = kind,
                                          .min_count = 1,
                                          .vocabulary = 256 + 3 + 4});
}

TEST(pairs_have_a_token_between_their_sides)
{
    TOKENIZER t = train_for(OBJECTIVE_PAIRS, TOKENIZER_WORD, PAIRS);
    assert_tokens(&t, "[bos]|[eos]|[sep]|el|perro|the|dog|un|gato|a|cat|");
    assert_true(t.sep == 2 && t.mask == -1 && t.unk == -1);
#define NO_SOURCE "here has no source; write one before the tab (at the prompt line: before ->)"
#define TWO_TABS "here has two tabs; one stands between source and target"
    static const char *const cases[][2] = {
        {"el gato", "0 3 8 2"},
        {"el gato\t", "0 3 8 2"},
        {"el gato\n", "0 3 8 2"},
        {"El gato\tThe cat", "0 3 8 2 5 10"},
        {"", NO_SOURCE},
        {" \tthe", NO_SOURCE},
        {"el\nel", "here has two lines; give one"},
        {"el\tthe\tdog", TWO_TABS},
        {"el\tthe\t", TWO_TABS},
        {"el pero\tthe", "here: the model does not know 'pero'; its nearest: perro, el, gato"},
        {"el\tth", "here: the model does not know 'th'; its nearest: the, gato"},
        {"el [sep] the",
         "here: the text contains the reserved token [sep]; put a space in it: [ sep]"},
        {"el [mask]", "here has [mask], but the model was not trained to fill gaps; train "
                      "one with --objective masked"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_prompt(&t, cases[i][0], cases[i][1]);

    TOKENIZER rare =
        train("a\tb\na\tc\n", (TokenizerRules){.objective = OBJECTIVE_PAIRS, .min_count = 2});
    assert_tokens(&rare, "[bos]|[eos]|[sep]|[unk]|a|");
    assert_prompt(&rare, "a x\tb", "0 4 3 2 3");
}

/* Tabs and line ends have no id. */
TEST(pairs_of_characters_and_subwords)
{
    TOKENIZER c = train_for(OBJECTIVE_PAIRS, TOKENIZER_CHAR, "ab\tb a\n");
    assert_tokens(&c, "[bos]|[eos]|[sep]|a|b| |");
    assert_prompt(&c, "ba", "0 4 3 2");
    assert_prompt(&c, "ba\t a", "0 4 3 2 5 3");

    /* "ab" and "abc" are merged, but nothing across the tab. */
    TOKENIZER t = train_for(OBJECTIVE_PAIRS, TOKENIZER_BPE, "abc\tabc\nab\tcab\n");
    assert_int_equal(tokenizer_size(&t), 3 + 256 + 3);
    assert_true(t.sep == 2 && !strcmp(tokenizer_word(&t, 2), "[sep]"));
    assert_true(tokenizer_find(&t, "ab") == 259 && tokenizer_find(&t, "abc") == 260);
    assert_prompt(&t, "abc\tab", "0 260 2 259");
}

/* ---- Turns ---- */

TEST(a_prompt_of_turns_is_a_conversation)
{
    TOKENIZER t =
        train_for(OBJECTIVE_TURNS, TOKENIZER_WORD, "A: el gato\nB: miau\nA: y el perro\nB: guau\n");
    assert_tokens(&t, "[bos]|[eos]|[sep]|el|gato|miau|y|perro|guau|");
#define EMPTY_TURN "here has nothing to answer: a turn is empty"
    static const char *const cases[][2] = {
        {"el gato", "0 3 4 2"},
        {"El gato\tmiau", "0 3 4 2 5"}, /* the beginning of an answer */
        {"el gato\t", "0 3 4 2"},
        {"el gato\tmiau\ty el perro", "0 3 4 2 5 1 6 3 7 2"},
        {"el gato\tmiau\ty el perro\tguau", "0 3 4 2 5 1 6 3 7 2 8"},
        {"", EMPTY_TURN},
        {"el gato\t\tel perro", "0 3 4 2 1 3 7 2"}, /* an answer may be empty */
        {"el gato\tmiau\t ", EMPTY_TURN},
        {"el ratón", "here: the model does not know 'ratón'; its nearest: gato"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_prompt(&t, cases[i][0], cases[i][1]);
    static const int ids[] = {0, 3, 4, 2, 5, 1, 6, 3, 7, 2, 8, 1};
    AUTOFREE char *text = tokenizer_decode(&t, ids, 12),
                  *later = tokenizer_decode_from(&t, ids, 4, 12);
    assert_string_equal(text, "el gato\tmiau\ty el perro\tguau");
    assert_string_equal(later, "miau\ty el perro\tguau");
}

/* Subwords with ChatML's two tokens, the last ones; here "assistant\n" has ten. */
TEST(conversations_in_chatml)
{
    TOKENIZER t = literal_tokenizer("xyzxyz", TOKENIZER_BPE, true);
    assert_true(!tokenizer_take_chatml(&t) && t.stream);
    vocabulary_add(&t.vocabulary, "<|im_start|>", 12, true);
    vocabulary_add(&t.vocabulary, "<|im_end|>", 10, true);
    bpe_free(&t.bpe);
    tokenizer_set_merges(&t, t.merges);
    assert_true(tokenizer_take_chatml(&t) && !t.stream && t.objective == OBJECTIVE_TURNS);
    assert_true(t.bos == tokenizer_size(&t) - 2 && t.eos == t.bos + 1 && t.opening == 10);
    assert_int_equal(t.assistant, tokenizer_find(&t, "a"));
    t.system = format_text("system\nS");
    static const char prompt[] = "Q\tA\tR";
    Encoding e = prompt_encode(&t, "here", prompt, strlen(prompt));
    assert_null(e.wrong);
    char *spelt = NULL;
    for (int i = 0; i < e.count; i++)
        extend_text(&spelt, "%s", tokenizer_word(&t, e.ids[i]));
    assert_string_equal(spelt, "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nQ<|im_end|>\n"
                               "<|im_start|>assistant\nA<|im_end|>\n<|im_start|>user\nR<|im_end|>\n"
                               "<|im_start|>assistant\n");
    AUTOFREE char *later = tokenizer_decode_from(&t, e.ids, 17, e.count);
    assert_string_equal(later, "Q\tA\tR\t");
    free(spelt);
    encoding_free(&e);
}

/* ---- Gaps ---- */

TEST(gaps_of_a_prompt_are_masks)
{
    TOKENIZER t = train_for(OBJECTIVE_MASKED, TOKENIZER_WORD, SENTENCES);
    assert_true(t.mask == 2 && t.sep == -1);
    static const char *const cases[][2] = {
        {"el [mask] come", "0 3 2 5 1"},
        {"[mask]", "0 2 1"},
        {"[mask][mask]el[mask]", "0 2 2 3 2 1"},
        {"El perro", "0 3 4 1"}, /* a line without a gap is also whole */
        {"", "0 1"},
        {"el [mask] x", "here: the model does not know 'x'"},
        {"[eos] [mask]",
         "here: the text contains the reserved token [eos]; put a space in it: [ eos]"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_prompt(&t, cases[i][0], cases[i][1]);
    t.form = TEXT_LOWER;
    assert_prompt(&t, "EL [mask] COME", "0 3 2 5 1");
    assert_prompt(&t, "EL [MASK]",
                  "here: the text contains the reserved token [mask]; put a space in it: [ mask]");

    TOKENIZER rare =
        train("a b a\n", (TokenizerRules){.objective = OBJECTIVE_MASKED, .min_count = 2});
    assert_tokens(&rare, "[bos]|[eos]|[mask]|[unk]|a|");
    assert_prompt(&rare, "b [mask] a", "0 3 2 4 1");
}

/* A stream has no ends. Among characters, the spaces beside a gap are characters of their own. A
 * subword includes the space before it, so a gap also does. */
TEST(gaps_of_characters_and_subwords)
{
    TOKENIZER c = train(
        "ab a",
        (TokenizerRules){.objective = OBJECTIVE_MASKED, .kind = TOKENIZER_CHAR, .stream = true});
    assert_tokens(&c, "[mask]|a|b| |");
    assert_true(c.mask == 0 && c.bos == -1 && c.eos == -1);
    assert_prompt(&c, "a[mask] b", "1 0 3 2");
    assert_prompt(&c, "a [mask]b", "1 3 0 2");

    TOKENIZER t = train_for(OBJECTIVE_MASKED, TOKENIZER_BPE, "ab ab ab\n");
    assert_true(tokenizer_find(&t, "ab") == 259 && tokenizer_find(&t, " ab") == 260);
    assert_prompt(&t, "ab [mask] ab", "0 259 2 260 1");
    assert_prompt(&t, "ab[mask]ab", "0 259 2 259 1");
    assert_prompt(&t, "ab  [mask] [mask]", "0 259 2 2 1");
}

/* ---- Texts ---- */

/* A text that is trained on may have none of the reserved tokens, and only pairs. */
TEST(what_is_wrong_with_a_text_is_named_with_its_line)
{
    static const struct {
        ObjectiveKind objective;
        bool lower, stream;
        const char *text, *said; /* its beginning; NULL: nothing is wrong */
    } cases[] = {
        {0, false, false, "[bos]",
         "a.txt:1: the text contains the reserved token [bos]; put a space in it: [ bos]"},
        {0, false, false, "uno\ndos [eos] tres\n",
         "a.txt:2: the text contains the reserved token [eos]"},
        {0, false, false, "uno\r\n\r\nx[unk]x",
         "a.txt:3: the text contains the reserved token [unk]"},
        {0, false, false, "uno\rx[bos]x", "a.txt:2: the text contains the reserved token [bos]"},
        {0, false, false, "ñ [unk]", "a.txt:1:"},
        {0, true, false, "[BOS] x", "a.txt:1: the text contains the reserved token [bos]"},
        {0, false, true, "ñ [unk]", "a.txt:1:"},
        {0, false, false, "[BOS] [bos [ eos] bos] [un\nk]", NULL},
        {0, true, false, "[BOS [ EOS]", NULL},
        {0, false, true, "[bos] [eos]", NULL}, /* a stream has neither */
        {0, false, false, "[sep] [mask]\n", NULL},
        {OBJECTIVE_PAIRS, false, false, "a\tb\n", NULL},
        {OBJECTIVE_PAIRS, false, false, "a\tb [mask]\n", NULL},
        {OBJECTIVE_PAIRS, false, false, "a\tb\nc\td [sep]\n",
         "a.txt:2: the text contains the reserved token [sep]; put a space in it: [ sep]"},
        {OBJECTIVE_PAIRS, false, false, "a\tb\nc\n",
         "a.txt:2: the line has no tab; a line of pairs is a source, one tab and a target; a model "
         "of --objective next reads any text"},
        {OBJECTIVE_MASKED, false, false, "a\n[sep]\n", NULL},
        {OBJECTIVE_MASKED, false, false, "a\nb[mask]\n",
         "a.txt:2: the text contains the reserved token [mask]; put a space in it: [ mask]"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *string = cases[i].text, *said = cases[i].said;
        FREED_BY(text_free)
        Text text = text_from("a.txt", (Bytes){strdup(string), strlen(string)}, cases[i].lower);
        TOKENIZER t = tokenizer_train(&text, (TokenizerRules){.objective = cases[i].objective,
                                                              .lower = cases[i].lower,
                                                              .stream = cases[i].stream,
                                                              .max_words = 1});
        AUTOFREE char *wrong = tokenizer_check_text(&t, &text);
        if (said ? !wrong || strncmp(wrong, said, strlen(said)) != 0 : wrong != NULL)
            fail_msg("'%s': %s", string, wrong ? wrong : "nothing is wrong");
    }
}

/* ---- Decoding ---- */

/* Decodes tokens from number `from` on one by one. */
static void assert_decoded_in_pieces(const Tokenizer *t, const int *ids, int from, int count)
{
    Decoding decoding = DECODING_BEGIN;
    char *pieces = format_text("%s", "");
    tokenizer_pass(t, &decoding, ids, from);
    for (int i = from; i < count; i++) {
        AUTOFREE char *piece = tokenizer_decode_next(t, &decoding, ids + i, 1);
        extend_text(&pieces, "%s", piece);
    }
    AUTOFREE char *wanted = tokenizer_decode_from(t, ids, from, count);
    assert_string_equal(pieces, wanted);
    free(pieces);
}

/* Encodes a text and decodes it again. */
static void assert_decoded(const Tokenizer *t, const char *text, const char *wanted)
{
    FREED_ARRAY int *ids = NULL;
    Span unknown;
    Encoder *encoder = encoder_new(t, strlen(text), t->unk);
    if (t->bos >= 0)
        arrput(ids, t->bos);
    assert_true(encoder_add(encoder, (Span){text, text + strlen(text)}, &ids, &unknown));
    if (t->eos >= 0)
        arrput(ids, t->eos);
    encoder_free(encoder);
    const int count = (int)arrlen(ids);
    AUTOFREE char *decoded = tokenizer_decode(t, ids, count);
    assert_string_equal(decoded, wanted);
    for (int from = 0; from <= count; from++) /* some at once, then one by one */
        assert_decoded_in_pieces(t, ids, from, count);
}

TEST(decoding_without_a_text_goes_by_rule)
{
    TOKENIZER t = literal_tokenizer("¿ ( « a b » ) ? , . :", TOKENIZER_WORD, false);
    assert_decoded(&t, "a  b", "a b");
    assert_decoded(&t, "¿ a b ?", "¿a b?");
    assert_decoded(&t, "a ( b ) , « a » .", "a (b), «a».");
    assert_decoded(&t, "a:b", "a: b");
    TOKENIZER q = literal_tokenizer("a b \"", TOKENIZER_WORD, false);
    assert_decoded(&q, "a\"b\"a", "a \"b\" a");
    TOKENIZER c = literal_tokenizer("ab \n", TOKENIZER_CHAR, true);
    assert_decoded(&c, "b a\nb", "b a\nb");
}

TEST(decoding_follows_the_text)
{
    static const struct {
        const char *text, *encoded, *decoded;
    } cases[] = {
#define BOTH "a - b-a-b b : a : a ! b! a! b!"
        {BOTH, "b-a", "b-a"},        /* more often together than apart */
        {BOTH, "a:a", "a : a"},      /* only apart */
        {BOTH, "a ! b", "a! b"},     /* this pair both ways: then each by itself decides */
        {"a, a, a,", "a,a", "a, a"}, /* left and right are not the same */
        {"a\tb-b\ta\nb\ta\n", "a b-b a", "a\tb-b\ta"}, /* a table */
        {"a b a b a\tb", "a b", "a b"},                /* more often a space than a tab */
        /* A straight quote closes after it has opened, also beside new words; lines begin anew. */
        {"b \"a\" b, \"a\" c d", "d\"c\"b\"a", "d \"c\" b \"a"},
        {"b \"a\nb \"a\" b \"a\" c d", "c\"d\"c", "c \"d\" c"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *text = cases[i].text;
        TOKENIZER t = literal_tokenizer(text, TOKENIZER_WORD, false);
        tokenizer_learn_spacing(&t, (Span){text, text + strlen(text)});
        assert_decoded(&t, cases[i].encoded, cases[i].decoded);
    }
}

static void assert_prompt_decoded(const Tokenizer *t, const char *prompt, const char *wanted)
{
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", prompt, strlen(prompt));
    assert_null(e.wrong);
    AUTOFREE char *decoded = tokenizer_decode(t, e.ids, e.count);
    assert_string_equal(decoded, wanted);
}

/* A pair has a tab again, and a gap is [mask]. */
TEST(pairs_and_gaps_are_decoded)
{
    for (TokenizerKind kind = TOKENIZER_WORD; kind <= TOKENIZER_BPE; kind++) {
        TOKENIZER pairs = train_for(OBJECTIVE_PAIRS, kind, PAIRS);
        tokenizer_learn_spacing(&pairs, (Span){PAIRS, PAIRS + strlen(PAIRS)});
        assert_prompt_decoded(&pairs, "el gato\tthe cat", "el gato\tthe cat");
        assert_prompt_decoded(&pairs, "perro gato\tdog cat", "perro gato\tdog cat");
        assert_prompt_decoded(&pairs, "el gato", "el gato\t");
        TOKENIZER gaps = train_for(OBJECTIVE_MASKED, kind, SENTENCES);
        assert_prompt_decoded(&gaps, "el [mask] come",
                              kind == TOKENIZER_BPE ? "el[mask] come" : "el [mask] come");
    }
}

/* ---- Time ---- */

/* The seconds that it takes to count many words; `prepared`: words whose hashes in stb_ds collide.
 * It turns the hash by 9 bits for each character, so that 57 characters later one counts half as
 * much (57 · 9 = 8 · 64 + 1): a step down here and two up there cancel out. */
static double seconds_to_train(bool prepared)
{
    enum { BITS = 15, MANY = 1 << BITS, LENGTH = 57 + BITS, ALL_BYTES = MANY * (LENGTH + 1) };
    AUTOFREE char *text = memset(calloc(ALL_BYTES + 1, 1), 'm', ALL_BYTES);
    for (int i = 0; i < MANY; i++) {
        char *word = text + i * (LENGTH + 1);
        for (int bit = 0; bit < BITS; bit++) {
            word[bit] = (char)(word[bit] - (i >> bit & 1));
            word[bit + 57] = (char)(word[bit + 57] + (prepared ? 2 * (i >> bit & 1) : 0));
        }
        word[LENGTH] = '\n';
    }
    const double begun = processor_seconds();
    TOKENIZER t = train(text, ALL);
    return processor_seconds() - begun;
}

/* 32,768 such words took 25 s. */
TEST(words_made_to_collide_take_no_longer)
{
    const double seconds = seconds_to_train(false);
    assert_true(seconds_to_train(true) < 10 * seconds + 0.2);
}

/* ---- Subwords ---- */

/* Two merges: ab occurs 5 times, abc 3 times. */
TEST(subwords_are_bytes_and_merges)
{
    TOKENIZER t =
        train("abc abc\nabc\n\nab\nab\n",
              (TokenizerRules){.kind = TOKENIZER_BPE, .min_count = 1, .vocabulary = 2 + 256 + 2});
    static const char *const words[] = {"[bos]", "[eos]", "!", [258] = "ab", "abc"};
    assert_int_equal(tokenizer_size(&t), 260);
    assert_true(t.bos == 0 && t.eos == 1 && t.unk == -1);
    for (int id = 0; id < 260; id++)
        if (words[id])
            assert_string_equal(tokenizer_word(&t, id), words[id]);
    assert_int_equal(tokenizer_find(&t, "abc"), 259);
    assert_int_equal(tokenizer_find(&t, " abc"), -1);
    const int space = tokenizer_find(&t, " ");
    assert_string_equal(tokenizer_word(&t, space), " ");
    assert_string_equal(vocabulary_word(&t.vocabulary, space), "Ġ");
    assert_int_equal(tokenizer_find(&t, "\n"), space - ' ' + '\n');
    assert_true(tokenizer_is_text(&t, 2) && !tokenizer_is_text(&t, 1) && !tokenizer_has_words(&t));
    assert_string_equal(tokenizer_unit(t.kind), "subword");
    assert_prompt(&t, "", "0");
    AUTOFREE char *wanted = format_text("0 259 %d 258", space);
    assert_prompt(&t, "abc ab", wanted);
    assert_prompt(&t, "ab[eos]",
                  "here: the text contains the reserved token [eos]; put a space in it: [ eos]");
}

/* Fewer if the text has no more pairs, or none that occurs so often; a stream has no special
 * tokens. */
TEST(a_vocabulary_of_subwords_has_the_size_asked_for)
{
    static const struct {
        const char *text;
        bool stream;
        int vocabulary, min_count, wanted;
    } cases[] = {
        {"abcabcabc abc", false, 259, 1, 259},
        {"abcabcabc abc", true, 259, 1, 259},
        {"abc", false, 1 << 30, 1, 260},
        {"abc", true, 1 << 30, 1, 258},
        {"abc ab", true, 1 << 30, 2, 257},
        {"a\nb", true, 300, 1, 256},
        {"ab", true, 256, 1, 256},
        {"ab\nab", false, 0, 1, 258},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        TOKENIZER t = train(cases[i].text, (TokenizerRules){.kind = TOKENIZER_BPE,
                                                            .stream = cases[i].stream,
                                                            .min_count = cases[i].min_count,
                                                            .vocabulary = cases[i].vocabulary});
        assert_int_equal(tokenizer_size(&t), cases[i].wanted);
    }
}

/* Whether the first bytes of a text have the subwords of another text. */
static bool same_subwords(const char *text, size_t bytes, const char *other)
{
    TokenizerRules rules = {.kind = TOKENIZER_BPE, .stream = true, .vocabulary = 300};
    TOKENIZER wanted = train(other, rules);
    rules.bytes = bytes;
    TOKENIZER t = train(text, rules);
    return tokenizer_checksum(&t, 0) == tokenizer_checksum(&wanted, 0);
}

/* A stream's tail that is held out makes no subwords; what is cut within a word loses that word. A
 * text without spaces is cut between characters, not thrown away. */
TEST(subwords_of_the_beginning_only)
{
    static const char spaced[] = "aab aab aab xyz xyz xyz xyz xyz";
    for (size_t bytes = 11; bytes < 15; bytes++)
        assert_true(same_subwords(spaced, bytes, "aab aab aab"));
    assert_false(same_subwords(spaced, 15, "aab aab aab"));
    assert_true(same_subwords(spaced, 15, "aab aab aab xyz"));
    char text[3001] = "";
    for (int i = 0; i < 500; i++)
        strcat(text, "日本");
    for (size_t bytes = 10; bytes < 2800; bytes += 93) {
        AUTOFREE char *whole = format_text("%.*s", (int)(bytes / 3 * 3), text);
        assert_true(same_subwords(text, bytes, whole));
    }
}

TEST(subwords_give_back_every_byte)
{
    static const char *const texts[] = {"el perro  come\n\n un hueso \n",
                                        " ",
                                        "\n",
                                        "¿Qué? 日本\tU\x01 \U0001F44D's 12½",
                                        "don't DON'T  ",
                                        "\u0301 \u200B\u00A0"};
    for (int stream = 0; stream < 2; stream++) {
        TOKENIZER t = literal_tokenizer("¿Qué come el perro? come", TOKENIZER_BPE, stream);
        for (size_t i = 0; i < COUNT_OF(texts); i++)
            assert_decoded(&t, texts[i], texts[i]);
    }
}

/* Other merges of the same tokens cut a text in another way. */
TEST(the_checksum_tells_merges_apart)
{
    const BpeMerge left[] = {{0, 1, 3}, {3, 2, 5}}, right[] = {{1, 2, 4}, {0, 4, 5}};
    static const char *const words[] = {"a", "b", "c", "ab", "bc", "abc"};
    uint64_t checksum[2];
    for (int i = 0; i < 2; i++) {
        TOKENIZER t = tokenizer_new();
        BpeMerge *merges = NULL;
        for (int id = 0; id < 6; id++)
            vocabulary_add(&t.vocabulary, words[id], strlen(words[id]), false);
        for (int m = 0; m < 2; m++)
            arrput(merges, (i ? right : left)[m]);
        tokenizer_set_merges(&t, merges);
        checksum[i] = tokenizer_checksum(&t, 7);
        assert_int_equal(checksum[i], tokenizer_checksum(&t, 7));
    }
    assert_true(checksum[0] != checksum[1]);
}
