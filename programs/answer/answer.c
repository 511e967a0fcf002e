/* answer.c: a generator reads the prompt once, of a line with gaps all at once; counts come from
 * searching the training text. */
#include "answer.h"

#include <stb/stb_ds.h>

#include "base/numbers/elementary.h"
#include "model/generator.h"
#include "text/corpus/counts.h"
#include "text/encoder.h"
#include "text/subwords/bpe.h"

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
                      .pairs = objective_answers(model->tokenizer.objective),
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
    while (from && tokenizer_is_part(t, e->ids[from - 1]))
        from--;
    AUTOFREE char *text = tokenizer_decode(t, e->ids + from, e->count - from);
    const char *at = text;
    Span word = {text, text};
    while (pattern_word(&at, text + strlen(text), t->pattern, &word))
        ;
    return format_text("%s", word.begin);
}

/* Puts the whole words that may come next in the place of the tokens, and counts how often the text
 * continues with each. */
static void find_words(Answerer *a, Answer *answer)
{
    const Tokenizer *t = &a->model->tokenizer;
    const Encoding *e = &answer->encoding;
    Candidates *next = answer->places;
    AUTOFREE char *before = last_word(t, e);
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
}

/* One line about a prompt that cannot be answered, or NULL. If a prompt is longer than the context,
 * the generator forgets its beginning; but all must be there for a beam search, a pair and gaps. */
static char *check(const Tokenizer *t, int context, bool beam, const char *name, const Encoding *e)
{
    const bool fills = t->objective == OBJECTIVE_MASKED, pairs = objective_answers(t->objective);
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
                       t->objective == OBJECTIVE_TURNS
                           ? _("a conversation and its answer must fit into it together")
                       : pairs ? _("a source and its target must fit into it together")
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
    AUTOFREE size_t *times = memory_new((size_t)V, sizeof *times, "the counts");
    size_t in_all = 0;
    answer->places = memory_new(1, sizeof *answer->places, "the table");
    if (a->text->there)
        in_all = counts_next(&a->text->corpus, t, times, V, e->ids, e->count);
    add_place(a, answer, e->count, times, in_all);
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
    AUTOFREE size_t *times = memory_new(most * V, sizeof *times, "the counts");
    size_t in_all = 0;
    answer->places = memory_new(most, sizeof *answer->places, "the gaps");
    if (a->text->there)
        in_all = counts_gaps(&a->text->corpus, times, (int)V, e->ids, e->count, t->mask);
    for (int at = 0; at < e->count; at++)
        if (e->ids[at] == t->mask) {
            generator_look_at(&a->prompt, &at, 1, a->prompt.logits);
            add_place(a, answer, at, times + (size_t)answer->place_count * V, in_all);
        }
}

/* The generator reads the prompt, which leaves the scores of the next token in its logits. */
Answer answer_begin(Answerer *a, const char *name, const char *prompt, size_t size)
{
    Answer answer = {.prompt = prompt,
                     .number = a->asked++,
                     .encoding = answer_encode(&a->model->tokenizer, a->model->gpt.config.context,
                                               a->rules.beam, name, prompt, size)};
    Encoding *e = &answer.encoding;
    answer.hidden = !a->model->tokenizer.stream && !a->model->tokenizer.opening; /* [bos] */
    if (e->wrong && e->known && !a->pairs && !a->gaps) {
        answer.unknown = e->wrong;
        e->count = e->known;
        arrsetlen(e->ids, e->count);
        e->wrong =
            check(&a->model->tokenizer, a->model->gpt.config.context, a->rules.beam, name, e);
    }
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
    for (int i = 0; i < answer->count; i++) {
        free(answer->continuations[i].tokens);
        quotes_free(answer->continuations[i].quotes);
    }
    free(answer->continuations);
    for (int i = 0; i < answer->place_count; i++)
        candidates_free(answer->places[i].best);
    free(answer->places);
    free(answer->unknown);
    encoding_free(&answer->encoding);
}

/* ---- Continuations ---- */

