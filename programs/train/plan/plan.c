/* plan.c: chooses what was not given, from a few counts of the text, and derives the sizes of the
 * model, the schedule and the memory. A later choice reads the earlier ones, so their order counts.
 * The thresholds and defaults here were measured on small texts. */
#include "plan.h"

#include <assert.h>
#include <limits.h>

#include "base/base.h"
#include "base/parallel/threads.h"
#include "base/utf8.h"
#include "programs/terminal/screen.h"
#include "programs/train/team/shards.h"
#include "programs/train/team/team.h"
#include "text/corpus/batches.h"

enum {
    WHOLE_ROWS = 2048,       /* a training text up to this size goes whole into each step  */
    PATIENCE = 4,            /* evaluations without a better one, until a run stops    */
    SMALL_TEXT = 60000,      /* tokens up to which a model is small                        */
    SUBWORDS_FROM = 100000,  /* bytes of a text: a smaller one is read as words            */
    ENOUGH_LINES = 200,      /* from here on a tenth of the lines is held out              */
    ENOUGH_TOKENS = 5000,    /* likewise, of a stream's tokens                             */
    LONGEST_CONTEXT = 256,   /* of those chosen here                                       */
    MOST_SUBWORDS = 16384,   /* likewise, of a vocabulary                                  */
    MANY_WEIGHTS = 4,        /* for each token: such a model needs dropout                 */
    OFTEN = 5,               /* epochs: a text that is read as often is learned by heart   */
    DELICATE_LAYERS = 4,     /* from here on post-norm needs a small rate                  */
    LEAST_GENTLE_WARMUP = 30 /* with fewer steps, noam's rate jumps                        */
};

/* Products of two numbers that two cores compute in an hour, about. */
static const double HOUR = 1.5e14;

/* Gives a setting this value, unless it was decided already. Uses the caller's s and decided. */
#define CHOOSE(member, value)          \
    do {                               \
        if (!DECIDED(decided, member)) \
            s->member = (value);       \
    } while (0)

/* A product of two settings may be larger than an int, which is then as good as endless. */
static int at_most_int(int64_t count)
{
    return (int)min_int64(count, INT_MAX);
}

/* Whether the vocabulary is made of the part that is trained on: then it must be known which part
 * that is, before the tokens can be counted. */
static bool made_of_a_part(const Settings *s)
{
    return s->tokens == TOKENIZER_BPE && s->sequence == SEQUENCE_STREAM && !s->from;
}

/* An option for words, or for subwords, says that they are wanted; a stream, that a text with tabs
 * is not pairs. In sums and single words, the characters are what comes again. Lines that come in
 * blocks belong together: characters and subwords read them as one stream, and know where a line
 * ends. Of a small text, with a small model, characters predict more (docs/experiments.md). */
void plan_text(Settings *s, const Decided *decided, const TextLook *text)
{
    const bool stream = DECIDED(decided, sequence) && s->sequence == SEQUENCE_STREAM;
    CHOOSE(objective, stream        ? OBJECTIVE_NEXT
                      : text->pairs ? OBJECTIVE_PAIRS
                      : text->turns ? OBJECTIVE_TURNS
                                    : OBJECTIVE_NEXT);
    settings_check_objective(s, decided);
    const bool words = DECIDED(decided, min_count) || DECIDED(decided, max_words);
    const bool blocks = text->blocks && !text->wrapped && !DECIDED(decided, sequence) &&
                        s->objective != OBJECTIVE_TURNS;
    const bool large = text->size >= SUBWORDS_FROM;
    const bool single = s->objective == OBJECTIVE_PAIRS && text->few_spaces;
    const bool small = text->size <= SMALL_TEXT && s->objective == OBJECTIVE_NEXT;
    const bool characters = single || (blocks && small);
    CHOOSE(tokens, DECIDED(decided, vocabulary) ? TOKENIZER_BPE
                   : words                      ? TOKENIZER_WORD
                   : characters                 ? TOKENIZER_CHAR
                   : large || blocks            ? TOKENIZER_BPE
                                                : TOKENIZER_WORD);
    const bool lines = s->tokens == TOKENIZER_WORD && !text->wrapped;
    CHOOSE(sequence, lines || objective_answers(s->objective) ? SEQUENCE_LINES : SEQUENCE_STREAM);
    if (made_of_a_part(s)) /* a subword is a few bytes */
        CHOOSE(val, text->size / 4 >= ENOUGH_TOKENS ? 0.1 : 0);
    if (s->tokens == TOKENIZER_BPE)
        settings_check_vocabulary(s, s->sequence == SEQUENCE_LINES);
}

