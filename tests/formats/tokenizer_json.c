/* Tokenizers are written as Transformers reads them, and those of others are read; what is not
 * supported is refused in one line. */
#include <cjson/cJSON.h>

#include "formats/huggingface/tokenizer_json.h"
#include "formats/json.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/test.h"
#include "text/encoder.h"

#define ADDED                                                                        \
    ",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false," \
    "\"special\":true}"
#define WORDS "{\"type\":\"WhitespaceSplit\"}"
#define RUNS "{\"type\":\"Whitespace\"}"
#define FRONT "{\"SpecialToken\":{\"id\":\"<s>\"}},"

/* Writes a tokenizer of Transformers, with this before a text. */
static void write_foreign(const char *folder, const char *splitter, const char *front)
{
    AUTOFREE char *json = format_text(
        "{\"added_tokens\":[{\"id\":4,\"content\":\"<s>\"" ADDED ",{\"id\":1,\"content\":"
        "\"<unk>\"" ADDED ",{\"id\":0,\"content\":\"<pad>\"" ADDED "],\"normalizer\":null,"
        "\"pre_tokenizer\":%s,\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[%s"
        "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"special_tokens\":{\"<s>\":{\"id\":\"<s>\","
        "\"ids\":[4],\"tokens\":[\"<s>\"]}}},\"model\":{\"type\":\"WordLevel\",\"vocab\":{"
        "\"perro\":3,\"<unk>\":1,\"el\":2,\"<pad>\":0},\"unk_token\":\"<unk>\"}}",
        splitter, front);
    free(scratch_write(folder, "tokenizer.json", json, strlen(json)));
}

static void assert_foreign(const Tokenizer *t, bool lines, Punctuation punctuation)
{
    const Vocabulary *v = &t->vocabulary;
    static const char *const words[] = {"<pad>", "<unk>", "el", "perro", "<s>"};
    assert_int_equal(v->count, 5);
    for (int id = 0; id < 5; id++) {
        assert_string_equal(vocabulary_word(v, id), words[id]);
        assert_int_equal(vocabulary_is_special(v, id), words[id][0] == '<');
    }
    assert_true(t->bos == (lines ? 4 : -1) && t->eos == 4 && t->unk == 1);
    assert_true(t->punctuation == punctuation && t->kind == TOKENIZER_WORD &&
                t->form == TEXT_COMPOSED && t->stream == !lines);
}

static Tokenizer read_from(const char *folder, int count, int eos, ObjectiveKind objective)
{
    return tokenizer_json_read(enter(folder), count, eos, objective);
}

/* Read, written as ours are, and read again: the same. */
TEST(a_tokenizer_from_elsewhere_is_read_and_written)
{
    for (int i = 0; i < 4; i++) {
        SCRATCH(folder);
        const Punctuation punctuation = i % 2 ? PUNCTUATION_IN_RUNS : PUNCTUATION_IN_WORDS;
        write_foreign(folder, i % 2 ? RUNS : WORDS, i / 2 ? FRONT : "");
        TOKENIZER first = read_from(folder, 5, 4, OBJECTIVE_NEXT);
        assert_foreign(&first, i / 2, punctuation);
        if (i / 2)
            ASSERT_DIES(read_from(folder, 5, -1, OBJECTIVE_NEXT), folder, "eos_token");
        assert_true(tokenizer_json_write(enter(folder), &first, 8));
        TOKENIZER again = read_from(folder, 5, -1, OBJECTIVE_NEXT);
        assert_foreign(&again, i / 2, punctuation);
    }
}

static void assert_ids(const Tokenizer *t, const char *text, const int *wanted, int count)
{
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", text, strlen(text));
    assert_null(e.wrong);
    assert_int_equal(e.count, count);
    assert_memory_equal(e.ids, wanted, (size_t)count * sizeof *wanted);
}

static void assert_wrong(const Tokenizer *t, const char *text, const char *said)
{
    FREED_BY(encoding_free) Encoding e = prompt_encode(t, "here", text, strlen(text));
    assert_string_equal(e.wrong, said);
}

/* Special tokens of any name, and a model that has one for what it does not know. */
TEST(prompts_are_read_with_special_tokens_of_any_name)
{
    SCRATCH(folder);
    write_foreign(folder, WORDS, FRONT);
    TOKENIZER t = read_from(folder, 5, 4, OBJECTIVE_NEXT);
    assert_ids(&t, "el perro, gato", (const int[]){4, 2, 1, 1}, 4);
    assert_wrong(&t, "el<s>",
                 "here: the text contains the reserved token <s>; put a space in it: < s>");
    assert_wrong(&t, "<pad>",
                 "here: the text contains the reserved token <pad>; put a space in it: < pad>");
}