/* Each continuation starts from a copy of the generator that has read the prompt, a beam search
 * from its slot of the KV cache. A line with gaps is read again after each is filled. */

/* How many tokens a continuation may have. A full context ends a target, and what a beam search
 * finds; but the last token need not be read, since nothing comes after it, so it needs no
 * place. */
static int most_tokens(const Answerer *a, const Answer *answer)
{
    const int room = a->model->gpt.config.context - answer->encoding.count + 1;
    return a->rules.beam || a->pairs ? min_int(a->rules.words, room) : a->rules.words;
}

/* How many bytes the text of a continuation has from AnswerRules.stop on, if that is in the text of
 * its last tokens; else 0. If it was not there before the last token, the tokens that may hold it
 * are as many as its bytes. */
static size_t stop_bytes(const Answerer *a, const Answer *answer, const int *tokens, int count)
{
    if (!a->rules.stop)
        return 0;
    const int from = max_int(count - (int)strlen(a->rules.stop), 0);
    const Continuation c = {.tokens = (int *)tokens, .count = count};
    int all;
    AUTOFREE int *ids = answer_tokens(answer, 0, &c, &all);
    AUTOFREE char *text =
        tokenizer_decode_from(&a->model->tokenizer, ids, answer->encoding.count + from, all);
    const char *at = strstr(text, a->rules.stop);
    return at ? strlen(at) : 0;
}

static bool is_interrupted(const Answerer *a)
{
    return a->interrupt && *a->interrupt;
}

/* If repetition is penalized: notes that only these tokens were seen. */
static void see(Answerer *a, const int *tokens, int count)
{
    if (!a->seen)
        return;
    memset(a->seen, false, sizeof *a->seen * (size_t)tokenizer_size(&a->model->tokenizer));
    for (int i = 0; i < count; i++)
        a->seen[tokens[i]] = true;
}

/* Draws a token from the writer's logits by the rules, but none that is barred, and notes that it
 * was seen; log_p receives ln p of all tokens by the model itself. `place` numbers the draw: each
 * has its own random bits, which do not depend on what was drawn before. */
static int draw_token(Answerer *a, Random4 place)
{
    const int V = tokenizer_size(&a->model->tokenizer);
    Real *logits = a->writer.logits;
    log_softmax_of(a->log_p, logits, V);
    for (int id = 0; id < V; id++)
        if (a->barred[id])
            logits[id] = -INFINITY;
    if (a->seen)
        penalize_repetition(logits, a->seen, V, a->rules.penalty);
    sampler_probabilities(a->p, a->ranked, logits, V, a->rules.sampling);
    const int id =
        sampler_pick(a->p, V, random_uniform((uint32_t)a->rules.seed, RANDOM_SAMPLE, place));
    pretrained_check(a->model, a->log_p[id]);
    if (a->seen)
        a->seen[id] = true;
    return id;
}

/* One continuation, token by token, up to [eos], AnswerRules.stop, as many as there may be, or an
 * interrupt. */
static Continuation draw(Answerer *a, const Answer *answer, int number, AnswerWatch *watch,
                         void *watcher)
{
    const int most = most_tokens(a, answer);
    Continuation c = {.tokens = memory_new((size_t)most, sizeof *c.tokens, "a continuation")};
    generator_copy(&a->writer, &a->prompt);
    see(a, answer->encoding.ids, answer->encoding.count);
    while (!c.ended && !c.stopped && c.count < most && !is_interrupted(a)) {
        const Random4 place = {{(uint32_t)c.count, (uint32_t)number, answer->number, 0}};
        if (c.count)
            generator_add(&a->writer, c.tokens[c.count - 1]);
        const int id = draw_token(a, place);
        c.tokens[c.count++] = id;
        c.log_probability += a->log_p[id];
        c.ended = id == a->model->tokenizer.eos;
        c.cut = stop_bytes(a, answer, c.tokens, c.count);
        c.stopped = c.cut > 0;
        if (watch)
            watch(answer, number, &c, watcher);
    }
    c.context_full =
        a->writer.forgot || (!c.ended && !c.stopped && c.count == most && most < a->rules.words);
    return c;
}

