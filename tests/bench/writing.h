/* writing.h: how fast ./sample writes, and reads a prompt, beside llama.cpp with the same weights
 * and PyTorch. */
#ifndef PULGA_WRITING_H
#define PULGA_WRITING_H

#include "model/gpt.h"

/* Measures with untrained weights of these sizes, with one thread and with all. `bandwidth` has the
 * bytes a second that one thread, and all of them, read from memory; `folder` is for the model,
 * which is removed; `programs` is where ./sample and ./export are. */
void bench_writing(const GptConfig *config, int threads, const double bandwidth[2],
                   const char *folder, const char *programs);

#endif
