/* tokenizer_json.c: each way in which text/tokenizer reads a text has one form in tokenizer.json.
 * That form is written, and is recognised with its members in any order; anything else is refused
 * by name. For a model of words that reads by lines, the parts that are read are:
 *
 *     "added_tokens":   [{"id": 0, "content": "[bos]", "special": true, "normalized": false, ...},
 *                        {"id": 1, "content": "[eos]", "special": true, "normalized": false, ...}]
 *     "normalizer":     {"type": "NFC"}
 *     "pre_tokenizer":  {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, ...]}
 *     "post_processor": {"type": "TemplateProcessing", "single": [[bos], A], ...}
 *     "model":          {"type": "WordLevel", "vocab": {"[bos]": 0, "[eos]": 1, "un": 2, ...}}
 *
 * For subwords they are:
 *
 *     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true, ...}
 *     "decoder":       {"type": "ByteLevel", ...}
 *     "model":         {"type": "BPE", "merges": [["u", "n"], ["Ġ", "g"], ...], ...}
 *
 * Older files write a merge as "Ġ g", and GPT-2's has no type. Added tokens of subwords are cut out
 * of a text whole, and need not be special. */
#include "tokenizer_json.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/utf8.h"
#include "formats/json.h"

/* The pre-tokenizer and the decoder of subwords: with GPT-2's pattern, or without a pattern. Every
 * member is written: what is chosen for one that is missing differs between programs. */
#define BYTES(regex)                                                                  \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_" \
    "regex\":" regex "}"
#define BYTE_LEVEL BYTES("true")

/* One that cuts the text before the bytes are taken, and a pattern for it. */
#define BEFORE_BYTES(first, regex) \
    "{\"type\":\"Sequence\",\"pretokenizers\":[" first "," BYTES(regex) "]}"
#define SPLIT_AT(numbers)                                                                      \
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|"               \
    "[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|" numbers                                         \
    "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\"}," \
    "\"behavior\":\"Isolated\",\"invert\":false}"

/* The patterns of subwords (text/subwords/bpe.h). */
static const char *const PATTERNS[] = {
    [PATTERN_GPT2] = BYTE_LEVEL,
    [PATTERN_DIGITS] = BEFORE_BYTES("{\"type\":\"Digits\",\"individual_digits\":true}", "true"),
    [PATTERN_QWEN] = BEFORE_BYTES(SPLIT_AT("\\\\p{N}"), "false"),
    [PATTERN_LLAMA] = BEFORE_BYTES(SPLIT_AT("\\\\p{N}{1,3}"), "false"),
};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof *PATTERNS };

/* The ways of splitting a text (text/words/split.h), as pre-tokenizers: words with each punctuation
 * mark a token by itself; characters; words as they stand between spaces; and words and runs of
 * punctuation. */
static const struct {
    TokenizerKind kind;
    Punctuation punctuation;
    const char *json;
} SPLITTERS[] = {
    {TOKENIZER_WORD, PUNCTUATION_ALONE,
     "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"WhitespaceSplit\"},"
     "{\"type\":\"Punctuation\",\"behavior\":\"Isolated\"}]}"},
    {TOKENIZER_CHAR, PUNCTUATION_ALONE,
     "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[\\\\s\\\\S]\"},"
     "\"behavior\":\"Isolated\",\"invert\":false}"},
    {TOKENIZER_WORD, PUNCTUATION_IN_WORDS, "{\"type\":\"WhitespaceSplit\"}"},
    {TOKENIZER_WORD, PUNCTUATION_IN_RUNS, "{\"type\":\"Whitespace\"}"},
};
enum { SPLITTER_COUNT = sizeof SPLITTERS / sizeof *SPLITTERS };

/* ---- Writing ---- */

/* A word as a JSON string, "un"; the caller frees it. */
static char *quoted(const char *word)
{
    cJSON *string = cJSON_CreateStringReference(word);
    char *text = cJSON_PrintUnformatted(string);
    cJSON_Delete(string);
    return text;
}

/* What the printed JSON has as it stands here; frees it. */
static cJSON *raw(char *text)
{
    cJSON *item = cJSON_CreateRaw(text);
    free(text);
    return item;
}

/* An added token. Transformers finds it in a text before the text is split, and can leave it out of
 * what it decodes. A hidden subword has the space before it. */