int *answer_tokens(const Answer *answer, int from, const Continuation *c, int *count)
{
    const int asked = answer->encoding.count, more = c ? c->count : 0;
    const bool fills = answer->places->at < asked;
    int *tokens = memory_new((size_t)asked + (size_t)more, sizeof *tokens, "words");
    memcpy(tokens, answer->encoding.ids, sizeof *tokens * (size_t)asked);
    for (int i = 0; i < more; i++)
        tokens[fills ? answer->places[i].at : asked + i] = c->tokens[i];
    *count = asked - from + (fills ? 0 : more);
    memmove(tokens, tokens + from, sizeof *tokens * (size_t)*count);
    return tokens;
}

/* The gap, among those not filled yet, in which the model is surest of a token that may come;
 * leaves the scores at that gap in the writer's logits. The writer has read the line. */
static int surest_gap(Answerer *a, const Answer *answer, const int *filled)
{
    const int V = tokenizer_size(&a->model->tokenizer), mask = a->model->tokenizer.mask;
    const size_t most = (size_t)answer->place_count;
    AUTOFREE int *gaps = memory_new(most, sizeof *gaps, "the gaps");
    AUTOFREE int *places = memory_new(most, sizeof *places, "the gaps");
    AUTOFREE Real *logits = memory_new(most * (size_t)V, sizeof *logits, "the gaps");
    int count = 0, best = 0;
    for (int gap = 0; gap < answer->place_count; gap++)
        if (filled[gap] == mask) {
            places[count] = answer->places[gap].at;
            gaps[count++] = gap;
        }
    generator_look_at(&a->writer, places, count, logits);
    double highest = -1;
    for (int i = 0; i < count; i++) {
        softmax_of(a->p, ROW(logits, i, V), V, 1);
        for (int id = 0; id < V; id++)
            if (!a->barred[id] && a->p[id] > highest) {
                highest = a->p[id];
                best = i;
            }
    }
    memcpy(a->writer.logits, ROW(logits, best, V), sizeof *logits * (size_t)V);
    return gaps[best];
}

/* Fills the gaps, each with a token that is drawn given all others and the gaps that are left. */
static Continuation fill(Answerer *a, const Answer *answer, int number, AnswerWatch *watch,
                         void *watcher)
{
    const int gaps = answer->place_count, count = answer->encoding.count;
    Continuation c = {.tokens = memory_new((size_t)gaps, sizeof *c.tokens, "the gaps"),
                      .count = gaps,
                      .ended = true};
    for (int gap = 0; gap < gaps; gap++)
        c.tokens[gap] = a->model->tokenizer.mask;
    for (int filled = 0; filled < gaps; filled++) {
        int all;
        AUTOFREE int *tokens = answer_tokens(answer, 0, &c, &all);
        generator_begin(&a->writer, tokens, all, count);
        const int gap = surest_gap(a, answer, c.tokens);
        const Random4 place = {{(uint32_t)gap, (uint32_t)number, answer->number, 0}};
        c.tokens[gap] = draw_token(a, place);
        c.log_probability += a->log_p[c.tokens[gap]];
        if (watch)
            watch(answer, number, &c, watcher);
    }
    return c;
}

char *answer_text(const Answerer *a, const Answer *answer, const Continuation *c)
{
    int count;
    AUTOFREE int *tokens = answer_tokens(answer, answer->hidden, c, &count);
    char *text = tokenizer_decode(&a->model->tokenizer, tokens, count);
    text[strlen(text) - (c ? c->cut : 0)] = 0;
    return text;
}

/* The tokens that are looked for in the text; *count is -1 if it cannot have them. If a
 * continuation was cut, perhaps within a token, they are the tokens of what is written. The text
 * has the source of a pair only if a line begins with it, so [bos] is also looked for. A line with
 * gaps has it anyway. The caller frees them. */
