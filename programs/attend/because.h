/* because.h: which lines of the training text a prediction comes from, by cause: the run is trained
 * again without each line, with the same settings and seed, and each model is asked again. */
#ifndef PULGA_BECAUSE_H
#define PULGA_BECAUSE_H

#include "formats/huggingface/config.h"
#include "programs/terminal/screen.h"

/* A training without a line, or without some that follow each other. */
typedef struct {
    size_t first, last; /* their numbers in the text, from 1 */
    char *text;         /* the first of them, without its end */
    double probability; /* NAN: that model does not know all tokens of TEXT; 0: it lacks WORD */
    double change;      /* that minus Because.probability */
} Without;

typedef struct {
    const char *run, *text, *word;
    double probability; /* of WORD after TEXT in the run's model, which is trained with all lines */
    Without *groups;    /* of many lines, else NULL: stb_ds array, the largest change first */
    Without *lines;     /* likewise, each line of the text or of the first group */
    int signal;         /* that stopped it before it had tried them all, or 0 */
} Because;

/* Asks for WORD as what comes next after TEXT. Dies if the run's text is missing or changed, if it
 * was not trained from there in one go, if another objective is not to predict what comes next, or
 * if it would take more than an hour. Prints how long it will take, if that is long. */
Because because_read(Pretrained *model, const char *text, const char *word, const Screen *screen,
                     FILE *remarks);
void because_free(Because *because);

/* A table of all probabilities, largest change first. */
void because_print(const Because *because);

/* Write that as CSV, a line for each training, and as a JSON object. */
#define BECAUSE_CSV_HEADER "first_line,last_line,text,probability,change\n"
void because_csv(FILE *out, const Because *because);
void because_json(FILE *out, const Because *because);

#endif
