/* card.c: the last line of a card has a checksum of all lines before it: a card without this line,
 * or with another checksum, was written by a person. */
#include "report.h"

#include <cjson/cJSON.h>
#include <inttypes.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/utf8.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "formats/run/log.h"
#include "programs/terminal/screen.h"

/* ---- The card ---- */

/* The name of the text, or of several with commas between them, as config.json has them; the caller
 * frees it. */
static char *names_of(const cJSON *text)
{
    char *all;
    FILE *out = memory_stream(&all, NULL);
    const cJSON *names = json_get(text, "names"), *name;
    put_xml(out, json_text(text, "name") ? json_text(text, "name") : "");
    cJSON_ArrayForEach(name, names)
    {
        fputs(name == names->child ? "" : ", ", out);
        put_xml(out, cJSON_IsString(name) ? name->valuestring : "");
    }
    fclose(out);
    return all;
}

/* - **label**: text */
__attribute__((format(printf, 3, 4))) static void put_item(FILE *out, const char *label,
                                                           const char *format, ...)
{
    va_list arguments;
    fprintf(out, "- **%s**: ", translated(label));
    va_start(arguments, format);
    vfprintf(out, translated(format), arguments);
    va_end(arguments);
    fputs("\n", out);
}

/* What the Hub reads. The licence and the language are those of the text, which nobody has told. */
static void put_head(FILE *out, const cJSON *config, const Trainer *t)
{
    const char *type = json_text(config, "model_type");
    const bool transformers = type && strcmp(type, "pulga") != 0;
    fprintf(out, "---\nlibrary_name: %s\n", transformers ? "transformers" : "pulga");
    if (t->plan.settings.objective == OBJECTIVE_NEXT)
        fputs("pipeline_tag: text-generation\n", out);
    fputs("tags:\n- pulga\n", out);
    if (transformers)
        fprintf(out, "- %s\n", type);
    fputs("---\n\n", out);
}

/* The best loss, and what to compare it with. */
static void put_losses(FILE *out, const Trainer *t)
{
    const Progress *p = &t->progress;
    const bool holds_out = trainer_holds_out(t);
    if (isinf(p->best_loss))
        put_item(out, N_("loss"), N_("not evaluated yet"));
    else
        put_item(out, N_("loss"),
                 t->corpus.evaluated.sample
                     ? N_("%.6f nats per token over a sample, after step %" PRId64 " of %d%s")
                 : holds_out
                     ? N_("%.6f nats per token over a part that was held out, after step "
                          "%" PRId64 " of %d%s")
                     : N_("%.6f nats per token over the text, after step %" PRId64 " of %d%s"),
                 p->best_loss, p->best_step, t->plan.settings.steps,
                 bits_shown(bits_per_byte(p->best_loss, t->token_bytes)).text);
    if (!isnan(t->whole.loss)) {
        AUTOFREE char *whole = whole_text(t);
        put_item(out, N_("whole"), "%s", whole);
    }
    if (!isnan(t->floor))
        put_item(out, N_("floor"),
                 holds_out ? N_("%.6f, the lowest loss that the part trained on allows")
                           : N_("%.6f, the lowest loss that the text allows"),
                 t->floor);
    if (!isnan(t->counting.loss))
        put_item(out, N_("counting"), N_("%.6f over the part held out (Kneser-Ney, order %d)"),
                 t->counting.loss, t->counting.order);
    if (!isnan(t->counting.mixed))
        put_item(out, N_("both"), N_("%.6f with counting, whose share is %.2f"), t->counting.mixed,
                 t->counting.share);
}

static void put_card(FILE *out, const cJSON *config, const Trainer *t)
{
    const char *path = t->directory.path, *slash = strrchr(path, '/');
    const cJSON *own = json_get(config, "pulga");
    const char *command = json_text(own, "command");
    const GptConfig *shape = &t->plan.shape;
    AUTOFREE char *names = names_of(json_get(own, "text"));
    put_head(out, config, t);
    fputs("# ", out);
    put_xml(out, slash && slash[1] ? slash + 1 : path);
    fprintf(out, "\n\n");
    fprintf(out, _("A small GPT, trained by Pulga %s."), PULGA_VERSION);
    fprintf(out, "\n\n");
    put_item(out, N_("text"), N_("%s, %s bytes, XXH3 `%s`"), names,
             thousands((size_t)t->origin.text_size).text, checksum_hex(t->origin.text).text);
    put_item(out, N_("tokens"), N_("%s, vocabulary %s, objective %s"),
             TOKENIZER_NAMES[t->tokenizer.kind],
             thousands((size_t)tokenizer_size(&t->tokenizer)).text,
             OBJECTIVE_NAMES[t->plan.settings.objective]);
    put_item(out, N_("model"), N_("%s; %s, %s of %d, width %d, hidden %d, context %d"),
             plural(t->plan.parameters, "parameter", "parameters").text,
             plural((size_t)shape->layers, "layer", "layers").text,
             plural((size_t)shape->heads, "head", "heads").text, shape->head_size, shape->width,
             shape->hidden, shape->context);
    put_losses(out, t);
    put_item(out, N_("checksum"), N_("`%s`, of the weights in model.safetensors"),
             checksum_hex(weights_checksum(&t->gpt, t->best)).text);
    fprintf(out, "\n%s\n\n    %s\n\n%s\n\n", _("Its training began with this command:"),
            command ? command : "",
            _("receipt.txt has every setting and the checksums on the way; with it and the text, "
              "`train --verify` trains again and compares."));
}

/* ---- The file ---- */

#define SEAL "<!-- train replaces this file unless it is changed: "

/* Writes the last line for a card. */
static void put_seal(FILE *out, const char *card, size_t size)
{
    fprintf(out, SEAL "%s -->\n", checksum_hex(checksum_of(card, size)).text);
}

/* Whether there is no card yet, or one that ends as put_seal() ended it. */
static bool is_ours(const Directory *run)
{
    char card[1 << 14];
    AUTOFREE char *path = path_in(run, CARD_FILE), *wanted = NULL;
    size_t size = file_peek(path, card, sizeof card - 1);
    card[size] = 0;
    const char *last = strstr(card, SEAL);
    FILE *out = memory_stream(&wanted, &size);
    if (last)
        put_seal(out, card, (size_t)(last - card));
    fclose(out);
    return last ? !strcmp(last, wanted) : !directory_has(run, CARD_FILE);
}

void card_write(const Trainer *t, const cJSON *config)
{
    AUTOFREE char *text = NULL;
    size_t size;
    FileWriter writer;
    if (!is_ours(&t->directory) || !file_begin(&writer, &t->directory, CARD_FILE))
        return;
    FILE *out = memory_stream(&text, &size);
    put_card(out, config, t);
    fclose(out);
    fwrite(text, 1, size, writer.stream);
    put_seal(writer.stream, text, size);
    file_commit(&writer);
}
