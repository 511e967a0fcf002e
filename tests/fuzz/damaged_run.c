/* damaged_run.c: the run is made once. Each input is written over one of its files; the log, which
 * a resumed run cuts, is put back before. */
#include "damaged_run.h"

#include "programs/terminal/options.h"
#include "programs/train/trainer.h"
#include "showing.h"

static void use_it(void *directory)
{
    static const char prompt[] = "el perro come";
    Pretrained model = pretrained_open(directory);
    TrainingText training_text = training_text_open(&model, NULL);
    show_all(&model, &training_text, prompt, strlen(prompt));
    training_text_free(&training_text);
    pretrained_close(&model);
}

static void go_on(void *directory)
{
    Trainer trainer = {.texts = (char *[]){NULL},
                       .plan.settings.resume = format_text("%s", (char *)directory)};
    trainer_open(&trainer);
    trainer_step(&trainer);
    trainer_evaluate(&trainer);
    trainer_close(&trainer);
}

/* The weights get the name that the indices of the corpus have for them. */
static void rename_model(const char *run)
{
    char *from = format_text("%s/model.safetensors", run), *to = format_text("%s/weights", run);
    if (rename(from, to))
        found("%s cannot be renamed", from);
    free(from);
    free(to);
}

int open_with_two(const void *words, size_t words_size, const void *merges, size_t merges_size)
{
    static char *run;
    if (!run) {
        put_run((const char *const[]){"tokens", "bpe", "vocabulary", "266", NULL});
        run = format_text("%s/run", folder());
        char *one_file = format_text("%s/tokenizer.json", run);
        if (remove(one_file))
            found("%s cannot be removed", one_file);
        free(one_file);
    }
    free(put_file("run/vocab.json", words, words_size));
    free(put_file("run/merges.txt", merges, merges_size));
    returns(use_it, run);
    return 0;
}

int open_with(const char *tokens, const char *name, const void *bytes, size_t size)
{
    static char *run, *path;
    static Bytes log;
    const bool is_index = !strcmp(name, "model.safetensors.index.json");
    if (!run) {
        /* Patterns are only in config.json, where they can be damaged most. */
        put_run((const char *const[]){"attend", "summary:4:2", "tokens", tokens, "vocabulary",
                                      "266", NULL});
        run = format_text("%s/run", folder());
        path = format_text("run/%s", name);
        char *log_path = format_text("%s/log.csv", run);
        log = file_read(log_path, true);
        free(log_path);
        if (is_index)
            rename_model(run);
    }
    free(put_file("run/log.csv", log.bytes, log.size));
    free(put_file(path, bytes, size));
    if (strcmp(name, "state.safetensors"))
        returns(use_it, run);
    if (!is_index && strcmp(name, "model.safetensors"))
        returns(go_on, run);
    return 0;
}
