/* safetensors.h: named tensors in one file, in the format of that name: eight bytes with the length
 * of a JSON header, the header, and the numbers, little-endian and row by row. */
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

/* Replaces a file. `metadata` is an object of strings, which is deleted; "format" and "checksum", the
 * one of the metadata and the numbers, are added to it. Warns and returns false if the file cannot be
 * written. */
bool safetensors_write(const Directory *directory, const char *name, const NamedTensor *tensors,
                       int count, struct cJSON *metadata);

struct TensorEntry;

/* A file that is being read. */
typedef struct {
    char *path; /* for messages */
    Bytes file;
    struct cJSON *header;
    struct TensorEntry *entries; /* (count) sorted by name */
    int count;
    const char *numbers;
} SafeTensors;

/* Opens a file and checks all of it, the checksum too if it has one; dies naming the file and what
 * is wrong. */
SafeTensors safetensors_open(const Directory *directory, const char *name);
void safetensors_close(SafeTensors *tensors);

bool safetensors_has(const SafeTensors *tensors, const char *name);

/* Reads one tensor into its place; dies if it is missing or has another shape. */
void safetensors_read(const SafeTensors *tensors, const NamedTensor *into);

/* A string of the metadata, or NULL. */
const char *safetensors_metadata(const SafeTensors *tensors, const char *key);

#endif
