/* diverged.h: numbers that are no longer finite end a run before they are saved. Its last words
 * name the step, the tensor and the index where they went wrong, and the sequence.
 *
 * Looking at every number would cost time. A loss and the gradient's norm are counted anyway, and
 * sums of everything: only where one of them is not finite is the place looked for. Of the weights
 * an upper bound is carried along: besides its decay, Adam moves a weight by less than three
 * rates. (By Cauchy and Schwarz |m| is at most 1.7·√v, and so |M| less than 2.4·√V.) They are
 * looked at only where the bound leaves what a float can hold. */
#ifndef PULGA_DIVERGED_H
#define PULGA_DIVERGED_H

#include "trainer.h"

/* The loss of some pieces was not finite, after that many steps: they are read again, each alone,
 * with the same noise. row: where they begin among the rows of their step. */
_Noreturn void diverged_in_loss(Trainer *trainer, int64_t step, const Piece *pieces, int count,
                                uint32_t row, Noise noise);

/* Before a step: dies where the gradients, or their squares when scaled, are not finite. */
void diverged_check_gradients(const Trainer *trainer, int64_t step, double norm, double scale);

/* After it: dies where a weight may have become infinite and has. */
void diverged_check_weights(Trainer *trainer, int64_t step, double rate);

#endif
