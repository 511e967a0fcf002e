/* choice.h: the options of sample, and the rules for answers that follow from them and the
 * model. */
#ifndef PULGA_CHOICE_H
#define PULGA_CHOICE_H

#include "base/field.h"
#include "programs/answer/answer.h"

/* What --score prints a row for: only each line; each token; each word. */
typedef enum { EACH_OFF, EACH_TOKEN, EACH_WORD } EachKind;

typedef struct {
    /* What a person can change at the prompt line: see CHOICE_LASTING. */
    AnswerRules rules;
    bool greedy;

    bool json, chat, csv, decode;
    int threads;
    double share; /* of counting */
    EachKind each;
    char *score, *text; /* paths, or NULL */
    char *near;         /* a word, or NULL */
    char *without;      /* heads and layers, or NULL */
    Rounding weights;
} Choice;

typedef DECIDED_OF(Choice) ChoiceDecided;

/* The members from this offset on stay as the command line has set them. */
enum { CHOICE_LASTING = offsetof(Choice, json) };

extern const Field CHOICES[];

/* One line about options that contradict each other, or that a model with this tokenizer cannot
 * obey; or NULL. Before the model is read the tokenizer is NULL. The caller frees. */
char *choice_wrong(const Choice *choice, const ChoiceDecided *decided, const Tokenizer *tokenizer);

/* The rules: what was not given is chosen. */
AnswerRules choice_rules(const Choice *choice, const ChoiceDecided *decided,
                         const Tokenizer *tokenizer);

/* Gives an option a new value, as one would type it; "default" takes an old one back, and a flag is
 * "on" (also "") or "off". Returns one line about a value that cannot be taken, which
 * the caller frees, and changes nothing then; else NULL. */
char *choice_change(Choice *choice, ChoiceDecided *decided, const Tokenizer *tokenizer,
                    const Field *field, const char *value);

/* The value of an option under these rules, as one would type it for choice_change(); the caller
 * frees. */
char *choice_value(const Choice *choice, const AnswerRules *rules, const Field *field);

#endif
