/* tokenizer.c: see tokenizer.h. */
#include "tokenizer.h"

#include <cjson/cJSON.h>

#include "json.h"

static void put_special(cJSON *list, const char *content, int id)
{
    if (id < 0)
        return;
    cJSON *token = cJSON_CreateObject();
    cJSON_AddNumberToObject(token, "id", id);
    cJSON_AddStringToObject(token, "content", content);
    cJSON_AddFalseToObject(token, "single_word");
    cJSON_AddFalseToObject(token, "lstrip");
    cJSON_AddFalseToObject(token, "rstrip");
    cJSON_AddFalseToObject(token, "normalized");
    cJSON_AddTrueToObject(token, "special");
    cJSON_AddItemToArray(list, token);
}

static void put_normalizer(cJSON *json, bool lower)
{
    cJSON_AddItemToObject(json, "normalizer", cJSON_Parse(lower
        ? "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},{\"type\":\"Lowercase\"}]}"
        : "{\"type\":\"NFC\"}"));
}

/* Words: white space, then each punctuation mark alone. Characters: every code point. */
static void put_splitter(cJSON *json, bool characters)
{
    cJSON_AddItemToObject(json, "pre_tokenizer", cJSON_Parse(characters
        ? "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[\\\\s\\\\S]\"},"
          "\"behavior\":\"Isolated\",\"invert\":false}"
        : "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"WhitespaceSplit\"},"
          "{\"type\":\"Punctuation\",\"behavior\":\"Isolated\"}]}"));
}

/* A sequence begins with [bos]; a stream has none. */
static void put_beginning(cJSON *json, const Vocabulary *v)
{
    if (v->bos < 0) {
        cJSON_AddNullToObject(json, "post_processor");
        return;
    }
    cJSON_AddItemToObject(json, "post_processor", cJSON_Parse(
        "{\"type\":\"TemplateProcessing\","
        "\"single\":[{\"SpecialToken\":{\"id\":\"[bos]\",\"type_id\":0}},"
        "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],"
        "\"pair\":[{\"SpecialToken\":{\"id\":\"[bos]\",\"type_id\":0}},"
        "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}],"
        "\"special_tokens\":{\"[bos]\":{\"id\":\"[bos]\",\"ids\":[0],\"tokens\":[\"[bos]\"]}}}"));
}

static cJSON *tokenizer_json(const Vocabulary *v, bool lower)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "version", "1.0");
    cJSON_AddNullToObject(json, "truncation");
    cJSON_AddNullToObject(json, "padding");
    cJSON *special = cJSON_AddArrayToObject(json, "added_tokens");
    put_special(special, "[bos]", v->bos);
    put_special(special, "[eos]", v->eos);
    put_special(special, "[unk]", v->unk);
    put_normalizer(json, lower);
    put_splitter(json, v->characters);
    put_beginning(json, v);
    if (v->characters)
        cJSON_AddItemToObject(json, "decoder", cJSON_Parse("{\"type\":\"Fuse\"}"));
    else
        cJSON_AddNullToObject(json, "decoder");
    cJSON *model = cJSON_AddObjectToObject(json, "model");
    cJSON_AddStringToObject(model, "type", "WordLevel");
    cJSON *words = cJSON_AddObjectToObject(model, "vocab");
    for (int id = 0; id < v->count; id++)
        cJSON_AddNumberToObject(words, v->words[id].key, id);
    /* Named even where the vocabulary has none: an unknown word is then an error there too. */
    cJSON_AddStringToObject(model, "unk_token", "[unk]");
    return json;
}

static cJSON *tokenizer_config_json(const Vocabulary *v, int context)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "tokenizer_class", "PreTrainedTokenizerFast");
    if (v->bos >= 0) {
        cJSON_AddStringToObject(json, "bos_token", "[bos]");
        cJSON_AddStringToObject(json, "eos_token", "[eos]");
        cJSON_AddStringToObject(json, "pad_token", "[eos]");
    }
    if (v->unk >= 0)
        cJSON_AddStringToObject(json, "unk_token", "[unk]");
    cJSON_AddNumberToObject(json, "model_max_length", context);
    return json;
}

bool tokenizer_write(const char *directory, const Vocabulary *vocabulary, bool lower, int context)
{
    return json_write(directory, "tokenizer.json", tokenizer_json(vocabulary, lower)) &&
           json_write(directory, "tokenizer_config.json",
                      tokenizer_config_json(vocabulary, context));
}
