/* diverged.c: see diverged.h. */
#include "diverged.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/layers/logits.h"
#include "base/display.h"
#include "data/spelling.h"
#include "formats/huggingface/weights.h"

_Noreturn static void end(const Trainer *t, int64_t step, const char *wrong)
{
    die("step %" PRId64 ": %s; %s keeps its last save; try a smaller --%s", step, wrong,
        t->directory, t->plan.schedule.kind == SCHEDULE_NOAM ? "lr-factor" : "lr");
}

/* A piece as a person would read it, of a long one its beginning; the caller frees. */
static char *sequence_text(const Trainer *t, Piece piece)
{
    enum { LONGEST = 120 }; /* bytes */
    Spelling spelling = spelling_of(&t->vocabulary, t->text.clean, t->text.size);
    char *text = spelling_text(&spelling, t->corpus.tokens + piece.from, piece.length + 1);
    char *shown = display_text(text);
    size_t size = strlen(shown);
    const bool cut = size > LONGEST;
    for (size = cut ? LONGEST : size; cut && (shown[size] & 0xC0) == 0x80;)
        size--; /* not within a character */
    char *quoted = format_text("'%.*s%s'", (int)size, shown, cut ? "…" : "");
    free(shown);
    free(text);
    spelling_free(&spelling);
    return quoted;
}

/* What of forward's numbers went wrong first, in the order they are computed: NULL where none. */
static char *wrong_activation(const Gpt *gpt, int rows)
{
    const size_t N = (size_t)rows, C = (size_t)gpt->shape.width, V = (size_t)gpt->shape.vocabulary;
    char *wrong = NULL;
    for (int l = 0; !wrong && l <= gpt->shape.layers; l++) {
        char *name = l ? format_text("what h.%d leaves", l - 1) : format_text("the embeddings");
        wrong = wrong_number(name, ROW(gpt->keep.stream, (size_t)l * (size_t)gpt->rows, C), N * C);
        free(name);
    }
    if (!wrong)
        wrong = wrong_number("what the head reads", gpt->keep.normed, N * C);
    for (int i = 0; !wrong && i < rows; i++) { /* what learning has put its gradients over */
        logits_forward(gpt->work.logits, gpt->weights.head, ROW(gpt->keep.normed, i, C), 1, (int)C,
                       (int)V);
        wrong = wrong_number("a row of scores", gpt->work.logits, V);
    }
    return wrong;
}

_Noreturn void diverged_in_loss(Trainer *t, int64_t step, const Piece *pieces, int count,
                                uint32_t row, Noise noise)
{
    double loss = NAN;
    Batch batch;
    int i = -1;
    do { /* one of them it is: the last, where all the others were not */
        i++;
        batch = batch_fill(&t->room, &t->corpus, pieces + i, 1, row);
        loss = gpt_forward_backward(&t->gpt, &batch, 1, noise);
        row += (uint32_t)batch.rows;
    } while (isfinite(loss) && i + 1 < count);
    char *text = sequence_text(t, pieces[i]), *place = wrong_activation(&t->gpt, batch.rows);
    end(t, step,
        format_text("the loss of %s is not finite: %s", text, place ? place : "read alone it is"));
}

void diverged_check_gradients(const Trainer *t, int64_t step, double norm, double scale)
{
    const double scaled = norm * scale;
    if (scaled * scaled <= (double)FLT_MAX) /* Adam squares each; this is false for a NAN too */
        return;
    char *wrong = weights_wrong(&t->gpt, t->gpt.gradient_block);
    end(t, step,
        wrong ? format_text("the loss is finite, its gradient is not: %s", wrong)
              : format_text("the gradient's norm is %g: no float holds its square", norm));
}

void diverged_check_weights(Trainer *t, int64_t step, double rate)
{
    const double keep = fmax(1, fabs(1 - rate * t->plan.settings.decay));
    t->largest_weight = keep * t->largest_weight + 3 * rate;
    if (t->largest_weight < 0.9 * (double)FLT_MAX) /* the rest is for the bound's own rounding */
        return;
    char *wrong = weights_wrong(&t->gpt, t->gpt.weight_block);
    if (wrong)
        end(t, step, format_text("a weight is not finite: %s", wrong));
    Real largest = 0; /* no double and no fmax: GCC 12 for aarch64 fails at that */
    for (size_t i = 0; i < t->gpt.numbers; i++) {
        const Real w = t->gpt.weight_block[i], size = w < 0 ? -w : w;
        largest = size > largest ? size : largest;
    }
    t->largest_weight = (double)largest;
}
