/* damaged_run.h: a run's directory with one file replaced. */
#ifndef PULGA_DAMAGED_RUN_H
#define PULGA_DAMAGED_RUN_H

#include "harness.h"

/* Opens the run, of words or of "bpe", with these bytes as the file of that name, as the programs
 * that read it do: to sample, to attend and to go on training. A process has one kind of run.
 * Returns 0. */
int open_with(const char *tokens, const char *name, const void *bytes, size_t size);

/* The same with a vocab.json and a merges.txt in place of the tokenizer.json, which is not resumed:
 * train never writes these. */
int open_with_two(const void *words, size_t words_size, const void *merges, size_t merges_size);

/* A target whose inputs are that file. */
#define FUZZ_A_FILE(tokens, name)                                 \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) \
    {                                                             \
        return open_with(tokens, name, bytes, size);              \
    }

#endif
