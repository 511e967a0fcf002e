/* tokenizer.c: which tokens of a text get an id and which, how texts and prompts become ids, and
 * how ids become text again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "tests/helpers/literal.h"
#include "tests/helpers/scratch.h"
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
    FREED_BY(tokenizer_free) Tokenizer t = train(text, rules);
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

TEST(the_nine_sentences)
{
    FREED_BY(text_free) Text text = text_read("data/perro.txt", false);
    FREED_BY(tokenizer_free) Tokenizer t = tokenizer_train(&text, ALL);
    assert_tokens(&t, "[bos]|[eos]|el|perro|come|un|hueso|muchacho|jugaba|saltaba|la|cuerda|"
                      "croquetas|gato|con|");
}

TEST(ids_are_in_the_order_of_first_appearance)
{
    assert_words("el perro el\n\ngato perro\n", ALL, "[bos]|[eos]|el|perro|gato|");
    assert_words("El el EL", ALL, "[bos]|[eos]|El|el|EL|");
    assert_words("¿Qué? bos", ALL, "[bos]|[eos]|¿|Qué|?|bos|");
    const TokenizerRules stream = {.stream = true, .min_count = 1};
    assert_words("un gato\nun perro", stream, "un|gato|perro|");
    const TokenizerRules characters = {.stream = true, .kind = TOKENIZER_CHAR, .min_count = 1};
    assert_words("añb a\nb👍", characters, "a|ñ|b| |\n|👍|");
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
}

static void keep_common(void *text)
{
    train(text, (TokenizerRules){.min_count = 3});
}

TEST(rules_that_keep_no_word_are_refused)
{
    assert_dies(keep_common, "a b a b", "a.txt", "occurs 3 times", "--min-count");
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

/* ---- Long words, many words ---- */

static char *letters(size_t count)
{
    char *text = memset(malloc(count + 1), 'x', count);
    text[count] = 0;
    return text;
}

static void count_words(void *text)
{
    train(text, ALL);
}

TEST(long_words_are_refused)
{
    FREED char *text = letters(1000), *longer = letters(1001);
    FREED_BY(tokenizer_free) Tokenizer t = train(text, ALL);
    assert_int_equal(t.vocabulary.count, 3);
    assert_int_equal(vocabulary_find(&t.vocabulary, text, 1000), 2);
    assert_int_equal(vocabulary_find(&t.vocabulary, longer, 1001), -1);

    FREED char *late = format_text("el %s", longer);
    assert_dies(count_words, late, "a.txt", "1001 bytes", "--tokens char");
    assert_words(late, (TokenizerRules){.kind = TOKENIZER_CHAR, .stream = true, .min_count = 1},
                 "e|l| |x|");
}

TEST(many_words)
{
    enum { MANY = 20000 };
    FREED char *text = malloc(MANY * 16);
    char *put = text;
    for (int i = 0; i < MANY; i++)
        put += sprintf(put, "w%d%c", i * 7919 % MANY, i % 9 ? ' ' : '\n');
    put += sprintf(put, "w3 w3");
    Tokenizer t = train(text, ALL);
    assert_int_equal(t.vocabulary.count, MANY + 2);
    for (int i = 0; i < MANY; i++) {
        char word[16];
        const int size = sprintf(word, "w%d", i * 7919 % MANY);
        assert_int_equal(vocabulary_find(&t.vocabulary, word, (size_t)size), i + 2);
        assert_string_equal(vocabulary_word(&t.vocabulary, i + 2), word);
    }
    tokenizer_free(&t);

    t = train(text, (TokenizerRules){.min_count = 1, .max_words = 12000});
    assert_int_equal(t.vocabulary.count, 12003);
    /* The last of the kept ones is the most frequent one, whose first appearance is late. */
    assert_int_equal(vocabulary_find(&t.vocabulary, "w3", 2), 12002);
    tokenizer_free(&t);
}

/* ---- Encoding ---- */

static void assert_prompt(const Tokenizer *t, const char *text, const char *wanted)
{
    char got[512] = "", *put = got;
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", text, strlen(text));
    if (e.wrong)
        fail_msg("'%s': %s", text, e.wrong);
    for (int i = 0; i < e.count; i++)
        put += sprintf(put, "%s%d", i ? " " : "", e.ids[i]);
    assert_string_equal(got, wanted);
}