static void put_added(cJSON *list, const Tokenizer *t, int id)
{
    char *content = quoted(vocabulary_word(&t->vocabulary, id));
    const bool has_space = id == t->mask && t->kind == TOKENIZER_BPE;
    cJSON_AddItemToArray(
        list, raw(format_text("{\"id\":%d,\"content\":%s,\"single_word\":false,\"lstrip\":%s,"
                              "\"rstrip\":false,\"normalized\":false,\"special\":%s}",
                              id, content, has_space ? "true" : "false",
                              t->vocabulary.kinds[id] == WORD_ADDED ? "false" : "true")));
    free(content);
}

/* The tokenizer's way of splitting, as JSON. */
static const char *splitter_of(const Tokenizer *t)
{
    if (t->kind == TOKENIZER_BPE)
        return PATTERNS[t->pattern];
    for (int i = 0; i < SPLITTER_COUNT; i++)
        if (SPLITTERS[i].kind == t->kind && SPLITTERS[i].punctuation == t->punctuation)
            return SPLITTERS[i].json;
    abort(); /* a way of splitting that is not listed */
}

/* Appends a special token to the pieces of a template, and to what that says of such tokens. */
static void put_piece(char **pieces, cJSON *about, const Tokenizer *t, int id)
{
    const char *word = tokenizer_word(t, id);
    char *name = quoted(word);
    extend_text(pieces, "%s{\"SpecialToken\":{\"id\":%s,\"type_id\":0}}", *pieces ? "," : "", name);
    cJSON_AddItemToObject(
        about, word, raw(format_text("{\"id\":%s,\"ids\":[%d],\"tokens\":[%s]}", name, id, name)));
    free(name);
}

/* The template that puts [bos] before a text, called A, or before a pair of texts, A and B; and a
 * token after A: [sep] after the source of a pair, and [eos] after a text whose tokens are hidden,
 * which is always whole. A stream has none, nor has ChatML. */
static void put_template(cJSON *json, const Tokenizer *t)
{
    if (t->bos < 0 || t->opening) {
        cJSON_AddNullToObject(json, "post_processor");
        return;
    }
    const int last = t->objective == OBJECTIVE_MASKED ? t->eos : t->sep;
    char *pieces = NULL;
    cJSON *processor = cJSON_AddObjectToObject(json, "post_processor");
    cJSON *about = cJSON_CreateObject();
    put_piece(&pieces, about, t, t->bos);
    extend_text(&pieces, ",{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}");
    if (last >= 0)
        put_piece(&pieces, about, t, last);
    cJSON_AddStringToObject(processor, "type", "TemplateProcessing");
    cJSON_AddItemToObject(processor, "single", raw(format_text("[%s]", pieces)));
    cJSON_AddItemToObject(
        processor, "pair",
        raw(format_text("[%s,{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}]", pieces)));
    cJSON_AddItemToObject(processor, "special_tokens", about);
    free(pieces);
}

static void put_model(cJSON *model, const Tokenizer *t)
{
    static const char *const none[] = {"dropout", "unk_token", "continuing_subword_prefix",
                                       "end_of_word_suffix"};
    static const char *const off[] = {"fuse_unk", "byte_fallback"};
    const Vocabulary *v = &t->vocabulary;
    const bool subwords = t->kind == TOKENIZER_BPE;
    cJSON_AddStringToObject(model, "type", subwords ? "BPE" : "WordLevel");
    for (size_t i = 0; subwords && i < sizeof none / sizeof *none; i++)
        cJSON_AddNullToObject(model, none[i]);
    for (size_t i = 0; subwords && i < sizeof off / sizeof *off; i++)
        cJSON_AddFalseToObject(model, off[i]);
    if (subwords)
        cJSON_AddBoolToObject(model, "ignore_merges", t->ignore_merges);
    cJSON *words = cJSON_AddObjectToObject(model, "vocab");
    for (int id = 0; id < v->count; id++)
        if (v->kinds[id] != WORD_UNUSED)
            cJSON_AddNumberToObject(words, vocabulary_word(v, id), id);
    if (!subwords) { /* even if there is none: then Transformers also refuses an unknown word */
        const char *unk = t->unk < 0 ? "[unk]" : vocabulary_word(v, t->unk);
        cJSON_AddStringToObject(model, "unk_token", unk);
        return;
    }
    cJSON *merges = cJSON_AddArrayToObject(model, "merges");
    for (ptrdiff_t i = 0; i < arrlen(t->merges); i++) {
        const char *pair[] = {vocabulary_word(v, t->merges[i].left),
                              vocabulary_word(v, t->merges[i].right)};
        cJSON_AddItemToArray(merges, cJSON_CreateStringArray(pair, 2));
    }
}

