/* announce.c: see announce.h. */
#include "announce.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "data/corpus/floor.h"
#include "model/matrix/matrix.h"
#include "options.h"

static void announce_text(const Trainer *t)
{
    const Corpus *corpus = &t->corpus;
    char *path = command_line(1, (char *const *)&t->text_path);
    printf("text    %s: ", strcmp(t->text_path, "-") ? path : "standard input");
    free(path);
    if (corpus->stream)
        printf("a stream of %s %s", thousands((size_t)arrlen(corpus->tokens)).text,
               t->vocabulary.characters ? "characters" : "words");
    else
        printf("%s lines, %s targets", thousands((size_t)arrlen(corpus->lines) - 1).text,
               thousands(corpus->train_targets + corpus->held_out_targets).text);
    printf(", vocabulary %s\n", thousands((size_t)t->vocabulary.count).text);
    if (trainer_holds_out(t))
        printf("        %s targets held out for validation\n",
               thousands(corpus->held_out_targets).text);
    else if (t->plan.settings.val > 0)
        printf("        nothing is held out: a share of %g of it is too little\n",
               t->plan.settings.val);
    if (corpus->lines_cut)
        printf("        %s lines are longer than the context and were cut\n",
               thousands(corpus->lines_cut).text);
}

static void announce_losses(const Trainer *t, const Screen *screen)
{
    printf("losses  knowing nothing %.6f, only how often each token comes %.6f",
           log(t->vocabulary.count), floor_unigram(&t->corpus, t->vocabulary.count));
    if (!isnan(t->floor))
        printf(", floor %s%.6f%s", screen->bold, t->floor, screen->plain);
    if (!isnan(t->floor) && t->plan.reach != REACH_ALL)
        printf(" (seeing %d tokens)", t->plan.reach);
    printf("\n");
}

static void announce_model(const Trainer *t, const Screen *screen)
{
    const Settings *s = &t->plan.settings;
    printf("model   %d layers, %d heads of %d, width %d, hidden %d, context %d; %s positions, "
           "%s-norm, %s, %s head",
           s->layers, s->heads, s->head_size, s->width, s->hidden, s->context,
           t->plan.shape.learned_positions ? "learned" : "sinusoidal",
           t->plan.shape.post_norm ? "post" : "pre", t->plan.shape.gelu ? "gelu" : "relu",
           s->untied ? "untied" : "tied");
    if (s->window.count) {
        char *windows = field_text(SETTING(window), s);
        printf(", windows %s", windows);
        free(windows);
    }
    printf("\n        %s%s parameters%s, %.1f MB of memory, %s%d %s, kernel %s\n", screen->bold,
           thousands(t->plan.parameters).text, screen->plain, t->plan.bytes / 1e6,
           t->trial.probing ? "up to " : "", s->threads, s->threads == 1 ? "thread" : "threads",
           matrix_kernel_name());
}

/* A save lies beside the one before it until it is whole, and so do those that are kept. */
static void warn_of_room(const Trainer *t)
{
    const double save = 5.0 * (double)t->plan.parameters * sizeof(Real); /* four in the state */
    const double wanted = save * (t->plan.settings.keep + (t->progress.step ? 1 : 2));
    const double room = directory_room(t->directory);
    if (room < wanted)
        printf("        saving may take %.1f MB there, and %.1f MB are free\n", wanted / 1e6,
               room / 1e6);
}

static void announce_training(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    printf("steps   %s of %s sequences", thousands((size_t)s->steps).text,
           t->plan.whole_in_a_step ? "all" : thousands((size_t)s->batch).text);
    if (s->accumulate > 1) /* a part has a sequence at least */
        printf(" in %d parts", s->accumulate < s->batch ? s->accumulate : s->batch);
    printf(" (%s epochs); ", thousands((size_t)s->epochs).text);
    if (t->plan.schedule.kind == SCHEDULE_NOAM)
        printf("noam, factor %g", s->lr_factor);
    else
        printf("%s, rate %g", t->plan.schedule.kind == SCHEDULE_COSINE ? "cosine" : "constant",
               s->lr);
    printf(", warm-up %d", s->warmup);
    if (t->plan.schedule.kind != SCHEDULE_COSINE)
        printf(", cool-down %g", s->cooldown);
    printf(", dropout %g, seed %d\n", s->dropout, s->seed);
    if (s->warmup > s->steps && s->steps > 0)
        printf("        the warm-up is longer than the run: the rate never reaches its height\n");
    char *directory = command_line(1, &t->directory);
    printf("run     %s", directory);
    if (t->progress.step)
        printf(", going on from step %" PRId64, t->progress.step);
    char *from = t->progress.step || !s->from ? NULL : command_line(1, &s->from);
    if (from)
        printf(", going on from the model in %s", from);
    printf("\n");
    free(from);
    free(directory);
    warn_of_room(t);
}

void announce(const Trainer *t, const Screen *screen)
{
    announce_text(t);
    announce_losses(t, screen);
    announce_model(t, screen);
    announce_training(t);
}
