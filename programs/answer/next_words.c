/* next_words.c: beginnings of words are kept with their probabilities. The most probable one is
 * read; each token after it either goes on with the word, which gives a longer beginning, or ends
 * it. No beginning gives a word that is more probable than itself, so the search can stop when
 * enough words are more probable than all beginnings that are left. It also stops after four
 * beginnings for each word asked for: a word of many spellings may get a little less than its
 * probability. If counting is mixed with the model, each beginning is read three times. */
#include "next_words.h"

#include <stb/stb_ds.h>

#include "text/subwords/bpe.h"

/* Words of more tokens, and more beginnings than this for each word asked for, are not
 * worth the time. */
enum { MOST_TOKENS = 16, READ_PER_WORD = 4 };

/* How probable something is; if counting is mixed with the model, also by each of them alone. */
enum { MIXED, MODEL, COUNTING, KINDS };

/* The beginning of a word. */
typedef struct {
    int count, tokens[MOST_TOKENS];
    double probability[KINDS];
} Beginning;

typedef struct {
    const Tokenizer *tokenizer;
    const Generator *prompt;
    Generator *writer;
    const char *before; /* the last word of the prompt */
    size_t longest;     /* bytes of the longest token */
    int room;           /* tokens that can be read after the prompt */
    int most;
    double least;
    Beginning *beginnings; /* stb_ds array, in any order */
    Candidate *words;      /* stb_ds array, the most probable first */
    double *share;         /* of counting, or NULL */
    double *p[KINDS];      /* (V) of the next token */
} Search;

/* Adds to the probability of a word, and keeps their order. */
static void put_word(Search *s, const char *text, const double *probability)
{
    ptrdiff_t at = 0;
    while (at < arrlen(s->words) && strcmp(s->words[at].text, text) != 0)
        at++;
    if (at == arrlen(s->words))
        arrput(s->words, ((Candidate){.text = format_text("%s", text)}));
    Candidate word = s->words[at];
    word.probability += probability[MIXED];
    word.parts[0] += probability[MODEL];
    word.parts[1] += probability[COUNTING];
    for (; at && s->words[at - 1].probability < word.probability; at--)
        s->words[at] = s->words[at - 1];
    s->words[at] = word;
}

/* The probability that a beginning must have to be worth anything. */
static double worth(const Search *s)
{
    const bool enough = s->words && arrlen(s->words) >= s->most;
    return enough ? fmax(s->words[s->most - 1].probability, s->least) : s->least;
}

/* The text of a beginning, after the prompt's last word. It has room for one token more; the caller
 * frees. */
static char *text_of(const Search *s, const Beginning *b, size_t *size)
{
    *size = strlen(s->before);
    for (int i = 0; i < b->count; i++)
        *size += strlen(tokenizer_word(s->tokenizer, b->tokens[i]));
    char *text = memory_take(*size + s->longest + 1), *at = stpcpy(text, s->before);
    for (int i = 0; i < b->count; i++)
        at = stpcpy(at, tokenizer_word(s->tokenizer, b->tokens[i]));
    return text;
}

/* Whether the last word of a text of `size` bytes goes on in a token, which is put after it. */
static bool goes_on(const Search *s, char *text, size_t size, int id)
{
    const char *end = stpcpy(text + size, tokenizer_word(s->tokenizer, id)), *at = text;
    Span word = {text, text};
    while (at < text + size && pattern_word(&at, end, s->tokenizer->pattern, &word))
        ;
    return word.end > text + size;
}

/* Equally probable ones are also ordered, by length and by tokens: otherwise the C library's
 * qsort() would decide which of them are kept. */
static int most_probable_first(const void *a, const void *b)
{
    const Beginning *x = a, *y = b;
    if (x->probability[MIXED] != y->probability[MIXED])
        return x->probability[MIXED] < y->probability[MIXED] ? 1 : -1;
    if (x->count != y->count)
        return x->count - y->count;
    return memcmp(x->tokens, y->tokens, (size_t)x->count * sizeof *x->tokens);
}

/* Keeps the beginnings that will be read, and at most twice as many. */
static void put_beginning(Search *s, const Beginning *b)
{
    const size_t reads = READ_PER_WORD * (size_t)s->most;
    if (s->beginnings && arrlenu(s->beginnings) == 2 * reads) {
        qsort(s->beginnings, 2 * reads, sizeof *b, most_probable_first);
        arrsetlen(s->beginnings, reads);
    }
    arrput(s->beginnings, *b);
}

