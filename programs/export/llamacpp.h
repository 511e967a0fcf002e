/* llamacpp.h: a model as one GGUF file of the architecture gpt2, which llama.cpp and the programs
 * that are built on it run. */
#ifndef PULGA_LLAMACPP_H
#define PULGA_LLAMACPP_H

#include "formats/huggingface/config.h"
#include "gguf.h"

/* Contexts of llama.cpp are a multiple of this: it rounds a context up, and goes on to
 * its end. It stops with an error message of its own where there is no position. */
enum { LLAMACPP_CONTEXT = 256 };

/* The positions that the file has for a model of this context. */
int llamacpp_context(int context);

/* Dies in one line if llama.cpp's gpt2 is not this model, or if a type does not fit its sizes. The
 * line names the option of train that would have made it possible. */
void llamacpp_check(const Pretrained *model, GgufType type);

/* Writes the file, matrices in this type. Returns its size in bytes; 0, after a warning, if it
 * cannot be written. */
size_t llamacpp_write(const Pretrained *model, GgufType type, const char *path);

#endif
