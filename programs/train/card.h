/* card.h: README.md, the model card of a run: what it was trained on, its sizes and losses, its
 * checksum, and the command that makes it again. Its head is what the Hugging Face Hub reads. */
#ifndef PULGA_CARD_H
#define PULGA_CARD_H

#include "trainer.h"

/* Writes the card of the run as it was last saved, in the user's language. `config` is config.json
 * as it was when this call of train began. A card that a person has written or changed stays as it
 * is. One that cannot be written is worth a warning, no more. */
void card_write(const Trainer *trainer, const struct cJSON *config);

#endif
