/* counting.c: a sequence is a line, or all of a part of a stream, however the model reads them. */
#include "counting.h"

#include "base/base.h"
#include "base/numbers/elementary.h"

/* Order by order. The tokens that end the same k tokens are a group; the groups of
 * k + 1 are parts of those of k, so no n-gram is ever looked up. A token that is alone in its group
 * is alone in all longer ones: where only losses are asked for, it gets no number there, and the
 * higher the order, the fewer tokens are left to be sorted. */
static int *ints_new(size_t count)
{
    return memory_new(count, sizeof(int), "counting n-grams");
}

/* The last `length` tokens up to each token. Those that are alike have the same number. */
typedef struct {
    int length;
    bool numbers_all; /* those that are alone, too */
    int *of;          /* (count) the number of each token's group; -1: its sequence is not so long,
                         or it is alone */
    int groups;       /* how many have numbers */
} Level;

/* After no tokens, all are in one group. */
static Level level_first(const Ngrams *text, bool numbers_all)
{
    return (Level){0, numbers_all, ints_new(text->count), 1};
}

/* Whether as many tokens as the level has end with this one. */
static bool is_long(const Ngrams *text, const Level *level, size_t i)
{
    return text->before[i] >= level->length - 1;
}

/* Sorts the items of `from` by the number, below `limit`, that each has `back` places before it;
 * equal ones stay in order. */
static void sort_by(const int *number, int back, int limit, const int *from, int *into,
                    size_t count)
{
    int *end = ints_new((size_t)limit + 1);
    for (size_t i = 0; i < count; i++)
        end[number[from[i] - back] + 1]++;
    for (int n = 0; n < limit; n++)
        end[n + 1] += end[n];
    for (size_t i = 0; i < count; i++)
        into[end[number[from[i] - back]]++] = from[i];
    free(end);
}

/* The groups of one token more: within each group of `shorter`, those that have the same token
 * before it. */
static Level level_after(const Ngrams *text, const Level *shorter)
{
    const int back = shorter->length, *of = shorter->of, *tokens = text->tokens;
    Level level = {back + 1, shorter->numbers_all, ints_new(text->count), 0};
    int *items = ints_new(text->count), *sorted = ints_new(text->count);
    size_t count = 0;
    for (size_t i = 0; i < text->count; i++) {
        level.of[i] = -1;
        if (is_long(text, &level, i) && of[i] >= 0)
            items[count++] = (int)i;
    }
    sort_by(tokens, back, text->vocabulary, items, sorted, count);
    sort_by(of, 0, shorter->groups, sorted, items, count);
    for (size_t i = 0, end; i < count; i = end) {
        const int token = tokens[items[i] - back], group = of[items[i]];
        for (end = i + 1;
             end < count && of[items[end]] == group && tokens[items[end] - back] == token;)
            end++;
        if (end - i == 1 && !level.numbers_all)
            continue;
        for (size_t alike = i; alike < end; alike++)
            level.of[items[alike]] = level.groups;
        level.groups++;
    }
    free(items);
    free(sorted);
    return level;
}

/* ---- Counts ---- */

/* One of the two uses of the same text: see NGRAM_TRIAL. */
typedef struct {
    const Ngrams *text;
    int times; /* what its purposes are multiplied by */
} Use;

static bool is_counted(Use use, size_t i)
{
    return use.text->purpose[i] & NGRAM_COUNTED * use.times;
}

static bool is_predicted(Use use, size_t i)
{
    return use.text->purpose[i] & NGRAM_PREDICTED * use.times;
}

/* What follows a history. */
typedef struct {
    int sum;              /* c(h·) */
    int ones, twos, more; /* N1, N2, N3 */
} Followers;

static void add_follower(Followers *f, int count)
{
    f->sum += count;
    f->ones += count == 1;
    f->twos += count == 2;
    f->more += count > 2;
}

/* D of the counts 0, 1, 2, and 3 or more. */
typedef struct {
    double of[4];
} Discounts;

/* The counts of an order, and what follows from them. */
typedef struct {
    int *counts;          /* of each group of its level */
    Followers *followers; /* of each history, which is a group of the shorter level */
    Discounts discounts;
} Smoothing;

