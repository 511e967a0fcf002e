/* fuzz_receipt.c: a receipt that somebody sent. */

#include "programs/train/saving/run.h"
#include "harness.h"

static void read_receipt(void *context)
{
    Receipt receipt;
    if (!receipt_parse(&receipt, context, 0))
        return;
    EACH_FIELD (field, SETTINGS)
        free(receipt_value(&receipt, field->name));
    receipt_planned(&receipt);
    receipt_free(&receipt);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = format_text("%.*s", (int)size, (const char *)bytes);
    if (!returns(read_receipt, text))
        found("a receipt ended the program");
    free(text);
    return 0;
}
