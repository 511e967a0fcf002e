/* card.c: the last line of a card has a checksum of all lines before it: a card without this line, or
 * with another checksum, was written by a person. */
#include "card.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/display.h"
#include "base/files/checksum.h"
#include "base/version.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "formats/run/files.h"
#include "terminal/screen.h"

/* ---- What config.json says ---- */

/* The name of a text, or of several with commas between them. */
static char *names_of(const cJSON *text)
{
    char *all;
    size_t size;
    FILE *out = memory_stream(&all, &size);
    const cJSON *names = json_get(text, "names"), *name;
    fputs(json_text(text, "name") ? json_text(text, "name") : "", out);
    cJSON_ArrayForEach(name, names) fprintf(out, "%s%s", name == names->child ? "" : ", ",
                                            cJSON_IsString(name) ? name->valuestring : "");
    fclose(out);
    return all;
}

static char *copy(const char *text)
{
    return format_text("%s", text ? text : "");
}

Card card_open(const Directory *run)
{
    cJSON *json = json_read(run, CONFIG_FILE);
    const cJSON *own = json_get(json, "pulga");
    const Card card = {copy(json_text(json, "model_type")), copy(json_text(own, "command")),
                       names_of(json_get(own, "text"))};
    cJSON_Delete(json);
    return card;
}

void card_free(Card *card)
{
    free(card->type);
    free(card->command);
    free(card->text);
}

/* ---- The card ---- */

/* "- **label**: " before what it is. */
static void put_label(FILE *out, const char *label)
{
    fprintf(out, "- **%s**: ", translated(label));
}

/* What the Hub reads. The licence and the language are those of the text, which nobody has told. */
static void put_head(FILE *out, const Card *card, const Trainer *t)
{
    const bool transformers = strcmp(card->type, "pulga") != 0;
    fprintf(out, "---\nlibrary_name: %s\n", transformers ? "transformers" : "pulga");
    if (t->plan.settings.objective == OBJECTIVE_NEXT)
        fputs("pipeline_tag: text-generation\n", out);
    fprintf(out, "tags:\n- pulga\n%s%s%s---\n\n", transformers ? "- " : "",
            transformers ? card->type : "", transformers ? "\n" : "");
}

static void put_text(FILE *out, const Card *card, const Trainer *t)
{
    char digits[17];
    checksum_hex(digits, t->origin.text);
    put_label(out, N_("text"));
    put_xml(out, card->text);
    fprintf(out, _(", %s bytes, XXH3 `%s`"), thousands((size_t)t->origin.text_size).text, digits);
    fprintf(out, "\n");
    put_label(out, N_("tokens"));
    fprintf(out, _("%s, vocabulary %s, objective %s"), TOKENIZER_NAMES[t->tokenizer.kind],
            thousands((size_t)tokenizer_size(&t->tokenizer)).text,
            OBJECTIVE_NAMES[t->plan.settings.objective]);
    fprintf(out, "\n");
}

static void put_sizes(FILE *out, const Trainer *t)
{
    const GptConfig *shape = &t->plan.shape;
    put_label(out, N_("model"));
    fprintf(out, _("%s; %s, %s of %d, width %d, hidden %d, context %d"),
            plural(t->plan.parameters, "parameter", "parameters").text,
            plural((size_t)shape->layers, "layer", "layers").text,
            plural((size_t)shape->heads, "head", "heads").text, shape->head_size, shape->width,
            shape->hidden, shape->context);
    fprintf(out, "\n");
}

/* The best loss, and what to compare it with. */
static void put_losses(FILE *out, const Trainer *t)
{
    const Progress *p = &t->progress;
    put_label(out, N_("loss"));
    if (isinf(p->best_loss))
        fputs(_("not evaluated yet"), out);
    else
        fprintf(out,
                trainer_holds_out(t)
                    ? _("%.6f nats per token over a part that was held out, after step %" PRId64
                        " of %d")
                    : _("%.6f nats per token over the text, after step %" PRId64 " of %d"),
                p->best_loss, p->best_step, t->plan.settings.steps);
    if (isfinite(p->best_loss) && !isnan(t->token_bytes))
        fprintf(out, _("; %.4f bits per byte"), trainer_bits(t, p->best_loss));
    fprintf(out, "\n");
    if (!isnan(t->floor)) {
        put_label(out, N_("floor"));
        fprintf(out,
                trainer_holds_out(t) ? _("%.6f, the lowest loss that the part trained on allows")
                                     : _("%.6f, the lowest loss that the text allows"),
                t->floor);
        fprintf(out, "\n");
    }
    if (!isnan(t->counting.loss)) {
        put_label(out, N_("counting"));
        fprintf(out, _("%.6f over the part held out (Kneser-Ney, order %d)"), t->counting.loss,
                t->counting.order);
        fprintf(out, "\n");
    }
}

static void put_card(FILE *out, const Card *card, const Trainer *t)
{
    const char *path = t->directory.path, *slash = strrchr(path, '/');
    char digits[17];
    put_head(out, card, t);
    fputs("# ", out);
    put_xml(out, slash && slash[1] ? slash + 1 : path);
    fprintf(out, "\n\n");
    fprintf(out, _("A small GPT, trained by Pulga %s."), PULGA_VERSION);
    fprintf(out, "\n\n");
    put_text(out, card, t);
    put_sizes(out, t);
    put_losses(out, t);
    checksum_hex(digits, weights_checksum(&t->gpt, t->best));
    put_label(out, N_("checksum"));
    fprintf(out, _("`%s`, of the weights in model.safetensors"), digits);
    fprintf(out, "\n\n%s\n\n    %s\n\n%s\n\n", _("It was trained by this command:"), card->command,
            _("receipt.txt has every setting and the checksums on the way; with it and the text, "
              "`train --verify` trains again and compares."));
}

/* ---- The file ---- */

#define SEAL "<!-- train replaces this file unless it is changed: "

/* Writes the last line for a card. */
static void put_seal(FILE *out, const char *card, size_t size)
{
    char digits[17];
    checksum_hex(digits, checksum_of(card, size));
    fprintf(out, SEAL "%s -->\n", digits);
}

/* Whether there is no card yet, or one that ends as put_seal() ended it. */
static bool is_ours(const Directory *run)
{
    char card[1 << 14], *path = path_in(run, CARD_FILE), *wanted;
    size_t size = file_peek(path, card, sizeof card - 1);
    card[size] = 0;
    free(path);
    const char *last = strstr(card, SEAL);
    FILE *out = memory_stream(&wanted, &size);
    if (last)
        put_seal(out, card, (size_t)(last - card));
    fclose(out);
    const bool ours = last ? !strcmp(last, wanted) : !directory_has(run, CARD_FILE);
    free(wanted);
    return ours;
}

void card_write(const Card *card, const Trainer *t)
{
    char *text;
    size_t size;
    FileWriter writer;
    if (!is_ours(&t->directory) || !file_begin(&writer, &t->directory, CARD_FILE))
        return;
    FILE *out = memory_stream(&text, &size);
    put_card(out, card, t);
    fclose(out);
    fwrite(text, 1, size, writer.stream);
    put_seal(writer.stream, text, size);
    free(text);
    file_commit(&writer);
}
