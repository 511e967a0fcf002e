/* not_finite.c: looks through the weights, then through the gradients: in a team those of the
 * leader's slices. */
#include "not_finite.h"

#include <inttypes.h>

#include "base/team.h"
#include "formats/huggingface/weights.h"

_Noreturn void end_not_finite(const Trainer *t, int64_t step, const char *what)
{
    team_follow();
    const char *where = ": among the weights, ";
    const char *number = weights_wrong(&t->gpt, t->gpt.weight_block);
    if (!number) {
        where = ": in the gradient, ";
        number = weights_wrong(&t->gpt, t->gpt.gradient_block);
    }
    die("step %" PRId64 ": %s%s%s; %s keeps its last save; try a smaller --%s", step, what,
        number ? where : "", number ? number : "", t->directory.path,
        t->plan.settings.schedule == SCHEDULE_NOAM ? "lr-factor" : "lr");
}
