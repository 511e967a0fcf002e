/* answer.h: what a model answers to a prompt: which tokens may come next, and continuations. These
 * are printed by answer_print.c. Probabilities are the model's own, over all tokens; but a
 * continuation never contains a token that stands for no text, such as [bos].
 *
 * To a model of pairs a prompt is a source, and a continuation is its target. To one that fills
 * gaps a prompt is a whole line; which tokens may stand in each gap is told, and a continuation is
 * a token for each. */
#ifndef PULGA_ANSWER_H
#define PULGA_ANSWER_H

#include <signal.h>

#include "base/numbers/random.h"
#include "formats/run/training_text.h"
#include "model/generator.h"
#include "programs/answer/next_words.h"
#include "text/corpus/quotes.h"
#include "text/encoder.h"

/* A probability that is printed as 0.000. */
#define ROW_LEAST 0.0005

/* How many targets a search keeps, unless it is told. */
enum { BEAM_OF_PAIRS = 5 };

/* How to answer: the options of sample. */
typedef struct {
    int table;     /* rows of the table of next tokens */
    bool all_rows; /* also those that would print 0.000 */
    bool json;     /* for a program: no table of whole words, even if the tokens are subwords */
    bool chat;     /* a conversation: one answer to each turn, and only its text is printed */
    bool decode;   /* no answer: prompts are ids of tokens, whose text is printed */
    int count;     /* continuations */
    int words;     /* tokens of each, at most */
    int beam;      /* how many a beam search keeps; 0: continuations are drawn */
    double least;  /* of those it finds, less probable ones are left out, but not the best */
    Sampling sampling;
    double penalty; /* of repetition, see penalize_repetition(); 0 or 1: none */
    bool sources;   /* also where their pieces stand in the text */
    char *stop;     /* continuations end before this text; NULL: nowhere */
    int seed;
} AnswerRules;

/* What answering prompts needs, made once for all of them. */
typedef struct {
    Pretrained *model;
    const TrainingText *text;
    CountMixture *counts; /* mixed with the model, if the caller sets it; NULL: none */
    AnswerRules rules;
    KvCache cache;
    Generator prompt;  /* has read the prompt */
    Generator writer;  /* writes one continuation after another */
    double *p, *log_p; /* (V) probabilities of the next token */
    Ranked *ranked;    /* (V) scratch memory */
    bool *barred;      /* (V) tokens that no continuation contains */
    bool *seen;        /* (V) tokens of the prompt and of the continuation, if repetition is
                          penalized; else NULL */
    bool pairs;        /* prompts are sources or conversations, continuations what answers them */
    bool gaps;         /* prompts are lines with gaps, and continuations what fills them */
    uint32_t asked;    /* prompts so far: each draws with random numbers of its own */
    bool told_full;    /* has printed that the context was full: once is enough */
    const volatile sig_atomic_t *interrupt; /* if not 0, the continuation ends; NULL: never */
} Answerer;

Answerer answerer_new(Pretrained *model, const TrainingText *text, AnswerRules rules);
void answerer_free(Answerer *answerer);

typedef struct {
    int *tokens, count;     /* after the prompt, with [eos]; or one for each gap */
    double log_probability; /* ln p of all of them together, by the model itself */
    bool ended;             /* by [eos], or all gaps are filled; else it was cut */
    bool stopped;           /* its text ends before AnswerRules.stop, ... */
    size_t cut;             /* ... so these last bytes of its tokens are not written */
    bool complete;          /* no token will follow */
    bool context_full;      /* the context was full before the continuation was complete */
    bool in_text;           /* the text has prompt and continuation word for word; of a pair, from
                               the beginning of its line on */
    Quote *quotes;          /* with AnswerRules.sources what of them stands in the text: see
                               text/corpus/quotes.h */
} Continuation;

/* What may stand at one place. */
typedef struct {
    int at;              /* among the tokens of the prompt: a gap, or after all of them */
    Candidate *best;     /* stb_ds array: the most probable first */
    size_t times_in_all; /* of all that may stand there; 0 also if there is no text to count in */
    bool in_parts;       /* each of them has parts */
} Candidates;

/* All that is known about one prompt. */
typedef struct {
    const char *prompt; /* as given; or the token that was drawn because it was empty */
    uint32_t number;    /* of the prompt, from 0 */
    Encoding encoding;  /* its tokens, or why there is no answer */
    char *unknown;      /* what the model does not know of it, in one line: then the tokens are
                           those before that; else NULL */
    int hidden;         /* 1 if its first token is [bos] or a line end that was added, else 0 */
    bool context_full;  /* the prompt has more tokens than the context */
    Candidates *places; /* (place_count) the next token, or each gap */
    int place_count;
    bool whole_words; /* what may come next are words, not tokens */
    Continuation *continuations;
    int count;
} Answer;

/* The tokens of a prompt, which messages call `name`; or, in `wrong`, why a model with this
 * tokenizer and context cannot answer it. For a beam search it must fit there whole. */
Encoding answer_encode(const Tokenizer *tokenizer, int context, bool beam, const char *name,
                       const char *prompt, size_t size);

/* How many tokens a continuation has at most, unless it is told. */
int answer_length(TokenizerKind kind);

/* Reads a prompt, which messages call `name`, and ranks what may come. If the prompt cannot be
 * answered, encoding.wrong says why. answer_free() frees the answer. */
Answer answer_begin(Answerer *answerer, const char *name, const char *prompt, size_t size);

void answer_free(Answer *answer);

/* Called after each token of continuation `number`, and once more when it is complete, so that a
 * person sees it grow. */
typedef void AnswerWatch(const Answer *answer, int number, const Continuation *so_far,
                         void *watcher);

/* Adds the continuations. watch, which may be NULL, sees those that are drawn. */
void answer_continue(Answerer *answerer, Answer *answer, AnswerWatch *watch, void *watcher);

/* The tokens of the prompt, from number `from` on, and of one of its continuations unless that is
 * NULL, each gap filled; *count receives how many. The caller frees them. */
int *answer_tokens(const Answer *answer, int from, const Continuation *continuation, int *count);

/* The text of these tokens, without a hidden one, up to where it is cut; the caller frees. */
char *answer_text(const Answerer *answerer, const Answer *answer, const Continuation *continuation);

#endif
