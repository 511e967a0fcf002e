/* receipt.h: receipt.txt, by which anyone can check how a model was trained: the version, the
 * checksum of the text, every setting, and checksums after each evaluation and at each save that is
 * kept. It names no file, time or machine: whoever trains the same gets the same receipt.
 *
 *     # To check: train --verify FILE TEXT
 *     version: 0.1
 *     text: 05a12f370b3ee3c1
 *     text-size: 212
 *     identity: 21de9fd719d50c5c
 *     objective: next
 *     ...
 *     keep: 0
 *
 *         step       of  loss                  state             model
 *            0      300  6.9807730301666271    3c0f...           6fa2...
 *
 * `of` is how many steps the run is planned for from this row on (if that has changed, the row ends
 * with `replanned`), `loss` what an evaluation found (-: there was none), `state` a checksum of all
 * that the next step starts from (see run.h), `model` that of the best weights so far, as train
 * prints it at the end. */
#ifndef PULGA_RECEIPT_H
#define PULGA_RECEIPT_H

#include "run.h"

typedef struct {
    int64_t step, of;
    double loss; /* NAN if nothing was evaluated */
    uint64_t state, model;
    bool replanned; /* whether the file says so; it is not set in a row that is added */
} ReceiptRow;

typedef struct {
    char *head;       /* all lines before the table */
    ReceiptRow *rows; /* stb_ds array, by their steps */
} Receipt;

/* The receipt of a run whose table begins after this step. `from` is the checksum of the model that
 * it starts from, 0 if there is none. */
Receipt receipt_begin(const Settings *settings, CorpusOrigin origin, uint64_t from, int64_t step);
void receipt_free(Receipt *receipt);

/* Adds a row, in place of those from its step on, if there are any: a resumed run comes to them
 * again. If it replaces one of its own step and was not evaluated, it keeps that one's loss. */
void receipt_add(Receipt *receipt, ReceiptRow row);

/* Removes the rows after a step. */
void receipt_cut(Receipt *receipt, int64_t step);

/* The value of a key, which the caller frees; NULL if it is missing. */
char *receipt_value(const Receipt *receipt, const char *key);

/* How many steps are planned after the last row. */
int receipt_planned(const Receipt *receipt);

/* Warns and returns false if the file cannot be written. */
bool receipt_write(const Directory *directory, const Receipt *receipt);

/* Parses a file. Returns false, with nothing to free, if it is not a receipt, or that of another
 * run than the one with this identity, unless that is 0. */
bool receipt_parse(Receipt *receipt, const char *file, uint64_t identity);

#endif
