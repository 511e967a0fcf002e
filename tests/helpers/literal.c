/* literal.c: the string is copied, since a text owns its bytes. */
#include "literal.h"
#include "text/subwords/bpe.h"
#include "text/tokenizer.h"

#include <string.h>

Text literal_text(const char *string)
{
    return text_from("a.txt", (Bytes){strdup(string), strlen(string)}, false);
}

Tokenizer literal_tokenizer_for(ObjectiveKind objective, TokenizerKind kind, bool stream,
                                const char *string)
{
    Text text = literal_text(string);
    const TokenizerRules rules = {.objective = objective,
                                  .kind = kind,
                                  .stream = stream,
                                  .min_count = 1,
                                  .vocabulary = 256 + 40};
    Tokenizer tokenizer = tokenizer_train(&text, rules);
    text_free(&text);
    return tokenizer;
}

Tokenizer literal_tokenizer(const char *string, TokenizerKind kind, bool stream)
{
    return literal_tokenizer_for(OBJECTIVE_NEXT, kind, stream, string);
}

WordCounts literal_words(Span text, bool by_lines)
{
    WordCounts counts = word_counts_new();
    for (Span part, word;
         split_part(&text.begin, text.end, by_lines ? CUT_LINES : CUT_NOWHERE, &part);)
        while (byte_level_word(&part.begin, part.end, &word))
            word_counts_add(&counts, word.begin, (size_t)(word.end - word.begin), 1);
    return counts;
}
