/* receipt.c: the file is replaced whole at each save, before the state: of a run that was killed in
 * between, it has rows after the state's step, which are cut when the run is resumed. */
#include "run.h"

#include <inttypes.h>
#include <limits.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "formats/run/log.h"
#include "model/matrix/matrix.h"

/* The names of the columns, which also end the head. */
static const char COLUMNS[] =
    "    step       of  loss                    state             model\n";

/* The end of a row with another `of` than the row before it, or than the head. */
static const char REPLANNED[] = "  replanned\n";

/* ---- The head ---- */

static void put_checksum(FILE *out, const char *key, uint64_t checksum)
{
    fprintf(out, "%s: %016" PRIx64 "\n", key, checksum);
}

/* The kernel matters to bfloat16 only. */
Receipt receipt_begin(const Settings *settings, CorpusOrigin origin, uint64_t from, int64_t step)
{
    Receipt receipt = {0};
    FILE *out = memory_stream(&receipt.head, NULL);
    fprintf(out, "# To check: train --verify FILE TEXT\n"
                 "version: " PULGA_VERSION "\n");
    put_checksum(out, "text", origin.text);
    fprintf(out, "text-size: %" PRIu64 "\n", origin.text_size);
    put_checksum(out, "identity", origin.run);
    if (from)
        put_checksum(out, "from", from);
    if (settings->precision != PRECISION_F32)
        fprintf(out, "kernel: %s\n", matrix_kernel_name());
    if (step)
        fprintf(out, "begins-after: %" PRId64 "\n", step);
    EACH_FIELD (field, SETTINGS)
        if (field->life != LIFE_CALL) {
            AUTOFREE char *value = field_text(field, settings);
            fprintf(out, "%s: %s\n", field->name, value);
        }
    fputs("\n", out);
    fclose(out);
    return receipt;
}

void receipt_free(Receipt *receipt)
{
    free(receipt->head);
    arrfree(receipt->rows);
}

char *receipt_value(const Receipt *receipt, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = receipt->head; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length) && !strncmp(line + length, ": ", 2)) {
            line += length + 2;
            return format_text("%.*s", (int)strcspn(line, "\n"), line);
        }
    }
    return NULL;
}

/* ---- The rows ---- */

void receipt_cut(Receipt *receipt, int64_t step)
{
    while (arrlen(receipt->rows) && arrlast(receipt->rows).step > step)
        arrpop(receipt->rows);
}

void receipt_add(Receipt *receipt, ReceiptRow row)
{
    const bool again = arrlen(receipt->rows) && arrlast(receipt->rows).step == row.step;
    if (again && isnan(row.loss))
        row.loss = arrlast(receipt->rows).loss;
    receipt_cut(receipt, row.step - 1);
    arrput(receipt->rows, row);
}

int receipt_planned(const Receipt *receipt)
{
    if (arrlen(receipt->rows))
        return (int)arrlast(receipt->rows).of;
    AUTOFREE char *steps = receipt_value(receipt, "steps");
    return steps ? (int)strtol(steps, NULL, 10) : 0;
}

/* ---- The file ---- */

bool receipt_write(const Directory *directory, const Receipt *receipt)
{
    FileWriter writer;
    if (!file_begin(&writer, directory, RECEIPT_FILE))
        return false;
    fprintf(writer.stream, "%s%s", receipt->head, COLUMNS);
    int64_t planned = receipt_planned(&(Receipt){.head = receipt->head}); /* before the rows */
    for (ptrdiff_t i = 0; i < arrlen(receipt->rows); i++) {
        const ReceiptRow *row = &receipt->rows[i];
        char loss[32] = "-";
        if (!isnan(row->loss))
            snprintf(loss, sizeof loss, "%.17g", row->loss);
        fprintf(writer.stream, "%8" PRId64 " %8" PRId64 "  %-22s  %016" PRIx64 "  %016" PRIx64 "%s",
                row->step, row->of, loss, row->state, row->model,
                row->of == planned ? "\n" : REPLANNED);
        planned = row->of;
    }
    return file_commit(&writer);
}

/* The steps of rows grow, and nothing else follows what a row has. A loss is "-", or all of a
 * number. */
static bool read_row(Receipt *receipt, const char *line)
{
    ReceiptRow row;
    char step[11], of[11], loss[32], state[17], model[17];
    int end = 0;
    const int cells = sscanf(line, " %10[0-9] %10[0-9] %31s %16[0-9a-f] %16[0-9a-f]%n", step, of,
                             loss, state, model, &end);
    row.replanned = !strncmp(line + end, REPLANNED, strlen(REPLANNED));
    if (cells != 5 || (line[end] != '\n' && !row.replanned) || strlen(state) != 16 ||
        strlen(model) != 16)
        return false;
    const bool none = !strcmp(loss, "-");
    char *end_of_loss = loss;
    row.loss = none ? (double)NAN : strtod(loss, &end_of_loss);
    if (!none && (end_of_loss == loss || *end_of_loss || !isfinite(row.loss)))
        return false;
    row.step = strtoll(step, NULL, 10);
    row.of = strtoll(of, NULL, 10);
    row.state = strtoull(state, NULL, 16);
    row.model = strtoull(model, NULL, 16);
    if (row.of < row.step || row.of > INT_MAX ||
        row.step <= (arrlen(receipt->rows) ? arrlast(receipt->rows).step : -1))
        return false;
    arrput(receipt->rows, row);
    return true;
}

bool receipt_parse(Receipt *receipt, const char *file, uint64_t identity)
{
    const char *table = strstr(file, COLUMNS), *line = table ? table + strlen(COLUMNS) : "";
    *receipt = (Receipt){.head = format_text("%.*s", table ? (int)(table - file) : 0, file)};
    while (*line && read_row(receipt, line))
        line += strcspn(line, "\n") + 1;
    AUTOFREE char *own = receipt_value(receipt, "identity");
    const bool good =
        table && !*line && own && (!identity || !strcmp(own, checksum_hex(identity).text));
    if (!good)
        receipt_free(receipt);
    return good;
}
