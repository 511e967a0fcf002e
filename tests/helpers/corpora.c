/* corpora.c: the words of a made-up line are drawn from five, by a rule without chance. */
#include "corpora.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/tokenizer.h"
#include "literal.h"

Corpus corpus_of_string(const char *string, bool stream, bool characters)
{
    Text text = literal_text(string);
    Tokenizer t = literal_tokenizer(string, characters ? TOKENIZER_CHAR : TOKENIZER_WORD, stream);
    Corpus c = corpus_new(&text, &t);
    tokenizer_free(&t);
    text_free(&text);
    return c;
}

Corpus corpus_for(ObjectiveKind objective, TokenizerKind kind, bool stream, const char *string,
                  Tokenizer *tokenizer)
{
    Text text = literal_text(string);
    *tokenizer = literal_tokenizer_for(objective, kind, stream, string);
    Corpus c = corpus_new(&text, tokenizer);
    text_free(&text);
    return c;
}

Corpus corpus_made_up(int lines, int longest, bool stream)
{
    char *text = malloc((size_t)lines * (size_t)longest * 3 + 1), *put = text;
    for (int line = 0; line < lines; line++)
        for (int left = 1 + line * 7 % longest; left > 0; left--)
            put += sprintf(put, "%c%c", 'a' + (line + left * left) % 5, left > 1 ? ' ' : '\n');
    Corpus c = corpus_of_string(text, stream, false);
    free(text);
    return c;
}

int *corpus_tokens(const Corpus *corpus)
{
    int *tokens = malloc(corpus->ids.count * sizeof *tokens);
    ids_read(&corpus->ids, 0, corpus->ids.count, tokens);
    return tokens;
}

size_t *corpus_lines(const Corpus *corpus)
{
    size_t *lines = calloc(corpus->lines + 1, sizeof *lines), line = 0;
    for (size_t i = 0; i < corpus->ids.count; i++)
        if (ids_at(&corpus->ids, i) == corpus->objective.eos)
            lines[++line] = i + 1;
    return lines;
}

Piece *corpus_pieces(const Corpus *corpus, const Part *part)
{
    Piece *pieces = malloc((part->count + 1) * sizeof *pieces);
    for (size_t i = 0; i < part->count; i++)
        pieces[i] = corpus_piece(corpus, part, i);
    return pieces;
}
