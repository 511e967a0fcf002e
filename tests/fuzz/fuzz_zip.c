/* fuzz_zip.c: a .zip that somebody sent. */
#include <unistd.h>

#include "base/files/zip.h"
#include "base/base.h"
#include "harness.h"

typedef struct {
    const uint8_t *bytes;
    size_t size;
} Input;

static void read_zip(void *context)
{
    static const char *const names[] = {"config.json", "sums", "plain", "raw"};
    const Input *input = context;
    char *bytes = memory_take(input->size + 1);
    memcpy(bytes, input->bytes, input->size);
    Zip *zip = zip_open("a.zip", bytes, input->size, "config.json");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        if (zip_has(zip, names[i]))
            close(zip_file(zip, names[i], &size));
    }
    zip_free(zip);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    returns(read_zip, &(Input){bytes, size});
    return 0;
}
