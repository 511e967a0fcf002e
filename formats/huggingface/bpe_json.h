/* bpe_json.h: subwords in tokenizer.json: byte-level BPE as Hugging Face's tokenizers has it,
 * GPT-2's files among them. tokenizer_json.h reads and writes the rest of the file. */
#ifndef PULGA_BPE_JSON_H
#define PULGA_BPE_JSON_H

#include "base/files/directory.h"
#include "text/tokenizer.h"

struct cJSON;

/* Whether the model of a tokenizer.json, which may be NULL, is one of subwords. */
bool bpe_json_is_model(const struct cJSON *model);

/* The pre-tokenizer and the decoder of a file. */
extern const char BPE_JSON_BYTES[];

/* Adds the members of the model. */
void bpe_json_put_model(struct cJSON *model, const Tokenizer *tokenizer);

/* The tokenizer.json that says the same as the vocab.json and the merges.txt of a directory. */
struct cJSON *bpe_json_of_two_files(const Directory *directory);

/* Reads the merges of a file, after its vocabulary. Dies in one line, which names the file, if they
 * do not fit the vocabulary, or if something asks for other subwords than ours. */
void bpe_json_read(const char *file, const struct cJSON *json, Tokenizer *tokenizer);

#endif