static const char *const NORMALIZERS[] = {
    [TEXT_COMPOSED] = "{\"type\":\"NFC\"}",
    [TEXT_LOWER] = ("{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},"
                    "{\"type\":\"Lowercase\"}]}"),
    [TEXT_AS_IS] = "null",
};

/* All of tokenizer.json. */
static cJSON *tokenizer_json(const Tokenizer *t)
{
    const Vocabulary *v = &t->vocabulary;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "version", "1.0");
    cJSON_AddNullToObject(json, "truncation");
    cJSON_AddNullToObject(json, "padding");
    cJSON *added = cJSON_AddArrayToObject(json, "added_tokens");
    for (int id = 0; id < v->count; id++)
        if (v->kinds[id] != WORD_PLAIN && v->kinds[id] != WORD_UNUSED)
            put_added(added, t, id);
    cJSON_AddRawToObject(json, "normalizer", NORMALIZERS[t->form]);
    cJSON_AddRawToObject(json, "pre_tokenizer", splitter_of(t));
    put_template(json, t);
    /* How tokens become a text again, if not as words with spaces between them. */
    cJSON_AddRawToObject(json, "decoder",
                         t->kind == TOKENIZER_BPE    ? BYTE_LEVEL
                         : t->kind == TOKENIZER_CHAR ? "{\"type\":\"Fuse\"}"
                                                     : "null");
    put_model(cJSON_AddObjectToObject(json, "model"), t);
    return json;
}

/* How Transformers writes a conversation for a model of turns, in Jinja. */
static const char TURNS[] =
    "{% for m in messages %}{% if m['role'] == 'user' %}{% if loop.first %}[bos]{% endif %}"
    "{{ m['content'] }}[sep]{% else %}{{ m['content'] }}[eos]{% endif %}{% endfor %}";
static const char CHATML[] =
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' "
    "}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/* All of tokenizer_config.json: which class of Transformers reads the tokenizer, and which of its
 * tokens are special. For batches of several texts Transformers needs a token to pad them with. A
 * run has none of its own, so [eos] is named. */
static cJSON *tokenizer_config_json(const Tokenizer *t, int context)
{
    const Vocabulary *v = &t->vocabulary;
    cJSON *json = cJSON_CreateObject();
    const struct {
        const char *name;
        int id;
    } tokens[] = {{"bos_token", t->bos},
                  {"eos_token", t->eos},
                  {"pad_token", t->eos},
                  {"unk_token", t->unk},
                  {"sep_token", t->opening ? -1 : t->sep},
                  {"mask_token", t->mask}};
    cJSON_AddStringToObject(json, "tokenizer_class", "PreTrainedTokenizerFast");
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        if (tokens[i].id >= 0)
            cJSON_AddStringToObject(json, tokens[i].name, vocabulary_word(v, tokens[i].id));
    const char *template = t->objective != OBJECTIVE_TURNS ? t->template
                           : t->opening                    ? CHATML
                                                           : TURNS;
    if (template)
        cJSON_AddStringToObject(json, "chat_template", template);
    if (t->kind == TOKENIZER_BPE) /* else decoding takes away spaces before punctuation */
        cJSON_AddFalseToObject(json, "clean_up_tokenization_spaces");
    cJSON_AddNumberToObject(json, "model_max_length", context);
    return json;
}

bool tokenizer_json_write(const Directory *directory, const Tokenizer *tokenizer, int context)
{
    return json_write(directory, "tokenizer.json", tokenizer_json(tokenizer)) &&
           json_write(directory, "tokenizer_config.json",
                      tokenizer_config_json(tokenizer, context));
}

/* ---- Reading: the words ---- */

/* Whether a member of an object is this string. */
static bool has(const cJSON *object, const char *member, const char *wanted)
{
    const char *text = json_text(object, member);
    return text && !strcmp(text, wanted);
}

/* Whether a model is one of subwords. */
static bool is_bpe(const cJSON *model)
{
    return has(model, "type", "BPE") || (!json_get(model, "type") && json_get(model, "merges"));
}