/* The number of different words grows about with the root of the text's size; three times that
 * root, beside the bytes and the special tokens, did well from 35 kB to 1 MB: see
 * docs/experiments.md. */
void plan_vocabulary(Settings *s, size_t text_size)
{
    const int least = settings_least_vocabulary(s->sequence == SEQUENCE_LINES, s->objective);
    if (s->tokens == TOKENIZER_BPE && !s->vocabulary)
        s->vocabulary = (int)fmin(MOST_SUBWORDS, least + floor(3 * sqrt((double)text_size)));
}

/* ---- The model ---- */

/* What --shape asks for, and a width of the feed-forward layer for as many numbers as one without a
 * gate has. */
static void choose_likeness(Settings *s, const Decided *decided, bool pairs)
{
    const bool llama = s->likeness == LIKE_LLAMA;
    CHOOSE(shape.key_heads, s->shape.heads);
    CHOOSE(shape.positions, llama   ? POSITIONS_ROTARY
                            : pairs ? POSITIONS_LEARNED
                                    : POSITIONS_SINUSOIDAL);
    CHOOSE(shape.rms, llama);
    CHOOSE(shape.activation, llama ? ACTIVATION_SILU : ACTIVATION_RELU);
    CHOOSE(shape.gated, llama);
    CHOOSE(shape.no_qkv_bias, llama);
    CHOOSE(shape.no_other_bias, llama);
    const int gated = (8 * s->shape.width / 3 + 15) / 16 * 16;
    CHOOSE(shape.hidden, s->shape.gated ? gated : 4 * s->shape.width);
}

/* More layers or width gain nothing on a small text: the model grows with the number of its tokens.
 * The first row of the table that has room for them counts. For lines, the context is the longest
 * line, but at most LONGEST_CONTEXT unless it is a pair, rounded up to a multiple of 8. In pairs,
 * only about half of the tokens are to be predicted; on sums, 4 layers of width 128 were no better
 * than 2 of 64. */
static void choose_sizes(Settings *s, const Decided *decided, const Corpus *corpus)
{
    static const struct {
        size_t tokens;
        int layers, heads, width, context; /* context: of a stream */
    } sizes[] = {{SMALL_TEXT, 2, 4, 64, 64}, {3000000, 4, 4, 128, 64}, {SIZE_MAX, 4, 4, 256, 128}};
    const bool pairs = corpus->objective.kind == OBJECTIVE_PAIRS;
    const size_t tokens = corpus->ids.count / (pairs ? 2 : 1);
    int i = 0;
    while (tokens > sizes[i].tokens)
        i++;
    CHOOSE(shape.layers, sizes[i].layers);
    CHOOSE(shape.width, sizes[i].width);
    /* One head divides every width. */
    const bool divides = s->shape.width % sizes[i].heads == 0 || DECIDED(decided, shape.head_size);
    CHOOSE(shape.heads, divides ? sizes[i].heads : 1);
    CHOOSE(shape.head_size, s->shape.width / s->shape.heads);
    const int most = pairs ? GPT_MAX_CONTEXT - 7 : LONGEST_CONTEXT;
    const int64_t longest = min_int64((int64_t)corpus->longest, most);
    CHOOSE(shape.context, corpus->stream ? sizes[i].context : (int)((longest + 7) / 8 * 8));
    choose_likeness(s, decided, pairs);
}

void plan_model(Settings *s, const Decided *decided, const Corpus *corpus)
{
    choose_sizes(s, decided, corpus);
    settings_check_values(s, decided);
    const bool enough =
        corpus->stream ? corpus->ids.count >= ENOUGH_TOKENS : corpus->lines >= ENOUGH_LINES;
    if (!made_of_a_part(s))
        CHOOSE(val, enough ? 0.1 : 0);
}

/* ---- The run's length ---- */

/* How many steps go through all pieces once; the last one may be smaller. A stream's epochs differ
 * by a piece: the longest one counts. */
static int64_t steps_of_epoch(const Corpus *corpus, int batch)
{
    return ((int64_t)epoch_most_pieces(corpus) + batch - 1) / batch;
}