/* What is written is what Transformers reads, to the byte. */
static void assert_written(const Tokenizer *t, const char *name, const char *wanted)
{
    SCRATCH(folder);
    assert_true(tokenizer_json_write(enter(folder), t, 8));
    cJSON *json = json_read(enter(folder), name);
    char *text = cJSON_PrintUnformatted(json);
    assert_string_equal(text, wanted);
    cJSON_free(text);
    cJSON_Delete(json);
}

TEST(files_are_written_as_transformers_reads_them)
{
    TOKENIZER t = literal_tokenizer("a b.", TOKENIZER_WORD, false);
    t.form = TEXT_LOWER;
    assert_written(
        &t, "tokenizer.json",
        "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":["
        "{\"id\":0,\"content\":\"[bos]\"" ADDED ",{\"id\":1,\"content\":\"[eos]\"" ADDED "],"
        "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},"
        "{\"type\":\"Lowercase\"}]},"
        "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":"
        "\"WhitespaceSplit\"},{\"type\":\"Punctuation\",\"behavior\":\"Isolated\"}]},"
        "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":"
        "{\"id\":\"[bos]\",\"type_id\":0}},{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],"
        "\"pair\":[{\"SpecialToken\":{\"id\":\"[bos]\",\"type_id\":0}},{\"Sequence\":{\"id\":"
        "\"A\",\"type_id\":0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}],\"special_tokens\":"
        "{\"[bos]\":{\"id\":\"[bos]\",\"ids\":[0],\"tokens\":[\"[bos]\"]}}},\"decoder\":null,"
        "\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"[bos]\":0,\"[eos]\":1,\"a\":2,"
        "\"b\":3,\".\":4},\"unk_token\":\"[unk]\"}}");
    assert_written(&t, "tokenizer_config.json",
                   "{\"tokenizer_class\":\"PreTrainedTokenizerFast\",\"bos_token\":\"[bos]\","
                   "\"eos_token\":\"[eos]\",\"pad_token\":\"[eos]\",\"model_max_length\":8}");
    TOKENIZER c = literal_tokenizer("ab", TOKENIZER_CHAR, true);
    assert_written(
        &c, "tokenizer.json",
        "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[],"
        "\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":"
        "{\"Regex\":\"[\\\\s\\\\S]\"},\"behavior\":\"Isolated\",\"invert\":false},"
        "\"post_processor\":null,\"decoder\":{\"type\":\"Fuse\"},\"model\":{\"type\":\"WordLevel\","
        "\"vocab\":{\"a\":0,\"b\":1},\"unk_token\":\"[unk]\"}}");
}

/* What a text and a pair of texts become there: the template. */
static void assert_template(const char *folder, const char *wanted)
{
    cJSON *json = json_read(enter(folder), "tokenizer.json");
    const cJSON *piece, *processor = cJSON_GetObjectItem(json, "post_processor");
    char text[200] = "", *put = text;
    for (int i = 0; i < 2; i++) {
        cJSON_ArrayForEach(piece, cJSON_GetObjectItem(processor, i ? "pair" : "single"))
        {
            const cJSON *special = cJSON_GetObjectItem(piece, "SpecialToken");
            const cJSON *of = special ? special : cJSON_GetObjectItem(piece, "Sequence");
            put += sprintf(put, "%s ", cJSON_GetStringValue(cJSON_GetObjectItem(of, "id")));
        }
        put += sprintf(put, "| ");
    }
    assert_string_equal(text, wanted);
    cJSON_Delete(json);
}

/* Pairs and gaps are written, and read again as the same. */
TEST(pairs_and_gaps_are_written_and_read)
{
    static const char *const wanted[][2] = {{"[bos] A [sep] | [bos] A [sep] B | ", "| | "},
                                            {"[bos] A [eos] | [bos] A [eos] B | ", "| | "}};
    for (ObjectiveKind objective = OBJECTIVE_PAIRS; objective <= OBJECTIVE_MASKED; objective++)
        for (TokenizerKind kind = TOKENIZER_WORD; kind <= TOKENIZER_BPE; kind++)
            for (int stream = 0; stream < 1 + (objective == OBJECTIVE_MASKED); stream++) {
                SCRATCH(folder);
                TOKENIZER t = literal_tokenizer_for(objective, kind, stream, "el perro\tthe dog\n");
                assert_true(tokenizer_json_write(enter(folder), &t, 8));
                assert_template(folder, wanted[objective - OBJECTIVE_PAIRS][stream]);
                const bool has_space = objective == OBJECTIVE_MASKED && kind == TOKENIZER_BPE;
                AUTOFREE Bytes file = file_read_in(enter(folder), "tokenizer.json", true);
                assert_int_equal(strstr(file.bytes, "\"lstrip\":true") != NULL, has_space);
                TOKENIZER again = read_from(folder, tokenizer_size(&t), t.eos, objective);
                assert_true(tokenizer_checksum(&again, 0) == tokenizer_checksum(&t, 0));
                assert_true(again.sep == t.sep && again.mask == t.mask && again.bos == t.bos &&
                            again.eos == t.eos && again.unk == t.unk);
            }
}

/* Fails unless a tokenizer is written, and then refused for an objective. */
static void assert_not_for(ObjectiveKind objective, const Tokenizer *t, const char *said)
{
    SCRATCH(folder);
    assert_true(tokenizer_json_write(enter(folder), t, 8));
    ASSERT_DIES(read_from(folder, tokenizer_size(t), -1, objective), folder, said);
}

/* A model whose objective says that there is a token which its tokenizer does not have. */
TEST(a_tokenizer_without_the_objectives_token_is_refused)
{
    for (int stream = 0; stream < 2; stream++) {
        TOKENIZER t = literal_tokenizer("a b", TOKENIZER_WORD, stream);
        assert_not_for(OBJECTIVE_PAIRS, &t, "its sep_token names 'nothing'");
        assert_not_for(OBJECTIVE_MASKED, &t, "its mask_token names 'nothing'");
    }
    TOKENIZER t = literal_tokenizer_for(OBJECTIVE_MASKED, TOKENIZER_WORD, true, "a b");
    t.sep = t.mask; /* a stream cannot be pairs */
    assert_not_for(OBJECTIVE_PAIRS, &t,
                   "its objective is pairs, but its post_processor puts no token first");
}

/* The token that separates or hides is named as a word of the text, or as a token of other use. */
static void check_use(ObjectiveKind objective, const char *part)
{
    TOKENIZER t = literal_tokenizer_for(objective, TOKENIZER_WORD, false, "el perro\tthe dog\n");
    int *own = objective == OBJECTIVE_PAIRS ? &t.sep : &t.mask;
    const int right = *own, wrong[] = {t.bos, t.eos, tokenizer_find(&t, "perro"), right};
    for (int i = 0; i < 4; i++) {
        *own = wrong[i];
        t.unk = i == 3 ? right : -1;
        AUTOFREE char *said = format_text("its %s is '%s', but it must be one of the added_tokens",
                                          part, tokenizer_word(&t, wrong[i]));
        assert_not_for(objective, &t, said);
    }
}

TEST(an_objectives_token_has_no_other_use)
{
    check_use(OBJECTIVE_PAIRS, "sep_token");
    check_use(OBJECTIVE_MASKED, "mask_token");
}

static const char T[] = "tokenizer.json", U[] = "tokenizer_config.json";

/* The value of a member is changed. */
#define VALUE(name, from, to, said)                       \
    {                                                     \
        T, "\"" name "\":" from, "\"" name "\":" to, said \
    }

static const Edit OF_TOKENIZER[] = {
    {T, "\"WordLevel\"", "\"Unigram\"", "is a Unigram tokenizer"},
    {T, "\"WordLevel\"", "\"BPE\"", "pre_tokenizer is"},
    {T, "\"WordLevel\"", "3", "nameless"},
    {T, "\"vocab\":{", "\"x\":{", "vocab is missing"},
    VALUE("vocab", "{", "[],\"x\":{", "vocab is []"),
    VALUE("el", "2", "3", "two words have the id"),
    VALUE("el", "2", "10", "'el' has the id 10"),
    VALUE("el", "2", "-1", "no id for 'el'"),
    VALUE("el", "2", "1.5", "no id for 'el'"),
    VALUE("el", "2", "\"2\"", "no id for 'el'"),
    VALUE("el", "2", "1e99", "no id for 'el'"),
    {T, "\"el\":2", "\"perro\":2", "two ids for"},
    {T, "\"el\":2,", "", "no word for the id 2"},
    VALUE("el", "2,", "2,\"el\":2,", NULL), /* which changes nothing */
    {T, "\"el\":2", "\"e\xFF\":2", "is not UTF-8"},
    {T, "\"el\":2", "\"e\\\\u0000\":2", NULL}, /* a backslash and u0000 */
    VALUE("content", "\"[bos]\"", "\"<s>\"", "two words have the id"),
    VALUE("content", "\"[bos]\"", "7", "added token"),
    VALUE("special", "true", "false", "special"),
    VALUE("normalized", "false", "true", "normalized"),
    {T, "\"?\":9", "\"x\":10", "'x' has the id 10"},
    {T, "\"added_tokens\":[", "\"added_tokens\":[{\"id\":10,\"content\":\"<x>\"" ADDED ",",
     "'<x>' has the id 10"},
    {T, "{\"type\":\"NFC\"}", "null", NULL},
    {T, "{\"type\":\"NFC\"}", "{\"type\":\"Lowercase\"}", NULL},
    {T, "{\"type\":\"NFC\"}", "{\"type\":\"NFKC\"}", "normalizer is {\"type\":\"NFKC\"}"},
    {T, "{\"type\":\"NFC\"}",
     "{\"type\":\"Sequence\",\"normalizers\":"
     "[{\"type\":\"Lowercase\"},{\"type\":\"StripAccents\"}]}",
     "StripAccents"},
    {T, "{\"type\":\"NFC\"}", "{\"type\":\"Sequence\"}", "normalizer"},
    {T, "{\"type\":\"NFC\"}", "\"NFC\"", "normalizer"},
    {T, "\"Isolated\"", "\"Removed\"", "pre_tokenizer is"},
    VALUE("pre_tokenizer", "{", "null,\"x\":{", "pre_tokenizer is null"),
    VALUE("pre_tokenizer", "{", "{\"type\":\"ByteLevel\"},\"x\":{", "ByteLevel"),
    VALUE("pre_tokenizer", "{", "{\"type\":\"Whitespace\"},\"x\":{", NULL),
    VALUE("pre_tokenizer", "{", "{\"type\":\"WhitespaceSplit\"},\"x\":{", NULL),
    VALUE("post_processor", "{", "null,\"x\":{", NULL),
    {T, "\"TemplateProcessing\"", "\"BertProcessing\"", "post_processor"},
    VALUE("single", "[", "[{\"SpecialToken\":{\"id\":\"[bos]\"}},", "post_processor"),
    VALUE("single", "[", "[],\"x\":[", "post_processor"),
    VALUE("single", "[", "[{\"Sequence\":{\"id\":\"B\"}}],\"x\":[", "post_processor"),
    VALUE("single", "[", "[{\"Sequence\":{\"id\":\"A\"}}],\"x\":[", NULL),
    VALUE("tokens", "[\"[bos]\"]", "[\"[cls]\"]", "'[cls]'"),
    VALUE("tokens", "[\"[bos]\"]", "[]", "post_processor"),
    {T, "\"unk_token\"", "\"x\"", NULL},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":{\"content\":\"[eos]\"}", NULL},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":\"[bos]\"", NULL},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":\"<e>\"", "eos_token names '<e>'"},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":3", NULL}, /* then config.json says it */
    {U, "{", "{\"add_bos_token\":false,", "add_bos_token"},
    {U, "{", "{\"add_bos_token\":true,", NULL},
};