/* Dies naming the word that is wrong. */
static _Noreturn void damaged(const char *file, const char *what, const char *word)
{
    die("%s is damaged: %s '%.100s'", file, translated(what), word);
}

/* The word of an id, while the list of words is read in the order of the file. */
typedef struct {
    const char *text; /* in the JSON; NULL: none yet */
    bool special;
} Entry;

/* Gives a word its id, which no other word may have. The same word may come twice: special
 * tokens are often both in the vocabulary and among the added tokens. */
static void put_entry(const char *file, Entry *entries, int count, const char *text,
                      const cJSON *id, bool special)
{
    if (!utf8_is_valid(text, strlen(text)))
        damaged(file, "it is not UTF-8:", text);
    const double number = cJSON_IsNumber(id) ? id->valuedouble : -1;
    if (!(number >= 0 && number <= INT_MAX && number == (double)(int)number))
        damaged(file, "no id for", text);
    if (number >= count)
        die("%s: '%.100s' has the id %.0f, but config.json's vocab_size is %d; "
            "resize the model with model.resize_token_embeddings(len(tokenizer))",
            file, text, number, count);
    Entry *entry = &entries[(int)number];
    if (entry->text && strcmp(entry->text, text))
        damaged(file, "two words have the id of", text);
    *entry = (Entry){text, special};
}

/* Puts in the added tokens, which may be among the model's words or stand beside them. Of words,
 * only special ones are supported: Transformers cuts others out of the middle of words. */
static void put_added_entries(const char *file, Entry *entries, int count, const cJSON *list,
                              bool subwords)
{
    const cJSON *token;
    cJSON_ArrayForEach(token, list)
    {
        const char *content = json_text(token, "content");
        if (!content)
            json_refuse(file, _("added token"), token, "one with a string as its content");
        if (!subwords && (!cJSON_IsTrue(json_get(token, "special")) ||
                          cJSON_IsTrue(json_get(token, "normalized"))))
            json_refuse(file, _("added token"), token, "one that is special and not normalized");
        put_entry(file, entries, count, content, json_get(token, "id"), true);
    }
}

/* Adds the ids from `from` on, for which the tokenizer has no words: some models have more ids
 * than their tokenizers. */
static void add_unused(const char *file, Vocabulary *v, int from, int count)
{
    for (int id = from; id < count; id++) {
        AUTOFREE char *name = format_text("[PAD%d]", id);
        if (vocabulary_add(v, name, strlen(name), true) < 0)
            damaged(file, "it has two ids for", name);
        vocabulary_allow(v, id, WORD_UNUSED);
    }
}

/* Reads the vocabulary: `count` words, whose ids are 0 to count - 1 in any order. Of subwords the
 * last ids may have none. */
static void read_words(const char *file, const cJSON *json, int count, Vocabulary *v)
{
    const cJSON *model = json_get(json, "model"), *vocab = json_get(model, "vocab"), *word;
    const char *type = json_text(model, "type");
    int end = count;
    if (!is_bpe(model) && !has(model, "type", "WordLevel"))
        die("%s is a %.60s tokenizer; only WordLevel and BPE ones are read", file,
            type ? type : _("nameless"));
    if (!cJSON_IsObject(vocab))
        json_refuse(file, "vocab", vocab, "an object of words and their ids");
    Entry *entries = memory_new((size_t)count, sizeof *entries, "the vocabulary");
    cJSON_ArrayForEach(word, vocab) put_entry(file, entries, count, word->string, word, false);
    put_added_entries(file, entries, count, json_get(json, "added_tokens"), is_bpe(model));
    while (is_bpe(model) && end && !entries[end - 1].text)
        end--;

    for (int id = 0; id < end; id++) {
        if (!entries[id].text)
            die("%s has no word for the id %d, but config.json's vocab_size is %d; "
                "resize the model with model.resize_token_embeddings(len(tokenizer))",
                file, id, count);
        if (vocabulary_add(v, entries[id].text, strlen(entries[id].text), entries[id].special) < 0)
            damaged(file, "it has two ids for", entries[id].text);
    }
    free(entries);
    add_unused(file, v, end, count);
}

/* The id of a word that some part names; dies if it has none. */
static int id_of(const char *directory, const Vocabulary *v, const char *part, const char *word)
{
    const int id = word ? vocabulary_find(v, word, strlen(word)) : -1;
    if (id < 0)
        die("%s: its %s names '%.100s', which is not in the vocabulary", directory, part,
            word ? word : _("nothing"));
    return id;
}

