/* answer.c: a generator reads the prompt once, of a line with gaps all at once; counts come from
 * searching the training text. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "text/corpus/counts.h"
#include "text/subwords/byte_level.h"

/* ---- What is made once ---- */

/* [bos], [sep] and another model's padding stand for no text, so no continuation contains them,
 * whatever their probability. [eos] ends a line, or a text, and [unk] stands for words: these two
 * are not barred, but neither do they fill a gap. If no token would be left, none is barred. */
static bool *barred_tokens(const Tokenizer *t)
{
    const int V = tokenizer_size(t);
    bool *barred = memory_new((size_t)V, sizeof *barred, "the vocabulary");
    int left = 0;
    for (int id = 0; id < V; id++) {
        const bool is_text = tokenizer_is_text(t, id) && id != t->bos;
        const bool may_come = t->objective != OBJECTIVE_MASKED && (id == t->eos || id == t->unk);
        barred[id] = !is_text && !may_come;
        left += !barred[id];
    }
    if (!left)
        memset(barred, false, sizeof *barred * (size_t)V);
    return barred;
}

/* Slot 0 of the KV cache is the prompt's, slot 1 that of the continuations; a beam search takes as
 * many as it is wide, the prompt's among them. */
Answerer answerer_new(Pretrained *model, const TrainingText *text, AnswerRules rules)
{
    const size_t V = (size_t)tokenizer_size(&model->tokenizer);
    const bool penalizes = rules.penalty != 0 && rules.penalty != 1;
    const KvCache cache = kv_cache_new(&model->gpt.config, max_int(rules.beam, 2));
    return (Answerer){.model = model,
                      .text = text,
                      .rules = rules,
                      .cache = cache,
                      .prompt = generator_new(&model->gpt, cache, 0, model->tokenizer.bos),
                      .writer = generator_new(&model->gpt, cache, 1, model->tokenizer.bos),
                      .p = memory_new(V, sizeof(double), "the probabilities"),
                      .log_p = memory_new(V, sizeof(double), "the probabilities"),
                      .ranked = memory_new(V, sizeof(Ranked), "the probabilities"),
                      .barred = barred_tokens(&model->tokenizer),
                      .seen = penalizes ? memory_new(V, sizeof(bool), "the vocabulary") : NULL,
                      .pairs = model->tokenizer.objective == OBJECTIVE_PAIRS,
                      .gaps = model->tokenizer.objective == OBJECTIVE_MASKED};
}

void answerer_free(Answerer *a)
{
    generator_free(&a->prompt);
    generator_free(&a->writer);
    kv_cache_free(&a->cache);
    free(a->p);
    free(a->log_p);
    free(a->ranked);
    free(a->barred);
    free(a->seen);
}

int answer_length(TokenizerKind kind)
{
    static const int words[] = {
        [TOKENIZER_WORD] = 50, [TOKENIZER_CHAR] = 300, [TOKENIZER_BPE] = 100}; /* about as long */
    return words[kind];
}

/* ---- An answer ---- */

/* Draws a token; all that continuations may contain, except [unk], are equally probable. */
static int draw_first(const Answerer *a, uint32_t number)
{
    const Tokenizer *t = &a->model->tokenizer;
    const int V = tokenizer_size(t);
    int kinds = 0;
    for (int id = 0; id < V; id++) {
        const bool may_come = !a->barred[id] && id != t->unk;
        a->p[id] = may_come;
        kinds += may_come;
    }
    const Random4 place = {{UINT32_MAX, 0, number, 0}};
    return sampler_pick(a->p, V,
                        kinds * random_uniform((uint32_t)a->rules.seed, RANDOM_SAMPLE, place));
}

/* A stream has no [bos], so an empty prompt becomes the token that ends a text, after which another
 * one begins, or else a line end or a full stop; it is hidden. If the vocabulary has none of them,
 * the prompt becomes a token drawn at random. */
