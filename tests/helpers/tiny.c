/* tiny.c: a run is trained as train does it, but for the screen: opened, described, stepped,
 * saved. */
#include "tiny.h"

void tiny_set(Settings *settings, Decided *decided, const char *name, const char *value)
{
    EACH_FIELD (field, SETTINGS)
        if (!strcmp(field->name, name)) {
            field_set(field, settings, value);
            decided->at[field->offset] = true;
            return;
        }
    usage_error("there is no option --%s", name);
}

void tiny_open(Trainer *trainer, char *const *texts, const char *const *sizes,
               const char *const *options)
{
    Settings *settings = &trainer->plan.settings;
    *trainer = (Trainer){.texts = texts};
    fields_preset(SETTINGS, settings);
    for (; *sizes; sizes += 2)
        tiny_set(settings, &trainer->decided, sizes[0], sizes[1]);
    for (; *options; options += 2)
        tiny_set(settings, &trainer->decided, options[0], options[1]);
    trainer_open(trainer);
}

void tiny_run(const char *directory, const char *text_path, const char *const *options)
{
    const char *const smallest[] = {"layers", "1", "heads",   "1",       "width", "2",
                                    "hidden", "3", "context", "4",       "steps", "8",
                                    "batch",  "2", "out",     directory, NULL};
    Trainer trainer;
    tiny_open(&trainer, (char *[]){(char *)text_path, NULL}, smallest, options);
    bool good = trainer_begin_files(&trainer, "a test");
    for (int step = 1; step <= 5; step++) {
        trainer_step(&trainer);
        const double loss = trainer.progress.loss;
        log_write(&trainer.log, &(LogEntry){.step = step, .loss = loss});
        if (step == 3)
            trainer_evaluate(&trainer);
    }
    if (!good || !trainer_save(&trainer))
        die("%s could not be written", directory);
    trainer_close(&trainer);
}
