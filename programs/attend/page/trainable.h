/* trainable.h: a page that trains a run further: the page of the lab, which `make lab` builds, with
 * the run's files in it. */
#ifndef PULGA_TRAINABLE_H
#define PULGA_TRAINABLE_H

#include <stdio.h>

#include "data.h"

/* Writes the page, which begins with PAGE_BEGIN; its model reads the source's text. Dies if a page
 * cannot train the run, if its files are too large, or if there is no page of the lab. */
void trainable_write(FILE *out, const PageSource *source);

#endif
