/* safetensors.h: named tensors in one file, in the format of that name: eight bytes with the
 * length of a JSON header, the header, and the numbers, little-endian and row by row. Python
 * reads it with safetensors.safe_open(). Nothing in a file is trusted: it is read whole, or one
 * line says what is wrong. */
#ifndef PULGA_SAFETENSORS_H
#define PULGA_SAFETENSORS_H

#include "base/base.h"
#include "base/file.h"

struct cJSON;

/* A tensor that is written, or the place of one that is read. */
typedef struct {
    char name[96];
    int rows, cols; /* rows is 0 for a vector */
    Real *at;       /* rows x cols numbers, which stay the caller's */
} NamedTensor;

/* Replaces a file. `metadata` is an object of strings, which is deleted; "format" is added to it,
 * and the checksum of the metadata and the numbers. Warns and returns false if the file cannot be
 * written. */
bool safetensors_write(const Directory *directory, const char *name, const NamedTensor *tensors,
                       int count, struct cJSON *metadata);

struct TensorEntry;

/* A file that is being read. */
typedef struct {
    char *path;                  /* for messages */
    Bytes file;                  /* all of it */
    struct cJSON *header;        /* parsed */
    struct TensorEntry *entries; /* (count) of the header, sorted by name */
    int count;
    const char *numbers; /* in the file, after its header */
} SafeTensors;

/* Opens a file and checks all of it, with its checksum if it has one: files of other programs have
 * none. Dies if it is missing or wrong, naming the file and what is wrong. */
SafeTensors safetensors_open(const Directory *directory, const char *name);
void safetensors_close(SafeTensors *tensors);

bool safetensors_has(const SafeTensors *tensors, const char *name);

/* Reads one tensor into its place; dies if it is missing, has another shape, or is of a type other
 * than F32 and F64. Tensors that are not asked for may be of any type. */
void safetensors_read(const SafeTensors *tensors, const NamedTensor *into);

/* A string of the metadata, or NULL. */
const char *safetensors_metadata(const SafeTensors *tensors, const char *key);

#endif
