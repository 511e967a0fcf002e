/* tokenizer_json.h: a tokenizer as Hugging Face's files: tokenizer.json, a WordLevel model (a list
 * of words) whose normalizer and pre-tokenizer do what text/text.c and text/words/split.c do, or a
 * BPE model of subwords, and tokenizer_config.json, which names its special tokens. */
#ifndef PULGA_TOKENIZER_JSON_H
#define PULGA_TOKENIZER_JSON_H

#include "base/files/file.h"
#include "text/tokenizer.h"

/* Writes both into a directory; context: the most tokens that the model attends to. Warns and
 * returns false if that fails; then tokenizer.json may be new and tokenizer_config.json old. */
bool tokenizer_json_write(const Directory *directory, const Tokenizer *tokenizer, int context);

/* Reads both from a directory that train or Transformers has written. The tokenizer is for this
 * objective, whose special tokens tokenizer_config.json names, and must have `count` tokens; `eos`
 * (or -1) is the id that ends a line if the files do not name one. Dies if tokenizer.json is
 * missing, or if something in the files is damaged or not supported, naming it. Instead of it there
 * may be GPT-2's vocab.json and merges.txt; tokenizer_config.json may be missing, as in old models.
 * Words and characters are brought to NFC even if the files do not ask for it, subwords only if
 * they do. */
Tokenizer tokenizer_json_read(const Directory *directory, int count, int eos,
                              ObjectiveKind objective);

#endif