static void assert_wrong(const Tokenizer *t, const char *text, size_t size, const char *said)
{
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", text, size);
    assert_non_null(e.wrong);
    assert_string_equal(e.wrong, said);
}

static const char SENTENCES[] = "el perro come un hueso\n¿qué come el perro?\n";

TEST(prompts_become_ids_or_a_message)
{
    FREED_BY(tokenizer_free) Tokenizer lines = literal_tokenizer(SENTENCES, TOKENIZER_WORD, false);
    lines.form = TEXT_LOWER;
    assert_prompt(&lines, "", "0");
    assert_prompt(&lines, " \n", "0");
    assert_prompt(&lines, "El PERRO\ncome", "0 2 3 4");
    assert_prompt(&lines, "¿que\xCC\x81?", "0 7 8 9");
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"el [bos]", "here: the text contains the reserved token [bos]; put a space in it: [ bos]"},
        {"el [EOS]", "here: the text contains the reserved token [eos]; put a space in it: [ eos]"},
        {"el pero", "here: the model does not know 'pero'; its nearest: perro, el, hueso"},
        {"el x\x1B[31m", "here: the model does not know 'x?'"},
        {"el x\xC2\x9B"
         "31m",
         "here: the model does not know 'x??31m'"},
        {"e\xFF", "here:1:2: byte 0xFF is not UTF-8; if the text is Latin-1, convert it: iconv "
                  "-f LATIN1 -t UTF-8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_wrong(&lines, wrong[i].text, strlen(wrong[i].text), wrong[i].said);
    assert_wrong(&lines, "el\0", 3, "here:1:3: byte 0x00: this is not a text");

    FREED_BY(tokenizer_free) Tokenizer stream = literal_tokenizer(SENTENCES, TOKENIZER_CHAR, true);
    assert_prompt(&stream, "", "");
    assert_prompt(&stream, "el p\n", "0 1 2 3 12");
    assert_wrong(&stream, "elz", 3, "here: the model does not know 'z'");
}

/* A word that is known only in lower case is read so, and the encoding says which. */
TEST(upper_case_falls_back_to_lower_case)
{
    Tokenizer t = literal_tokenizer("el perro Come", TOKENIZER_WORD, false);
    assert_prompt(&t, "El PERRO Come", "0 2 3 4");
    Encoding e = prompt_encode(&t, "here", "el El Perro", 11);
    assert_string_equal(e.lowered, "El, Perro");
    assert_int_equal(e.lowered_count, 2);
    encoding_free(&e);
    e = prompt_encode(&t, "here", "El El El El El El El El El PERRO Perro El", 41);
    assert_string_equal(e.lowered, "El, El, El, El, El, El, El, El, El, PERRO, …");
    encoding_free(&e);
    e = prompt_encode(&t, "here", "el Come", 7);
    assert_null(e.lowered);
    assert_int_equal(e.lowered_count, 0);
    encoding_free(&e);
    assert_wrong(&t, "COME", 4, "here: the model does not know 'COME'; its nearest: Come");
    tokenizer_free(&t);

    t = train("el el perro", (TokenizerRules){.min_count = 2}); /* it is tried before [unk] */
    assert_prompt(&t, "El Perro gato", "0 3 2 2");
    tokenizer_free(&t);
}

/* NFC makes two marks of U+0344: 60 of them pass the limit of 100, but the clean word has 120. */
TEST(a_word_whose_lower_case_cannot_be_cleaned_is_unknown)
{
    char word[1 + 2 * 60] = "b";
    for (size_t i = 1; i < sizeof word; i += 2)
        memcpy(word + i, "\xCD\x84", 2);
    Tokenizer t = train("a a b", (TokenizerRules){.min_count = 2});
    Encoding e = prompt_encode(&t, "here", word, sizeof word);
    assert_null(e.wrong);
    assert_int_equal(e.count, 2);
    assert_int_equal(e.ids[1], t.unk);
    encoding_free(&e);
    tokenizer_free(&t);

    t = literal_tokenizer("a b", TOKENIZER_WORD, false);
    e = prompt_encode(&t, "here", word, sizeof word);
    assert_non_null(strstr(e.wrong, "here: the model does not know 'b"));
    encoding_free(&e);
    tokenizer_free(&t);
}

