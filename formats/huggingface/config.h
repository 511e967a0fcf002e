/* config.h: config.json, which describes a model with the field names of Transformers. What has no
 * such name, and all that train adds for itself, is in its object "pulga". The file of a run:
 *
 *     {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "activation_function": "relu",
 *      "vocab_size": 15, "n_positions": 8, "n_ctx": 8, "n_embd": 64, "n_layer": 2, "n_head": 4,
 *      "n_inner": 256, "resid_pdrop": 0, ..., "bos_token_id": 0, "eos_token_id": 1, ...,
 *      "pulga": {"version": "0.1", "command": "train data/perro.txt --steps 9", ...,
 *                "text": {"name": "data/perro.txt", "size": 212, "xxh3_64": "05a1..."}, ...,
 *                "attend": null, "positions": "sinusoidal", "norm": "pre", ...}}
 *
 * A file that Transformers wrote has no "pulga". */
#ifndef PULGA_CONFIG_H
#define PULGA_CONFIG_H

#include "base/files/file.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

struct cJSON;

/* Puts the architecture and the sizes into an object, and into its object "pulga" what the names of
 * Transformers cannot say. Its model_type is gpt2 or openai-gpt if these can describe the model;
 * else it is pulga, which Transformers refuses. causal_source: of pairs, see text/objective.h. */
void config_put_model(struct cJSON *json, const GptConfig *shape, double dropout,
                      const Tokenizer *tokenizer, bool causal_source);

/* Puts those of its numbers again that are not whole: cJSON may print one that it has read with a
 * digit too few. */
void config_put_numbers(struct cJSON *json, const GptConfig *shape);

/* A config.json that was read. */
typedef struct {
    GptConfig shape;         /* its patterns belong to the config */
    ObjectiveKind objective; /* what it was trained for */
    bool causal_source;      /* of pairs */
    int eos;                 /* the id of the token that ends a line; negative if it names none */
    const char *identity; /* of the run that wrote it (see programs/train/saving/run.h), or NULL */
    const char *text;     /* the checksum of the text it was trained on, or NULL */
    struct cJSON *json;   /* all of the file */
    uint64_t checksum;    /* of the file */
} Config;

/* Reads a directory's config.json: a run's, or one of a GPT-2 that Transformers saved. Dies if it
 * is missing or not JSON or, naming the field, if a value is not supported. Fields that have no
 * meaning here are ignored. Takes no memory for the model: a file of a few bytes may describe a
 * model of terabytes (see check_size() in config.c). */
Config config_read(const Directory *directory);
void config_free(Config *config);

/* The object "pulga"; NULL if there is none, as in a file that Transformers wrote. */
const struct cJSON *config_own(const Config *config);

/* A model directory opened for use: a run of ours, or a GPT-2 that Transformers
 * saved. sample, attend and train --from read models through it. The directory may come from a
 * stranger: if anything in it is wrong, one line says what. */
typedef struct {
    Directory directory; /* as the user named it, for messages */
    Config config;
    Gpt gpt;             /* a reader, with room for one sequence of its whole context */
    Tokenizer tokenizer; /* has as many tokens as the config says */
} Pretrained;

/* Dies in one line if there is no such model, if something of it is missing or damaged, if its
 * weights are not finite, or if a run of the same name replaced it meanwhile. */
Pretrained pretrained_open(const char *directory);

/* Opens it with its matrices rounded (model/matrix/rounded.h): so it is never in memory as floats.
 * A usage error of --weights if its sizes do not allow that. */
Pretrained pretrained_open_rounded(const char *directory, Rounding rounding);
void pretrained_close(Pretrained *model);

/* Takes heads and layers out of the model (model/tensors.h): those of a list such as "L2H3,L1",
 * counted from 1. A usage error of --without if the list is malformed or the model lacks one. */
void pretrained_without(Pretrained *model, const char *list);

/* Writes a model into a directory, which is made if it is missing. Warns and returns false if that
 * fails. */
bool pretrained_save(const char *directory, const Gpt *gpt, const Tokenizer *tokenizer);

/* Lets a model be talked to by ChatML's tokens (text/tokenizer.h), with the system turn that its
 * chat template puts before a conversation, if there is one. Returns whether it has them. */
bool pretrained_take_chatml(Pretrained *model);

/* What the model was trained for; what only training reads is 0. */
Objective pretrained_objective(const Pretrained *model);

/* Dies unless a number that the model has computed is finite: weights that are too large make it
 * infinite or NaN. */
void pretrained_check(const Pretrained *model, double number);

#endif
