/* library.h: a trained model as functions, which libpulga.so has for Python and other languages.
 * They give what the programs do not print: what a model computes on its way from a text to its
 * logits, and gradients. They compute on the calling thread only.
 *
 * A function that fails returns NULL or false, and pulga_message() is the line that a program
 * would have printed. Memory that it had taken until then is lost. Two threads may not call
 * functions for the same model at once. */
#ifndef PULGA_LIBRARY_H
#define PULGA_LIBRARY_H

#include "base/base.h"

#pragma GCC visibility push(default)

/* Why the last call of this thread failed. */
const char *pulga_message(void);

/* The model in a directory, or in a .zip of it. pulga_close() frees it. */
typedef struct PulgaModel PulgaModel;
PulgaModel *pulga_open(const char *path);
void pulga_close(PulgaModel *model);

/* The sizes T L H K D C F V (model/shape/gpt_config.h), and the id of the token that ends a line,
 * or -1. */
enum { PULGA_SIZES = 9 };
void pulga_sizes(const PulgaModel *model, int sizes[PULGA_SIZES]);

/* The text of the token with an id from 0 to V − 1: bytes, ended by a 0. */
const char *pulga_token(const PulgaModel *model, int id);

/* Weights number 0, 1, … by the name that they have in a gpt2's model.safetensors, and the
 * gradients of the last pulga_gradients(). Both may be read and written until the model is closed;
 * what is written into the weights counts from the next call on. rows is 0 for a vector. False
 * after the last. */
typedef struct {
    char name[96];
    int rows, cols;
    Real *weights, *gradients;
} PulgaTensor;
bool pulga_tensor(const PulgaModel *model, int number, PulgaTensor *tensor);

/* Where a forward pass puts what it computes, for `count` tokens. NULL: it is not wanted. */
typedef struct {
    Real *logits; /* (count, V)                                                          */
    Real *stream; /* (L + 1, count, C) the input of each block, and the output of the last */
    Real *maps;   /* (L, H, count, count) what each head attends to                      */
    Real *qkv;    /* (L, count, (H + 2K)·D) queries, keys and values                     */
    Real *mixed;  /* (L, count, H·D) the heads' outputs                                  */
} PulgaForward;

/* Runs the model over `count` ids. patch (L, count, H·D), unless NULL, takes the place of the
 * heads' outputs; NAN leaves a number as it is. */
bool pulga_forward(PulgaModel *model, const int *ids, int count, const Real *patch,
                   const PulgaForward *out);

/* Computes the mean loss and its gradients, see pulga_tensor(). targets (count) are the ids to
 * predict, -1 for none; NULL: each token from those before it, of pairs only the target's. */
bool pulga_gradients(PulgaModel *model, const int *ids, int count, const int *targets,
                     double *loss);

#pragma GCC visibility pop

#endif
