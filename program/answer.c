/* answer.c: see answer.h. */
#include "answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/display.h"
#include "data/corpus/counts.h"
#include "base/random.h"

enum { BAR = 24, WORD_COLUMNS = 16 }; /* columns: of a bar, and of a word at most */

/* Special tokens are no words, whatever weight the model gives them: nothing goes on with [bos] or
 * another model's padding. But [eos] ends a line, and [unk] stands for words. */
static bool *barred_of(const Tokenizer *tokenizer)
{
    const Vocabulary *words = &tokenizer->vocabulary;
    bool *barred = memory_new((size_t)words->count, sizeof *barred, "the vocabulary");
    int left = words->count;
    for (int id = 0; id < words->count; id++)
        left -= barred[id] = (id == tokenizer->bos || vocabulary_is_special(words, id)) &&
                             id != tokenizer->eos && id != tokenizer->unk;
    if (!left) /* there is nothing else */
        memset(barred, 0, sizeof *barred * (size_t)words->count);
    return barred;
}

Answerer answerer_new(Pretrained *model, const TrainingText *source, AnswerRules rules)
{
    const Tokenizer *tokenizer = &model->tokenizer;
    const size_t V = (size_t)tokenizer->vocabulary.count;
    const KvCache cache = kv_cache_new(&model->gpt.config, rules.beam > 2 ? rules.beam : 2);
    return (Answerer){.model = model,
                      .source = source,
                      .rules = rules,
                      .screen = screen_open(),
                      .cache = cache,
                      .prompt = generator_new(&model->gpt, cache, 0, tokenizer->bos),
                      .writer = generator_new(&model->gpt, cache, 1, tokenizer->bos),
                      .p = memory_new(V, sizeof(double), "the probabilities"),
                      .log_p = memory_new(V, sizeof(double), "the probabilities"),
                      .ranked = memory_new(V, sizeof(Ranked), "the probabilities"),
                      .next = memory_new(V, sizeof(size_t), "the counts"),
                      .tokens = memory_new((size_t)rules.words, sizeof(int), "a continuation"),
                      .barred = barred_of(tokenizer)};
}

void answerer_free(Answerer *a)
{
    generator_free(&a->prompt);
    generator_free(&a->writer);
    kv_cache_free(&a->cache);
    free(a->p);
    free(a->log_p);
    free(a->ranked);
    free(a->next);
    free(a->tokens);
    free(a->barred);
}

/* ---- What there is to say ---- */

/* Two writers say it, below: what may come next, from the answerer's `ranked`, then the
 * continuations, each of which comes to be as it is asked for. */
typedef struct {
    const char *text;  /* the prompt as it was asked: what stands before a continuation */
    Encoding encoding; /* and as it is read; its ids are the next two */
    int *tokens, count;
    int unseen;        /* of the tokens: the line's end that a stream begins with */
    size_t counted;    /* how often the text goes on from there; 0 also where it is not here */
    int rows;          /* of the table */
    Hypothesis *found; /* by a beam; of drawing, NULL */
    int found_count;
} Answer;

/* A stream needs something to go on from: a line's end or, where it has none, any word, as if that
 * had been asked. */
static void begin_stream(const Answerer *a, Answer *answer)
{
    const Vocabulary *words = &a->model->tokenizer.vocabulary;
    int first = vocabulary_find(words, "\n", 1), kinds = 0;
    answer->unseen = first >= 0;
    if (!answer->unseen) {
        for (int id = 0; id < words->count; id++) {
            const bool is_word = !a->barred[id] && id != a->model->tokenizer.unk;
            a->p[id] = is_word;
            kinds += is_word;
        }
        const Random4 place = {{UINT32_MAX, 0, a->asked, 0}};
        first = sampler_pick(a->p, words->count,
                             kinds * random_uniform(a->rules.seed, RANDOM_SAMPLE, place));
        answer->text = vocabulary_word(words, first);
    }
    arrput(answer->encoding.ids, first);
    answer->tokens = answer->encoding.ids;
    answer->count = 1;
}

