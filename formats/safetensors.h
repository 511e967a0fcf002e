/* safetensors.h: named tensors in one file, in the format of the same name: eight bytes with the
 * length of a JSON header, the header, and the numbers, little-endian and row by row. */
#ifndef PULGA_SAFETENSORS_H
#define PULGA_SAFETENSORS_H

#include "base/base.h"
#include "base/file.h"

struct cJSON;

typedef struct {
    char name[96];
    int rows, cols; /* rows is 0 for a vector */
    Real *at;
} NamedTensor;

/* Replaces directory/name. `metadata` holds strings; "format" and the numbers' checksum are added.
 * Says in one line what failed and returns false. */
bool safetensors_write(const char *directory, const char *name, const NamedTensor *tensors,
                       int count, struct cJSON *metadata);

/* A file being read. Every open checks the whole of it, the checksum too where there is one, and
 * dies naming the file and what is wrong. */
typedef struct {
    const char *path; /* the caller's; for messages */
    Bytes file;
    struct cJSON *header;
    const char *numbers;
} SafeTensors;

SafeTensors safetensors_open(const char *path);
void safetensors_close(SafeTensors *tensors);

bool safetensors_has(const SafeTensors *tensors, const char *name);

/* Reads one tensor into its place; dies where it is absent or of another shape. */
void safetensors_read(const SafeTensors *tensors, const NamedTensor *into);

/* A string of the metadata, or NULL. */
const char *safetensors_metadata(const SafeTensors *tensors, const char *key);

#endif
