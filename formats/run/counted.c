/* counted.c: the tokens are cut as they were for training, and those trained on are counted
 * again. */
#include "counted.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "files.h"
#include "formats/json.h"

/* A number of the result that is from `least` to `most`; else false. */
static bool read_number(const cJSON *result, const char *name, double least, double most,
                        double *number)
{
    const cJSON *item = json_get(result, name);
    *number = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    return *number >= least && *number <= most;
}

bool counted_read(const Pretrained *model, Counted *counted)
{
    const Config *config = &model->config;
    const cJSON *result = json_get(config_own(config), "result");
    double order;
    CorpusOrigin origin;
    if (!config->identity || !read_number(result, "counting_share", 0, 1, &counted->share) ||
        !read_number(result, "counting_order", 1, KNESER_NEY_MOST, &order) ||
        !directory_has(&model->directory, TOKENS_FILE))
        return false;
    counted->order = (int)order;
    counted->corpus =
        corpus_open(&model->directory, TOKENS_FILE, &model->tokenizer, model->gpt.config.context,
                    strtoull(config->identity, NULL, 16), &origin);
    counted->corpus.objective.causal_source = config->causal_source;
    corpus_set_aside(&counted->corpus);
    return true;
}

bool counted_mix(Pretrained *model, CountMixture *mixture)
{
    Counted counted;
    if (!counted_read(model, &counted))
        return false;
    *mixture = count_mixture_new(&counted.corpus, counted.order, counted.share);
    corpus_free(&counted.corpus);
    model->gpt.mixture = count_mixture_of(mixture);
    return true;
}