TEST(lower_case_never_makes_a_special_token)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer("a b", TOKENIZER_WORD, false);
    t.punctuation = PUNCTUATION_IN_WORDS;
    FREED_BY(encoding_free) Encoding e = prompt_encode(&t, "here", "a [BOS] b", 9);
    assert_non_null(e.wrong);
    assert_non_null(strstr(e.wrong, "here: the model does not know '[BOS]'"));
}

static bool encode(const Tokenizer *t, const char *text, int **ids, Span *unknown)
{
    Encoder *encoder = encoder_new(t, strlen(text), t->unk);
    const bool known = encoder_add(encoder, (Span){text, text + strlen(text)}, ids, unknown);
    encoder_free(encoder);
    return known;
}

TEST(unknown_words_of_a_text_become_unk)
{
    Tokenizer t = train("a a b c c c d", (TokenizerRules){.min_count = 2});
    assert_tokens(&t, "[bos]|[eos]|[unk]|a|c|");
    const char *text = "b a never c";
    int *ids = NULL;
    Span unknown;
    assert_true(encode(&t, text, &ids, &unknown));
    static const int wanted[] = {2, 3, 2, 4};
    assert_int_equal(arrlen(ids), 4);
    assert_memory_equal(ids, wanted, sizeof wanted);
    arrfree(ids);
    tokenizer_free(&t);

    t = literal_tokenizer("a b", TOKENIZER_WORD, false);
    text = "b x a";
    assert_false(encode(&t, text, &ids, &unknown));
    assert_int_equal(arrlen(ids), 1);
    assert_ptr_equal(unknown.begin, text + 2);
    assert_ptr_equal(unknown.end, text + 3);
    arrfree(ids);
    tokenizer_free(&t);
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
    Tokenizer t = train_for(OBJECTIVE_PAIRS, TOKENIZER_WORD, PAIRS);
    assert_tokens(&t, "[bos]|[eos]|[sep]|el|perro|the|dog|un|gato|a|cat|");
    assert_true(t.sep == 2 && t.mask == -1 && t.unk == -1 && tokenizer_cut(&t) == CUT_SIDES);
    assert_prompt(&t, "el gato", "0 3 8 2");
    assert_prompt(&t, "el gato\t", "0 3 8 2");
    assert_prompt(&t, "el gato\n", "0 3 8 2");
    assert_prompt(&t, "El gato\tThe cat", "0 3 8 2 5 10");
    static const struct {
        const char *text, *said;
    } wrong[] = {
#define NO_SOURCE "here has no source; write one before the tab (at the prompt line: before ->)"
        {"", NO_SOURCE},
        {" \tthe", NO_SOURCE},
        {"el\nel", "here has two lines; give one"},
        {"el\tthe\tdog", "here has two tabs; one stands between source and target"},
        {"el\tthe\t", "here has two tabs; one stands between source and target"},
        {"el pero\tthe", "here: the model does not know 'pero'; its nearest: perro, el, gato"},
        {"el\tth", "here: the model does not know 'th'; its nearest: the, gato"},
        {"el [sep] the",
         "here: the text contains the reserved token [sep]; put a space in it: [ sep]"},
        {"el [mask]", "here has [mask], but the model was not trained to fill gaps; train "
                      "one with --objective masked"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_wrong(&t, wrong[i].text, strlen(wrong[i].text), wrong[i].said);
    tokenizer_free(&t);

    t = train("a\tb\na\tc\n", (TokenizerRules){.objective = OBJECTIVE_PAIRS, .min_count = 2});
    assert_tokens(&t, "[bos]|[eos]|[sep]|[unk]|a|");
    assert_prompt(&t, "a x\tb", "0 4 3 2 3");
    tokenizer_free(&t);
}

/* Tabs and line ends have no id. */
TEST(pairs_of_characters_and_subwords)
{
    Tokenizer t = train_for(OBJECTIVE_PAIRS, TOKENIZER_CHAR, "ab\tb a\n");
    assert_tokens(&t, "[bos]|[eos]|[sep]|a|b| |");
    assert_prompt(&t, "ba", "0 4 3 2");
    assert_prompt(&t, "ba\t a", "0 4 3 2 5 3");
    tokenizer_free(&t);

    /* "ab" and "abc" are merged, but nothing across the tab. */
    t = train_for(OBJECTIVE_PAIRS, TOKENIZER_BPE, "abc\tabc\nab\tcab\n");
    assert_int_equal(tokenizer_size(&t), 3 + 256 + 3);
    assert_true(t.sep == 2 && !strcmp(tokenizer_word(&t, 2), "[sep]"));
    const int ab = tokenizer_find(&t, "ab"), abc = tokenizer_find(&t, "abc");
    assert_true(ab == 259 && abc == 260);
    FREED char *wanted = format_text("0 %d 2 %d", abc, ab);
    assert_prompt(&t, "abc\tab", wanted);
    tokenizer_free(&t);
}

/* ---- Gaps ---- */

TEST(gaps_of_a_prompt_are_masks)
{
    Tokenizer t = train_for(OBJECTIVE_MASKED, TOKENIZER_WORD, SENTENCES);
    assert_true(t.mask == 2 && t.sep == -1 && tokenizer_cut(&t) == CUT_LINES);
    assert_prompt(&t, "el [mask] come", "0 3 2 5 1");
    assert_prompt(&t, "[mask]", "0 2 1");
    assert_prompt(&t, "[mask][mask]el[mask]", "0 2 2 3 2 1");
    assert_prompt(&t, "El perro", "0 3 4 1"); /* a line without a gap is also whole */
    assert_prompt(&t, "", "0 1");
    assert_wrong(&t, "el [mask] x", 11, "here: the model does not know 'x'");
    assert_wrong(&t, "[eos] [mask]", 12,
                 "here: the text contains the reserved token [eos]; put a space in it: [ eos]");
    t.form = TEXT_LOWER;
    assert_prompt(&t, "EL [mask] COME", "0 3 2 5 1");
    assert_wrong(&t, "EL [MASK]", 9,
                 "here: the text contains the reserved token [mask]; put a space in it: [ mask]");
    tokenizer_free(&t);

    t = train("a b a\n", (TokenizerRules){.objective = OBJECTIVE_MASKED, .min_count = 2});
    assert_tokens(&t, "[bos]|[eos]|[mask]|[unk]|a|");
    assert_prompt(&t, "b [mask] a", "0 3 2 4 1");
    tokenizer_free(&t);
}

/* A stream has no ends. Among characters, the spaces beside a gap are characters of their own. A
 * subword includes the space before it, so a gap also does. */
TEST(gaps_of_characters_and_subwords)
{
    Tokenizer t = train(
        "ab a",
        (TokenizerRules){.objective = OBJECTIVE_MASKED, .kind = TOKENIZER_CHAR, .stream = true});
    assert_tokens(&t, "[mask]|a|b| |");
    assert_true(t.mask == 0 && t.bos == -1 && t.eos == -1 && tokenizer_cut(&t) == CUT_NOWHERE);
    assert_prompt(&t, "a[mask] b", "1 0 3 2");
    assert_prompt(&t, "a [mask]b", "1 3 0 2");
    tokenizer_free(&t);

    t = train_for(OBJECTIVE_MASKED, TOKENIZER_BPE, "ab ab ab\n");
    const int ab = tokenizer_find(&t, "ab"), space_ab = tokenizer_find(&t, " ab");
    assert_true(t.mask == 2 && ab > 0 && space_ab > 0);
    char *wanted[] = {format_text("0 %d 2 %d 1", ab, space_ab), format_text("0 %d 2 %d 1", ab, ab),
                      format_text("0 %d 2 2 1", ab)};
    assert_prompt(&t, "ab [mask] ab", wanted[0]);
    assert_prompt(&t, "ab[mask]ab", wanted[1]);
    assert_prompt(&t, "ab  [mask] [mask]", wanted[2]);
    for (int i = 0; i < 3; i++)
        free(wanted[i]);
    tokenizer_free(&t);
}

/* ---- Reserved tokens ---- */

typedef struct {
    const char *text;
    bool lower, stream;
} Reserved;

static void check_reserved(void *context)
{
    const Reserved *r = context;
    Text text = text_from("a.txt", (Bytes){strdup(r->text), strlen(r->text)}, r->lower);
    Tokenizer t = tokenizer_train(
        &text, (TokenizerRules){.lower = r->lower, .stream = r->stream, .max_words = 1});
    char *wrong = tokenizer_check_text(&t, &text);
    if (wrong)
        die("%s", wrong);
}

TEST(reserved_tokens_are_refused_with_their_line)
{
    static const struct {
        Reserved text;
        const char *said;
    } cases[] = {
        {{"[bos]", false, false},
         "a.txt:1: the text contains the reserved token [bos]; put a space in it: [ bos]"},
        {{"uno\ndos [eos] tres\n", false, false},
         "a.txt:2: the text contains the reserved token [eos]"},
        {{"uno\r\n\r\nx[unk]x", false, false},
         "a.txt:3: the text contains the reserved token [unk]"},
        {{"uno\rx[bos]x", false, false}, "a.txt:2: the text contains the reserved token [bos]"},
        {{"ñ [unk]", false, false}, "a.txt:1:"},
        {{"[BOS] x", true, false}, "a.txt:1: the text contains the reserved token [bos]"},
        {{"ñ [unk]", false, true}, "a.txt:1:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Reserved text = cases[i].text;
        assert_dies(check_reserved, &text, cases[i].said);
    }
    static const Reserved fine[] = {{"[BOS] [bos [ eos] bos] [un\nk]", false, false},
                                    {"[BOS [ EOS]", true, false},
                                    {"[bos] [eos]", false, true}}; /* a stream has neither */
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        Reserved text = fine[i];
        const ChildEnd ending = run_apart(check_reserved, &text);
        assert_int_equal(ending.status, 0);
    }
}

/* ---- Decoding ---- */

/* Encodes a text and decodes it again. */
static void assert_decoded(const Tokenizer *t, const char *text, const char *wanted)
{
    int *ids = NULL;
    Span unknown;
    if (t->bos >= 0)
        arrput(ids, t->bos);
    assert_true(encode(t, text, &ids, &unknown));
    if (t->eos >= 0)
        arrput(ids, t->eos);
    FREED char *decoded = tokenizer_decode(t, ids, (int)arrlen(ids));
    assert_string_equal(decoded, wanted);
    arrfree(ids);
}

TEST(decoding_without_a_text_goes_by_rule)
{
    Tokenizer t = literal_tokenizer("¿ ( « a b » ) ? , .", TOKENIZER_WORD, false);
    assert_decoded(&t, "a  b", "a b");
    assert_decoded(&t, "¿ a b ?", "¿a b?");
    assert_decoded(&t, "a ( b ) , « a » .", "a (b), «a».");
    tokenizer_free(&t);
    t = literal_tokenizer("ab \n", TOKENIZER_CHAR, true);
    assert_decoded(&t, "b a\nb", "b a\nb");
    tokenizer_free(&t);
}

TEST(decoding_follows_the_text)
{
    const char *text = "a - b-a-b b : a : a ! b! a! b!";
    Tokenizer t = literal_tokenizer(text, TOKENIZER_WORD, false);
    assert_decoded(&t, "a : b", "a: b");
    tokenizer_learn_spacing(&t, (Span){text, text + strlen(text)});
    assert_decoded(&t, "b-a", "b-a");    /* more often together than apart */
    assert_decoded(&t, "a:a", "a : a");  /* only apart */
    assert_decoded(&t, "a ! b", "a! b"); /* this pair both ways: then each by itself decides */
    tokenizer_free(&t);

    /* Left and right are not the same: "a," is together and ", a" apart. */
    text = "a, a, a,";
    t = literal_tokenizer(text, TOKENIZER_WORD, false);
    tokenizer_learn_spacing(&t, (Span){text, text + strlen(text)});
    assert_decoded(&t, "a,a", "a, a");
    tokenizer_free(&t);
}

static char *decode(const Tokenizer *t, const char *prompt)
{
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", prompt, strlen(prompt));
    assert_null(e.wrong);
    char *decoded = tokenizer_decode(t, e.ids, e.count);
    return decoded;
}

/* A pair has a tab again, and a gap is [mask]. */
TEST(pairs_and_gaps_are_decoded)
{
    static const TokenizerKind kinds[] = {TOKENIZER_WORD, TOKENIZER_CHAR, TOKENIZER_BPE};
    for (int i = 0; i < 3; i++) {
        Tokenizer t = train_for(OBJECTIVE_PAIRS, kinds[i], PAIRS);
        FREED char *pair = decode(&t, "el gato\tthe cat"), *source = decode(&t, "el gato");
        assert_string_equal(pair, "el gato\tthe cat");
        assert_string_equal(source, "el gato\t");
        tokenizer_free(&t);
        t = train_for(OBJECTIVE_MASKED, kinds[i], SENTENCES);
        FREED char *gap = decode(&t, "el [mask] come");
        assert_string_equal(gap, kinds[i] == TOKENIZER_BPE ? "el[mask] come" : "el [mask] come");
        tokenizer_free(&t);
    }
}

/* A text that is trained on may have none of the tokens, and only pairs. */
TEST(texts_of_pairs_and_gaps_are_checked)
{
    static const struct {
        ObjectiveKind objective;
        const char *text, *said;
    } cases[] = {
        {OBJECTIVE_PAIRS, "a\tb\n", NULL},
        {OBJECTIVE_PAIRS, "a\tb [mask]\n", NULL},
        {OBJECTIVE_PAIRS, "a\tb\nc\td [sep]\n",
         "a.txt:2: the text contains the reserved token [sep]; put a space in it: [ sep]"},
        {OBJECTIVE_PAIRS, "a\tb\nc\n",
         "a.txt:2: the line has no tab; a line of pairs is a source, "
         "one tab and a target; a model of --objective next reads "
         "any text"},
        {OBJECTIVE_MASKED, "a\n[sep]\n", NULL},
        {OBJECTIVE_MASKED, "a\nb[mask]\n",
         "a.txt:2: the text contains the reserved token [mask]; put a space in it: [ mask]"},
        {OBJECTIVE_NEXT, "[sep] [mask]\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FREED_BY(text_free) Text text = literal_text(cases[i].text);
        FREED_BY(tokenizer_free)
        Tokenizer t = train_for(cases[i].objective, TOKENIZER_WORD, cases[i].text);
        FREED char *wrong = tokenizer_check_text(&t, &text);
        if (cases[i].said)
            assert_string_equal(wrong, cases[i].said);
        else
            assert_null(wrong);
    }
}

/* ---- Time ---- */

static double seconds_to_train(const char *string)
{
    const double begun = processor_seconds();
    FREED_BY(tokenizer_free) Tokenizer t = train(string, ALL);
    return processor_seconds() - begun;
}

/* Words whose hashes in stb_ds collide. It turns the hash by 9 bits for each character, so that 57
 * characters later one counts half as much (57 · 9 = 8 · 64 + 1): a step down here and two up there
 * cancel out. 32,768 such words took 25 s. */
TEST(words_made_to_collide_take_no_longer)
{
    enum { BITS = 15, MANY = 1 << BITS, LENGTH = 57 + BITS };
    FREED char *prepared = memset(malloc(MANY * (LENGTH + 1) + 1), 'm', MANY * (LENGTH + 1));
    FREED char *usual = memset(malloc(MANY * (LENGTH + 1) + 1), 'm', MANY * (LENGTH + 1));
    for (int i = 0; i < MANY; i++) {
        char *a = prepared + i * (LENGTH + 1), *b = usual + i * (LENGTH + 1);
        for (int bit = 0; bit < BITS; bit++) {
            a[bit] = (char)(a[bit] - (i >> bit & 1));
            a[bit + 57] = (char)(a[bit + 57] + 2 * (i >> bit & 1));
            b[bit] = (char)(b[bit] - (i >> bit & 1));
        }
        a[LENGTH] = b[LENGTH] = '\n';
    }
    prepared[MANY * (LENGTH + 1)] = usual[MANY * (LENGTH + 1)] = 0;
    const double seconds = seconds_to_train(usual);
    assert_true(seconds_to_train(prepared) < 10 * seconds + 0.2);
}

/* ---- Subwords ---- */

/* Two merges: ab occurs 5 times, abc 3 times. */
static const TokenizerRules SUBWORDS = {
    .kind = TOKENIZER_BPE, .min_count = 1, .vocabulary = 2 + 256 + 2};

TEST(subwords_are_bytes_and_merges)
{
    FREED_BY(tokenizer_free) Tokenizer t = train("abc abc\nabc\n\nab\nab\n", SUBWORDS);
    assert_int_equal(tokenizer_size(&t), 260);
    assert_true(t.bos == 0 && t.eos == 1 && t.unk == -1);
    assert_string_equal(tokenizer_word(&t, 0), "[bos]");
    assert_string_equal(tokenizer_word(&t, 2), "!");
    assert_string_equal(tokenizer_word(&t, 258), "ab");
    assert_string_equal(tokenizer_word(&t, 259), "abc");
    assert_int_equal(tokenizer_find(&t, "abc"), 259);
    assert_int_equal(tokenizer_find(&t, " abc"), -1);
    const int space = tokenizer_find(&t, " ");
    assert_string_equal(tokenizer_word(&t, space), " ");
    assert_string_equal(vocabulary_word(&t.vocabulary, space), "Ġ");
    assert_int_equal(tokenizer_find(&t, "\n"), tokenizer_find(&t, " ") - ' ' + '\n');
    assert_true(tokenizer_is_text(&t, 2) && !tokenizer_is_text(&t, 1) && !tokenizer_has_words(&t));
    assert_string_equal(tokenizer_unit(t.kind), "subword");
    assert_prompt(&t, "", "0");
    FREED char *wanted = format_text("0 259 %d 258", space);
    assert_prompt(&t, "abc ab", wanted);
    assert_wrong(&t, "ab[eos]", 7,
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FREED_BY(tokenizer_free)
        Tokenizer t = train(cases[i].text, (TokenizerRules){.kind = TOKENIZER_BPE,
                                                            .stream = cases[i].stream,
                                                            .min_count = cases[i].min_count,
                                                            .vocabulary = cases[i].vocabulary});
        assert_int_equal(tokenizer_size(&t), cases[i].wanted);
    }
}

/* A stream's tail that is held out makes no subwords; what is cut within a word loses that word. */
TEST(subwords_of_the_beginning_only)
{
    static const char text[] = "aab aab aab xyz xyz xyz xyz xyz";
    for (size_t bytes = 11; bytes <= 15; bytes++) {
        const TokenizerRules rules = {
            .kind = TOKENIZER_BPE, .stream = true, .vocabulary = 300, .bytes = bytes};
        FREED_BY(tokenizer_free) Tokenizer some = train(text, rules);
        FREED_BY(tokenizer_free)
        Tokenizer same =
            train("aab aab aab",
                  (TokenizerRules){.kind = TOKENIZER_BPE, .stream = true, .vocabulary = 300});
        const bool with_xyz = bytes == 15;
        assert_int_equal(tokenizer_checksum(&some, 0) == tokenizer_checksum(&same, 0), !with_xyz);
        assert_int_equal(vocabulary_find(&some.vocabulary, "xy", 2) >= 0, with_xyz);
    }
}

/* A text without spaces is cut between characters, not thrown away. */
TEST(subwords_of_a_text_without_spaces)
{
    char text[3001] = "";
    for (int i = 0; i < 500; i++)
        strcat(text, "日本");
    for (size_t bytes = 10; bytes < 2800; bytes += 93) {
        const size_t whole = bytes / 3 * 3;
        char same[3001] = "";
        memcpy(same, text, whole);
        const TokenizerRules all = {.kind = TOKENIZER_BPE, .stream = true, .vocabulary = 300};
        TokenizerRules some = all;
        some.bytes = bytes;
        FREED_BY(tokenizer_free) Tokenizer t = train(text, some), wanted = train(same, all);
        assert_true(tokenizer_checksum(&t, 0) == tokenizer_checksum(&wanted, 0));
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
        FREED_BY(tokenizer_free)
        Tokenizer t = literal_tokenizer("¿Qué come el perro? come", TOKENIZER_BPE, stream);
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
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
        FREED_BY(tokenizer_free) Tokenizer t = tokenizer_new();
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
