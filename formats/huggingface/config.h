/* config.h: what config.json says that a model is, in the words of Transformers; what these have no
 * word for stands in its object "pulga". */
#ifndef PULGA_CONFIG_H
#define PULGA_CONFIG_H

#include "model/gpt.h"
#include "data/vocabulary.h"

struct cJSON;

/* Puts the architecture and the sizes into an object. Its model_type is gpt2 or openai-gpt where
 * that says all; else it is pulga, which Transformers refuses. */
void config_put_model(struct cJSON *json, const GptConfig *shape, double dropout,
                      const Vocabulary *vocabulary);

typedef struct {
    GptConfig shape; /* its patterns are the config's own: free() them */
    int eos;         /* an id, -1 where it names none */
} Config;

/* Reads a directory's config.json: a run's, or a GPT-2's that Transformers saved. Dies naming the
 * field where it says something that is not supported. Takes no memory by what it says. */
Config config_read(const char *directory);

#endif
