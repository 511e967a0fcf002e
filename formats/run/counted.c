/* counted.c: the tokens are cut as they were for training, and those trained on are counted
 * again. */
#include "counted.h"

#include <stdlib.h>

#include "files.h"
#include "formats/json.h"

bool counted_read(const Pretrained *model, Corpus *corpus, CountMixture *mixture)
{
    const Config *config = &model->config;
    const struct cJSON *result = json_get(config_own(config), "result");
    const double share = json_number(result, "counting_share");
    const double order = json_number(result, "counting_order");
    CorpusOrigin origin;
    if (!config->identity || !(share >= 0 && share <= 1) ||
        !(order >= 1 && order <= KNESER_NEY_MOST) || !directory_has(&model->directory, TOKENS_FILE))
        return false;
    *corpus = corpus_open(&model->directory, TOKENS_FILE, &model->tokenizer,
                          model->gpt.config.context, strtoull(config->identity, NULL, 16), &origin);
    corpus->objective.causal_source = config->causal_source;
    corpus_set_aside(corpus);
    *mixture = count_mixture_new(corpus, (int)order, share);
    return true;
}

bool counted_mix(Pretrained *model, CountMixture *mixture)
{
    Corpus corpus;
    if (!counted_read(model, &corpus, mixture))
        return false;
    corpus_free(&corpus);
    model->gpt.mixture = count_mixture_of(mixture);
    return true;
}
