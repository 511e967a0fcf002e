/* objective.h: what a model learns to predict. For each kind of training it says which rows of a
 * sequence count, what each of them is to predict, and which tokens see each other.
 *
 *     next      each token is predicted from those before it
 *     pairs     likewise, but only the target counts, and the tokens of the source all see each
 *               other:  [bos] source [sep] target [eos]
 *     masked    some tokens are hidden; each is predicted from all others, before and after it
 *     turns     likewise, but only the answers of a conversation count:
 *               [bos] said [sep] answered [eos] said [sep] answered [eos]
 *
 * For next, pairs and turns, n + 1 tokens are n rows, and row i is to predict token i + 1. For
 * masked, n tokens are n rows, and a row predicts its own token; [bos] and [eos] are never hidden.
 * */
#ifndef PULGA_OBJECTIVE_H
#define PULGA_OBJECTIVE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { OBJECTIVE_NEXT, OBJECTIVE_PAIRS, OBJECTIVE_MASKED, OBJECTIVE_TURNS } ObjectiveKind;

/* Their names, and NULL. */
extern const char *const OBJECTIVE_NAMES[];

/* Whether a prompt is something that the model answers, rather than goes on with. */
static inline bool objective_answers(ObjectiveKind kind)
{
    return kind == OBJECTIVE_PAIRS || kind == OBJECTIVE_TURNS;
}

/* The ids are the tokenizer's; -1 if there is none. */
typedef struct {
    ObjectiveKind kind;
    bool causal_source; /* of pairs: no token sees ahead */
    double share;       /* masked: the share of the tokens that a step hides */
    int bos, eos, sep, mask, vocabulary;
    int opening, assistant; /* of turns in ChatML: see tokenizer.h */
} Objective;

/* How many tokens of a sequence are predicted but not read: 1, or 0 if masked. */
static inline int objective_ahead(const Objective *objective)
{
    return objective->kind != OBJECTIVE_MASKED;
}

/* A sequence of `rows` rows. */
typedef struct {
    const int *tokens; /* (rows + objective_ahead()) */
    int rows;
    int first;  /* the first row that may count */
    int prefix; /* the first tokens, which see each other in both directions */
} Sequence;

Sequence objective_sequence(const Objective *objective, const int *tokens, int rows);

/* In a conversation, whether the token after number i belongs to an answer, or ends it. */
bool objective_is_answer(const Objective *objective, const int *tokens, int i);

/* The token that row i is to predict if its token is hidden or comes next; -1: none, the row never
 * counts. */
static inline int objective_target(const Objective *objective, const Sequence *sequence, int i)
{
    const int id = sequence->tokens[i + objective_ahead(objective)];
    const bool masked = objective->kind == OBJECTIVE_MASKED;
    const bool never = i < sequence->first ||
                       (masked && (id == objective->bos || id == objective->eos)) ||
                       (objective->kind == OBJECTIVE_TURNS &&
                        !objective_is_answer(objective, sequence->tokens, i));
    return never ? -1 : id;
}

/* How many rows have a target. */
int objective_targets(const Objective *objective, const Sequence *sequence);

/* Which tokens a step hides: see objective_hide(). */
typedef struct {
    uint32_t seed, step, row; /* row: of the step, that of the sequence's first token */
} HideDraw;

/* Hides some tokens of a sequence as BERT does. Each token that may be hidden is, with the
 * probability `share`; at least one is. Of those, 80% are read as [mask], 10% as a random token,
 * and 10% as they are; all of them are to be predicted. inputs (rows) and targets (rows) receive
 * what each row reads and predicts. Returns how many rows count. */
int objective_hide(const Objective *objective, const Sequence *sequence, HideDraw draw, int *inputs,
                   int *targets);

#endif