/* Reads the prompt and ranks what may come next. Returns NULL, or what is wrong. */
static char *begin(Answerer *a, Answer *answer, const char *name, size_t size)
{
    const int T = a->model->gpt.config.context, V = a->model->tokenizer.vocabulary.count;
    answer->encoding = tokenizer_encode_prompt(&a->model->tokenizer, name, answer->text, size);
    if (answer->encoding.wrong)
        return format_text("%s", answer->encoding.wrong);
    answer->tokens = answer->encoding.ids;
    answer->count = answer->encoding.count;
    if (answer->count == 0)
        begin_stream(a, answer);
    if (a->rules.beam && answer->count > T)
        return format_text("%s has %d tokens, more than the context of %d: a beam needs it whole",
                           name, answer->count, T);
    if (a->source->there)
        answer->counted =
            counts_next(&a->source->corpus, a->next, V, answer->tokens, answer->count);
    generator_begin(&a->prompt, answer->tokens, answer->count);
    softmax_of(a->p, a->prompt.logits, V, 1);
    pretrained_check(a->model, a->p[0]); /* with one that is not, none is */
    answer->rows = rank_best(a->ranked, a->rules.table, a->p, V);
    return NULL;
}

/* How many continuations there are; a beam is searched for them. */
static int continuations(Answerer *a, Answer *answer)
{
    const AnswerRules *rules = &a->rules;
    if (!rules->beam || !rules->count)
        return rules->count;
    const int room = a->model->gpt.config.context - answer->count + 1;
    const BeamRules beam = {.width = rules->beam,
                            .eos = a->model->tokenizer.eos,
                            .most = rules->words < room ? rules->words : room,
                            .barred = a->barred};
    answer->found = beam_search(&a->model->gpt, &a->cache, a->prompt.logits, answer->count, beam,
                                &answer->found_count);
    return answer->found_count < rules->count ? answer->found_count : rules->count;
}

/* Told of each token of a continuation as it comes, and of what is shown before it. */
typedef void Tell(const Answerer *a, int left, int id);

/* What a continuation's first token follows; -1: nothing that is shown. */
static int last_shown(const Answer *answer)
{
    return answer->count > answer->unseen ? answer->tokens[answer->count - 1] : -1;
}

/* Draws what comes next. The rules choose among what is not barred; log_p receives what the model
 * itself says of all tokens. */
static int draw_token(Answerer *a, Random4 place)
{
    const int V = a->model->tokenizer.vocabulary.count;
    Real *logits = a->writer.logits;
    log_softmax_of(a->log_p, logits, V);
    for (int id = 0; id < V; id++)
        if (a->barred[id])
            logits[id] = -INFINITY;
    sampler_probabilities(a->p, a->ranked, logits, V, a->rules.sampling);
    const int id = sampler_pick(a->p, V, random_uniform(a->rules.seed, RANDOM_SAMPLE, place));
    pretrained_check(a->model, a->log_p[id]);
    return id;
}

static Hypothesis draw(Answerer *a, const Answer *answer, int number, Tell *tell)
{
    Hypothesis h = {.tokens = a->tokens};
    int left = last_shown(answer);
    generator_copy(&a->writer, &a->prompt);
    for (;;) {
        const int id = draw_token(a, (Random4){{(uint32_t)h.count, (uint32_t)number, a->asked, 0}});
        h.tokens[h.count++] = id;
        h.log_probability += a->log_p[id];
        h.ended = id == a->model->tokenizer.eos;
        tell(a, left, id);
        if (h.ended || h.count == a->rules.words)
            return h;
        generator_add(&a->writer, id);
        left = id;
    }
}

/* Continuation number i; its tokens are the answerer's. */
static Hypothesis continuation(Answerer *a, const Answer *answer, int i, Tell *tell)
{
    if (!answer->found)
        return draw(a, answer, i, tell);
    const Hypothesis h = answer->found[i];
    pretrained_check(a->model, h.log_probability);
    int left = last_shown(answer);
    for (int j = 0; j < h.count; left = h.tokens[j++])
        tell(a, left, h.tokens[j]);
    return h;
}

/* Whether the context was full before the continuation that came last was done: what is drawn
 * goes on with the rest of it, a beam ends there. */