/* Whether the model needs a small rate and more steps to start well. Measured: deep post-norm
 * models do, unless the head is untied or the positions are learned. */
static bool is_delicate(const Settings *s)
{
    return s->shape.norm == NORM_POST && s->shape.layers >= DELICATE_LAYERS && !s->shape.untied &&
           s->shape.positions == POSITIONS_SINUSOIDAL;
}

/* A small text goes whole into each step, as one large batch. Otherwise 16 pieces of a stream, or a
 * twentieth of the lines, at least 8 and at most 32. */
static int choose_batch(const Corpus *corpus, int64_t pieces)
{
    if (corpus->train.rows <= WHOLE_ROWS && !corpus->held_out.count)
        return at_most_int(pieces);
    if (corpus->stream)
        return 16;
    return (int)min_int64(32, max_int64(8, pieces / 20));
}

/* Whether the model would learn the text by heart, instead of what it has in common with unseen
 * text: it reads parts of it, again and again, and there is no rule to find, as in pairs. A few
 * lines are to be learned by heart; a model that is trained already does not read for long. */
static bool could_learn_by_heart(const Settings *s, const Corpus *corpus, int64_t pieces)
{
    return s->batch < pieces && !objective_answers(s->objective) && !s->from &&
           (corpus->stream || corpus->held_out.count);
}

/* Muon learns a stream in a third of AdamW's steps, and finds the rule of pairs more surely
 * (docs/experiments.md); lines also gain, if they are restrained as below. Its products take about
 * 2.5·C/rows of a step's time, so the step of a stream must have rows enough: up to a third.
 * Nothing was gained if each step sees the whole text. */
static OptimizerKind choose_optimizer(const Settings *s, const Corpus *corpus, int64_t pieces)
{
    const bool enough = (int64_t)s->batch * s->shape.context >= 8 * (int64_t)s->shape.width;
    const bool lines = s->objective == OBJECTIVE_NEXT && !corpus->stream &&
                       could_learn_by_heart(s, corpus, pieces);
    const bool suits = objective_answers(s->objective) || lines || (corpus->stream && enough);
    return suits && s->batch < pieces ? OPTIMIZER_MUON : OPTIMIZER_ADAMW;
}

/* `steps` is how many an epoch has. A stream is read for about 2,000 steps, at least for two epochs
 * and at most for 40; by Muon for about 1,500, at least for two epochs and at most for 15. Pairs
 * are read for about 7,000 steps, at least for 10 epochs and at most for 60; of conversations,
 * which have several answers each, at most for 30. A text that goes whole into each step has one
 * step an epoch. What is restrained (see choose_restraint) can be read twice as long. */
static int choose_epochs(const Settings *s, const Corpus *corpus, int64_t pieces, int64_t steps)
{
    const bool next = s->objective == OBJECTIVE_NEXT;
    const int64_t longer = next && could_learn_by_heart(s, corpus, pieces) ? 2 : 1;
    const int64_t answers = s->objective == OBJECTIVE_TURNS ? 30 : 60;
    if (s->batch < pieces && objective_answers(s->objective))
        return (int)max_int64(10, min_int64(answers, 7000 / steps));
    if (s->batch < pieces && corpus->stream && s->optimizer == OPTIMIZER_MUON)
        return (int)max_int64(2, min_int64(15 * longer, 1500 * longer / steps));
    if (s->batch < pieces && corpus->stream)
        return (int)max_int64(2, min_int64(40, 2000 / steps));
    if (s->batch < pieces)
        return (int)longer * (pieces < 2000 ? 15 : 10);
    if (is_delicate(s))
        return 500;
    return s->tokens == TOKENIZER_CHAR ? 200 : 300;
}

/* How many steps take about an hour on two cores: so many products of two numbers. A step has three
 * for each weight and row, one of them in the forward pass. */
static int64_t steps_of_an_hour(const Settings *s, const Corpus *corpus, int vocabulary,
                                int64_t epoch)
{
    const double weights = (double)s->shape.layers *
                               (2.0 * (s->shape.heads + s->shape.key_heads) * s->shape.head_size +
                                (s->shape.gated ? 3.0 : 2.0) * s->shape.hidden) *
                               s->shape.width +
                           (double)vocabulary * s->shape.width;
    const double rows = fmax(1, (double)corpus->train.rows / (double)epoch);
    return (int64_t)fmax(1, HOUR / (3 * weights * rows));
}