/* Notes what may come after a beginning that was read, whose text has `size` bytes: p says how
 * probable each token is. */
static void go_on(Search *s, const Beginning *b, char *text, size_t size)
{
    double ends[KINDS] = {0}; /* the probability of the beginning as a whole word */
    for (int id = 0; id < tokenizer_size(s->tokenizer); id++) {
        Beginning longer = *b;
        for (int kind = 0; kind < KINDS; kind++)
            longer.probability[kind] *= s->p[kind][id];
        const bool is_part = tokenizer_is_part(s->tokenizer, id);
        if (b->count && !(is_part && goes_on(s, text, size, id))) {
            for (int kind = 0; kind < KINDS; kind++)
                ends[kind] += longer.probability[kind];
        } else if (b->count < MOST_TOKENS && longer.probability[MIXED] > worth(s)) {
            longer.tokens[longer.count++] = id;
            if (is_part)
                put_beginning(s, &longer);
            else
                put_word(s, tokenizer_word(s->tokenizer, id), longer.probability);
        }
    }
    text[size] = 0;
    if (b->count)
        put_word(s, text + strlen(s->before), ends);
}

/* Takes the most probable beginning; false if none is worth it. */
static bool take_best(Search *s, Beginning *best)
{
    ptrdiff_t at = -1;
    double most = worth(s);
    for (ptrdiff_t i = 0; i < arrlen(s->beginnings); i++)
        if (s->beginnings[i].probability[MIXED] > most) {
            *best = s->beginnings[i];
            most = best->probability[MIXED];
            at = i;
        }
    if (at >= 0)
        arrdelswap(s->beginnings, at);
    return at >= 0;
}

/* s->p: of the next token after a beginning. */
static void predict(Search *s, const Beginning *b)
{
    const Generator *prompt = s->prompt;
    const double share = s->share ? *s->share : 0;
    for (int kind = 0; kind < (s->share ? KINDS : 1); kind++) {
        if (kind)
            *s->share = kind == COUNTING;
        if (kind && !b->count)
            generator_begin(s->writer, prompt->tokens, prompt->count, prompt->prefix);
        else
            generator_copy(s->writer, prompt);
        for (int i = 0; i < b->count; i++)
            generator_add(s->writer, b->tokens[i]);
        softmax_of(s->p[kind], s->writer->logits, tokenizer_size(s->tokenizer), 1);
    }
    if (s->share)
        *s->share = share;
}

static void read_beginning(Search *s, const Beginning *b)
{
    size_t size;
    AUTOFREE char *text = text_of(s, b, &size);
    if (b->count > s->room) /* a full context ends a target, and so the word that fills it */
        put_word(s, text + strlen(s->before), b->probability);
    else {
        predict(s, b);
        go_on(s, b, text, size);
    }
}

Candidate *next_words(const Tokenizer *t, const Generator *prompt, Generator *writer,
                      const char *before, int most, double least, double *share)
{
    const bool ends = objective_answers(t->objective); /* else the generator forgets */
    Search s = {.tokenizer = t,
                .prompt = prompt,
                .writer = writer,
                .before = before,
                .room = ends ? prompt->gpt->config.context - prompt->count : MOST_TOKENS,
                .most = most,
                .least = least,
                .share = share};
    for (int kind = 0; kind < KINDS; kind++)
        s.p[kind] = memory_new((size_t)tokenizer_size(t), sizeof **s.p, "the probabilities");
    for (int id = 0; id < tokenizer_size(t); id++) {
        const size_t size = strlen(tokenizer_word(t, id));
        s.longest = size > s.longest ? size : s.longest;
    }
    Beginning best = {.probability = {1, 1, 1}};
    read_beginning(&s, &best);
    for (int i = 0; i < READ_PER_WORD * most && take_best(&s, &best); i++)
        read_beginning(&s, &best);
    while (s.words && arrlen(s.words) &&
           (arrlen(s.words) > most || arrlast(s.words).probability < least))
        free(arrpop(s.words).text);
    arrfree(s.beginnings);
    for (int kind = 0; kind < KINDS; kind++)
        free(s.p[kind]);
    return s.words;
}

void candidates_free(Candidate *candidates)
{
    for (ptrdiff_t i = 0; i < arrlen(candidates); i++)
        free(candidates[i].text);
    arrfree(candidates);
}
