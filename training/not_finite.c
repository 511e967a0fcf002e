/* not_finite.c: looks through the weights, then through the gradients. */
#include "not_finite.h"

#include <inttypes.h>

#include "formats/huggingface/weights.h"
#include "training/team/team.h"

_Noreturn void end_not_finite(const Trainer *t, int64_t step, const char *what)
{
    team_follow();
    const char *run = t->directory.path;
    const char *rate = t->plan.settings.schedule == SCHEDULE_NOAM ? "lr-factor" : "lr";
    const char *number = weights_wrong(&t->gpt, t->gpt.weight_block);
    if (number)
        die("step %" PRId64 ": %s: among the weights, %s; %s keeps its last save; try a smaller "
            "--%s",
            step, translated(what), number, run, rate);
    number = weights_wrong(&t->gpt, t->gpt.gradient_block);
    if (number)
        die("step %" PRId64 ": %s: in the gradient, %s; %s keeps its last save; try a smaller --%s",
            step, translated(what), number, run, rate);
    die("step %" PRId64 ": %s; %s keeps its last save; try a smaller --%s", step, translated(what),
        run, rate);
}
