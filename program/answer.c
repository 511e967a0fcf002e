/* answer.c: see answer.h. */
#include "answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../data/shown.h"
#include "../model/random.h"

enum { BAR = 24, WORD_COLUMNS = 16 }; /* columns of a bar, and of a word at least */

Answerer answerer_new(Pretrained *model, const Source *source, AnswerRules rules)
{
    const size_t V = (size_t)model->vocabulary.count;
    gpt_remember(&model->gpt, rules.beam > 1 ? rules.beam : 1);
    return (Answerer){
        .model = model, .source = source, .rules = rules, .screen = screen_open(),
        .writer = writer_new(&model->gpt, model->stream ? -1 : model->vocabulary.bos),
        .p = memory_new(V, sizeof(double), "the probabilities"),
        .ranked = memory_new(V, sizeof(Ranked), "the probabilities"),
        .next = memory_new(V, sizeof(size_t), "the counts"),
    };
}

void answerer_free(Answerer *a)
{
    writer_free(&a->writer);
    free(a->p);
    free(a->ranked);
    free(a->next);
}

/* ---- Prompt ---- */

typedef struct {
    int *tokens, count;
    int drawn; /* of the tokens: not the prompt's own, but what a stream begins with unasked */
} Prompt;

/* A stream needs something to go on from: a line's end or, where it has none, any token. */
static void begin_stream(const Answerer *a, Prompt *prompt)
{
    const Vocabulary *words = &a->model->vocabulary;
    int first = vocabulary_id(words, "\n", 1);
    if (first < 0 || first == words->unk)
        first = (int)(random_uniform(a->rules.seed, RANDOM_SAMPLE,
                                     (Random4){{UINT32_MAX, 0, a->asked, 0}}) * words->count);
    prompt->tokens[0] = first;
    prompt->count = prompt->drawn = 1;
}

/* ---- The table ---- */

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
    char *word = token_shown(a->model->vocabulary.words[row.id].key);
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

/* Ranks the tokens that the table shows; returns how many. */
static int choose_rows(Answerer *a, size_t counted)
{
    int rows = rank_best(a->ranked, a->rules.table, a->p, a->model->vocabulary.count);
    while (!a->rules.all_rows && rows > 0 && a->ranked[rows - 1].value < 0.0005 &&
           (!counted || !a->next[a->ranked[rows - 1].id]))
        rows--;
    return rows;
}

/* The most probable tokens, with how often the text goes on so beside them. */
static void put_table(Answerer *a, size_t counted)
{
    const int V = a->model->vocabulary.count, rows = choose_rows(a, counted);
    int columns = WORD_COLUMNS / 2;
    double rest = 1;
    for (int i = 0; i < rows; i++) {
        char *word = token_shown(a->model->vocabulary.words[a->ranked[i].id].key);
        const int width = shown_width(word);
        columns = width > columns ? width : columns;
        free(word);
    }
    columns = columns < WORD_COLUMNS ? columns : WORD_COLUMNS;
    for (int i = 0; i < rows; i++) {
        put_row(a, a->ranked[i], counted, columns);
        rest -= a->ranked[i].value;
    }
    if (rows > 0 && rows < V)
        printf("  the other %d together: %.3f\n", V - rows, rest > 0 ? rest : 0);
}

static void put_table_json(Answerer *a, size_t counted)
{
    const int rows = rank_best(a->ranked, a->rules.table, a->p, a->model->vocabulary.count);
    printf(",\"next\":[");
    for (int i = 0; i < rows; i++) {
        printf("%s{\"token\":", i ? "," : "");
        put_json(stdout, a->model->vocabulary.words[a->ranked[i].id].key);
        printf(",\"probability\":%.9g", a->ranked[i].value);
        if (counted)
            printf(",\"count\":%zu,\"of\":%zu", a->next[a->ranked[i].id], counted);
        printf("}");
    }
    printf("]");
}

/* ---- Continuations ---- */

