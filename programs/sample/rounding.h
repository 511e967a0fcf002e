/* rounding.h: a model whose matrices are kept in fewer bytes (model/matrix/rounded.h), for reading
 * and writing: if the weights do not fit into the caches, a token takes 0.5 of the time in bf16
 * and 0.4 in q8. */
#ifndef PULGA_ROUNDING_H
#define PULGA_ROUNDING_H

#include "model/gpt.h"

/* Whether all rows have a multiple of ROUNDED_GRAIN numbers. */
bool gpt_rounds(const GptConfig *config);

/* Rounds all matrices but that of the positions. Call it last: from then on nothing may change or
 * read the weights but the model's forward pass. */
void gpt_round(Gpt *gpt, Rounding rounding);

#endif