/* ---- Reading: what is done to a text ---- */

/* A model of words or characters without a normalizer is read like one with NFC: a text that is in
 * NFC already, as nearly all are, stays the same. `form` has what the model is read like without
 * one; subwords take a text as it is. */
static void read_normalizer(const char *file, const cJSON *normalizer, TextForm *form)
{
    const cJSON *list = json_get(normalizer, "normalizers"), *one;
    if (!normalizer || cJSON_IsNull(normalizer))
        return;
    if (has(normalizer, "type", "NFC"))
        *form = *form == TEXT_LOWER ? TEXT_LOWER : TEXT_COMPOSED;
    else if (has(normalizer, "type", "Lowercase"))
        *form = TEXT_LOWER;
    else if (has(normalizer, "type", "Sequence") && cJSON_IsArray(list))
        cJSON_ArrayForEach(one, list) read_normalizer(file, one, form);
    else
        json_refuse(file, "normalizer", normalizer, "NFC, Lowercase, or both");
}

/* Finds the way of splitting that has the same JSON, whatever the order of its members. */
static void read_splitter(const char *file, const cJSON *splitter, Tokenizer *t)
{
    for (int i = 0; i < SPLITTER_COUNT; i++) {
        cJSON *known = cJSON_Parse(SPLITTERS[i].json);
        const bool same = cJSON_Compare(splitter, known, true);
        cJSON_Delete(known);
        if (!same)
            continue;
        t->kind = SPLITTERS[i].kind;
        t->punctuation = SPLITTERS[i].punctuation;
        return;
    }
    json_refuse(file, "pre_tokenizer", splitter,
                "Whitespace, WhitespaceSplit, WhitespaceSplit "
                "with Punctuation isolated, or a Split at [\\s\\S] isolated");
}

/* The token that a piece of a template inserts; NULL if the piece stands for a text. For a piece
 * {"SpecialToken": {"id": "[bos]", "type_id": 0}} it is the one of
 * "special_tokens": {"[bos]": {"id": "[bos]", "ids": [0], "tokens": ["[bos]"]}}. */
static const char *token_of(const cJSON *processor, const cJSON *piece)
{
    const cJSON *id = json_get(json_get(piece, "SpecialToken"), "id");
    if (!cJSON_IsString(id))
        return NULL;
    const cJSON *about = json_get(json_get(processor, "special_tokens"), id->valuestring);
    const cJSON *tokens = json_get(about, "tokens");
    return cJSON_GetArraySize(tokens) == 1 ? cJSON_GetStringValue(tokens->child) : NULL;
}

/* Reads which tokens the template puts around a text. That of GPT-2, ByteLevel, puts none; Llama's
 * is a Sequence of that and of a TemplateProcessing. There "single" is [bos] A, [bos] A [eos], or
 * only A, as in {"Sequence": {"id": "A", "type_id": 0}}. If a token comes first, the model reads by
 * lines, which begin with it; one that comes last ends them, although none is put after a prompt,
 * which goes on. (Of pairs, it is [sep], and the caller knows that.) */
static void read_template(const char *file, const cJSON *processor, const char **bos,
                          const char **last)
{
    const cJSON *list = json_get(processor, "processors"), *one;
    if (!processor || cJSON_IsNull(processor) || has(processor, "type", "ByteLevel"))
        return;
    if (has(processor, "type", "Sequence") && cJSON_IsArray(list)) {
        cJSON_ArrayForEach(one, list) read_template(file, one, bos, last);
        return;
    }
    const cJSON *piece = json_get(processor, "single");
    piece = piece ? piece->child : NULL;
    if (has(processor, "type", "TemplateProcessing") && !*bos) {
        if (piece && (*bos = token_of(processor, piece)))
            piece = piece->next;
        if (piece && has(json_get(piece, "Sequence"), "id", "A")) {
            piece = piece->next;
            if (*bos && piece && (*last = token_of(processor, piece)))
                piece = piece->next;
            if (!piece)
                return;
        }
    }
    json_refuse(file, "post_processor", processor,
                "a TemplateProcessing that puts a token first, or none");
}

/* A token that tokenizer_config.json names, as "[eos]" or as {"content": "[eos]", ...}; NULL if it
 * names none. */
static const char *named(const cJSON *config, const char *name)
{
    const cJSON *token = json_get(config, name);
    return cJSON_GetStringValue(cJSON_IsObject(token) ? json_get(token, "content") : token);
}

