/* gguf_file.h: reads a GGUF file back, by the description of the format and not by our writer. */
#ifndef PULGA_GGUF_FILE_H
#define PULGA_GGUF_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;
    size_t name_size;
    uint32_t type;  /* of a value, or of a tensor's numbers */
    uint32_t item;  /* the type of an array's values */
    uint64_t count; /* of an array's values, of a tensor's axes; of a text, its bytes */
    uint64_t axes[2];
    const char *at; /* the value (of an array, the first one), or the numbers */
} GgufPart;

typedef struct {
    char *bytes;
    size_t size;
    uint64_t key_count, tensor_count;
    GgufPart keys[64], tensors[64];
} GgufFile;

/* Fails unless the file is whole: every tensor begins at a multiple of 32 bytes and behind the one
 * before it, and lies within the file. */
GgufFile gguf_file_read(const char *path);
void gguf_file_free(GgufFile *file);

/* Fail if there is none of that name. */
const GgufPart *gguf_file_key(const GgufFile *file, const char *name);
const GgufPart *gguf_file_tensor(const GgufFile *file, const char *name);

/* A value of 32 bits, of a key or number i of an array; a float, likewise. */
uint32_t gguf_file_whole(const GgufPart *part, size_t i);
float gguf_file_number(const GgufPart *part, size_t i);

/* Text number i of an array of texts: the bytes, which do not end with a 0. */
const char *gguf_file_text(const GgufPart *part, size_t i, size_t *size);

#endif
