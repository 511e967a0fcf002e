/* fuzz_state.c: state.safetensors of a model directory. */
#include "damaged_run.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return open_with("word", "state.safetensors", bytes, size);
}
