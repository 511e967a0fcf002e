/* literal.h: a string of a test as a text, called a.txt, and a tokenizer that is trained on one. */
#ifndef PULGA_LITERAL_H
#define PULGA_LITERAL_H

#include "text/tokenizer.h"
#include "text/words/vocabulary.h"

/* Such a tokenizer, freed at the end of the block (test.h): TOKENIZER t = literal_tokenizer(…); */
#define TOKENIZER FREED_BY(tokenizer_free) Tokenizer

Text literal_text(const char *string);

/* All words of the string have an id; of subwords there are 296. */
Tokenizer literal_tokenizer(const char *string, TokenizerKind kind, bool stream);

/* The tokenizer of a string for any objective. */
Tokenizer literal_tokenizer_for(ObjectiveKind objective, TokenizerKind kind, bool stream,
                                const char *string);

/* The words that subwords are made of in a text, read by lines or whole. */
WordCounts literal_words(Span text, bool by_lines);

#endif