TEST(what_is_not_supported_is_named)
{
    EDITS(OF_TOKENIZER, PLAIN);
}

/* ---- Subwords ---- */

static const Edit OF_SUBWORDS[] = {
    {T, "\"type\":\"BPE\",", "", NULL},
    {T, "[\"c\",\"o\"]", "\"c o\"", NULL},
    {T, "[\"c\",\"o\"]", "\"c  o\"", "a merge is \"c  o\"; supported is a pair"},
    {T, "[\"c\",\"o\"]", "\"co\"", "a merge is \"co\""},
    {T, "[\"c\",\"o\"]", "[\"c\"]", "a merge is"},
    {T, "[\"c\",\"o\"]", "[\"c\",\"o\",\"m\"]", "a merge is"},
    {T, "[\"c\",\"o\"]", "[\"c\",3]", "a merge is"},
    {T, "[\"c\",\"o\"]", "[\"c o\",\"o\"]", "a merge is"},
    {T, "[\"c\",\"o\"]", "7", "a merge is 7"},
    {T, "[\"c\",\"o\"]", "[\"c\",\"日\"]", "merge 1 has the part '日', which is not in"},
    {T, "[\"c\",\"o\"]", "[\"c\",\"u\"]", "merge 1 makes 'cu', which is not in"},
    /* A part that is made later, or never, is a token all the same. */
    {T, "[\"c\",\"o\"]", "[\"Ġ\",\"co\"],[\"c\",\"o\"]", NULL},
    {T, "[\"c\",\"o\"],", "", NULL},
    {T, "[\"c\",\"o\"]", "[\"c\",\"o\"],[\"c\",\"o\"]", NULL},
    VALUE("merges", "[", "[],\"x\":[", NULL),
    VALUE("merges", "[", "{},\"x\":[", "merges is {}"),
    {T, "\"merges\"", "\"x\"", "merges is missing"},
    {T, "\"co\":258", "\"xx\":258", "merge 1 makes 'co'"},
    {T, "\"co\":258", "\"co\":2000", "'co' has the id 2000, but config.json's vocab_size is"},
    {T, "\"co\":258,", "", "no word for the id 258"},
    {T, "\"co\":258", "\"co\":259", "two words have the id"},
    {T, "\"!\":2", "\"!!\":2", "lacks the byte 0x21"},
    VALUE("dropout", "null", "0.1", "dropout is 0.1"),
    VALUE("dropout", "null", "0", NULL),
    VALUE("continuing_subword_prefix", "null", "\"\"", NULL),
    VALUE("continuing_subword_prefix", "null", "\"##\"", "continuing_subword_prefix is"),
    VALUE("end_of_word_suffix", "null", "\"</w>\"", "end_of_word_suffix is"),
    VALUE("ignore_merges", "false", "true", NULL),
    VALUE("unk_token", "null", "\"\"", NULL),
    VALUE("use_regex", "true", "false", "pre_tokenizer is"),
    VALUE("add_prefix_space", "false", "true", "pre_tokenizer is"),
    {T, "\"add_prefix_space\":false,", "", "pre_tokenizer is"},
    {T, ",\"use_regex\":true", "", NULL},
    VALUE("pre_tokenizer", "{", "{\"type\":\"Whitespace\"},\"x\":{", "pre_tokenizer is"),
    VALUE("decoder", "{", "null,\"x\":{", "decoder is null"),
    VALUE("post_processor", "{", "{\"type\":\"ByteLevel\"},\"x\":{", NULL), /* a stream */
};

