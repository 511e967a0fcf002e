/* attend.c: runs a trained model over a text and shows which tokens each of its heads attends to:
 * as tables on the terminal, or written into a file of one of several kinds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display.h"
#include "base/file.h"
#include "pictures/heads_file.h"
#include "formats/huggingface/pretrained.h"
#include "program/answer_print.h"
#include "program/options.h"
#include "program/process.h"
#include "program/screen.h"
#include "program/shell.h"
#include "program/tables.h"

typedef struct {
    char *output;
    int layer, head; /* from 1; 0: all */
} Choice;

#define FIELD_STRUCT Choice

static const Field CHOICES[] = {
    {"output", TEXT_FIELD(output), NULL, "FILE", 0, 0,
     "write a file; its ending chooses the format: .html (a page that needs no other file), .svg "
     "(a figure), .npy (an array of layers, heads, T, T), .csv (a line for each weight), .json",
     LIFE_CALL},
    {"layer", WHOLE_FIELD(layer), NULL, "L", 1, 1000, "only this layer, from 1 [all]", LIFE_CALL},
    {"head", WHOLE_FIELD(head), NULL, "H", 1, 1000, "only this head of each layer, from 1 [all]",
     LIFE_CALL},
    {.name = NULL}};

static const Program PROGRAM = {
    .fields = CHOICES,
    .letter = 'o',
    .letter_offset = offsetof(Choice, output),
    .arguments = "RUN TEXT...",
    .summary = "Shows which words each head of the model in the directory RUN attends to while it "
               "reads TEXT (or - for standard input): as tables, or in a file.",
    .notes = "Rows are the words that attend, columns the words that they attend to; each row sums "
             "to 100%. Layers, heads and words are counted from 1, in .csv and .json too; in .npy "
             "from 0. For each head the means over all rows are printed: entropy in bits (0: one "
             "word gets all; 1: two words get half each; 2: four get a quarter each), the distance "
             "in words, and the attention to the word itself, to the previous one and to [bos], "
             "which marks the beginning of a line.\n\n"
             "Examples:\n"
             "  attend runs/perro un gato come               print tables\n"
             "  attend runs/perro un gato come -o page.html  write a page for a browser\n"
             "  attend runs/perro - --layer 1 <sentence.txt  read a file, show one layer\n",
};

/* The words of the command line as one text, or standard input without the end of its last line.
 * The caller frees it. */
static char *text_of(char **words, const char **name)
{
    *name = "the text";
    if (!strcmp(words[0], "-") && !words[1]) {
        *name = "standard input";
        Bytes bytes = file_read("-", true);
        if (bytes.size && bytes.bytes[bytes.size - 1] == '\n')
            bytes.bytes[--bytes.size] = 0;
        if (bytes.size && bytes.bytes[bytes.size - 1] == '\r')
            bytes.bytes[--bytes.size] = 0;
        return bytes.bytes;
    }
    return words_together(words);
}

/* The layer or head that an option chose, or all of them if it was not given (0). */
static Range choose(const char *name, int number, int count, const char *run)
{
    if (number > count)
        usage_error("--%s %d: %s has only %d %s%s", name, number, run, count, name,
                    count == 1 ? "" : "s");
    return number ? (Range){number - 1, number} : (Range){0, count};
}

/* Runs the model over the text. */
static Heads read_text(Pretrained *model, const Choice *choice, const char *name, const char *text)
{
    const GptConfig *config = &model->gpt.config;
    const Range layers = choose("layer", choice->layer, config->layers, model->directory.path);
    const Range chosen = choose("head", choice->head, config->heads, model->directory.path);
    const Tokenizer *tokenizer = &model->tokenizer;
    Encoding encoding = tokenizer_encode_prompt(tokenizer, name, text, strlen(text));
    const int count = encoding.count;
    if (encoding.wrong)
        die("%s", encoding.wrong);
    if (count == (tokenizer->stream ? 0 : 1)) /* nothing, or only [bos] */
        die("%s is empty: there is nothing to attend to", name);
    if (count > config->context)
        die("%s has %d tokens%s, but %s reads at most %d: shorten it, or train a model with "
            "--context %d",
            name, count, tokenizer->stream ? "" : " with [bos]", model->directory.path,
            config->context, count);
    print_lowered(&encoding, "");
    Heads heads = heads_read(&model->gpt, tokenizer, encoding.ids, count, layers, chosen);
    double sum = 0; /* not finite if one of the weights is not */
    const size_t rows = (size_t)config->layers * (size_t)config->heads * (size_t)count;
    for (size_t i = 0; i < rows * (size_t)count; i++)
        sum += (double)heads.maps[i];
    pretrained_check(model, sum);
    heads.run = model->directory.path;
    heads.text = text;
    encoding_free(&encoding);
    return heads;
}

int main(int argc, char **argv)
{
    process_prepare();
    Choice choice = {0};
    DECIDED_OF(Choice) decided = {{0}};
    char **words = options_and_words(PROGRAM, argc, argv, &choice, decided.at);
    if (!words[0] || !words[1])
        usage_error("give a RUN and a TEXT to read; --help explains them");
    if (choice.output) /* before the model is read, which may take long */
        heads_file_check(choice.output);

    process_start_threads(0);
    Pretrained model = pretrained_open(words[0]);
    const char *name;
    char *text = text_of(words + 1, &name);
    Heads heads = read_text(&model, &choice, name, text);
    const bool good = !choice.output || heads_file_write(choice.output, &heads);
    tables_summarise(&heads);
    if (!choice.output) {
        const Screen screen = screen_open();
        tables_show(&heads, &screen);
    } else if (good) {
        char *path = command_line(1, &choice.output);
        printf("wrote %s\n", path);
        free(path);
    }
    heads_free(&heads);
    pretrained_close(&model);
    free(text);
    free(words);
    fields_free(CHOICES, &choice);
    return good ? 0 : 1;
}
