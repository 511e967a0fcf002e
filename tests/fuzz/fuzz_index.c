/* fuzz_index.c: model.safetensors.index.json of a model directory. */
#include "damaged_run.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return open_with("word", "model.safetensors.index.json", bytes, size);
}
