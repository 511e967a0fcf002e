/* tiny.c: see tiny.h. */
#include "tiny.h"

#include <stdlib.h>

#include "training/trainer.h"

char *tiny_set(Settings *settings, Decided *decided, const char *name, const char *value)
{
    const int field = field_index(SETTINGS, name);
    if (field < 0)
        return format_text("there is no option --%s", name);
    decided->field[field] = true;
    return field_set(&SETTINGS[field], settings, value);
}

static void set_all(Settings *settings, Decided *decided, const char *const *options)
{
    for (; *options; options += 2) {
        char *wrong = tiny_set(settings, decided, options[0], options[1]);
        if (wrong)
            die("%s", wrong);
    }
}

void tiny_run(const char *directory, const char *text_path, const char *const *options)
{
    const char *const smallest[] = {"layers", "1", "heads",   "1",       "width", "2",
                                    "hidden", "3", "context", "4",       "steps", "8",
                                    "batch",  "2", "out",     directory, NULL};
    Settings settings = {0};
    Decided decided = {0};
    fields_preset(SETTINGS, &settings);
    set_all(&settings, &decided, smallest);
    set_all(&settings, &decided, options);
    Trainer trainer;
    char *wrong = trainer_open(&trainer, text_path, &settings, &decided);
    if (wrong)
        die("%s", wrong);
    bool good = trainer_describe(&trainer, "a test");
    for (int step = 1; step <= 5; step++) {
        const double loss = trainer_step(&trainer).loss;
        log_write(&trainer.log, &(LogEntry){.step = step, .loss = loss});
        if (step == 3)
            trainer_evaluate(&trainer);
    }
    if (!good || !trainer_save(&trainer))
        die("%s could not be written", directory);
    trainer_close(&trainer);
    fields_free(SETTINGS, &settings);
}