static void begin_stream(const Answerer *a, Answer *answer)
{
    const Tokenizer *t = &a->model->tokenizer;
    int first = t->eos >= 0 ? t->eos : tokenizer_find(t, "\n");
    if (first < 0)
        first = tokenizer_find(t, ".");
    answer->hidden = first >= 0;
    if (first < 0) {
        first = draw_first(a, answer->number);
        answer->prompt = tokenizer_word(t, first);
    }
    arrput(answer->encoding.ids, first);
    answer->encoding.count = 1;
}

/* The last word of a prompt of subwords, which begins after the last special token, as [sep] is;
 * the caller frees. */
static char *last_word(const Tokenizer *t, const Encoding *e)
{
    int from = e->count;
    while (from && tokenizer_is_text(t, e->ids[from - 1]))
        from--;
    char *text = tokenizer_decode(t, e->ids + from, e->count - from);
    const char *at = text;
    Span word = {text, text};
    while (byte_level_word(&at, text + strlen(text), &word))
        ;
    char *last = format_text("%s", word.begin);
    free(text);
    return last;
}

/* Puts the whole words that may come next in the place of the tokens, and counts how often the text
 * continues with each. */
static void find_words(Answerer *a, Answer *answer)
{
    const Tokenizer *t = &a->model->tokenizer;
    const Encoding *e = &answer->encoding;
    Candidates *next = answer->places;
    char *before = last_word(t, e);
    answer->whole_words = true;
    candidates_free(next->best);
    next->best =
        next_words(t, &a->prompt, &a->writer, before, min_int(a->rules.table, tokenizer_size(t)),
                   a->rules.all_rows ? 0 : ROW_LEAST, a->counts ? &a->counts->share : NULL);
    if (a->text->there) {
        WordCounts times;
        next->times_in_all =
            counts_next_words(&a->text->corpus, t, e->ids, e->count, before, &times);
        for (ptrdiff_t i = 0; i < arrlen(next->best); i++)
            next->best[i].times = (size_t)word_counts_of(&times, next->best[i].text);
        word_counts_free(&times);
    }
    free(before);
}

/* One line about a prompt that cannot be answered, or NULL. If a prompt is longer than the context,
 * the generator forgets its beginning; but all must be there for a beam search, a pair and gaps. */
static char *check(const Tokenizer *t, int context, bool beam, const char *name, const Encoding *e)
{
    const bool fills = t->objective == OBJECTIVE_MASKED, pairs = t->objective == OBJECTIVE_PAIRS;
    int gaps = 0;
    for (int i = 0; i < e->count; i++)
        gaps += e->ids[i] == t->mask;
    if (fills && !gaps)
        return format_text(_("%s has no gap; write [mask] for each %s that is missing"), name,
                           translated(tokenizer_unit(t->kind)));
    if (e->count <= context || (!beam && !pairs && !fills))
        return NULL;
    return format_text(_("%s has %d tokens, more than the context of %d: %s"), name, e->count,
                       context,
                       pairs   ? _("a source and its target must fit into it together")
                       : fills ? _("a line with gaps must fit into it")
                               : _("a beam search needs all of them in the context"));
}

Encoding answer_encode(const Tokenizer *t, int context, bool beam, const char *name,
                       const char *prompt, size_t size)
{
    Encoding e = prompt_encode(t, name, prompt, size);
    if (!e.wrong)
        e.wrong = check(t, context, beam, name, &e);
    return e;
}

/* Adds a place, and ranks the tokens there by the logits of the prompt. times (V): how often the
 * text has each of them there. */
static void add_place(Answerer *a, Answer *answer, int at, const size_t *times, size_t in_all)
{
    const Tokenizer *t = &a->model->tokenizer;
    const int V = tokenizer_size(t);
    Candidates *place = &answer->places[answer->place_count++];
    *place = (Candidates){.at = at, .times_in_all = in_all};
    softmax_of(a->p, a->prompt.logits, V, 1);
    pretrained_check(a->model, a->p[0]); /* if any of them is not finite, all are not */
    const int count = rank_best(a->ranked, min_int(a->rules.table, V), a->p, V);
    for (int i = 0; i < count; i++) {
        const int id = a->ranked[i].id;
        arrput(place->best, ((Candidate){.text = format_text("%s", tokenizer_word(t, id)),
                                         .probability = a->ranked[i].value,
                                         .times = times[id]}));
    }
}

