/* safetensors.h: named tensors in one file, in the format of that name: eight bytes with the
 * length of a JSON header, the header, and the numbers, little-endian and row by row. Python
 * reads it with safetensors.safe_open(). Nothing in a file is trusted: it is as it should be, or
 * one line says what is wrong. */
#ifndef PULGA_SAFETENSORS_H
#define PULGA_SAFETENSORS_H

#include "base/base.h"
#include "base/files/file.h"
#include "model/matrix/matrix.h"

struct cJSON;

/* A tensor that is written, or the place of one that is read. */
typedef struct {
    char name[96];
    int rows, cols; /* in the file; rows is 0 for a vector */
    Real *at;       /* rows x cols numbers, which stay the caller's */
    int step;       /* 0; or the file has the transpose of what is in memory: columns of a matrix
                       whose rows begin `step` numbers apart, the first column at `at` */
} NamedTensor;

/* A tensor's numbers in the order of the file: in memory or, if they are transposed there, copied
 * into a room for the largest such tensor, which the caller frees (NULL if there is none). */
Real *safetensors_room(const NamedTensor *tensors, int count);
const Real *safetensors_numbers(const NamedTensor *tensor, Real *room);
size_t safetensors_bytes(const NamedTensor *tensor);

/* Replaces a file. `metadata` is an object of strings, which is deleted; "format" is added to it,
 * and the checksum of the metadata and the numbers. Warns and returns false if the file cannot be
 * written. */
bool safetensors_write(const Directory *directory, const char *name, const NamedTensor *tensors,
                       int count, struct cJSON *metadata);

struct TensorFile;
struct TensorEntry;

/* Files that are being read: one, or several that share the tensors of a model among them. Their
 * headers are read when they are opened, their numbers when they are asked for. */
typedef struct {
    char *path;                  /* for messages: of the only file, or of the list of several */
    struct TensorFile *files;    /* stb_ds array */
    struct TensorEntry *entries; /* stb_ds array: those of all headers, sorted by name */
    size_t size;                 /* bytes of all files */
} SafeTensors;

/* Opens a file and checks all of it, with its checksum if it has one: files of other programs have
 * none. Dies if it is missing or wrong, naming the file and what is wrong. */
SafeTensors safetensors_open(const Directory *directory, const char *name);

/* Opens several files so, which may not have a tensor twice. `list` is the name of the file that
 * lists them. */
SafeTensors safetensors_open_all(const Directory *directory, const char *list,
                                 const char *const *names, int count);
void safetensors_close(SafeTensors *tensors);

bool safetensors_has(const SafeTensors *tensors, const char *name);

/* The name of tensor number i, in the order of names, or NULL after the last; and of the file that
 * has it, with its directory. */
const char *safetensors_name(const SafeTensors *tensors, int i);
const char *safetensors_file_of(const SafeTensors *tensors, const char *name);

/* Reads one tensor into its place; dies if it is missing, has another shape, or is of a type other
 * than F32, F64, F16 and BF16. Tensors that are not asked for may be of any type. Returns whether
 * all its numbers are finite. */
bool safetensors_read(const SafeTensors *tensors, const NamedTensor *into);

/* Reads one into a matrix, or a part of one, that is kept rounded (model/matrix/rounded.h) and
 * begins at `origin`. */
bool safetensors_read_rounded(const SafeTensors *tensors, const NamedTensor *into,
                              Rounding rounding, const Real *origin);

/* A string of the first file's metadata, or NULL. */
const char *safetensors_metadata(const SafeTensors *tensors, const char *key);

#endif