/* Finds the tokens that begin and end a line. The end is the first that is named: by the template,
 * by tokenizer_config.json, by config.json (eos_id, or -1). */
static void read_ends(const char *directory, const char *file, Tokenizer *t, const cJSON *json,
                      const cJSON *config, int eos_id)
{
    const char *bos = NULL, *last = NULL;
    read_template(file, json_get(json, "post_processor"), &bos, &last);
    const char *eos = objective_answers(t->objective) || !last ? named(config, "eos_token") : last;
    /* Newer versions of Transformers obey this member, older ones the template. */
    const cJSON *add = json_get(config, "add_bos_token");
    if (cJSON_IsBool(add) && cJSON_IsTrue(add) != (bos != NULL))
        die("%s: add_bos_token in tokenizer_config.json and the post_processor in tokenizer.json "
            "disagree on whether a token comes first",
            directory);
    t->stream = !bos;
    if (t->stream) { /* its end, like GPT-2's <|endoftext|>, need not be named */
        const int id = eos ? vocabulary_find(&t->vocabulary, eos, strlen(eos)) : eos_id;
        t->eos = id >= 0 && vocabulary_is_special(&t->vocabulary, id) ? id : -1;
        return;
    }
    t->bos = id_of(directory, &t->vocabulary, "post_processor", bos);
    if (!eos && eos_id < 0)
        die("%s: neither tokenizer_config.json nor config.json names the token that ends a line "
            "(eos_token)",
            directory);
    t->eos = eos ? id_of(directory, &t->vocabulary, "eos_token", eos) : eos_id;
}

/* The token that separates or hides. Any other use of it would make a text ambiguous. */
static int own_token(const char *directory, const Tokenizer *t, const char *part,
                     const cJSON *config)
{
    const char *word = named(config, part);
    const int id = id_of(directory, &t->vocabulary, part, word);
    if (!vocabulary_is_special(&t->vocabulary, id) || id == t->bos || id == t->eos || id == t->unk)
        die("%s: its %s is '%.100s', but it must be one of the added_tokens, and no other special "
            "token",
            directory, part, word);
    return id;
}

/* ---- Reading: GPT-2's two files ---- */

/* The lines of merges.txt, but for "#version: 0.2", as JSON strings. */
static cJSON *merges_of(const Directory *directory)
{
    cJSON *merges = cJSON_CreateArray();
    const Bytes text = file_read_in(directory, "merges.txt", true);
    Span rest = {text.bytes, text.bytes + text.size}, line;
    while (split_line(&rest.begin, rest.end, &line)) {
        char *merge = format_text("%.*s", (int)(line.end - line.begin), line.begin);
        if (strncmp(merge, "#version", strlen("#version")) != 0)
            cJSON_AddItemToArray(merges, cJSON_CreateString(merge));
        free(merge);
    }
    free(text.bytes);
    return merges;
}

/* The tokenizer.json that says the same as the two files. The one special token that these do not
 * tell apart is that of GPT-2. */
static cJSON *json_of_two_files(const Directory *directory)
{
    cJSON *json = cJSON_Parse("{\"pre_tokenizer\":" BYTE_LEVEL ",\"decoder\":" BYTE_LEVEL "}");
    cJSON *words = json_read(directory, "vocab.json"), *end = json_get(words, "<|endoftext|>");
    cJSON *special = cJSON_AddArrayToObject(json, "added_tokens");
    if (end) {
        cJSON *token = cJSON_Parse("{\"content\":\"<|endoftext|>\",\"special\":true}");
        cJSON_AddItemToObject(token, "id", cJSON_Duplicate(end, true));
        cJSON_AddItemToArray(special, token);
    }
    cJSON *model = cJSON_AddObjectToObject(json, "model");
    cJSON_AddItemToObject(model, "vocab", words);
    cJSON_AddItemToObject(model, "merges", merges_of(directory));
    return json;
}

/* ---- Reading: subwords ---- */

/* Whether a member asks for nothing: it is missing, null, false, 0 or "". */
static bool is_off(const cJSON *item)
{
    return !item || cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 0) ||
           (cJSON_IsString(item) && !*item->valuestring);
}

/* The pattern whose pre-tokenizer has the same JSON, but for trim_offsets, which changes no id, and
 * use_regex, which is true if it is missing. */
