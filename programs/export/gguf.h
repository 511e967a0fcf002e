/* gguf.h: writes a GGUF file, version 3, the format of llama.cpp: keys with values, and named
 * tensors.
 *
 *     "GGUF"  u32 3  u64 tensors  u64 keys
 *     each key       its name, u32 type, the value
 *     each tensor    its name, u32 axes, u64 of each, u32 type, u64 where its numbers begin
 *     the numbers, each tensor's at a multiple of 32 bytes
 *
 * A text is its length, u64, and its bytes. Axes are listed innermost first: of a matrix, the
 * columns and then the rows. All is little-endian. */
#ifndef PULGA_GGUF_H
#define PULGA_GGUF_H

#include "base/base.h"
#include "base/files/file.h"
#include "formats/huggingface/config.h"

/* With what every such file begins. */
#define GGUF_BEGIN "GGUF"

/* How numbers are stored: in 4 bytes, in 2, or 32 of a row in 34: a scale in 2 bytes, then a signed
 * byte for each. */
typedef enum { GGUF_F32 = 0, GGUF_F16 = 1, GGUF_Q8_0 = 8 } GgufType;
enum { GGUF_Q8_0_BLOCK = 32 }; /* rows of this type have a multiple of that many numbers */

/* The types of values. */
typedef enum {
    GGUF_UINT8 = 0,
    GGUF_UINT32 = 4,
    GGUF_INT32 = 5,
    GGUF_FLOAT32 = 6,
    GGUF_BOOL = 7,
    GGUF_STRING = 8,
    GGUF_ARRAY = 9,
} GgufValue;

/* A matrix, or a vector of one row. */
typedef struct {
    char name[64];
    int rows, cols; /* rows is 0 for a vector */
    GgufType type;
    int step; /* 0; or it is transposed in memory: columns of a matrix, whose rows begin `step`
                 numbers apart */
    int head; /* 0; or the width of the heads that the rows (of a vector, the numbers) belong to:
                 number d of the first half of each is put before number d of the second */
    const Real *at; /* the numbers, which stay the caller's */
} GgufTensor;

/* What a file will hold. All zero is an empty one. */
typedef struct {
    char *keys; /* stb_ds arrays: as the file has them, ... */
    uint64_t key_count;
    GgufTensor *tensors; /* ... and in the order of the file */
} Gguf;

void gguf_free(Gguf *gguf);

void gguf_put_whole(Gguf *gguf, const char *key, uint32_t value);
void gguf_put_flag(Gguf *gguf, const char *key, bool value);
void gguf_put_text(Gguf *gguf, const char *key, const char *value);

/* An array: of strings it has char *, of other types the values themselves. */
void gguf_put_array(Gguf *gguf, const char *key, GgufValue type, const void *values, size_t count);

/* Adds a tensor. Dies if its type cannot hold one of its numbers. */
void gguf_add(Gguf *gguf, GgufTensor tensor);

/* Returns the bytes of the whole file. */
size_t gguf_write(const Gguf *gguf, FILE *out);

/* The nearest number of 16 bits (a sign, 5 of exponent, 10 of fraction), the even one of two that
 * are as near. */
uint16_t gguf_half(float number);

/* ---- A model ---- */

/* A model as one GGUF file of the architecture gpt2 or llama, which llama.cpp and the programs that
 * are built on it run. */

/* Contexts of llama.cpp are a multiple of this: it rounds a context up, and goes on to
 * its end. It stops with an error message of its own where there is no position. */
enum { LLAMACPP_CONTEXT = 256 };

/* The positions that the file has for a model of this context. */
int llamacpp_context(int context);

/* Dies in one line if llama.cpp's gpt2 or llama is not this model, or if a type does not fit its
 * sizes. The line names the option of train that would have made it possible. */
void llamacpp_check(const Pretrained *model, GgufType type);

/* Writes the file, matrices in this type. Returns its size in bytes; 0, after a warning, if it
 * cannot be written. */
size_t llamacpp_write(const Pretrained *model, GgufType type, const char *path);

#endif