/* Batch, optimizer, epochs and steps. Steps follow from epochs, unless they were given; those that
 * are chosen here take at most about an hour. */
static void choose_length(Plan *plan, const Decided *decided, const Corpus *corpus, int vocabulary)
{
    Settings *s = &plan->settings;
    const int64_t pieces = (int64_t)epoch_most_pieces(corpus);
    CHOOSE(batch, choose_batch(corpus, pieces));
    CHOOSE(optimizer, choose_optimizer(s, corpus, pieces));
    assert(pieces > 0 && s->batch > 0);
    const int64_t epoch = steps_of_epoch(corpus, s->batch);
    /* A step predicts only the tokens that it masks, about a seventh. With 16 times the epochs,
     * nine sentences come within 0.001 of their floor for each of 20 seeds, and 742 lines from a
     * loss of 4.3 to 3.1 over what is held out. A stream takes long, so it gets fewer. */
    const int times = corpus->objective.kind != OBJECTIVE_MASKED ? 1
                      : s->batch >= pieces                       ? 16
                      : corpus->stream                           ? 4
                                                                 : 8;
    if (!DECIDED(decided, steps)) {
        CHOOSE(epochs, times * choose_epochs(s, corpus, pieces, epoch));
        const int64_t most = steps_of_an_hour(s, corpus, vocabulary, epoch);
        plan->shortened = !DECIDED(decided, epochs) && epoch * s->epochs > most;
        s->steps = at_most_int(plan->shortened ? most : epoch * s->epochs);
    }
    if (DECIDED(decided, steps) ||
        plan->shortened) /* then the epochs are only printed and stored */
        CHOOSE(epochs, (int)max_int64(1, (s->steps + epoch - 1) / epoch));
    plan->passes = (double)s->steps / (double)epoch;
}

/* ---- Training ---- */

/* Dropout, if a part is held out to show its use: a little for words, masked tokens and models that
 * are trained already, else for models with many weights (about 12·L·C²) for each token. */
static double choose_dropout(const Settings *s, const Corpus *corpus)
{
    const double weights = 12.0 * s->shape.layers * s->shape.width * s->shape.width;
    if (!corpus->held_out.count || objective_answers(s->objective))
        return 0;
    if (s->tokens == TOKENIZER_WORD || s->objective == OBJECTIVE_MASKED || s->from)
        return 0.1;
    const bool large = corpus->ids.count > SMALL_TEXT;
    const bool many = weights > MANY_WEIGHTS * (double)corpus->ids.count;
    return !large || !many ? 0 : s->tokens == TOKENIZER_BPE ? 0.2 : 0.1;
}

/* Chooses what keeps a model from learning the text by heart: dropout, heavy decay, a mean of
 * the weights, and a large epsilon. AdamW makes steps of one size of all gradients, however small;
 * so without it, those of tokens that are rare, or only in the held-out part, make them impossible.
 * The rarer the average token, the larger it must be. docs/experiments.md measures them. */
static void choose_restraint(Plan *plan, const Decided *decided, const Corpus *corpus,
                             int vocabulary)
{
    Settings *s = &plan->settings;
    const bool words = s->tokens == TOKENIZER_WORD, masked = s->objective == OBJECTIVE_MASKED;
    const double usual = s->optimizer == OPTIMIZER_MUON ? 0.1 : 0.01;
    const int64_t pieces = (int64_t)epoch_most_pieces(corpus);
    const bool often = s->epochs >= OFTEN && could_learn_by_heart(s, corpus, pieces);
    CHOOSE(dropout, choose_dropout(s, corpus));
    const bool small = corpus->ids.count <= SMALL_TEXT;
    CHOOSE(decay, !often ? usual : masked ? 0.5 : words ? 2 : small ? 1 : 0.5);
    const bool rare = s->tokens != TOKENIZER_CHAR && !masked;
    CHOOSE(epsilon, often && rare ? 0.008 * vocabulary / (double)corpus->ids.count : 1e-9);
    CHOOSE(average, often);
}

/* The learning rate and its warm-up; `whole`: each step sees the whole text. A model that is
 * trained already would be ruined by the rate of a new run: it gets a tenth, unless a rate is
 * given, and a warm-up that is not too short. Returns whether it got the tenth. */