static WordPattern read_pattern(const char *file, const cJSON *splitter)
{
    cJSON *own = cJSON_Duplicate(splitter, true), *list = json_get(own, "pretokenizers");
    cJSON *last = list ? cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1) : own;
    const cJSON *regex = json_get(json_get(list ? list->child : NULL, "pattern"), "Regex");
    if (cJSON_IsObject(last)) {
        cJSON_DeleteItemFromObjectCaseSensitive(last, "trim_offsets");
        cJSON_AddTrueToObject(last, "trim_offsets");
        if (!json_get(last, "use_regex"))
            cJSON_AddTrueToObject(last, "use_regex");
    }
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        cJSON *known = cJSON_Parse(PATTERNS[pattern]);
        const bool same = cJSON_Compare(own, known, true);
        cJSON_Delete(known);
        if (!same)
            continue;
        cJSON_Delete(own);
        return (WordPattern)pattern;
    }
    json_refuse(file, "pre_tokenizer", regex ? regex : splitter,
                "that of GPT-2, SmolLM2, Qwen 2 or Llama 3, without add_prefix_space");
}

static void check_rules(const char *file, const cJSON *json)
{
    static const char *const options[] = {"dropout", "continuing_subword_prefix",
                                          "end_of_word_suffix"};
    const cJSON *decoder = json_get(json, "decoder");
    if (!has(decoder, "type", "ByteLevel"))
        json_refuse(file, "decoder", decoder, "ByteLevel");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const cJSON *option = json_get(json_get(json, "model"), options[i]);
        if (!is_off(option))
            json_refuse(file, options[i], option, "none");
    }
}

/* Texts may contain the added tokens, but for those that make lines and gaps. The space and the
 * line ends of a token would be taken for places where a long text can be cut. */
static void allow_added(const char *file, const cJSON *list, Tokenizer *t)
{
    static const char *const options[] = {"normalized", "single_word", "lstrip", "rstrip"};
    const cJSON *token;
    cJSON_ArrayForEach(token, list)
    {
        const char *content = json_text(token, "content");
        const int id = vocabulary_find(&t->vocabulary, content, strlen(content));
        if (id == t->bos || id == t->sep || id == t->mask || (id == t->eos && !t->stream))
            continue;
        bool plain = !strpbrk(content, " \r\n");
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            plain = plain && is_off(json_get(token, options[i]));
        if (!plain)
            json_refuse(file, _("added token"), token,
                        "one without spaces that is not normalized, a single_word, lstrip or "
                        "rstrip");
        const bool special = cJSON_IsTrue(json_get(token, "special"));
        vocabulary_allow(&t->vocabulary, id,
                         id == t->eos ? WORD_SPECIAL
                         : special    ? WORD_CONTROL
                                      : WORD_ADDED);
    }
}

/* The merges while they are read. */
typedef struct {
    const char *file;
    const Vocabulary *vocabulary;
    BpeMerge *merges; /* stb_ds array */
} BpeFile;

/* The id of a token that the next merge has; `wrong` says that there is none. */
static int subword_of(const BpeFile *r, const char *wrong, const char *token)
{
    const int id = vocabulary_find(r->vocabulary, token, strlen(token));
    if (id < 0)
        die(wrong, r->file, arrlen(r->merges) + 1, token);
    return id;
}

/* A merge as it is written, ["u", "n"] or "u n": the two parts in memory that the caller frees, one
 * after the other, each ended by a 0; NULL if it is neither. */
static char *parts_of(const cJSON *item, const char **right)
{
    const char *first = cJSON_GetStringValue(item), *second = NULL;
    if (cJSON_GetArraySize(item) == 2) {
        first = cJSON_GetStringValue(item->child);
        second = cJSON_GetStringValue(item->child->next);
    } else if (first && (second = strchr(first, ' ')))
        second = strchr(++second, ' ') ? NULL : second;
    if (!first || !second || (cJSON_IsArray(item) && strchr(first, ' ')))
        return NULL;
    const int size = (int)strcspn(first, " ");
    char *parts = format_text("%.*s %s", size, first, second);
    parts[size] = 0;
    *right = parts + size + 1;
    return parts;
}

