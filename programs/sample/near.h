/* near.h: which tokens a model has learned to take for alike: the nearest by the cosine of their
 * embeddings, the rows of wte, after their mean is subtracted:
 *
 *     x_i = wte_i − mean of all rows        cosine(i, j) = x_i·x_j / (|x_i| |x_j|)
 *
 * So two unrelated tokens are at about 0, as in the map of the page. With the mean they are at 0.10
 * for data/cuentos.txt and at 0.66 for a text of 400 kB, where rare words, which all lie near the
 * mean, are each other's nearest: one of them is among the ten nearest of 345 others, instead of
 * 106. */
#ifndef PULGA_NEAR_H
#define PULGA_NEAR_H

#include "choice.h"

/* Prints `rows` tokens that are nearest to the word that --near names, and how often the training
 * text has each, if it is at hand. Dies in one line if the word is not one token. */
void near_print(Pretrained *model, const Choice *choice, int rows);

#endif