static bool was_full(const Answerer *a, const Hypothesis *h)
{
    return a->rules.beam ? !h->ended && h->count < a->rules.words : a->writer.forgot;
}

/* Whether the text has prompt and continuation word for word. */
static bool is_in_text(const Answerer *a, const Answer *answer, const Hypothesis *h)
{
    const int from = !a->model->tokenizer.stream || answer->unseen ? 1 : 0; /* without [bos] */
    const int asked = answer->count - from;
    int *tokens = memory_new((size_t)(asked + h->count) + 1, sizeof *tokens, "words");
    memcpy(tokens, answer->tokens + from, sizeof *tokens * (size_t)asked);
    memcpy(tokens + asked, h->tokens, sizeof *tokens * (size_t)h->count);
    const bool held = counts_has(&a->source->corpus, tokens, asked + h->count);
    free(tokens);
    return held;
}

/* ---- For a person ---- */

static void put_bar(double share)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int length = (int)lround(share * BAR * 8);
    for (int i = 0; i < length / 8; i++)
        fputs("█", stdout);
    puts(eighths[length % 8]);
}

static void put_row(const Answerer *a, Ranked row, size_t counted, int columns)
{
    char *word = display_token(vocabulary_word(&a->model->tokenizer.vocabulary, row.id));
    printf("  %s", a->screen.bold);
    put_fitted(stdout, word, columns, false);
    printf("%s", a->screen.plain);
    if (counted) {
        Digits text;
        snprintf(text.text, sizeof text.text, "%.3f (%zu/%zu)",
                 (double)a->next[row.id] / (double)counted, a->next[row.id], counted);
        printf("  %-16s", text.text);
    }
    printf("  model %.3f  ", row.value);
    put_bar(row.value);
    free(word);
}

/* The rows without the last that would say 0.000 of both. */
static int rows_that_tell(const Answerer *a, const Answer *answer)
{
    int rows = answer->rows;
    while (!a->rules.all_rows && rows > 0 && a->ranked[rows - 1].value < 0.0005 &&
           (!answer->counted || !a->next[a->ranked[rows - 1].id]))
        rows--;
    return rows;
}

/* The most probable tokens, with how often the text goes on so beside them. */
static void put_table(const Answerer *a, const Answer *answer)
{
    const int V = a->model->tokenizer.vocabulary.count, rows = rows_that_tell(a, answer);
    int columns = WORD_COLUMNS / 2;
    double rest = 1;
    for (int i = 0; i < rows; i++) {
        char *word =
            display_token(vocabulary_word(&a->model->tokenizer.vocabulary, a->ranked[i].id));
        const int width = display_width(word);
        columns = width > columns ? width : columns;
        free(word);
    }
    columns = columns < WORD_COLUMNS ? columns : WORD_COLUMNS;
    for (int i = 0; i < rows; i++) {
        put_row(a, a->ranked[i], answer->counted, columns);
        rest -= a->ranked[i].value;
    }
    if (rows > 0 && rows < V)
        printf("  the other %d together: %.3f\n", V - rows, rest > 0 ? rest : 0);
}

/* A token as it follows another on the screen, word by word; left -1: nothing is before it. */
static void put_token(const Answerer *a, int left, int id)
{
    const Tokenizer *tokenizer = &a->model->tokenizer;
    if (id == tokenizer->eos || id == tokenizer->bos)
        return;
    if (left >= 0 && left != tokenizer->bos && tokenizer_needs_space(tokenizer, left, id))
        putchar(' ');
    char *part = display_part(vocabulary_word(&tokenizer->vocabulary, id));
    fputs(part, stdout);
    free(part);
    fflush(stdout);
}

static void put_prompt(const Answerer *a, const Answer *answer)
{
    printf("%s", a->screen.bold);
    for (int i = answer->unseen; i < answer->count; i++)
        put_token(a, i > answer->unseen ? answer->tokens[i - 1] : -1, answer->tokens[i]);
    printf("%s", a->screen.plain);
}

