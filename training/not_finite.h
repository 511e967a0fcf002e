/* not_finite.h: the end of a run whose numbers are no longer finite. */
#ifndef PULGA_NOT_FINITE_H
#define PULGA_NOT_FINITE_H

#include "trainer.h"

/* Dies before such numbers are saved: `what` was found at this step. Names the first of the
 * weights, or else of the gradients, that is not finite. If all of them are, only the loss or the
 * gradient's norm was too large. All members of a team call it. */
_Noreturn void end_not_finite(const Trainer *trainer, int64_t step, const char *what);

#endif
