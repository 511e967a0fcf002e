/* config.json: whatever stands in it, the model opens, or one line names the field. */
#include "tests/helpers/model_directory.h"
#include "tests/helpers/test.h"

static const char C[] = "config.json";

/* The value of a field is changed, or the field is missing: it gets another name. */
#define VALUE(name, from, to, said)                       \
    {                                                     \
        C, "\"" name "\":" from, "\"" name "\":" to, said \
    }
#define ABSENT(name, said)               \
    {                                    \
        C, "\"" name "\"", "\"x\"", said \
    }

static const Edit OF_ANY_CONFIG[] = {
    {C, "\"gpt2\"", "\"bert\"", "model_type is \"bert\""},
    {C, "\"gpt2\"", "2", "model_type is 2"},
    ABSENT("model_type", "model_type is missing"),
    VALUE("n_embd", "6", "0", "n_embd is 0"),
    VALUE("n_embd", "6", "6.5", "n_embd is 6.5"),
    VALUE("n_embd", "6", "1000000000", "n_embd is 1000000000"),
    ABSENT("n_embd", "n_embd is missing"),
    VALUE("n_embd", "6", "65536", "numbers"), /* the file bounds what is taken */
    VALUE("n_layer", "2", "1000", "numbers"),
    VALUE("n_layer", "2", "3", "has no tensor"),
    VALUE("n_positions", "8", "1048576", "numbers"),
    VALUE("n_positions", "8", "9", "shape"),
    VALUE("vocab_size", "10", "500000000", "numbers"),
    VALUE("vocab_size", "10", "1e300", "vocab_size"),
    VALUE("vocab_size", "10", "11", "no word for the id 10"),
    VALUE("vocab_size", "10", "9", "'?' has the id 9"),
    VALUE("n_head", "2", "4", "n_head is 4; supported is a number that divides"),
    VALUE("n_head", "2", "3", NULL),
    VALUE("n_inner", "24", "null", NULL),
    ABSENT("n_inner", NULL),
    VALUE("n_inner", "24", "12", "shape"),
    {C, "\"relu\"", "\"gelu_new\"", NULL},
    {C, "\"relu\"", "\"gelu_pytorch_tanh\"", NULL},
    {C, "\"relu\"", "\"gelu\"", "activation_function is \"gelu\""},
    {C, "\"relu\"", "7", "activation_function is 7"},
    ABSENT("activation_function", NULL),
    {C, "1e-05", "1e-06", NULL},
    {C, "1e-05", "0", "layer_norm_epsilon is 0"},
    {C, "1e-05", "\"1e-05\"", "layer_norm_epsilon"},
    VALUE("scale_attn_weights", "true", "false", "scale_attn_weights"),
    VALUE("scale_attn_weights", "true", "1", "scale_attn_weights is 1"),
    VALUE("scale_attn_weights", "true", "null", "scale_attn_weights"),
    {C, "{", "{\"scale_attn_by_inverse_layer_idx\":true,", "scale_attn_by_inverse_layer_idx"},
    {C, "{", "{\"add_cross_attention\":true,", "add_cross_attention is true"},
    {C, "{", "{\"add_cross_attention\":null,", NULL},
    {C, "{", "{\"reorder_and_upcast_attn\":true,", NULL}, /* how it is computed, not what */
    {C, "{", "{\"task_specific_params\":{\"text-generation\":{\"max_length\":50}},", NULL},
    {C, "{", "{\"summary_type\":\"cls_index\",\"use_cache\":true,\"n_ctx\":8,", NULL},
    VALUE("tie_word_embeddings", "true", "false", "lm_head.weight"),
    VALUE("tie_word_embeddings", "true", "null", "lm_head.weight"),
    ABSENT("tie_word_embeddings", NULL),
    VALUE("eos_token_id", "1", "50256", NULL),
    VALUE("eos_token_id", "1", "[1]", NULL),
    {C, "\"pulga\":{", "\"other\":{", NULL},
    VALUE("pulga", "{", "3,\"x\":{", NULL), /* not ours then, and no harm */
    {C, "\"sinusoidal\"", "\"spiral\"", "positions"},
    ABSENT("positions", "positions"),
};

static const Edit OF_OLD_CONFIG[] = {
    {C, "\"gelu\"", "\"relu\"", NULL},
    {C, "\"gelu\"", "\"gelu_new\"", "afn is \"gelu_new\""},
    {C, "\"gelu\"", "\"gelu_pytorch_tanh\"", "afn is \"gelu_pytorch_tanh\""},
    ABSENT("afn", NULL),
    VALUE("n_inner", "24", "99", NULL), /* it has no such field */
};

static const Edit OF_OWN_CONFIG[] = {
    {C, "\"pulga\":{", "\"x\":{", "pulga is missing"},
    {C, "\"1,all,2,7\"", "\"1\"", NULL},
    {C, "\"1,all,2,7\"", "\"strided:2,fixed:3,summary:4:1\"", NULL},
    {C, "\"1,all,2,7\"", "null", NULL},
    {C, "\"1,all,2,7\"", "\"1,2,3,4,5\"", "at most one pattern for each head"},
    {C, "\"1,all,2,7\"", "\"-1\"", "attend"},
    {C, "\"1,all,2,7\"", "[1]", "attend"},
    {C, "\"pre\"", "\"post\"", "has no tensor"},
    VALUE("head-size", "3", "65536", "numbers"),
    VALUE("head-size", "3", "0", "head-size"),
};

TEST(a_field_that_is_not_supported_is_named)
{
    EDITS(OF_ANY_CONFIG, PLAIN);
}

TEST(openai_gpt_has_other_fields)
{
    Kind old = PLAIN;
    old.shape.norm = NORM_POST;
    old.shape.activation = ACTIVATION_GELU;
    EDITS(OF_OLD_CONFIG, old);
}

TEST(our_own_models_need_our_own_fields)
{
    Kind own = PLAIN;
    own.shape.patterns = PATTERNS;
    EDITS(OF_OWN_CONFIG, own);
}
