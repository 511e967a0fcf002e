/* config.json: whatever stands in it, the model opens, or one line names the field. */
#include "tests/helpers/close.h"
#include "tests/helpers/model_directory.h"

static const char C[] = "config.json";

static const Edit OF_ANY_CONFIG[] = {
    {C, "\"gpt2\"", "\"llama\"", "model_type is \"llama\""},
    {C, "\"gpt2\"", "2", "model_type is 2"},
    {C, "\"model_type\"", "\"x\"", "model_type is missing"},
    {C, "\"n_embd\":6", "\"n_embd\":0", "n_embd is 0"},
    {C, "\"n_embd\":6", "\"n_embd\":-6", "n_embd is -6"},
    {C, "\"n_embd\":6", "\"n_embd\":6.5", "n_embd is 6.5"},
    {C, "\"n_embd\":6", "\"n_embd\":\"6\"", "n_embd is \"6\""},
    {C, "\"n_embd\":6", "\"n_embd\":null", "n_embd is null"},
    {C, "\"n_embd\":6", "\"n_embd\":[6]", "n_embd is [6]"},
    {C, "\"n_embd\":6", "\"n_embd\":1e999", "n_embd"},
    {C, "\"n_embd\":6", "\"n_embd\":1000000000", "n_embd is 1000000000"},
    {C, "\"n_embd\"", "\"x\"", "n_embd is missing"},
    {C, "\"n_embd\":6", "\"n_embd\":65536", "numbers"}, /* the file bounds what is taken */
    {C, "\"n_layer\":2", "\"n_layer\":1000", "numbers"},
    {C, "\"n_layer\":2", "\"n_layer\":3", "has no tensor"},
    {C, "\"n_positions\":8", "\"n_positions\":1048576", "numbers"},
    {C, "\"n_positions\":8", "\"n_positions\":9", "shape"},
    {C, "\"vocab_size\":10", "\"vocab_size\":500000000", "numbers"},
    {C, "\"vocab_size\":10", "\"vocab_size\":1e300", "vocab_size"},
    {C, "\"vocab_size\":10", "\"vocab_size\":11", "no word for the id 10"},
    {C, "\"vocab_size\":10", "\"vocab_size\":9", "'?' has the id 9"},
    {C, "\"n_head\":2", "\"n_head\":4", "n_head is 4; supported is a number that divides"},
    {C, "\"n_head\":2", "\"n_head\":3", NULL},
    {C, "\"n_inner\":24", "\"n_inner\":null", NULL},
    {C, "\"n_inner\"", "\"x\"", NULL},
    {C, "\"n_inner\":24", "\"n_inner\":12", "shape"},
    {C, "\"relu\"", "\"gelu_new\"", NULL},
    {C, "\"relu\"", "\"gelu_pytorch_tanh\"", NULL},
    {C, "\"relu\"", "\"gelu\"", "activation_function is \"gelu\""},
    {C, "\"relu\"", "7", "activation_function is 7"},
    {C, "\"activation_function\"", "\"x\"", NULL},
    {C, "1e-05", "1e-06", "layer_norm_epsilon"},
    {C, "1e-05", "\"1e-05\"", "layer_norm_epsilon"},
    {C, "\"scale_attn_weights\":true", "\"scale_attn_weights\":false", "scale_attn_weights"},
    {C, "\"scale_attn_weights\":true", "\"scale_attn_weights\":1", "scale_attn_weights is 1"},
    {C, "\"scale_attn_weights\":true", "\"scale_attn_weights\":null", "scale_attn_weights"},
    {C, "{", "{\"scale_attn_by_inverse_layer_idx\":true,", "scale_attn_by_inverse_layer_idx"},
    {C, "{", "{\"add_cross_attention\":true,", "add_cross_attention is true"},
    {C, "{", "{\"add_cross_attention\":null,", NULL},
    {C, "\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false", "lm_head.weight"},
    {C, "\"tie_word_embeddings\":true", "\"tie_word_embeddings\":null", "lm_head.weight"},
    {C, "\"tie_word_embeddings\"", "\"x\"", NULL},
    {C, "\"eos_token_id\":1", "\"eos_token_id\":50256", NULL},
    {C, "\"eos_token_id\":1", "\"eos_token_id\":[1]", NULL},
    {C, "\"pulga\":{", "\"other\":{", NULL},
    {C, "\"pulga\":{", "\"pulga\":3,\"x\":{", NULL}, /* not ours then, and no harm */
    {C, "\"sinusoidal\"", "\"spiral\"", "positions"},
    {C, "\"positions\"", "\"x\"", "positions"},
};

static const Edit OF_OLD_CONFIG[] = {
    {C, "\"gelu\"", "\"relu\"", NULL},
    {C, "\"gelu\"", "\"gelu_new\"", "afn is \"gelu_new\""},
    {C, "\"gelu\"", "\"gelu_pytorch_tanh\"", "afn is \"gelu_pytorch_tanh\""},
    {C, "\"afn\"", "\"x\"", NULL},
    {C, "\"n_inner\":24", "\"n_inner\":99", NULL}, /* it has no such field */
};

static const Edit OF_OWN_CONFIG[] = {
    {C, "\"pulga\":{", "\"x\":{", "pulga is missing"},
    {C, "[1,0,2,7]", "[1]", NULL},
    {C, "[1,0,2,7]", "null", NULL},
    {C, "[1,0,2,7]", "[1,2,3,4,5]", "at most one number for each head"},
    {C, "[1,0,2,7]", "[-1]", "window"},
    {C, "[1,0,2,7]", "\"1\"", "window"},
    {C, "\"pre\"", "\"post\"", "has no tensor"},
    {C, "\"head-size\":3", "\"head-size\":65536", "numbers"},
    {C, "\"head-size\":3", "\"head-size\":0", "head-size"},
};

static void a_field_that_is_not_supported_is_named(void **state)
{
    (void)state;
    EDITS(OF_ANY_CONFIG, PLAIN);
}

static void openai_gpt_has_other_fields(void **state)
{
    (void)state;
    Kind old = PLAIN;
    old.shape.post_norm = old.shape.gelu = true;
    EDITS(OF_OLD_CONFIG, old);
}

static void our_own_models_need_our_own_fields(void **state)
{
    (void)state;
    Kind own = PLAIN;
    own.shape.patterns = PATTERNS;
    EDITS(OF_OWN_CONFIG, own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_that_is_not_supported_is_named),
        cmocka_unit_test(openai_gpt_has_other_fields),
        cmocka_unit_test(our_own_models_need_our_own_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