static bool choose_rate(Settings *s, const Decided *decided, bool whole)
{
    const bool noam = s->schedule == SCHEDULE_NOAM;
    const bool gentle = s->from && !(noam ? DECIDED(decided, lr_factor) : DECIDED(decided, lr));
    const bool muon = s->optimizer == OPTIMIZER_MUON;
    const double usual = whole ? 0.3 : muon ? 1 : 0.5;
    CHOOSE(lr_factor, is_delicate(s) ? 0.1 : usual);
    CHOOSE(warmup, max_int(min_int(4000, s->steps / 10), gentle ? LEAST_GENTLE_WARMUP : 0));
    if (gentle)
        *(noam ? &s->lr_factor : &s->lr) /= 10;
    return gentle;
}

/* On average. */
static int64_t rows_of_step(const Settings *s, const Corpus *corpus)
{
    return (int64_t)corpus->train.rows / steps_of_epoch(corpus, s->batch);
}

/* About twenty log lines and twenty evaluations in a run; ten of a stream, which reads two rows for
 * each target. Evaluations are fewer if they would take more than a fortieth of the time: between
 * two of them, at least 13 times as many rows are trained on as one evaluates, and a row is
 * evaluated in a third of the time that training on it takes. If that is a sample, 17 times as
 * many: a fiftieth, so that a larger part can be evaluated at the end. If nothing is held out, the
 * text is small and all of it is evaluated: at least two epochs lie between. A run that
 * may stop by itself is evaluated at least five times, even if most of the text is held out.
 *
 * A small text is learnt by heart sooner or later: then the held-out loss rises, and a run whose
 * length was not asked for stops. (Five seeds of eleven texts from 5 to 100 kB: 0.65 of the steps,
 * and no text's mean loss is more than 0.003 higher.) */
static void choose_reports(Settings *s, const Decided *decided, const Corpus *corpus)
{
    const int times = corpus->evaluated.sample ? 17 : corpus->held_out.count ? 13 : 2;
    const int64_t evaluated = times * (int64_t)corpus_evaluation_rows(corpus, &corpus->evaluated);
    const int64_t rows = rows_of_step(s, corpus);
    const int twentieth = max_int(1, s->steps / 20);
    CHOOSE(log_every, twentieth);
    const int usual = corpus->stream && s->objective == OBJECTIVE_NEXT ? 2 * twentieth : twentieth;
    /* Whether a run stops by itself. */
    const bool stops = s->objective == OBJECTIVE_NEXT && !s->from && corpus->held_out.count &&
                       corpus->ids.count <= SMALL_TEXT && !DECIDED(decided, steps) &&
                       !DECIDED(decided, epochs);
    const int rarely = at_most_int(max_int64(usual, evaluated / max_int64(1, rows)));
    CHOOSE(eval_every, stops ? min_int(rarely, 4 * twentieth) : rarely);
    CHOOSE(patience, !stops ? 0 : corpus->stream ? PATIENCE / 2 : PATIENCE);
}

/* Every member of a team needs a shard. */
static void choose_shards(Settings *s, const Decided *decided)
{
    int enough = 1;
    while (enough < team_size())
        enough *= 2;
    CHOOSE(shards, enough);
    if (s->shards < team_size())
        usage_error("a team of %d needs as many shards, and this run has %d; start at most %d "
                    "processes, or begin a new run with --shards %d",
                    team_size(), s->shards, s->shards, enough);
}

/* Rows of the largest part of a step: the sequences of 1/(shards · accumulate) may all be of the
 * longest length, but are never more than all rows to train on. An evaluation uses the same memory,
 * which must hold the longest piece, even one that is held out. */
static int rows_of_part(const Settings *s, const Corpus *corpus)
{
    const int64_t parts = (int64_t)s->shards * s->accumulate;
    const int64_t sequences = (s->batch + parts - 1) / parts;
    const int64_t longest = min_int64((int64_t)corpus->longest, s->shape.context);
    const int64_t all = (int64_t)corpus->train.rows;
    return at_most_int(max_int64(longest, min_int64(all, sequences * longest)));
}