/* What there is to say behind a continuation. */
static void put_remark(const Answerer *a, const Answer *answer, const Hypothesis *h)
{
    if (!h->ended)
        printf(" …");
    if (a->rules.beam)
        printf("  [p %.4f]", exp(h->log_probability));
    if (a->source->there)
        printf("  [%s]", is_in_text(a, answer, h) ? "word for word in the text" : "new");
    printf("\n");
}

static void put_full(const Answerer *a)
{
    printf("     the context of %d tokens was full: ", a->model->gpt.config.context);
    if (a->rules.beam) {
        printf("a beam ends there\n");
        return;
    }
    bool behind_bos;
    const int kept = generator_keeps(&a->writer, &behind_bos);
    printf("each time it is, only the last %d are read again", kept);
    if (behind_bos) {
        char *bos = display_token(
            vocabulary_word(&a->model->tokenizer.vocabulary, a->model->tokenizer.bos));
        printf(", behind %s", bos);
        free(bos);
    }
    printf("\n");
}

static void write_text(Answerer *a, Answer *answer)
{
    bool full = a->prompt.forgot;
    put_table(a, answer);
    if (full)
        put_full(a);
    const int count = continuations(a, answer);
    for (int i = 0; i < count; i++) {
        printf("%3d  ", i + 1);
        put_prompt(a, answer);
        const Hypothesis h = continuation(a, answer, i, put_token);
        put_remark(a, answer, &h);
        if (was_full(a, &h) && !full) {
            put_full(a);
            full = true;
        }
    }
}

/* ---- For a program ---- */

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

static void put_row_json(const Answerer *a, Ranked row, size_t counted)
{
    printf("{\"token\":");
    put_json(stdout, vocabulary_word(&a->model->tokenizer.vocabulary, row.id));
    printf(",\"probability\":%.9g", row.value);
    if (counted)
        printf(",\"count\":%zu,\"of\":%zu", a->next[row.id], counted);
    printf("}");
}

static void put_nothing(const Answerer *a, int left, int id)
{
    (void)a, (void)left, (void)id;
}

static void put_continuation_json(const Answerer *a, const Answer *answer, const Hypothesis *h)
{
    char *text = tokenizer_decode(&a->model->tokenizer, h->tokens, h->count);
    printf("{\"text\":");
    put_json(stdout, text);
    printf(",\"tokens\":[");
    for (int i = 0; i < h->count; i++) {
        printf(i ? "," : "");
        put_json(stdout, vocabulary_word(&a->model->tokenizer.vocabulary, h->tokens[i]));
    }
    printf("],\"log_probability\":%.9g,\"ended\":%s,\"context_full\":%s", h->log_probability,
           truth(h->ended), truth(was_full(a, h)));
    if (a->source->there)
        printf(",\"in_text\":%s", truth(is_in_text(a, answer, h)));
    printf("}");
    free(text);
}

static void write_json(Answerer *a, Answer *answer)
{
    printf("{\"prompt\":");
    put_json(stdout, answer->text);
    printf(",\"context_full\":%s,\"next\":[", truth(a->prompt.forgot));
    for (int i = 0; i < answer->rows; i++) {
        printf(i ? "," : "");
        put_row_json(a, a->ranked[i], answer->counted);
    }
    printf("],\"continuations\":[");
    const int count = continuations(a, answer);
    for (int i = 0; i < count; i++) {
        printf(i ? "," : "");
        const Hypothesis h = continuation(a, answer, i, put_nothing);
        put_continuation_json(a, answer, &h);
    }
    printf("]}\n");
}

static void write_wrong_json(const char *text, const char *wrong)
{
    printf("{\"prompt\":");
    put_json(stdout, text);
    printf(",\"error\":");
    put_json(stdout, wrong);
    printf("}\n");
}

/* ---- The whole ---- */

char *answer(Answerer *a, const char *name, const char *text, size_t size)
{
    Answer answer = {.text = text};
    char *wrong = begin(a, &answer, name, size);
    if (!wrong)
        (a->rules.json ? write_json : write_text)(a, &answer);
    else if (a->rules.json)
        write_wrong_json(text, wrong);
    fflush(stdout);
    a->asked++;
    beam_free(answer.found, answer.found_count);
    encoding_free(&answer.encoding);
    return wrong;
}