static int *looked_for(const Answerer *a, const Answer *answer, const Continuation *c, int *count)
{
    const Tokenizer *t = &a->model->tokenizer;
    if (!c->stopped)
        return answer_tokens(answer, a->pairs || a->gaps ? 0 : answer->hidden, c, count);
    AUTOFREE char *text = answer_text(a, answer, c);
    Encoding e = prompt_encode(t, "", text, strlen(text));
    const int from = !a->pairs && !t->stream; /* without [bos] */
    *count = e.wrong ? -1 : max_int(e.count - from, 0);
    int *tokens = memory_new((size_t)max_int(*count, 0) + 1, sizeof *tokens, "words");
    if (*count > 0)
        memcpy(tokens, e.ids + from, sizeof *tokens * (size_t)*count);
    encoding_free(&e);
    return tokens;
}

/* What the text has of a continuation. */
static void find_in_text(const Answerer *a, const Answer *answer, Continuation *c)
{
    const Corpus *corpus = &a->text->corpus;
    int count;
    if (!a->text->there)
        return;
    AUTOFREE int *tokens = looked_for(a, answer, c, &count);
    c->in_text = count >= 0 && counts_has(corpus, &a->model->tokenizer, tokens, count);
    if (a->rules.sources)
        c->quotes = quotes_of(corpus, &a->model->tokenizer, tokens, count);
}

/* What a search asks after each token: whether a continuation has AnswerRules.stop, or may not grow
 * any more. */
typedef struct {
    const Answerer *answerer;
    const Answer *answer;
} Judge;

static bool ends(const int *tokens, int count, void *judge)
{
    const Judge *j = judge;
    return is_interrupted(j->answerer) || stop_bytes(j->answerer, j->answer, tokens, count) > 0;
}

/* The best continuations that a beam search finds. */
static void search(Answerer *a, Answer *answer)
{
    see(a, answer->encoding.ids, answer->encoding.count);
    Judge judge = {a, answer};
    const BeamRules rules = {.width = a->rules.beam,
                             .eos = a->model->tokenizer.eos,
                             .most = most_tokens(a, answer),
                             .barred = a->barred,
                             .seen = a->seen,
                             .penalty = a->rules.penalty,
                             .ends = ends,
                             .judge = &judge};
    int found;
    Hypothesis *best = beam_search(&a->model->gpt, &a->cache, a->prompt.logits,
                                   answer->encoding.count, rules, &found);
    answer->count = min_int(answer->count, found);
    while (answer->count > 1 &&
           elementary_exp(best[answer->count - 1].log_probability) < a->rules.least)
        answer->count--;
    for (int i = 0; i < answer->count; i++) {
        Hypothesis *h = &best[i];
        pretrained_check(a->model, h->log_probability);
        const size_t cut = stop_bytes(a, answer, h->tokens, h->count);
        answer->continuations[i] =
            (Continuation){.tokens = h->tokens,
                           .count = h->count,
                           .log_probability = h->log_probability,
                           .ended = h->tokens[h->count - 1] == rules.eos && !cut,
                           .stopped = cut > 0,
                           .cut = cut,
                           .context_full = !h->ended && h->count < a->rules.words};
        h->tokens = NULL; /* the continuation owns them now */
        find_in_text(a, answer, &answer->continuations[i]);
    }
    beam_free(best, found);
}

void answer_continue(Answerer *a, Answer *answer, AnswerWatch *watch, void *watcher)
{
    answer->count = a->rules.count;
    answer->continuations =
        memory_new((size_t)answer->count, sizeof *answer->continuations, "the continuations");
    if (a->rules.beam && answer->count) {
        search(a, answer);
        return;
    }
    for (int i = 0; i < answer->count; i++) {
        Continuation *c = &answer->continuations[i];
        *c = a->gaps ? fill(a, answer, i, watch, watcher) : draw(a, answer, i, watch, watcher);
        c->complete = true;
        find_in_text(a, answer, c);
        if (watch)
            watch(answer, i, c, watcher);
        if (is_interrupted(a))
            answer->count = i + 1;
    }
}