static void read_merge(BpeFile *r, const cJSON *item)
{
    const char *right;
    char *left = parts_of(item, &right);
    if (!left)
        json_refuse(r->file, _("a merge"), item, "a pair of tokens");
    char *whole = format_text("%s%s", left, right);
    static const char no_part[] = N_("%s is damaged: merge %td has the part '%.100s', which is not "
                                     "in the vocabulary"),
                      no_whole[] = N_("%s is damaged: merge %td makes '%.100s', which is not in "
                                      "the vocabulary");
    const BpeMerge merge = {subword_of(r, no_part, left), subword_of(r, no_part, right),
                            subword_of(r, no_whole, whole)};
    arrput(r->merges, merge);
    free(whole);
    free(left);
}

/* Reads the merges of a file, after its vocabulary. Dies if they do not fit the vocabulary, or if
 * something asks for other subwords than ours. */
static void read_subwords(const char *file, const cJSON *json, Tokenizer *t)
{
    const Vocabulary *v = &t->vocabulary;
    const cJSON *list = json_get(json_get(json, "model"), "merges"), *item;
    t->pattern = read_pattern(file, json_get(json, "pre_tokenizer"));
    check_rules(file, json);
    if (!cJSON_IsArray(list))
        json_refuse(file, "merges", list, "a list of pairs of tokens");
    BpeFile r = {.file = file, .vocabulary = v};
    for (int byte = 0; byte < 256; byte++) {
        const int id = bpe_byte_id(v, byte);
        if (id < 0)
            die("%s: its vocabulary lacks the byte 0x%02X; only those with all 256 "
                "bytes can be read",
                file, (unsigned)byte);
    }
    cJSON_ArrayForEach(item, list) read_merge(&r, item);
    t->ignore_merges = cJSON_IsTrue(json_get(json_get(json, "model"), "ignore_merges"));
    tokenizer_set_merges(t, r.merges);
}

/* Later versions of Transformers give it a file of its own. */
static char *read_chat_template(const Directory *directory, const cJSON *config)
{
    static const char own[] = "chat_template.jinja";
    if (directory_has(directory, own))
        return file_read_in(directory, own, true).bytes;
    const char *text = json_text(config, "chat_template");
    return text ? format_text("%s", text) : NULL;
}

/* ---- All of it ---- */

/* GPT-2 has its vocabulary and its merges in two files. */
Tokenizer tokenizer_json_read(const Directory *directory, int count, int eos,
                              ObjectiveKind objective)
{
    const bool two =
        !directory_has(directory, "tokenizer.json") && directory_has(directory, "vocab.json");
    cJSON *json = two ? json_of_two_files(directory) : json_read(directory, "tokenizer.json");
    cJSON *config = NULL;
    if (directory_has(directory, "tokenizer_config.json")) /* old ones have none */
        config = json_read(directory, "tokenizer_config.json");
    char *file = path_in(directory, two ? "vocab.json" : "tokenizer.json");
    char *merges = path_in(directory, two ? "merges.txt" : "tokenizer.json");

    Tokenizer t = tokenizer_new();
    t.objective = objective;
    read_words(file, json, count, &t.vocabulary);
    if (is_bpe(json_get(json, "model")))
        read_subwords(merges, json, &t);
    else
        read_splitter(file, json_get(json, "pre_tokenizer"), &t);
    t.form = t.kind == TOKENIZER_BPE ? TEXT_AS_IS : TEXT_COMPOSED;
    read_normalizer(file, json_get(json, "normalizer"), &t.form);
    read_ends(directory->path, file, &t, json, config, eos);
    const char *unk = json_text(json_get(json, "model"), "unk_token");
    if (unk && t.kind != TOKENIZER_BPE) /* to which nothing is unknown */
        t.unk = vocabulary_find(&t.vocabulary, unk, strlen(unk));
    const bool chatml = objective == OBJECTIVE_TURNS && tokenizer_take_chatml(&t);
    if (objective_answers(objective) && !chatml)
        t.sep = own_token(directory->path, &t, "sep_token", config);
    if (objective == OBJECTIVE_MASKED)
        t.mask = own_token(directory->path, &t, "mask_token", config);
    if (objective_answers(objective) && t.stream)
        die("%s: its objective is %s, but its post_processor puts no token first", file,
            OBJECTIVE_NAMES[objective]);
    t.template = read_chat_template(directory, config);
    if (t.kind == TOKENIZER_BPE)
        allow_added(file, json_get(json, "added_tokens"), &t);
    cJSON_Delete(json);
    cJSON_Delete(config);
    free(file);
    free(merges);
    return t;
}
