/* rounded.c (test): a model that is opened rounded is never in memory as floats, and has the
 * numbers of one that was read and then rounded. */
#include <cjson/cJSON.h>

#include "formats/huggingface/weights.h"
#include "model/matrix/matrix.h"
#include "tests/helpers/memory.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/test.h"

/* Every number of a tensor of each kind: GPT-2's lie as in the file, most of a llama's turned. */
static Kind kind_of(bool llama)
{
    Kind kind = PLAIN;
    GptConfig *shape = &kind.shape;
    shape->width = shape->hidden = 128;
    shape->heads = 4;
    shape->key_heads = llama ? 2 : 4;
    shape->head_size = 32;
    if (llama) {
        shape->positions = POSITIONS_ROTARY;
        shape->activation = ACTIVATION_SILU;
        shape->rms = shape->gated = shape->no_other_bias = true;
    }
    return kind;
}

static void assert_rounded(const Pretrained *got, const Pretrained *from)
{
    for (int i = 0; i < got->gpt.tensor_count; i++) {
        const Tensor *tensor = &got->gpt.tensors[i];
        const size_t width = (size_t)rounded_width(tensor->rounding, tensor->cols);
        const size_t size = (size_t)tensor->rows * width * sizeof(Real);
        AUTOFREE Real *wanted = memory_new(size, 1, "a tensor");
        matrix_write(matrix_rounded(wanted, tensor->rows, tensor->cols, tensor->rounding),
                     from->gpt.weight_block + from->gpt.tensors[i].offset);
        assert_memory_equal(got->gpt.weight_block + tensor->offset, wanted, size);
    }
}

TEST(a_model_opened_rounded_has_the_rounded_numbers)
{
    for (int i = 0; i < 8; i++) {
        Kind kind = kind_of(i % 2);
        kind.shape.untied = i / 2 % 2;
        kind.shape.no_qkv_bias = i % 2 && i / 4;
        MODEL(folder, written, kind);
        FREED_BY(pretrained_close)
        Pretrained got = pretrained_open_rounded(folder, i / 4 ? ROUNDING_Q8 : ROUNDING_BF16);
        assert_rounded(&got, &written);
    }
}

static void open_rounded(void *folder)
{
    Pretrained model = pretrained_open_rounded(folder, ROUNDING_Q8);
    pretrained_close(&model);
}

/* The number is counted in the file, where a llama's matrices are turned. */
TEST(a_number_that_is_not_finite_is_not_rounded)
{
    Kind kind = kind_of(true);
    MODEL(folder, written, kind);
    const Linear *qkv = &written.gpt.weights.block[1].attention.qkv;
    ROW(qkv->weight, 5, qkv->out)[128 + 64 + 6] = (Real)NAN; /* after queries and keys */
    assert_true(weights_write(enter(folder), &written.gpt, written.gpt.weight_block, 0));
    char number[80];
    snprintf(number, sizeof number, "number %d of model.layers.1.self_attn.v_proj.weight is nan",
             6 * 128 + 5);
    assert_dies(open_rounded, folder, folder, number, "cannot be used");
}

TEST(sizes_that_are_not_whole_blocks_are_refused)
{
    MODEL(folder, written, PLAIN);
    const ChildEnd ending = APART(open_rounded(folder));
    assert_int_equal(ending.status, 64);
    assert_non_null(strstr(ending.said, "--weights needs a model whose"));
}

/* Rewrites the numbers of model.safetensors as BF16. */
static void halve_file(const char *folder)
{
    AUTOFREE Bytes file = file_read_in(enter(folder), "model.safetensors", false);
    uint64_t length;
    memcpy(&length, file.bytes, sizeof length);
    const char *numbers = file.bytes + sizeof length + length;
    const size_t count = (file.size - sizeof length - length) / sizeof(float);
    cJSON *header = cJSON_ParseWithLength(file.bytes + sizeof length, length), *entry;
    cJSON_DeleteItemFromObject(header, "__metadata__"); /* with the checksum */
    cJSON_ArrayForEach(entry, header)
    {
        cJSON *offsets = cJSON_GetObjectItem(entry, "data_offsets");
        cJSON_SetValuestring(cJSON_GetObjectItem(entry, "dtype"), "BF16");
        cJSON_SetNumberValue(offsets->child, offsets->child->valuedouble / 2);
        cJSON_SetNumberValue(offsets->child->next, offsets->child->next->valuedouble / 2);
    }
    char *text = cJSON_PrintUnformatted(header), *bytes;
    size_t size;
    length = strlen(text);
    FILE *out = memory_stream(&bytes, &size);
    fwrite(&length, sizeof length, 1, out);
    fwrite(text, 1, length, out);
    for (size_t i = 0; i < count; i++)
        fwrite(numbers + 4 * i + 2, 2, 1, out);
    fclose(out);
    free(scratch_write(folder, "model.safetensors", bytes, size));
    free(bytes);
    cJSON_free(text);
    cJSON_Delete(header);
}

typedef struct {
    const char *folder;
    Rounding rounding;
    double most;
} Opening;

static void open_within(void *opening)
{
    const Opening *o = opening;
    const double before = memory_resident();
    Pretrained model = pretrained_open_rounded(o->folder, o->rounding);
    const double taken = memory_peak() - before;
    pretrained_close(&model);
    if (taken > o->most)
        die("opening takes %.1f MB, and may take %.1f", taken / 1e6, o->most / 1e6);
}

static void assert_opens_within(const char *folder, Rounding rounding, double most)
{
    Opening opening = {folder, rounding, most};
    const ChildEnd ending = run_apart(open_within, &opening);
    if (ending.signal || ending.status)
        fail_msg("%s", ending.said);
}

/* Makes the tokenizer's JSON take 8 MB while it is read. */
static void lengthen_tokenizer(const char *folder)
{
    enum { COUNT = 100000 };
    char *extra = memory_new(2 * COUNT + 100, 1, "numbers"), *at = extra;
    at += sprintf(at, "{\"extra\":[0");
    for (int i = 1; i < COUNT; i++)
        at += sprintf(at, ",0");
    sprintf(at, "],");
    edit(folder, "tokenizer.json", "{", extra);
    free(extra);
}

/* Opening a model of some 20 MB takes at most 1.1 times the memory of the weights that it keeps,
 * whatever the tokenizer needed for a while. */
TEST(opening_takes_a_tenth_more_memory_than_the_file)
{
    if (memory_unknown())
        skip();
    for (int llama = 0; llama < 2; llama++) {
        Kind kind = kind_of(llama);
        kind.shape.layers = 12;
        kind.shape.width = 256;
        kind.shape.hidden = 1024;
        MODEL(folder, written, kind);
        const double numbers = (double)written.gpt.size;
        lengthen_tokenizer(folder);
        assert_opens_within(folder, ROUNDING_NONE, 1.1 * 4 * numbers);
        halve_file(folder);
        assert_opens_within(folder, ROUNDING_NONE, 1.1 * 4 * numbers);
        assert_opens_within(folder, ROUNDING_BF16, 1.1 * 2 * numbers);
        assert_opens_within(folder, ROUNDING_Q8, 1.1 * 9 / 8 * numbers);
    }
}
