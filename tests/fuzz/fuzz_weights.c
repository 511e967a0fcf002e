/* fuzz_weights.c: model.safetensors of a model directory. */
#include "damaged_run.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return open_with("word", "model.safetensors", bytes, size);
}
