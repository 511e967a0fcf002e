/* texts.h: the figures about texts: how fast they are read, how fast subwords are trained and
 * encoded beside Hugging Face's tokenizers and tiktoken, and how soon a run takes its first
 * step. */
#ifndef PULGA_TEXTS_H
#define PULGA_TEXTS_H

/* Measures with a text, or if `text` is NULL with one of `size` bytes that is made. `folder` is
 * for that text, which is removed, and for a run; `programs` is where ./train is. */
void bench_texts(const char *text, double size, const char *folder, const char *programs,
                 int threads);

#endif
