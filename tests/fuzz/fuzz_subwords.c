/* fuzz_subwords.c: tokenizer.json of a model of subwords. */
#include "damaged_run.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return open_with("bpe", "tokenizer.json", bytes, size);
}
