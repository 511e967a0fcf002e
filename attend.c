/* attend.c: shows what each head of a trained model looks at over a text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "pictures/heads_file.h"
#include "formats/huggingface/pretrained.h"
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
    {"output", WORDS_FIELD(output), NULL, "FILE", 0, 0,
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
             "to 1. Layers, heads and words are counted from 1, in .csv and .json too; in .npy "
             "from 0. For each head the means over all rows are printed: entropy in bits (0: one "
             "word; 1: two words alike), how many words back, and the weight on the word itself, "
             "on the one before it and on [bos].\n\n"
             "Examples:\n"
             "  attend runs/perro un gato come               print tables\n"
             "  attend runs/perro un gato come -o page.html  write a page for a browser\n"
             "  attend runs/perro - --layer 1 <sentence.txt  read a file, show one layer\n",
};

/* The words of the command line as one text, or standard input without its last line's end. The
 * caller frees. */
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

/* 1 of 4 as [0, 1); 0, which is not given, as all. */
static Range chosen(const char *name, int number, int count, const char *run)
{
    if (number > count)
        usage_error("--%s %d: %s has %d %ss", name, number, run, count, name);
    return number ? (Range){number - 1, number} : (Range){0, count};
}

/* What the model looks at. */
static Heads look(Pretrained *model, const Choice *choice, const char *name, const char *text)
{
    const GptConfig *shape = &model->gpt.config;
    const Range layer = chosen("layer", choice->layer, shape->layers, model->directory.path);
    const Range head = chosen("head", choice->head, shape->heads, model->directory.path);
    const Tokenizer *tokenizer = &model->tokenizer;
    Encoding encoding = tokenizer_encode_prompt(tokenizer, name, text, strlen(text));
    const int count = encoding.count;
    if (encoding.wrong)
        die("%s", encoding.wrong);
    if (count == (tokenizer->stream ? 0 : 1))
        die("%s is empty: there is nothing to look at", name);
    if (count > shape->context)
        die("%s has %d tokens%s, %s sees %d at most: shorten it", name, count,
            tokenizer->stream ? "" : " with [bos]", model->directory.path, shape->context);
    Heads heads = heads_look(&model->gpt, tokenizer, encoding.ids, count);
    double sum = 0;
    const size_t numbers = (size_t)shape->layers * (size_t)shape->heads * (size_t)count;
    for (size_t i = 0; i < numbers * (size_t)count; i++)
        sum += (double)heads.weights[i];
    pretrained_check(model, sum);
    heads.layer = layer;
    heads.head = head;
    encoding_free(&encoding);
    return heads;
}

static void show(const Heads *heads)
{
    const Screen screen = screen_open();
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++)
            tables_show(heads, l, h, &screen);
    tables_note(heads, &screen);
}

int main(int argc, char **argv)
{
    process_prepare();
    Choice choice = {0};
    DECIDED_OF(Choice) decided = {{0}};
    char **words = options_and_words(PROGRAM, argc, argv, &choice, decided.at);
    if (!words[0] || !words[1])
        usage_error("give a RUN and a TEXT to read; --help tells all");
    if (choice.output && !heads_ending_is_known(choice.output))
        usage_error("--output %s: the ending says what to write; known are %s", choice.output,
                    HEADS_ENDINGS);

    process_start_threads(0);
    Pretrained model = pretrained_open(words[0]);
    const char *name;
    char *text = text_of(words + 1, &name);
    Heads heads = look(&model, &choice, name, text);
    char *wrong = choice.output ? heads_too_many(choice.output, &heads) : NULL;
    if (wrong)
        die("%s", wrong);
    tables_summarise(&heads);
    bool good = true;
    if (choice.output) {
        good = heads_write(choice.output, &heads, (About){words[0], text});
        char *path = command_line(1, &choice.output);
        if (good)
            printf("wrote %s\n", path);
        free(path);
    } else {
        show(&heads);
    }
    heads_free(&heads);
    pretrained_close(&model);
    free(text);
    free(words);
    fields_free(CHOICES, &choice);
    return good ? 0 : 1;
}
