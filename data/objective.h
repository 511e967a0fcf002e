/* objective.h: what a model learns to predict. For each kind of training it says what a row of a
 * sequence reads, what is to be predicted there, and where the row stands.
 *
 *     next    each token is predicted from those before it: n + 1 tokens are n rows
 *
 * There is one kind so far; others are added here, and nothing else in the training changes. */
#ifndef PULGA_OBJECTIVE_H
#define PULGA_OBJECTIVE_H

typedef enum { OBJECTIVE_NEXT } Objective;

/* A row of a sequence. */
typedef struct {
    int input;    /* the token that is read */
    int target;   /* the token to predict; -1: none, and the row does not count */
    int position; /* in the sequence */
} ObjectiveRow;

/* Row i of a sequence whose first token is tokens[0]: of [bos] el perro [eos], row 1 reads "el", is
 * to predict "perro", and stands at position 1. */
static inline ObjectiveRow objective_row(Objective objective, const int *tokens, int i)
{
    switch (objective) {
    case OBJECTIVE_NEXT: break;
    }
    return (ObjectiveRow){.input = tokens[i], .target = tokens[i + 1], .position = i};
}

/* How many rows of a sequence that has `rows` count. */
static inline int objective_targets(Objective objective, int rows)
{
    switch (objective) {
    case OBJECTIVE_NEXT: break;
    }
    return rows;
}

#endif
