/* showing.h: everything that sample and attend print or draw of a model, checked. */
#ifndef PULGA_SHOWING_H
#define PULGA_SHOWING_H

#include "formats/run/training_text.h"

/* Answers a prompt and draws the attention maps, to the terminal and into every kind of file. The
 * output must be valid text, JSON, SVG or HTML, whatever the words are. */
void show_all(Pretrained *model, const TrainingText *training_text, const char *prompt,
              size_t size);

#endif