static void order_free(Smoothing *order)
{
    free(order->counts);
    free(order->followers);
}

/* Counts each group: in the highest order each time, in a lower one how many different tokens stand
 * before it, and each time where none does. Returns how many tokens without a group count. */
static int count_groups(Use use, const Level *level, const Level *longer, int *highest, int *lower)
{
    bool *seen = memory_new((size_t)longer->groups, sizeof *seen, "counting n-grams");
    int alone = 0;
    for (size_t i = 0; i < use.text->count; i++) {
        if (!is_counted(use, i) || !is_long(use.text, level, i))
            continue;
        const int group = level->of[i], more = longer->of[i];
        if (group < 0) {
            alone++;
            continue;
        }
        highest[group]++;
        lower[group] += more < 0 || !seen[more];
        if (more >= 0)
            seen[more] = true;
    }
    free(seen);
    return alone;
}

/* The group of a token's history; -1: that is alone. */
static int history_of(const Level *shorter, size_t i)
{
    return shorter->length ? shorter->of[i - 1] : 0;
}

/* Adds each group to what follows its history. */
static void add_followers(Use use, const Level *shorter, const Level *level, Smoothing *highest,
                          Smoothing *lower)
{
    bool *seen = memory_new((size_t)level->groups, sizeof *seen, "counting n-grams");
    for (size_t i = 0; i < use.text->count; i++) {
        if (!is_counted(use, i) || !is_long(use.text, level, i))
            continue;
        const int group = level->of[i], history = history_of(shorter, i);
        if (history < 0 || (group >= 0 && seen[group]))
            continue;
        add_follower(&highest->followers[history], group < 0 ? 1 : highest->counts[group]);
        add_follower(&lower->followers[history], group < 0 ? 1 : lower->counts[group]);
        if (group >= 0)
            seen[group] = true;
    }
    free(seen);
}

/* `alone` are groups without a number, which have the count 1. */
static Discounts discounts_of(const int *counts, int groups, int alone)
{
    double n[5] = {0};
    for (int g = 0; g < groups; g++)
        if (counts[g] >= 1 && counts[g] <= 4)
            n[counts[g]]++;
    n[1] += alone;
    Discounts d = {{0, 0.5, 1, 1.5}};
    if (n[1] == 0 || n[2] == 0 || n[3] == 0 || n[4] == 0)
        return d;
    Discounts found = {{0}};
    const double Y = n[1] / (n[1] + 2 * n[2]);
    for (int j = 1; j <= 3; j++) {
        found.of[j] = j - (j + 1) * Y * n[j + 1] / n[j];
        if (!(found.of[j] > 0 && found.of[j] <= j))
            return d;
    }
    return found;
}

static Smoothing smoothing_new(const Level *shorter, const Level *level)
{
    return (Smoothing){
        .counts = ints_new((size_t)level->groups),
        .followers = memory_new((size_t)shorter->groups, sizeof(Followers), "counting n-grams")};
}

/* An order, as the highest one and as a lower one. */
static void order_of(Use use, const Level *shorter, const Level *level, const Level *longer,
                     Smoothing *highest, Smoothing *lower)
{
    *highest = smoothing_new(shorter, level);
    *lower = smoothing_new(shorter, level);
    const int alone = count_groups(use, level, longer, highest->counts, lower->counts);
    add_followers(use, shorter, level, highest, lower);
    highest->discounts = discounts_of(highest->counts, level->groups, alone);
    lower->discounts = discounts_of(lower->counts, level->groups, alone);
}

/* ---- Probabilities ---- */

/* p_k of a token that has this count after a history, from p_{k−1}. */
static double probability(const Discounts *discounts, const Followers *f, int count, double shorter)
{
    if (!f->sum)
        return shorter;
    const double *D = discounts->of, sum = (double)f->sum;
    const double left = D[1] * (double)f->ones + D[2] * (double)f->twos + D[3] * (double)f->more;
    return ((double)count - D[count < 3 ? count : 3]) / sum + left / sum * shorter;
}

