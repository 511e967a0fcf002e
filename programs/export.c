/* export.c: writes a trained model as one GGUF file, for llama.cpp and the programs that are built
 * on it. */

#include "base/language.h"
#include "programs/export/gguf.h"
#include "programs/terminal/options.h"
#include "programs/terminal/process.h"
#include "programs/terminal/screen.h"

/* The options. */
typedef struct {
    unsigned type; /* an index of TYPES */
} ExportOptions;

#define FIELD_STRUCT ExportOptions

static const char *const TYPE_NAMES[] = {"f32", "f16", "q8_0", NULL};
static const GgufType TYPES[] = {GGUF_F32, GGUF_F16, GGUF_Q8_0};

static const Field OPTIONS[] = {
    {"type", LIFE_CALL, CHOICE_FIELD(type, TYPE_NAMES, "f32"),
     N_("how the numbers of the matrices are stored: in 4 bytes each, in 2, or in about 1")},
    {.name = NULL}};

static const Program PROGRAM = {
    .fields = OPTIONS,
    .arguments = N_("RUN FILE"),
    .most_arguments = 2,
    .summary = N_("Writes the model in the directory RUN as FILE, in the format GGUF, which "
                  "llama.cpp and programs that are built on it read."),
    .notes =
        N_("The model must be a Llama, trained with --shape llama, or a GPT-2, trained with "
           "--activation gelu and without --head-size; either without --norm post, --attend and "
           "--objective masked, and a model of pairs also with --causal-source. A model that "
           "Transformers saved can also be a RUN.\n\n"
           "Examples:\n"
           "  export runs/cuentos cuentos.gguf            all numbers as they are\n"
           "  export runs/cuentos small.gguf --type q8_0  about a quarter as large\n"),
};

static void print_result(const Pretrained *model, const ExportOptions *options, char *path,
                         size_t size)
{
    const Screen screen = screen_open();
    const int context = model->gpt.config.context, last = llamacpp_context(context);
    char *words[] = {"llama-completion", "-no-cnv", "-n", "20", "-m", path, "-p", "PROMPT", NULL};
    screen_paragraph(&screen, "wrote", "%s: %.1f MB as %s", path, (double)size / 1e6,
                     TYPE_NAMES[options->type]);
    if (last > context)
        screen_paragraph(&screen, "note",
                         "the model was trained on at most %d tokens at once; llama.cpp goes on "
                         "up to %d, at positions that are new to it",
                         context, last);
    screen_command(&screen, "try", "with llama.cpp:", words);
}

/* The words of the command line are RUN and FILE. The status is 1 if it cannot be written. */
int main(int argc, char **argv)
{
    process_prepare();
    ExportOptions options = {0};
    AUTOFREE char **words = options_read(&PROGRAM, argc, argv, &options, NULL);
    if (!words[0] || !words[1])
        usage_error("give a RUN and a FILE to write; --help explains them");
    if (!file_is_ours(words[1], GGUF_BEGIN)) /* before the model is read: that may take long */
        die("%s is not a GGUF file; choose another name, or remove it", words[1]);
    process_start_threads(0);

    options_check_path(words[0], "runs");
    Pretrained model = pretrained_open(words[0]);
    const GgufType type = TYPES[options.type];
    llamacpp_check(&model, type);
    const size_t size = llamacpp_write(&model, type, words[1]);
    if (size)
        print_result(&model, &options, words[1], size);
    pretrained_close(&model);
    fields_free(OPTIONS, &options);
    return size ? 0 : 1;
}