/* A token as it follows another on the screen; left -1: nothing is before it. */
static void put_token(const Answerer *a, int left, int id)
{
    const Vocabulary *words = &a->model->vocabulary;
    if (id == words->eos || id == words->bos)
        return;
    if (left >= 0 && left != words->bos && spelling_parts(&a->source->spelling, left, id))
        putchar(' ');
    char *part = part_shown(words->words[id].key);
    fputs(part, stdout);
    free(part);
    fflush(stdout); /* word by word */
}

/* What a continuation's first token follows. */
static int last_shown(const Prompt *prompt)
{
    return prompt->count > prompt->drawn ? prompt->tokens[prompt->count - 1] : -1;
}

static void put_prompt(const Answerer *a, const Prompt *prompt)
{
    printf("%s", a->screen.bold);
    for (int i = prompt->drawn; i < prompt->count; i++)
        put_token(a, i > prompt->drawn ? prompt->tokens[i - 1] : -1, prompt->tokens[i]);
    printf("%s", a->screen.plain);
}

/* Draws a continuation; on the screen as it comes, but for JSON. */
static Hypothesis draw(Answerer *a, const Prompt *prompt, int number)
{
    const AnswerRules *rules = &a->rules;
    const int V = a->model->vocabulary.count;
    Hypothesis h = {.tokens = memory_new((size_t)rules->words, sizeof *h.tokens, "words")};
    int left = last_shown(prompt);
    writer_begin(&a->writer, prompt->tokens, prompt->count);
    while (h.count < rules->words && !h.ended) {
        sampler_probabilities(a->p, a->ranked, a->writer.logits, V, rules->sampling);
        const Random4 place = {{(uint32_t)h.count, (uint32_t)number, a->asked, 0}};
        const int id = sampler_pick(a->p, V, random_uniform(rules->seed, RANDOM_SAMPLE, place));
        log_softmax_of(a->p, a->writer.logits, V);
        pretrained_check(a->model, a->p[id]);
        h.log_probability += a->p[id];
        h.tokens[h.count++] = id;
        h.ended = id == a->model->vocabulary.eos && !a->model->stream;
        if (!rules->json)
            put_token(a, left, id);
        left = id;
        if (h.count < rules->words && !h.ended)
            writer_add(&a->writer, id);
    }
    return h;
}

/* Whether the text has prompt and continuation word for word. */
static bool is_in_text(const Answerer *a, const Prompt *prompt, const Hypothesis *h)
{
    const int from = !a->model->stream || prompt->drawn ? 1 : 0; /* without [bos] */
    const int asked = prompt->count - from;
    int *tokens = memory_new((size_t)(asked + h->count) + 1, sizeof *tokens, "words");
    memcpy(tokens, prompt->tokens + from, sizeof *tokens * (size_t)asked);
    memcpy(tokens + asked, h->tokens, sizeof *tokens * (size_t)h->count);
    const bool held = source_holds(a->source, tokens, asked + h->count);
    free(tokens);
    return held;
}

/* What there is to say behind a continuation. */
static void put_remark(const Answerer *a, const Prompt *prompt, const Hypothesis *h)
{
    if (!h->ended)
        printf(" …");
    if (a->rules.beam)
        printf("  [p %.4f]", exp(h->log_probability));
    if (a->source->there)
        printf("  [%s]", is_in_text(a, prompt, h) ? "word for word in the text" : "new");
    printf("\n");
}

static void put_continuation_json(const Answerer *a, const Prompt *prompt, const Hypothesis *h,
                                  bool first)
{
    char *text = spelling_text(&a->source->spelling, h->tokens, h->count);
    printf("%s{\"text\":", first ? "" : ",");
    put_json(stdout, text);
    printf(",\"tokens\":[");
    for (int i = 0; i < h->count; i++) {
        printf(i ? "," : "");
        put_json(stdout, a->model->vocabulary.words[h->tokens[i]].key);
    }
    printf("],\"log_probability\":%.9g,\"ended\":%s", h->log_probability,
           h->ended ? "true" : "false");
    if (a->source->there)
        printf(",\"in_text\":%s", is_in_text(a, prompt, h) ? "true" : "false");
    printf("}");
    free(text);
}