/* p_k of token i of the text, from p_{k−1}. If its history has no group, that history occurs once,
 * so this token is all that follows it. */
static double probability_at(Use use, const Smoothing *order, const Level *shorter,
                             const Level *level, size_t i, double lower)
{
    const int group = level->of[i], history = history_of(shorter, i);
    const int count = group < 0 ? is_counted(use, i) : order->counts[group];
    Followers own = {0};
    add_follower(&own, count);
    return probability(&order->discounts, history < 0 ? &own : &order->followers[history], count,
                       lower);
}

/* One order of one use: the mean of −ln p, if it is the highest one; p (count) of the order below
 * it becomes that of this one. */
static double loss_of(Use use, const Level *shorter, const Level *level, const Level *longer,
                      double *p)
{
    Smoothing highest, lower;
    double sum = 0;
    size_t predicted = 0;
    order_of(use, shorter, level, longer, &highest, &lower);
    for (size_t i = 0; i < use.text->count; i++) {
        if (!is_predicted(use, i))
            continue;
        double highest_p = p[i];
        if (is_long(use.text, level, i)) {
            highest_p = probability_at(use, &highest, shorter, level, i, p[i]);
            p[i] = probability_at(use, &lower, shorter, level, i, p[i]);
        }
        sum -= elementary_log(highest_p);
        predicted++;
    }
    order_free(&highest);
    order_free(&lower);
    return sum / (double)predicted;
}

void kneser_ney_losses(const Ngrams *text, int most, double *losses, double *trial)
{
    Level shorter = level_first(text, false), level = level_after(text, &shorter);
    double *p = memory_new(text->count, sizeof *p, "counting n-grams"); /* of the lower orders */
    for (size_t i = 0; i < text->count; i++)
        p[i] = 1 / (double)text->vocabulary;
    losses[0] = trial[0] = elementary_log(text->vocabulary);
    for (int k = 1; k <= most; k++) {
        Level longer = level_after(text, &level);
        losses[k] = loss_of((Use){text, 1}, &shorter, &level, &longer, p);
        trial[k] = loss_of((Use){text, NGRAM_TRIAL}, &shorter, &level, &longer, p);
        free(shorter.of);
        shorter = level;
        level = longer;
    }
    free(shorter.of);
    free(level.of);
    free(p);
}

/* ---- Asking ---- */

/* The k-grams of a level as nodes of a tree: above each is the (k − 1)-gram without its first
 * token, and below it are those with one token more before it, in the order of that token. */
typedef struct {
    int *first; /* (groups) its first token */
    int *below; /* (groups + 1) where those below it begin in the next level */
    Smoothing order;
} Nodes;

struct KneserNey {
    int vocabulary, order;
    Nodes nodes[KNESER_NEY_MOST + 1];
};

/* Puts the groups of a level below those of the shorter one. */
static void hang(Nodes *above, Nodes *nodes, const Ngrams *text, const Level *shorter,
                 const Level *level)
{
    nodes->first = ints_new((size_t)level->groups);
    above->below = ints_new((size_t)shorter->groups + 1);
    for (size_t i = 0; i < text->count; i++) {
        const int group = level->of[i];
        if (group < 0)
            continue;
        nodes->first[group] = text->tokens[i - (size_t)shorter->length];
        int *end = &above->below[shorter->of[i] + 1];
        *end = max_int(*end, group + 1);
    }
    for (int g = 0; g < shorter->groups; g++)
        above->below[g + 1] = max_int(above->below[g + 1], above->below[g]);
}

KneserNey *kneser_ney_new(const Ngrams *text, int order)
{
    KneserNey *all = memory_new(1, sizeof *all, "counting n-grams");
    Level shorter = level_first(text, true), level = level_after(text, &shorter);
    all->vocabulary = text->vocabulary;
    all->order = order;
    for (int k = 1; k <= order; k++) {
        Level longer = level_after(text, &level);
        hang(&all->nodes[k - 1], &all->nodes[k], text, &shorter, &level);
        Smoothing other, *own = &all->nodes[k].order;
        order_of((Use){text, 1}, &shorter, &level, &longer, k < order ? &other : own,
                 k < order ? own : &other);
        order_free(&other);
        free(shorter.of);
        shorter = level;
        level = longer;
    }
    free(shorter.of);
    free(level.of);
    return all;
}