/* What follows from the settings, without further choices. */
static void derive(Plan *plan, const Corpus *corpus, int vocabulary)
{
    Settings *s = &plan->settings;
    plan->shape = s->shape;
    plan->shape.vocabulary = vocabulary;
    plan->shape.patterns = settings_patterns(s->attend, s->shape.layers, s->shape.heads);
    plan->schedule = (Schedule){.kind = s->schedule,
                                .factor = s->lr_factor,
                                .width = s->shape.width,
                                .rate = s->lr,
                                .min_rate = s->min_lr,
                                .warmup = s->warmup,
                                .cooldown = s->cooldown,
                                .horizon = s->steps};
    plan->rows = rows_of_part(s, corpus);
    int count;
    size_t numbers;
    AUTOFREE Tensor *tensors = gpt_tensors(&plan->shape, ROUNDING_NONE, &count, &numbers);
    plan->parameters = gpt_parameters(tensors, count);
    /* Beside the model, memory holds what the optimizer needs and the best weights so far. */
    plan->bytes = gpt_bytes(&plan->shape, plan->rows) + (double)numbers * sizeof(Real) +
                  optimizer_bytes(tensors, count, numbers, s->optimizer, s->average) +
                  shards_bytes(s->shards, numbers);
    if (s->show) /* see programs/train/session.c */
        plan->bytes += gpt_reader_bytes(&plan->shape, s->shape.context);
}

Plan plan_training(const Settings *settings, const Decided *decided, const Corpus *corpus,
                   int vocabulary)
{
    Plan plan = {.settings = *settings};
    Settings *s = &plan.settings;
    choose_length(&plan, decided, corpus, vocabulary);
    choose_shards(s, decided);
    plan.whole_in_a_step = s->batch >= (int64_t)epoch_most_pieces(corpus);
    choose_restraint(&plan, decided, corpus, vocabulary);
    plan.gentle = choose_rate(s, decided, plan.whole_in_a_step);
    choose_reports(s, decided, corpus);
    derive(&plan, corpus, vocabulary);
    const int64_t parts = (int64_t)s->shards * s->accumulate;
    CHOOSE(threads, threads_for_step(rows_of_step(s, corpus) / parts, plan.parameters));
    return plan;
}

void plan_free(Plan *plan)
{
    free((Pattern *)plan->shape.patterns);
}

/* ---- Advice ---- */

/* A text is wrapped if the first word of the next line would make at least 80% of its lines longer
 * than nine tenths of the column, and half of the lines end within a sentence. (In common licences
 * 87 to 99% of the lines would become that long, in verse 39%.) A text has no spaces if most of its
 * letters belong to scripts that use none, or if its words are longer than any language's. */

/* Columns at which texts are wrapped, and the mean length of a word, in code points; and how many
 * lines, letters or bytes it takes to judge a text. */
enum {
    NARROWEST = 40,
    WIDEST = 120,
    LONGEST_MEAN_WORD = 15,
    LITTLE_TEXT = 10000, /* bytes: a smaller one may have nothing to learn */
    LEAST_LINES = 20,
    LEAST_LETTERS = 100
};

/* In code points. */
static int length_of(Span text)
{
    int length = 0;
    while (text.begin < text.end) {
        utf8_next(&text.begin, text.end);
        length++;
    }
    return length;
}

/* Whether the last code points, but for closing quotes and brackets, end a sentence. */
static bool ends_sentence(Span line)
{
    bool ends = false;
    while (line.begin < line.end) {
        const int32_t c = utf8_next(&line.begin, line.end);
        if (c == '.' || c == '!' || c == '?' || c == ':' || c == 0x2026 /* … */ ||
            c == 0x3002 /* 。 */)
            ends = true;
        else if (!is_space(c) && !is_punctuation(c))
            ends = false;
    }
    return ends;
}

int text_wrapped_at(const Text *of)
{
    Span text = text_span(of);
    /* How many lines have each length, by themselves and together with the first word of the next
     * line. The last entry counts all that are longer than WIDEST. */
    size_t alone[WIDEST + 2] = {0}, with_next[WIDEST + 2] = {0}, count = 0, open = 0;
    Span line, next, word;
    bool more = split_line(&text.begin, text.end, &line);
    for (; more; line = next) {
        more = split_line(&text.begin, text.end, &next);
        const char *at = next.begin;
        if (!more || is_blank(line) || !split_word(&at, next.end, PUNCTUATION_IN_WORDS, &word) ||
            is_blank((Span){at, next.end}))
            continue; /* it is blank, or the last line of its paragraph; or the next is one word */
        const int length = length_of(line);
        alone[min_int(length, WIDEST + 1)]++;
        with_next[min_int(length + 1 + length_of(word), WIDEST + 1)]++;
        count++;
        open += !ends_sentence(line);
    }
    /* The length of the longest line, without the longest 2%: a word may be longer than a line. */
    int column = WIDEST + 1;
    size_t reach = alone[column], full = 0;
    while (column > 0 && reach <= count / 50)
        reach += alone[--column];
    for (int length = 9 * column / 10 + 1; length <= WIDEST + 1; length++)
        full += with_next[length];
    const bool wrapped = count >= LEAST_LINES && column >= NARROWEST && column <= WIDEST &&
                         full >= count * 8 / 10 && open >= count / 2;
    return wrapped ? column : 0;
}

