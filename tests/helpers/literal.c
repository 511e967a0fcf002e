/* literal.c: the string is copied, since a text owns its bytes. */
#include "literal.h"
#include "text/tokenizer_train.h"

#include <string.h>

Text literal_text(const char *string)
{
    return text_from("a.txt", (Bytes){strdup(string), strlen(string)}, false);
}

Tokenizer literal_tokenizer(const char *string, TokenizerKind kind, bool stream)
{
    Text text = literal_text(string);
    Tokenizer tokenizer = tokenizer_train(
        &text,
        (TokenizerRules){.kind = kind, .stream = stream, .min_count = 1, .vocabulary = 256 + 40});
    text_free(&text);
    return tokenizer;
}
