/* page.h: attention maps as a page that needs no other file: page.html with the data in it. Besides
 * the heads of one text these are the model, so that a browser can read other texts with it, and
 * how it was trained. The scripts in page/model/ read them. */
#ifndef PULGA_PAGE_H
#define PULGA_PAGE_H

#include "formats/run/training_text.h"
#include "programs/attend/heads/heads.h"

/* The most pairs of query and key that a page may have: 16 heads over 1,000 words, 22 MB. */
enum { PAGE_MOST = 1 << 23 };

/* What every page begins with. */
#define PAGE_BEGIN "<!doctype html>\n<!-- written by attend -->\n"

/* Unless told otherwise, a page carries the model if its weights take at most this many bytes, and
 * earlier saves of it as far as all together take no more. */
enum { DATA_SMALL = 8 << 20 };

typedef struct {
    const Pretrained *model;
    const TrainingText *training_text; /* to count in */
    char **texts;                      /* stb_ds array: what the page can show, from the first on */
    const char *without;               /* what is off: a list such as "L2H3,L1", or NULL */
    bool live;                         /* the page carries the model */
    bool trains;          /* ... and the run, and trains it further, in the lab's page */
    int64_t *checkpoints; /* stb_ds array: the steps of the earlier saves that it also carries */
} PageSource;

/* The heads are those of the source's first text. A page without the model shows no other text; one
 * that trains computes them itself; it is the page of the lab, which `make lab` builds, with the
 * run's files in it. Dies if such a page cannot train the run. */
void page_write(FILE *out, const Heads *heads, const PageSource *source);

/* The bytes that the weights of a model take in a page, before they are written in base64. */
size_t data_weights_size(const Gpt *gpt);

/* The steps of the checkpoints of a run that a page has room for, spread over all: an stb_ds array,
 * which the caller frees. */
int64_t *data_checkpoints(const Pretrained *model);

/* ---- Parts of the data, public for the tests ---- */

/* Members of the page's JSON object, with commas between them:
 *
 *     "model"       the sizes and choices of GptConfig; "patterns", a list for each layer;
 *                   "tensors", of each its name, its shape and its first number in the weights;
 *                   "off", the names of the heads and layers that are off at first
 *     "tokenizer"   "tokens" as in the vocabulary; "display", how some are shown; "specials", the
 *                   ids of what stands for no text; "special", the ids of [bos] and so on or -1;
 *                   "merges", three ids for each: left, right, both together; "spacing", the sums
 *                   of text/words/split.h: "pairs", left, right and sum, "before", "after";
 *                   "tabs", the ids after which it writes a tab
 *     "counts"      the ids of the training text in base64; null if there is none or it is large
 *     "mixture"     "share" of counting; "discounts" of each order, as text/corpus/counting.h has
 *                   them; "ranges" of the ids that are counted: where each begins and ends; null if
 *                   the run keeps no counts
 *     "log"         [step, loss, evaluated, rate] of at most 2,000 lines of log.csv
 *     "held_out"    whether "evaluated" is the loss over held-out text, not over all of it
 *     "floor"       the lowest loss that the text allows; null if log.csv has none, because part of
 *                   the text is held out or it is too large to count in
 *     "counting"    what counting reaches on the held-out text; null if config.json has none
 *     "checkpoints" the steps of the earlier saves, the first one first
 *
 * The first three are null in a page without the model. */
void data_put(FILE *out, const PageSource *source);

/* All tensors, each number as a float32 of four bytes, the lowest first, in base64. */
void data_put_weights(FILE *out, const Gpt *gpt);

/* Three bytes become four letters of six bits each, the highest bits first; at the end "=" stands
 * for each byte that is missing. */
void put_base64(FILE *out, const uint8_t *bytes, size_t size);

/* The packed data of one head; both are bytes in base64.
 *
 * put_map: two bytes for each pair of a query and a key that it attends to, row by row: the weight
 * in ten thousandths, little-endian. Rounded so, four printed decimals are exact.
 * put_small: the head as page_side() times page_side() squares, one byte for each: 254 times the
 * root of the largest weight in the square, or 255 if it has no key that may be attended to. */
void page_put_map(FILE *out, const Heads *heads, const Head *head);
void page_put_small(FILE *out, const Heads *heads, const Head *head);
int page_side(const Heads *heads);

#endif