/* Adds what the model alone, without a share of counting, and counting alone say of the candidates
 * that were ranked just now. */
static void add_parts(Answerer *a, const Answer *answer, int prefix)
{
    const Encoding *e = &answer->encoding;
    Candidates *place = &answer->places[0];
    const double share = a->counts->share;
    place->in_parts = true;
    for (int part = 0; part < 2; part++) {
        a->counts->share = part;
        generator_begin(&a->writer, e->ids, e->count, prefix);
        softmax_of(a->p, a->writer.logits, tokenizer_size(&a->model->tokenizer), 1);
        for (ptrdiff_t i = 0; i < arrlen(place->best); i++)
            place->best[i].parts[part] = a->p[a->ranked[i].id];
    }
    a->counts->share = share;
}

static void find_next(Answerer *a, Answer *answer, int prefix)
{
    const Tokenizer *t = &a->model->tokenizer;
    const Encoding *e = &answer->encoding;
    const int V = tokenizer_size(t);
    size_t *times = memory_new((size_t)V, sizeof *times, "the counts"), in_all = 0;
    answer->places = memory_new(1, sizeof *answer->places, "the table");
    if (a->text->there)
        in_all = counts_next(&a->text->corpus, t, times, V, e->ids, e->count);
    add_place(a, answer, e->count, times, in_all);
    free(times);
    if (a->counts)
        add_parts(a, answer, prefix);
    if (!a->rules.json && t->kind == TOKENIZER_BPE && a->rules.table)
        find_words(a, answer);
}

static void find_gaps(Answerer *a, Answer *answer)
{
    const Tokenizer *t = &a->model->tokenizer;
    const Encoding *e = &answer->encoding;
    const size_t V = (size_t)tokenizer_size(t), most = (size_t)e->count; /* gaps */
    size_t *times = memory_new(most * V, sizeof *times, "the counts"), in_all = 0;
    answer->places = memory_new(most, sizeof *answer->places, "the gaps");
    if (a->text->there)
        in_all = counts_gaps(&a->text->corpus, times, (int)V, e->ids, e->count, t->mask);
    for (int at = 0; at < e->count; at++)
        if (e->ids[at] == t->mask) {
            generator_look_at(&a->prompt, &at, 1, a->prompt.logits);
            add_place(a, answer, at, times + (size_t)answer->place_count * V, in_all);
        }
    free(times);
}

/* The generator reads the prompt, which leaves the scores of the next token in its logits. */
Answer answer_begin(Answerer *a, const char *name, const char *prompt, size_t size)
{
    Answer answer = {.prompt = prompt,
                     .number = a->asked++,
                     .encoding = answer_encode(&a->model->tokenizer, a->model->gpt.config.context,
                                               a->rules.beam, name, prompt, size)};
    Encoding *e = &answer.encoding;
    answer.hidden = !a->model->tokenizer.stream; /* [bos] */
    if (e->wrong)
        return answer;
    if (e->count == 0)
        begin_stream(a, &answer);
    const Objective objective = pretrained_objective(a->model);
    const int prefix = objective_sequence(&objective, e->ids, e->count).prefix;
    generator_begin(&a->prompt, e->ids, e->count, prefix);
    answer.context_full = a->prompt.forgot;
    if (a->gaps)
        find_gaps(a, &answer);
    else
        find_next(a, &answer, prefix);
    return answer;
}

void answer_free(Answer *answer)
{
    for (int i = 0; i < answer->count; i++)
        free(answer->continuations[i].tokens);
    free(answer->continuations);
    for (int i = 0; i < answer->place_count; i++)
        candidates_free(answer->places[i].best);
    free(answer->places);
    encoding_free(&answer->encoding);
}