TEST(what_is_wrong_with_subwords_is_named)
{
    Kind kind = PLAIN;
    kind.tokens = TOKENIZER_BPE;
    EDITS(OF_SUBWORDS, kind);
}

/* A vocabulary with hug and " hug" as JSON, {"!":0,"\"":1,...}, with <|endoftext|> after its
 * tokens; their number. */
static char *words_of_gpt2(int *count)
{
    TOKENIZER t = literal_tokenizer("hug hug hug hugs pug", TOKENIZER_BPE, true);
    cJSON *words = cJSON_CreateObject();
    *count = tokenizer_size(&t) + 1;
    for (int id = 0; id < *count - 1; id++)
        cJSON_AddNumberToObject(words, vocabulary_word(&t.vocabulary, id), id);
    cJSON_AddNumberToObject(words, "<|endoftext|>", *count - 1);
    char *text = cJSON_PrintUnformatted(words);
    cJSON_Delete(words);
    return text;
}

/* The tokenizer of this folder has hug with a space before it and without. */
static void assert_hugs(const char *folder, int count)
{
    TOKENIZER t = read_from(folder, count, count - 1, OBJECTIVE_NEXT);
    assert_true(t.kind == TOKENIZER_BPE && t.stream && t.bos == -1 && t.eos == count - 1 &&
                t.unk == -1);
    const int hug = tokenizer_find(&t, "hug"), space_hug = tokenizer_find(&t, " hug");
    assert_ids(&t, "hug hugs", (const int[]){hug, space_hug, tokenizer_find(&t, "s")}, 3);
    assert_ids(&t, "hug<|endoftext|>hug", (const int[]){hug, t.eos, hug}, 3);
}