void kneser_ney_free(KneserNey *all)
{
    for (int k = 0; k <= all->order; k++) {
        free(all->nodes[k].first);
        free(all->nodes[k].below);
        order_free(&all->nodes[k].order);
    }
    free(all);
}

void kneser_ney_discounts(const KneserNey *all, int k, double discounts[3])
{
    memcpy(discounts, all->nodes[k].order.discounts.of + 1, 3 * sizeof *discounts);
}

/* The node below one of level k − 1, or below none, that has this token first; -1: none. */
static int below(const KneserNey *all, int k, int node, int token)
{
    if (node < 0)
        return -1;
    const int *first = all->nodes[k].first;
    int low = all->nodes[k - 1].below[node], end = all->nodes[k - 1].below[node + 1];
    for (int high = end; low < high;) {
        const int middle = low + (high - low) / 2;
        if (first[middle] < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && first[low] == token ? low : -1;
}

/* Level by level, the history and each token after it go on to the node that has one token more. */
void kneser_ney_predict(const KneserNey *all, const int *history, int length, double *p)
{
    const int V = all->vocabulary;
    int *node = ints_new((size_t)V), before = 0;
    for (int w = 0; w < V; w++)
        p[w] = 1 / (double)V;
    for (int k = 1; k <= all->order && k - 1 <= length; k++) {
        const Smoothing *order = &all->nodes[k].order;
        const int token = k > 1 ? history[length - (k - 1)] : -1;
        if (k > 1)
            before = below(all, k - 1, before, token);
        if (before < 0)
            break;
        for (int w = 0; w < V; w++) {
            node[w] = below(all, k, node[w], k > 1 ? token : w);
            p[w] = probability(&order->discounts, &order->followers[before],
                               node[w] < 0 ? 0 : order->counts[node[w]], p[w]);
        }
    }
    free(node);
}

/* Adds a piece: the beginning of a sequence, or what goes on where the last piece ended. */
static void add_piece(Ngrams *all, const Corpus *corpus, Piece piece, bool goes_on, uint8_t purpose,
                      int *room)
{
    const Sequence sequence = corpus_sequence(corpus, piece, room);
    const size_t from = goes_on ? all->count - 1 : all->count; /* pieces share a token */
    const int before = goes_on ? all->before[from] : 0;
    for (int i = 0; i <= sequence.rows; i++) {
        const bool counts = i > 0 && objective_target(&corpus->objective, &sequence, i - 1) >= 0;
        all->tokens[from + (size_t)i] = sequence.tokens[i];
        all->before[from + (size_t)i] = before + i;
        if (i || !goes_on)
            all->purpose[from + (size_t)i] = counts ? purpose : 0;
    }
    all->count = from + (size_t)sequence.rows + 1;
}

/* Adds what stands before a piece of a stream if the piece before it was not drawn: tokens that are
 * only read, as many as the longest history has. Returns whether there are any. */
static bool add_before(Ngrams *all, const Corpus *corpus, const Part *part, Piece piece, int *room)
{
    const size_t there = piece.from - part->begin;
    const size_t before = there < KNESER_NEY_MOST - 1 ? there : KNESER_NEY_MOST - 1;
    if (!corpus->stream || !part->sample || !before)
        return false;
    add_piece(all, corpus, (Piece){piece.from - before, before}, false, 0, room);
    return true;
}

/* Adds the pieces of a part from this one on. */
static void add_part(Ngrams *all, const Corpus *corpus, const Part *part, size_t first,
                     uint8_t purpose, int *room)
{
    size_t end = 0;
    for (size_t p = first; p < part->count; p++) {
        const Piece piece = corpus_piece(corpus, part, p);
        const bool goes_on =
            (p > first && piece.from == end) || add_before(all, corpus, part, piece, room);
        add_piece(all, corpus, piece, goes_on, purpose, room);
        end = piece.from + piece.length;
    }
}

/* In the trial, a tenth is predicted and not counted: every tenth sequence, or the end of a
 * stream. */
static void hold_back(Ngrams *all, bool stream)
{
    int sequence = 0;
    for (size_t i = 0; i < all->count; i++) {
        sequence += !all->before[i];
        const bool held = stream ? i >= all->count - all->count / 10 : sequence % 10 == 0;
        if (all->purpose[i])
            all->purpose[i] |= NGRAM_TRIAL * (held ? NGRAM_PREDICTED : NGRAM_COUNTED);
    }
}

/* All of a part to count, but of a large one only the end, with room for `more` tokens. Returns
 * which piece was the first. */
static size_t count_part(Ngrams *all, const Corpus *corpus, const Part *part, size_t more,
                         int *room)
{
    const size_t most = (size_t)COUNTING_MOST + more;
    size_t first = part->count;
    for (size_t tokens = 0; first; first--) {
        tokens += (size_t)corpus_piece(corpus, part, first - 1).length + 1;
        if (tokens > COUNTING_MOST)
            break;
    }
    *all = (Ngrams){.tokens = memory_new(most, sizeof *all->tokens, "counting"),
                    .before = memory_new(most, sizeof *all->before, "counting"),
                    .purpose = memory_new(most, sizeof *all->purpose, "counting"),
                    .vocabulary = corpus->vocabulary};
    add_part(all, corpus, part, first, NGRAM_COUNTED, room);
    return first;
}

/* A piece, or the longest history, and the token after it. */
static int *room_for_piece(const Corpus *corpus)
{
    const size_t count = (size_t)max_int(corpus->context, KNESER_NEY_MOST) + 1;
    return memory_new(count, sizeof(int), "counting");
}

static void ngrams_free(Ngrams *all)
{
    free(all->tokens);
    free(all->before);
    free(all->purpose);
}

Counting counting_of(const Corpus *corpus)
{
    Counting found = {.loss = (double)NAN, .order = 1, .share = (double)NAN, .mixed = (double)NAN};
    if (!corpus->held_out.count || corpus->objective.kind == OBJECTIVE_MASKED ||
        corpus->objective.kind == OBJECTIVE_TURNS)
        return found;
    const Part *evaluated = &corpus->evaluated;
    const size_t more = evaluated->rows + evaluated->count * KNESER_NEY_MOST;
    int *room = room_for_piece(corpus);
    double losses[KNESER_NEY_MOST + 1], trial[KNESER_NEY_MOST + 1];
    Ngrams all;
    found.some = count_part(&all, corpus, &corpus->train, more, room) > 0;
    hold_back(&all, corpus->stream);
    add_part(&all, corpus, evaluated, 0, NGRAM_PREDICTED, room);
    kneser_ney_losses(&all, KNESER_NEY_MOST, losses, trial);
    for (int k = 2; k <= KNESER_NEY_MOST; k++)
        if (trial[k] < trial[found.order])
            found.order = k;
    found.loss = losses[found.order];
    free(room);
    ngrams_free(&all);
    return found;
}

/* ---- With the model ---- */

CountMixture count_mixture_new(const Corpus *corpus, int order, double share)
{
    int *room = room_for_piece(corpus);
    Ngrams all;
    count_part(&all, corpus, &corpus->train, 0, room);
    CountMixture mixture = {kneser_ney_new(&all, order), corpus->vocabulary, order, share};
    free(room);
    ngrams_free(&all);
    return mixture;
}

void count_mixture_free(CountMixture *mixture)
{
    if (mixture->counts)
        kneser_ney_free(mixture->counts);
}

static void mix(const void *of, const int *history, int count, Real *logits)
{
    const CountMixture *m = of;
    if (m->share == 0)
        return;
    double *p = memory_take((size_t)m->vocabulary * sizeof *p);
    kneser_ney_predict(m->counts, history, count, p);
    for (int w = 0; w < m->vocabulary; w++)
        logits[w] = (Real)((1 - m->share) * (double)logits[w] + m->share * elementary_log(p[w]));
    free(p);
}

Mixture count_mixture_of(const CountMixture *mixture)
{
    return (Mixture){mix, mixture};
}