/* Blocks of at most six lines, on average, with a blank line after each. */
bool text_in_blocks(const Text *of)
{
    Span text = text_span(of), line;
    size_t count = 0, blank = 0;
    for (; split_line(&text.begin, text.end, &line); count++)
        blank += is_blank(line);
    return count >= LEAST_LINES && 7 * blank >= count;
}

/* Whether most letters belong to scripts without spaces, or the words are too long to be words. */
static bool has_no_spaces(Span text)
{
    size_t letters = 0, unspaced = 0, words = 0;
    Span word;
    while (split_word(&text.begin, text.end, PUNCTUATION_ALONE, &word)) {
        const size_t before = letters;
        while (word.begin < word.end) {
            const int32_t c = utf8_next(&word.begin, word.end);
            letters += is_word_letter(c);
            unspaced += is_unspaced(c);
        }
        words += letters > before;
    }
    return letters >= LEAST_LETTERS &&
           (2 * unspaced > letters || letters > LONGEST_MEAN_WORD * words);
}

char *text_advice(const Text *text, TokenizerKind kind)
{
    if (kind != TOKENIZER_WORD || !has_no_spaces(text_span(text)))
        return NULL;
    return format_text(
        _("the text has no spaces between words; --tokens char reads it by characters"));
}

/* Characters come again sooner, and single words have nothing else to learn. */
char *text_advice_of_little(const Text *text, TokenizerKind kind)
{
    const Span all = text_span(text);
    if (text->size >= (kind == TOKENIZER_CHAR ? LITTLE_TEXT / 10 : LITTLE_TEXT) ||
        text_has_few_spaces(text) || has_no_spaces(all))
        return NULL;
    size_t count = 0;
    Vocabulary words = vocabulary_new();
    Span word;
    for (const char *at = all.begin; split_word(&at, all.end, PUNCTUATION_ALONE, &word); count++)
        vocabulary_add(&words, word.begin, (size_t)(word.end - word.begin), false);
    const size_t kinds = (size_t)words.count;
    vocabulary_free(&words);
    if (count >= 2 * kinds)
        return NULL;
    return format_text(_("only %s, %s of them different: a model learns so little by heart, and "
                         "nothing else; ordinary prose takes about 50 kB"),
                       plural(count, "word", "words").text, thousands(kinds).text);
}

char *text_advice_of_turns(const Text *text)
{
    Span all = text_span(text), line, name, said, names[2] = {{NULL, NULL}};
    size_t lines = 0, turns = 0;
    for (; split_part(&all.begin, all.end, CUT_LINES, &line); lines++)
        if (split_turn(line, &name, &said)) {
            if (turns < 2)
                names[turns] = name;
            turns += span_equal(name, names[0]) || span_equal(name, names[1]);
        }
    return turns >= 4 && 4 * turns >= 3 * lines ? text_check_turns(text) : NULL;
}

char *text_advice_of_pairs(const Text *text)
{
    Span all = text_span(text), line, source, target;
    size_t lines = 0, pairs = 0;
    for (; split_part(&all.begin, all.end, CUT_LINES, &line); lines++)
        pairs += split_pair(line, &source, &target);
    if (pairs == lines || 2 * pairs < lines)
        return NULL;
    return format_text(
        _("%zu of %zu lines have one tab; --objective pairs names those that do not"), pairs,
        lines);
}

bool text_has_few_spaces(const Text *text)
{
    size_t lines = 0, spaces = 0;
    for (size_t i = 0; i < text->size; i++) {
        lines += text->clean[i] == '\n';
        spaces += text->clean[i] == ' ';
    }
    return 2 * spaces < lines;
}