/* As GPT-2's: no type, merges as strings, one special token at the end, nothing put before a
 * text. */
TEST(a_file_like_that_of_gpt2_is_read)
{
    int count;
    AUTOFREE char *words = words_of_gpt2(&count);
    AUTOFREE char *json = format_text(
        "{\"version\":\"1.0\",\"added_tokens\":[{\"id\":%d,\"content\":\"<|endoftext|>\"" ADDED
        "],\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":"
        "false,\"trim_offsets\":true},\"post_processor\":{\"type\":\"ByteLevel\","
        "\"add_prefix_space\":true,\"trim_offsets\":false},\"decoder\":{\"type\":\"ByteLevel\","
        "\"add_prefix_space\":true,\"trim_offsets\":true},\"model\":{\"dropout\":null,"
        "\"unk_token\":\"\",\"continuing_subword_prefix\":\"\",\"end_of_word_suffix\":\"\","
        "\"fuse_unk\":false,\"vocab\":%s,\"merges\":[\"u g\",\"h ug\",\"Ġ hug\"]}}",
        count - 1, words);
    SCRATCH(folder);
    free(scratch_write(folder, T, json, strlen(json)));
    assert_hugs(folder, count);
}

/* And as its two older files, vocab.json and merges.txt. */
TEST(two_files_like_those_of_gpt2_are_read)
{
    int count;
    AUTOFREE char *words = words_of_gpt2(&count);
    SCRATCH(folder);
    static const char merges[] = "#version: 0.2\nu g\nh ug\nĠ hug\n";
    free(scratch_write(folder, "vocab.json", words, strlen(words)));
    ASSERT_DIES(read_from(folder, count, -1, OBJECTIVE_NEXT), "merges.txt");
    free(scratch_write(folder, "merges.txt", merges, strlen(merges)));
    assert_hugs(folder, count);
    ASSERT_DIES(read_from(folder, count - 1, -1, OBJECTIVE_NEXT),
                "vocab.json: '<|endoftext|>' has the id");
    static const char *const wrong[][2] = {
        {"u g\n\nh ug\n", "merges.txt: a merge is \"\"; supported is a pair"},
        {"u g h\n", "merges.txt: a merge is \"u g h\""},
        {"u x\n", "merges.txt is damaged: merge 1 makes 'ux'"},
        {"# u\n", "merges.txt is damaged: merge 1 makes '#u'"}, /* no comment */
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        free(scratch_write(folder, "merges.txt", wrong[i][0], strlen(wrong[i][0])));
        ASSERT_DIES(read_from(folder, count, -1, OBJECTIVE_NEXT), wrong[i][1]);
    }
}