static void put_forgot(const Answerer *a)
{
    const int T = a->model->gpt.shape.context;
    printf("     the context of %d tokens was full: each time it is, only the last %d are read "
           "again%s\n", T, T / 2 > 1 ? T / 2 : 1, a->model->stream ? "" : ", behind [bos]");
}

static void put_drawn(Answerer *a, const Prompt *prompt)
{
    bool forgot = false;
    for (int i = 0; i < a->rules.count; i++) {
        if (!a->rules.json) {
            printf("%3d  ", i + 1);
            put_prompt(a, prompt);
        }
        const Hypothesis h = draw(a, prompt, i);
        if (a->rules.json)
            put_continuation_json(a, prompt, &h, i == 0);
        else
            put_remark(a, prompt, &h);
        if (a->writer.forgot && !forgot && !a->rules.json)
            put_forgot(a);
        forgot |= a->writer.forgot;
        free(h.tokens);
    }
}

static void put_beam(Answerer *a, const Prompt *prompt)
{
    const int room = a->model->gpt.shape.context - prompt->count + 1;
    const int most = a->rules.words < room ? a->rules.words : room;
    const int eos = a->model->stream ? -1 : a->model->vocabulary.eos;
    int found;
    Hypothesis *best = beam_search(&a->model->gpt, prompt->tokens, prompt->count, a->rules.beam,
                                   most, eos, &found);
    for (int i = 0; i < found && i < a->rules.count; i++) {
        pretrained_check(a->model, best[i].log_probability);
        if (a->rules.json) {
            put_continuation_json(a, prompt, &best[i], i == 0);
            continue;
        }
        printf("%3d  ", i + 1);
        put_prompt(a, prompt);
        int left = last_shown(prompt);
        for (int j = 0; j < best[i].count; left = best[i].tokens[j++])
            put_token(a, left, best[i].tokens[j]);
        put_remark(a, prompt, &best[i]);
    }
    beam_free(best, found);
}

/* ---- The whole ---- */

static char *check(const Answerer *a, const char *name, const Prompt *prompt)
{
    if (a->rules.beam && prompt->count > a->model->gpt.shape.context)
        return saying("%s has %d tokens, more than the context of %d: a beam needs it whole", name,
                      prompt->count, a->model->gpt.shape.context);
    return NULL;
}

static void put_answer(Answerer *a, const char *text, const Prompt *prompt)
{
    const int V = a->model->vocabulary.count;
    const size_t counted = a->source->there
        ? source_count_next(a->source, a->next, V, prompt->tokens, prompt->count) : 0;
    writer_begin(&a->writer, prompt->tokens, prompt->count);
    softmax_of(a->p, a->writer.logits, V, 1);
    pretrained_check(a->model, a->p[0]); /* with one that is not, none is */
    if (a->rules.json) {
        printf("{\"prompt\":");
        put_json(stdout, text);
        put_table_json(a, counted);
        printf(",\"continuations\":[");
    } else {
        put_table(a, counted);
    }
    if (a->rules.beam)
        put_beam(a, prompt);
    else
        put_drawn(a, prompt);
    printf(a->rules.json ? "]}\n" : "");
    fflush(stdout);
}

char *answer(Answerer *a, const char *name, const char *text, size_t size)
{
    Prompt prompt = {0};
    char *wrong = pretrained_tokens(a->model, name, text, size, &prompt.tokens, &prompt.count);
    if (!wrong && prompt.count == 0)
        begin_stream(a, &prompt);
    if (!wrong)
        wrong = check(a, name, &prompt);
    if (!wrong) {
        put_answer(a, text, &prompt);
    } else if (a->rules.json) {
        printf("{\"prompt\":");
        put_json(stdout, text);
        printf(",\"error\":");
        put_json(stdout, wrong);
        printf("}\n");
    }
    a->asked++;
    free(prompt.tokens);
    return wrong;
}
