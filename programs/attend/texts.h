/* texts.h: the TEXTs that attend reads, from the command line or from standard input. */
#ifndef PULGA_TEXTS_H
#define PULGA_TEXTS_H

#include "formats/huggingface/config.h"
#include "programs/attend/heads/heads.h"
#include "text/encoder.h"

typedef struct {
    Pretrained *model;
    FILE *remarks;  /* gets what the user did not write: lower case, a model's own target */
    char **list;    /* stb_ds array: at least one; if the model reads pairs, each has a target */
    Encoding first; /* the tokens of the first */
} Texts;

/* The TEXT that these words make up, or that standard input is if the only word is "-": then, if
 * they are read by_lines, each line that is not blank is one, unless the model reads across line
 * ends. Dies if the model cannot read one of them. texts_free() frees them. */
Texts texts_read(Pretrained *model, char *const *words, bool by_lines, FILE *remarks);
void texts_free(Texts *texts);

/* What some heads of some layers attend to in the first text. Dies if an attention weight of any
 * head, chosen or not, is not finite, since the later layers are computed from it. */
Heads texts_heads(const Texts *texts, Range layers, Range heads);

#endif
