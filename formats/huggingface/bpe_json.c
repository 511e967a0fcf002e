/* bpe_json.c: what is read and written of a file, besides the vocabulary:
 *
 *     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true, ...}
 *     "decoder":       {"type": "ByteLevel", ...}
 *     "model":         {"type": "BPE", "merges": [["u", "n"], ["Ġ", "g"], ...], ...}
 *
 * Older files write a merge as "Ġ g", and GPT-2's has no type. */
#include "bpe_json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "formats/json.h"

static bool has_type(const cJSON *object, const char *wanted)
{
    const char *type = json_text(object, "type");
    return type && !strcmp(type, wanted);
}

bool bpe_json_is_model(const cJSON *model)
{
    return has_type(model, "BPE") || (!json_get(model, "type") && json_get(model, "merges"));
}

/* ---- Writing ---- */

/* Every member is written: what is chosen for one that is missing differs between programs. */
const char BPE_JSON_BYTES[] = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
                              "\"trim_offsets\":true,\"use_regex\":true}";

void bpe_json_put_model(cJSON *model, const Tokenizer *t)
{
    static const char *const none[] = {"dropout", "unk_token", "continuing_subword_prefix",
                                       "end_of_word_suffix"};
    static const char *const off[] = {"fuse_unk", "byte_fallback", "ignore_merges"};
    const Vocabulary *v = &t->vocabulary;
    cJSON_AddStringToObject(model, "type", "BPE");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cJSON_AddNullToObject(model, none[i]);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        cJSON_AddFalseToObject(model, off[i]);
    cJSON *words = cJSON_AddObjectToObject(model, "vocab");
    for (int id = 0; id < v->count; id++)
        cJSON_AddNumberToObject(words, vocabulary_word(v, id), id);
    cJSON *merges = cJSON_AddArrayToObject(model, "merges");
    for (ptrdiff_t i = 0; i < arrlen(t->merges); i++) {
        const char *pair[] = {vocabulary_word(v, t->merges[i].left),
                              vocabulary_word(v, t->merges[i].right)};
        cJSON_AddItemToArray(merges, cJSON_CreateStringArray(pair, 2));
    }
}

/* ---- BpeFile: GPT-2's two files ---- */

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

/* The one special token that the files do not tell apart is that of GPT-2. */
cJSON *bpe_json_of_two_files(const Directory *directory)
{
    static const char end[] = "<|endoftext|>";
    cJSON *json = cJSON_CreateObject(), *words = json_read(directory, "vocab.json");
    cJSON *special = cJSON_AddArrayToObject(json, "added_tokens");
    if (json_get(words, end)) {
        cJSON *token = cJSON_CreateObject();
        cJSON_AddStringToObject(token, "content", end);
        cJSON_AddItemToObject(token, "id", cJSON_Duplicate(json_get(words, end), true));
        cJSON_AddTrueToObject(token, "special");
        cJSON_AddItemToArray(special, token);
    }
    cJSON_AddItemToObject(json, "pre_tokenizer", cJSON_Parse(BPE_JSON_BYTES));
    cJSON_AddItemToObject(json, "decoder", cJSON_Parse(BPE_JSON_BYTES));
    cJSON *model = cJSON_AddObjectToObject(json, "model");
    cJSON_AddItemToObject(model, "vocab", words);
    cJSON_AddItemToObject(model, "merges", merges_of(directory));
    return json;
}

/* ---- BpeFile: how a text is cut ---- */

/* Whether a member asks for nothing: it is missing, null, false, 0 or "". */
static bool is_off(const cJSON *item)
{
    return !item || cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 0) ||
           (cJSON_IsString(item) && !*item->valuestring);
}

/* If add_prefix_space is missing, it is true. */
static void check_rules(const char *file, const cJSON *json)
{
    static const char *const options[] = {"dropout", "continuing_subword_prefix",
                                          "end_of_word_suffix", "ignore_merges"};
    const cJSON *splitter = json_get(json, "pre_tokenizer"), *decoder = json_get(json, "decoder");
    if (!has_type(splitter, "ByteLevel") ||
        !cJSON_IsFalse(json_get(splitter, "add_prefix_space")) ||
        cJSON_IsFalse(json_get(splitter, "use_regex")))
        json_refuse(file, "pre_tokenizer", splitter,
                    "ByteLevel without add_prefix_space and with its own pattern");
    if (!has_type(decoder, "ByteLevel"))
        json_refuse(file, "decoder", decoder, "ByteLevel");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const cJSON *option = json_get(json_get(json, "model"), options[i]);
        if (!is_off(option))
            json_refuse(file, options[i], option, "none");
    }
}

/* ---- BpeFile: the merges ---- */

/* The merges while they are read in their order. */
typedef struct {
    const char *file;
    const Vocabulary *vocabulary;
    bool *made;       /* (size of the vocabulary) the bytes, and what a merge has made so far */
    BpeMerge *merges; /* stb_ds array */
} BpeFile;

/* The id of a token that the next merge has; `wrong` says that there is none. */
static int token_of(const BpeFile *r, const char *wrong, const char *token)
{
    const int id = vocabulary_find(r->vocabulary, token, strlen(token));
    if (id < 0)
        die(wrong, r->file, arrlen(r->merges) + 1, token);
    return id;
}

/* The id of a part of the next merge, which is a byte or was made before. */
static int part_of(const BpeFile *r, const char *part)
{
    const int id = token_of(r,
                            N_("%s is damaged: merge %td has the part '%.100s', which is not in "
                               "the vocabulary"),
                            part);
    if (!r->made[id])
        die("%s: its merges are out of order: merge %td has the part '%.100s', "
            "which no merge before it makes",
            r->file, arrlen(r->merges) + 1, part);
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
    const BpeMerge merge = {
        part_of(r, left), part_of(r, right),
        token_of(r,
                 N_("%s is damaged: merge %td makes '%.100s', which is not in the "
                    "vocabulary"),
                 whole)};
    r->made[merge.id] = true;
    arrput(r->merges, merge);
    free(whole);
    free(left);
}

void bpe_json_read(const char *file, const cJSON *json, Tokenizer *t)
{
    const Vocabulary *v = &t->vocabulary;
    const cJSON *list = json_get(json_get(json, "model"), "merges"), *item;
    check_rules(file, json);
    if (!cJSON_IsArray(list))
        json_refuse(file, "merges", list, "a list of pairs of tokens");
    BpeFile r = {.file = file,
                 .vocabulary = v,
                 .made = memory_new((size_t)v->count, sizeof *r.made, "the merges")};
    for (int byte = 0; byte < 256; byte++) {
        const int id = bpe_byte_id(v, byte);
        if (id < 0)
            die("%s: its vocabulary lacks the byte 0x%02X; only those with all 256 "
                "bytes can be read",
                file, (unsigned)byte);
        r.made[id] = true;
    }
    cJSON_ArrayForEach(item, list) read_merge(&r, item);
    free(r.made);
    tokenizer_set_merges(t, r.merges);
}