/* ---- Later models ---- */

#define BYTES(regex) "{\"type\":\"ByteLevel\",\"add_prefix_space\":false," regex "}"
#define SEQUENCE(first, regex) \
    "{\"type\":\"Sequence\",\"pretokenizers\":[" first "," BYTES(regex) "]}"
#define SPLIT(numbers, behavior)                                                               \
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n"   \
    "\\\\p{L}\\\\p{N}]?\\\\p{L}+|" numbers "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[" \
    "\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\"},\"behavior\":\"" behavior "\",\"invert\":false}"
#define DIGITS "{\"type\":\"Digits\",\"individual_digits\":true}"
#define NO_REGEX "\"use_regex\":false"
#define QWEN SEQUENCE(SPLIT("\\\\p{N}", "Isolated"), NO_REGEX)
#define LLAMA SEQUENCE(SPLIT("\\\\p{N}{1,3}", "Isolated"), NO_REGEX)
#define TEMPLATE                                                                                \
    "{\"type\":\"Sequence\",\"processors\":[{\"type\":\"ByteLevel\"},{\"type\":"                \
    "\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"<b>\",\"type_id\":0}},"     \
    "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"special_tokens\":{\"<b>\":{\"id\":\"<b>\"," \
    "\"ids\":[%d],\"tokens\":[\"<b>\"]}}}]}"

/* What a later model has besides the words of words_of_gpt2(): after them <b>, <e>, <tool>, which
 * is text, and <tool>!, in which these members are changed. */
typedef struct {
    const char *splitter, *normalizer, *members, *ignore_merges;
    bool template;
} Later;

/* Writes it; returns how many words there are before <b>. */
static int write_later(const char *folder, Later kind)
{
    int count;
    AUTOFREE char *words = words_of_gpt2(&count);
    AUTOFREE char *template = format_text(kind.template ? TEMPLATE : "null", count);
    AUTOFREE char *json = format_text(
        "{\"added_tokens\":[{\"id\":%d,\"content\":\"<b>\"" ADDED ",{\"id\":%d,\"content\":"
        "\"<e>\"" ADDED ",{\"id\":%d,\"content\":\"<tool>\",\"special\":false},{\"id\":%d,"
        "\"content\":\"<tool>!\"%s,\"special\":true}],\"normalizer\":%s,\"pre_tokenizer\":%s,"
        "\"post_processor\":%s,\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\","
        "\"ignore_merges\":%s,\"vocab\":%s,\"merges\":[[\"u\",\"g\"],[\"h\",\"ug\"]]}}",
        count, count + 1, count + 2, count + 3, kind.members ? kind.members : "",
        kind.normalizer ? kind.normalizer : "null", kind.splitter, template,
        kind.ignore_merges ? kind.ignore_merges : "false", words);
    free(scratch_write(folder, T, json, strlen(json)));
    static const char config[] = "{\"eos_token\":\"<e>\"}";
    free(scratch_write(folder, U, config, strlen(config)));
    return count;
}

/* Each kind is read, and written so that it is read as the same. */
TEST(later_models_are_read_and_written)
{
    static const struct {
        Later kind;
        WordPattern pattern;
        TextForm form;
    } kinds[] = {
        {{.splitter = SEQUENCE(DIGITS, "\"use_regex\":true")}, PATTERN_DIGITS, TEXT_AS_IS},
        {{.splitter = SEQUENCE(DIGITS, "\"trim_offsets\":false")}, PATTERN_DIGITS, TEXT_AS_IS},
        {{.splitter = QWEN, .normalizer = "{\"type\":\"NFC\"}"}, PATTERN_QWEN, TEXT_COMPOSED},
        {{.splitter = LLAMA, .ignore_merges = "true", .template = true}, PATTERN_LLAMA, TEXT_AS_IS},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        SCRATCH(folder);
        const int count = write_later(folder, kinds[i].kind);
        const bool lines = kinds[i].kind.template;
        TOKENIZER t = read_from(folder, count + 4, -1, OBJECTIVE_NEXT);
        assert_true(t.kind == TOKENIZER_BPE && t.pattern == kinds[i].pattern &&
                    t.form == kinds[i].form && t.ignore_merges == lines && t.stream == !lines &&
                    t.bos == (lines ? count : -1) && t.eos == count + 1);
        assert_int_equal(tokenizer_chunks(&t), i >= 2 ? CUT_LINES : CUT_NOWHERE);
        assert_true(tokenizer_json_write(enter(folder), &t, 8));
        AUTOFREE Bytes file = file_read_in(enter(folder), T, true);
        const char *not_special = strstr(file.bytes, "\"special\":false");
        assert_non_null(not_special);
        assert_null(strstr(not_special + 1, "\"special\":false"));
        TOKENIZER again = read_from(folder, count + 4, -1, OBJECTIVE_NEXT);
        assert_true(tokenizer_checksum(&again, 0) == tokenizer_checksum(&t, 0));
        assert_memory_equal(again.vocabulary.kinds, t.vocabulary.kinds,
                            (size_t)(count + 4) * sizeof *t.vocabulary.kinds);
    }
}

/* They are whole tokens wherever they stand: the longest one, and text as they are written. */
TEST(added_tokens_are_cut_out_whole)
{
    SCRATCH(folder);
    const int count = write_later(folder, (Later){.splitter = QWEN});
    TOKENIZER t = read_from(folder, count + 4, -1, OBJECTIVE_NEXT);
    const int hug = tokenizer_find(&t, "hug"), s = tokenizer_find(&t, "s"), b = count,
              tool = count + 2;
    assert_ids(&t, "hug<tool>s<tool>!<b><e>hug",
               (const int[]){hug, tool, s, tool + 1, b, count + 1, hug}, 7);
    AUTOFREE char *text = tokenizer_decode(&t, (const int[]){hug, tool, b, s}, 4);
    assert_string_equal(text, "hug<tool><b>s");
    for (int id = 0; id < count + 4; id++) { /* <e> ends a text */
        assert_int_equal(tokenizer_is_text(&t, id), id != count + 1);
        assert_int_equal(tokenizer_is_part(&t, id), id < count);
    }
}

/* By lines, those that begin and end a line may not be in it. */
TEST(a_template_begins_lines)
{
    SCRATCH(folder);
    const int count = write_later(folder, (Later){.splitter = LLAMA, .template = true});
    TOKENIZER t = read_from(folder, count + 4, -1, OBJECTIVE_NEXT);
    const int hug = tokenizer_find(&t, "hug");
    assert_ids(&t, "hug<tool>", (const int[]){count, hug, count + 2}, 3);
    assert_wrong(&t, "<b>",
                 "here: the text contains the reserved token <b>; put a space in it: < b>");
    assert_wrong(&t, "<e>",
                 "here: the text contains the reserved token <e>; put a space in it: < e>");
}

/* No merge makes " hug", but it is a token. */
TEST(a_word_that_is_a_token_is_not_merged)
{
    for (int i = 0; i < 2; i++) {
        SCRATCH(folder);
        const int count =
            write_later(folder, (Later){.splitter = LLAMA, .ignore_merges = i ? "true" : "false"});
        TOKENIZER t = read_from(folder, count + 4, -1, OBJECTIVE_NEXT);
        const int hug = tokenizer_find(&t, "hug"), space = tokenizer_find(&t, " "),
                  space_hug = tokenizer_find(&t, " hug"), merged[] = {hug, space, hug};
        assert_ids(&t, "hug hug", i ? (const int[]){hug, space_hug} : merged, i ? 2 : 3);
    }
}

/* A model may have more ids than its tokenizer has words; they are not written. */
TEST(ids_without_a_word_are_not_used)
{
    SCRATCH(folder);
    const int count = write_later(folder, (Later){.splitter = QWEN});
    for (int i = 0; i < 2; i++) {
        TOKENIZER t = read_from(folder, count + 9, -1, OBJECTIVE_NEXT);
        assert_int_equal(tokenizer_size(&t), count + 9);
        for (int id = count + 4; id < count + 9; id++)
            assert_false(tokenizer_is_text(&t, id));
        AUTOFREE char *name = format_text("[PAD%d]", count + 4);
        FREED_BY(encoding_free) Encoding e = prompt_encode(&t, "here", name, strlen(name));
        assert_true(!e.wrong && e.count > 1);
        assert_true(tokenizer_json_write(enter(folder), &t, 8));
        AUTOFREE Bytes file = file_read_in(enter(folder), T, true);
        assert_null(strstr(file.bytes, "[PAD"));
    }
}

TEST(other_patterns_and_tokens_are_refused)
{
    static const struct {
        Later kind;
        const char *said;
    } cases[] = {
        {{.splitter = SEQUENCE(SPLIT("\\\\p{N}{1,2}", "Isolated"), NO_REGEX)}, "\\\\p{N}{1,2}| ?["},
        {{.splitter = SEQUENCE(SPLIT("\\\\p{N}", "Removed"), NO_REGEX)}, "pre_tokenizer is"},
        {{.splitter = SEQUENCE(SPLIT("\\\\p{N}", "Isolated"), "\"use_regex\":true")},
         "pre_tokenizer is"},
        {{.splitter = BYTES(NO_REGEX)}, "pre_tokenizer is"},
        {{.splitter =
              SEQUENCE("{\"type\":\"Digits\",\"individual_digits\":false}", "\"use_regex\":true")},
         "pre_tokenizer is {\"type\":\"Sequence\""},
        {{.splitter = "{\"type\":\"Sequence\",\"pretokenizers\":[]}"}, "pre_tokenizer is"},
        {{.splitter = "{\"type\":\"Sequence\",\"pretokenizers\":[\"ByteLevel\"]}"},
         "pre_tokenizer is"},
        {{.splitter = QWEN, .members = ",\"lstrip\":true"}, "added token is {"},
        {{.splitter = QWEN, .members = ",\"rstrip\":true"}, "added token is {"},
        {{.splitter = QWEN, .members = ",\"single_word\":true"}, "added token is {"},
        {{.splitter = QWEN, .members = ",\"normalized\":true"}, "added token is {"},
        {{.splitter = QWEN, .normalizer = "{\"type\":\"NFKC\"}"}, "normalizer is"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCRATCH(folder);
        const int count = write_later(folder, cases[i].kind);
        ASSERT_DIES(read_from(folder, count + 4, -1, OBJECTIVE_NEXT), cases[i].said);
    }
    SCRATCH(folder);
    const int count = write_later(folder, (Later){.splitter = QWEN});
    const Bytes file = file_read_in(enter(folder), T, true);
    memcpy(strstr(file.bytes, "<tool>"), "<t ol>", 6);
    free(scratch_write(folder, T, file.bytes, file.size));
    free(file.bytes);
    ASSERT_DIES(read_from(folder, count + 4, -1, OBJECTIVE_NEXT), "one without spaces");
}
