/* fuzz_tokenizer.c: tokenizer.json of a model directory. */
#include "damaged_run.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return open_with("word", "tokenizer.json", bytes, size);
}
