/* counted.c: the tokens are cut as they were for training, and those trained on are counted
 * again. */
#include "counted.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "files.h"
#include "formats/json.h"

bool counted_open(Pretrained *model, CountMixture *mixture)
{
    const Config *config = &model->config;
    const cJSON *result = json_get(config_own(config), "result");
    const cJSON *share = json_get(result, "counting_share");
    const cJSON *order = json_get(result, "counting_order");
    if (!config->identity || !cJSON_IsNumber(share) ||
        !(share->valuedouble >= 0 && share->valuedouble <= 1) || !cJSON_IsNumber(order) ||
        !(order->valuedouble >= 1 && order->valuedouble <= 8) ||
        !directory_has(&model->directory, TOKENS_FILE))
        return false;
    CorpusOrigin origin;
    Corpus corpus =
        corpus_open(&model->directory, TOKENS_FILE, &model->tokenizer, model->gpt.config.context,
                    strtoull(config->identity, NULL, 16), &origin);
    corpus.objective.causal_source = config->causal_source;
    corpus_set_aside(&corpus);
    *mixture = count_mixture_new(&corpus, order->valueint, share->valuedouble);
    corpus_free(&corpus);
    model->gpt.mixture = count_mixture_of(mixture);
    return true;
}
