/* objective.c: one switch over the kinds of training. */
#include "objective.h"

ObjectiveRow objective_row(Objective objective, const int *tokens, int i)
{
    switch (objective) {
    case OBJECTIVE_NEXT: break;
    }
    return (ObjectiveRow){.input = tokens[i], .target = tokens[i + 1], .position = i};
}

int objective_targets(Objective objective, int rows)
{
    switch (objective) {
    case OBJECTIVE_NEXT: break;
    }
    return rows;
}
