/* objective.c: the draws of a row depend on the seed, the step and the row's number in the step
 * only, so they are the same in whatever parts a step is computed. */
#include "objective.h"

#include "base/numbers/random.h"

const char *const OBJECTIVE_NAMES[] = {[OBJECTIVE_NEXT] = "next",
                                       [OBJECTIVE_PAIRS] = "pairs",
                                       [OBJECTIVE_MASKED] = "masked",
                                       [OBJECTIVE_TURNS] = "turns",
                                       NULL};

Sequence objective_sequence(const Objective *o, const int *tokens, int rows)
{
    Sequence s = {.tokens = tokens, .rows = rows};
    switch (o->kind) {
    case OBJECTIVE_NEXT:
    case OBJECTIVE_TURNS: break;
    case OBJECTIVE_MASKED: s.prefix = rows; break;
    case OBJECTIVE_PAIRS:
        while (s.first < rows && tokens[s.first] != o->sep)
            s.first++;
        if (!o->causal_source && s.first < rows)
            s.prefix = s.first + 1;
        break;
    }
    return s;
}

bool objective_is_answer(const Objective *o, const int *tokens, int i)
{
    int mark = i; /* the last one that says whose turn it is */
    while (mark > 0 && tokens[mark] != o->bos && tokens[mark] != o->sep && tokens[mark] != o->eos)
        mark--;
    return tokens[mark] == o->sep && i >= mark + o->opening &&
           (!o->opening || tokens[mark + 1] == o->assistant);
}

int objective_targets(const Objective *o, const Sequence *s)
{
    int count = s->rows - s->first;
    if (o->kind == OBJECTIVE_MASKED || o->kind == OBJECTIVE_TURNS)
        for (int i = 0; i < s->rows; i++)
            count -= objective_target(o, s, i) < 0;
    return count;
}

/* A whole number below `count`. */
static int below(int count, uint32_t random)
{
    return (int)(((uint64_t)random * (uint64_t)count) >> 32);
}

static Random4 draw_row(HideDraw draw, int i)
{
    const Random4 counter = {{draw.row + (uint32_t)i, 0, 0, draw.step}};
    return random_words(draw.seed, RANDOM_MASK, counter);
}

/* What a row reads whose token is hidden. A random token is any but [mask]. */
static int hidden(const Objective *o, int id, Random4 random)
{
    const int tenth = below(10, random.word[1]);
    if (tenth < 8)
        return o->mask;
    return tenth == 8 ? (o->mask + 1 + below(o->vocabulary - 1, random.word[2])) % o->vocabulary
                      : id;
}

int objective_hide(const Objective *o, const Sequence *s, HideDraw draw, int *inputs, int *targets)
{
    const double most = o->share * 4294967296.0; /* of 2^32 */
    uint32_t least = UINT32_MAX;
    int counted = 0, at_least = -1; /* the row that would be hidden first */
    for (int i = 0; i < s->rows; i++) {
        const int target = objective_target(o, s, i);
        const Random4 random = draw_row(draw, i);
        const bool hides = target >= 0 && random.word[0] < most;
        inputs[i] = hides ? hidden(o, target, random) : s->tokens[i];
        targets[i] = hides ? target : -1;
        counted += hides;
        if (target >= 0 && random.word[0] <= least) {
            least = random.word[0];
            at_least = i;
        }
    }
    if (counted || at_least < 0)
        return counted;
    targets[at_least] = s->tokens[at_least];
    inputs[at_least] = hidden(o, s->tokens[at_least], draw_row(draw, at_least));
    return 1;
}
