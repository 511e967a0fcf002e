/* settings.c: the table of all settings of train, and which of them go together. Each row has the
 * option's name, its member, its default as one would type it (NULL if plan.c chooses it), what
 * --help calls its value, the smallest and the largest value, its help, and whether a resumed run
 * keeps it. The order of the rows is that of --help, of config.json and of the run's identity. */
#include "settings.h"

#include <limits.h>

#include "base/base.h"
#include "model/shape/gpt_config.h"
#include "programs/train/team/shards.h"
#include "programs/train/team/team.h"

/* The names of each choice. The enumerator is the index, so that names and values cannot get out of
 * step. */
static const char *const SEQUENCES[] = {
    [SEQUENCE_LINES] = "lines", [SEQUENCE_STREAM] = "stream", NULL};
static const char *const LIKENESSES[] = {[LIKE_GPT2] = "gpt2", [LIKE_LLAMA] = "llama", NULL};
static const char *const OPTIMIZERS[] = {
    [OPTIMIZER_ADAMW] = "adamw", [OPTIMIZER_MUON] = "muon", NULL};
static const char *const SCHEDULES[] = {
    [SCHEDULE_NOAM] = "noam", [SCHEDULE_COSINE] = "cosine", [SCHEDULE_CONSTANT] = "constant", NULL};
static const char *const PRECISIONS[] = {[PRECISION_F32] = "f32", [PRECISION_BF16] = "bf16", NULL};

#define FIELD_STRUCT Settings

const Field SETTINGS[] = {
    FIELD_HEADING("The text:"),
    {"objective", LIFE_RUN, CHOICE_FIELD(objective, OBJECTIVE_NAMES, NULL),
     N_("predict each next token; or the target of each line, which is a source, a tab and a "
        "target; or tokens that are masked, from all the others; or the answers of conversations, "
        "whose lines are turns, NAME: WORDS, with a blank line after each conversation [pairs for "
        ".tsv files and if every line has one tab, turns if every line is one, else next]")},
    {"causal-source", LIFE_RUN, FLAG_FIELD(causal_source),
     N_("attend only to what comes before, also in a source; such a model opens in Transformers")},
    {"mask", LIFE_RUN, NUMBER_FIELD(mask, "0.15", N_("SHARE"), 0.001, 1),
     N_("share of the tokens that each step masks, for --objective masked")},
    {"tokens", LIFE_RUN, CHOICE_FIELD(tokens, TOKENIZER_NAMES, NULL),
     N_("words and punctuation, characters, or subwords (byte-level BPE) [word; bpe for texts of "
        "100 kB or more, or whose lines come in blocks; char for such of 60 kB or less, and for "
        "pairs of single words]")},
    {"sequence", LIFE_RUN, CHOICE_FIELD(sequence, SEQUENCES, NULL),
     N_("train on each line by itself, or on the text as one long stream [lines for words that are "
        "not wrapped at a column, else stream]")},
    {"lower", LIFE_RUN, FLAG_FIELD(lower), N_("convert the text to lower case")},
    {"min-count", LIFE_RUN, WHOLE_FIELD(min_count, "1", "N", 1, INT_MAX),
     N_("words seen less than N times become [unk]; pairs of subwords are not merged")},
    {"max-words", LIFE_RUN, WHOLE_FIELD(max_words, "0", "N", 0, INT_MAX),
     N_("keep only the N most frequent words; 0 = all")},
    {"vocabulary", LIFE_RUN, WHOLE_FIELD(vocabulary, "0", "N", 0, INT_MAX),
     N_("how many subwords, the 256 bytes and special tokens included; 0 = suits the text")},
    {"val", LIFE_RUN, NUMBER_FIELD(val, NULL, N_("SHARE"), 0, 0.9),
     N_("share held out for validation [suits the text]")},
    {"val-text", LIFE_CALL, TEXT_FIELD(val_text, N_("FILE")),
     N_("read this file as the last one of the text, and hold it out")},
    {"val-seed", LIFE_RUN, WHOLE_FIELD(val_seed, "1", "N", 0, INT_MAX),
     N_("draws the lines that are held out, and the sample that is evaluated; 0 = hold out the "
        "last "
        "lines")},
    {"counts", LIFE_RUN, FLAG_FIELD(counts),
     N_("let the run keep the counts of its text too, and learn how to mix them with the model; a "
        "fortieth of the text is set aside for that")},

    FIELD_HEADING("The model:"),
    {"shape", LIFE_CALL, CHOICE_FIELD(likeness, LIKENESSES, "gpt2"),
     N_("of which family: llama is --positions rotary --rms --activation silu --gated "
        "--no-qkv-bias --no-other-bias")},
    {"layers", LIFE_RUN, WHOLE_FIELD(shape.layers, NULL, "L", 1, GPT_MAX_LAYERS),
     N_("number of blocks [suits the text]")},
    {"heads", LIFE_RUN, WHOLE_FIELD(shape.heads, NULL, "H", 1, GPT_MAX_HEADS),
     N_("attention heads in each block [suits the text]")},
    {"key-heads", LIFE_RUN, WHOLE_FIELD(shape.key_heads, NULL, "K", 1, GPT_MAX_HEADS),
     N_("heads of keys and values, each shared by H/K heads in a row [H]")},
    {"width", LIFE_RUN, WHOLE_FIELD(shape.width, NULL, "C", 1, GPT_MAX_WIDTH),
     N_("width of the model [suits the text]")},
    {"head-size", LIFE_RUN, WHOLE_FIELD(shape.head_size, NULL, "D", 1, GPT_MAX_WIDTH),
     N_("width of a head [C/H]")},
    {"hidden", LIFE_RUN, WHOLE_FIELD(shape.hidden, NULL, "F", 1, GPT_MAX_HIDDEN),
     N_("width of the feed-forward layer [4C; 8C/3 if it is gated, for as many numbers]")},
    {"context", LIFE_RUN, WHOLE_FIELD(shape.context, NULL, "T", 1, GPT_MAX_CONTEXT),
     N_("longest sequence, in tokens [suits the text]")},
    {"attend", LIFE_RUN, TEXT_FIELD(attend, N_("LIST")),
     N_("what each head attends to: all; W, the last W tokens, itself included; strided:N, itself "
        "and every N-th token before it; fixed:N, its block of N tokens; summary:N:M, itself and "
        "the last M tokens of each block of N. The list, with commas, runs over the heads of the "
        "first layer, then of the next, and repeats")},
    {"positions", LIFE_RUN, CHOICE_FIELD(shape.positions, GPT_POSITIONS, NULL),
     N_("position encoding [learned for pairs, else sinusoidal]")},
    {"theta", LIFE_RUN, NUMBER_FIELD(shape.theta, "10000", "X", 1, 1e12),
     N_("the larger, the slower rotary positions turn")},
    {"norm", LIFE_RUN, CHOICE_FIELD(shape.norm, GPT_NORMS, "pre"),
     N_("layer norm before each branch (GPT-2) or after each sum (the 2017 paper)")},
    {"rms", LIFE_RUN, FLAG_FIELD(shape.rms),
     N_("RMSNorm in the place of layer norm: no mean is taken, and there is no bias")},
    {"norm-epsilon", LIFE_RUN, NUMBER_FIELD(shape.norm_epsilon, "1e-5", "X", 1e-12, 1),
     N_("what the norms add to the variance")},
    {"activation", LIFE_RUN, CHOICE_FIELD(shape.activation, GPT_ACTIVATIONS, "relu"),
     N_("activation of the feed-forward layer")},
    {"gated", LIFE_RUN, FLAG_FIELD(shape.gated),
     N_("the feed-forward layer multiplies its activations by a second half of it, without one")},
    {"untied", LIFE_RUN, FLAG_FIELD(shape.untied),
     N_("give the output head its own matrix instead of the embedding's")},
    {"no-qkv-bias", LIFE_RUN, FLAG_FIELD(shape.no_qkv_bias),
     N_("queries, keys and values have no bias")},
    {"no-other-bias", LIFE_RUN, FLAG_FIELD(shape.no_other_bias),
     N_("nothing else has a bias: attention's output, the feed-forward layer, the norms")},
    {"dropout", LIFE_RUN, NUMBER_FIELD(dropout, NULL, "P", 0, 0.99),
     N_("share of activations dropped [if a part is held out: 0.1 for words, masked tokens and "
        "--from, 0.1 or 0.2 for large models of medium texts; else 0]")},

    /* A resumed run may become longer: whichever of --steps and --epochs the call gives counts. */
    FIELD_HEADING("Training:"),
    {"epochs", LIFE_MAY_CHANGE, WHOLE_FIELD(epochs, NULL, "N", 1, INT_MAX),
     N_("passes over the text [suit the text, and take about an hour at most]")},
    {"steps", LIFE_MAY_CHANGE, WHOLE_FIELD(steps, NULL, "N", 0, INT_MAX),
     N_("steps, instead of epochs; 0 writes the untrained model")},
    {"minutes", LIFE_CALL, NUMBER_FIELD(minutes, "0", "N", 0, 1e6),
     N_("as many steps as this machine takes in about N minutes, instead of epochs; 0 = do not "
        "measure")},
    {"batch", LIFE_RUN, WHOLE_FIELD(batch, NULL, "N", 1, INT_MAX),
     N_("sequences in each step [suits the text]")},
    {"accumulate", LIFE_RUN, WHOLE_FIELD(accumulate, "1", "K", 1, 1 << 16),
     N_("compute each step in K parts to save memory")},
    {"shards", LIFE_RUN, WHOLE_FIELD(shards, NULL, "S", 1, SUM_TREE_MOST_SHARDS),
     N_("cut each step into S shards, a power of two, for up to S processes; the result depends on "
        "S, but not on their number [1, or as many as a team needs]")},
    {"optimizer", LIFE_RUN, CHOICE_FIELD(optimizer, OPTIMIZERS, NULL),
     N_("AdamW, or Muon for the matrices of the blocks and AdamW for the rest [suits the text]")},
    {"schedule", LIFE_RUN, CHOICE_FIELD(schedule, SCHEDULES, "noam"), N_("learning-rate schedule")},
    {"lr", LIFE_RUN, NUMBER_FIELD(lr, "0.001", N_("RATE"), 0, 1e9),
     N_("highest rate of cosine and constant")},
    {"lr-factor", LIFE_RUN, NUMBER_FIELD(lr_factor, NULL, "X", 0, 1e9),
     N_("factor of noam's rate [suits the text]")},
    {"min-lr", LIFE_RUN, NUMBER_FIELD(min_lr, "0", N_("RATE"), 0, 1e9),
     N_("cosine's rate at the end [0]")},
    {"warmup", LIFE_RUN, WHOLE_FIELD(warmup, NULL, "N", 0, INT_MAX),
     N_("steps in which the rate grows [a tenth of the run, at most 4000; with --from at least "
        "30]")},
    {"cooldown", LIFE_RUN, NUMBER_FIELD(cooldown, "0.2", N_("SHARE"), 0, 1),
     N_("last part of the run, in which the rate falls to 0; not for cosine")},
    {"decay", LIFE_RUN, NUMBER_FIELD(decay, NULL, "X", 0, 1e9),
     N_("weight decay, matrices only [suits the text: 0.5 to 2 if it is read five times or more]")},
    {"epsilon", LIFE_RUN, NUMBER_FIELD(epsilon, NULL, "X", 1e-12, 1),
     N_("AdamW's epsilon, matrices only; a larger one learns less from rare tokens [suits the "
        "text: large for words and subwords that are read five times or more, else 1e-9]")},
    {"clip", LIFE_RUN, NUMBER_FIELD(clip, "1", N_("NORM"), 0, 1e9),
     N_("clip the gradient norm at NORM; 0 = off")},
    {"average", LIFE_RUN, FLAG_FIELD(average),
     N_("evaluate and keep a mean of the weights of all steps; the last tenth of them makes up two "
        "thirds of it [if a text is read five times or more; --average=off: never]")},
    {"patience", LIFE_MAY_CHANGE, WHOLE_FIELD(patience, NULL, "N", 0, INT_MAX),
     N_("stop after N evaluations without a better one; 0 = never [suits small texts of which a "
        "part is held out, if no length is given; else 0]")},
    {"eval-every", LIFE_RUN, WHOLE_FIELD(eval_every, NULL, "N", 1, INT_MAX),
     N_("steps between evaluations [suits the text]")},
    {"precision", LIFE_RUN, CHOICE_FIELD(precision, PRECISIONS, "f32"),
     N_("precision of the matrix products' inputs; bf16 is faster if the processor supports it")},
    {"seed", LIFE_RUN, WHOLE_FIELD(seed, "1", "N", 0, INT_MAX), N_("seed of all random numbers")},

    /* How often a run is logged and saved changes none of its results, so a resumed run may do it
     * more or less often. config.json keeps it for calls that do not give it. */
    FIELD_HEADING("This call:"),
    {"stop-after", LIFE_CALL, WHOLE_FIELD(stop_after, "0", "N", 0, INT_MAX),
     N_("stop this call after step N; the run's length and schedule stay the same")},
    {"log-every", LIFE_MAY_CHANGE, WHOLE_FIELD(log_every, NULL, "N", 1, INT_MAX),
     N_("steps between lines of the log [suits the text]")},
    {"checkpoint-every", LIFE_MAY_CHANGE, WHOLE_FIELD(checkpoint_every, "0", "N", 0, INT_MAX),
     N_("steps between saves; 0 = about once a minute")},
    {"keep", LIFE_MAY_CHANGE, WHOLE_FIELD(keep, "0", "N", 0, 1000),
     N_("keep the last N saves of --checkpoint-every as RUN/checkpoint-STEP, each a run to sample "
        "or resume")},
    {"show", LIFE_MAY_CHANGE, WHOLE_FIELD(show, "0", "N", 0, 100),
     N_("print N continuations of --prompt at each evaluation; RUN/shown.jsonl keeps them")},
    {"prompt", LIFE_MAY_CHANGE, TEXT_FIELD(prompt, N_("TEXT")),
     N_("what --show continues: the beginning of a line; for pairs a source, for masked tokens a "
        "line with [mask] in it [nothing]")},
    {"threads", LIFE_CALL, WHOLE_FIELD(threads, NULL, "N", 1, 1024),
     N_("processors to use [suits the text]")},
    {"out", LIFE_CALL, TEXT_FIELD(out, N_("DIR")),
     N_("directory of the run [runs/NAME-OF-THE-TEXT]; of --compare, a file")},
    {"overwrite", LIFE_CALL, FLAG_FIELD(overwrite), N_("replace the run that --out names")},
    {"no-plot", LIFE_CALL, FLAG_FIELD(no_plot),
     N_("print no plot of the losses at the end on a terminal; RUN/curve.svg has it all the same")},
    {"json", LIFE_CALL, FLAG_FIELD(json),
     N_("print one JSON object on each line (JSON Lines): at the beginning, for each row of the "
        "log and at least once a second, and at the end")},
    {"resume", LIFE_CALL, TEXT_FIELD(resume, N_("RUN")), N_("continue a run that was stopped")},
    {"text", LIFE_CALL, TEXT_FIELD(text, N_("FILE")),
     N_("the text of a resumed run that holds no copy of it; other files may follow, as for a new "
        "run")},
    {"from", LIFE_CALL, TEXT_FIELD(from, N_("DIR")),
     N_("start from another model, with its sizes and vocabulary: a run, or a GPT-2 or "
        "Llama saved by Transformers; the rate is then a tenth of a new run's")},
    {"verify", LIFE_CALL, TEXT_FIELD(verify, N_("RUN")),
     N_("train a run again by its receipt, from a checkpoint of it or from the beginning, and "
        "compare; write nothing. TEXT is its text, unless it holds a copy; RUN may also be a .zip "
        "of a run, or a receipt.txt by itself, with TEXT; more RUNs may follow")},
    {"compare", LIFE_CALL, FLAG_FIELD(compare),
     N_("print a table of runs, or of .zips of runs, which are given instead of TEXT; -o FILE.svg "
        "draws their losses, -o FILE.csv holds the table, -o -.csv prints it so")},
    {.name = NULL},
};

/* ---- What goes together ---- */

/* Each of these four settings is read by some schedules only. With another schedule it would have
 * no effect, so it must be a mistake. */
static void check_schedule(const Settings *s, const Decided *decided)
{
    static const struct {
        size_t offset;
        bool is_read[3]; /* by each ScheduleKind */
        const char *readers, *instead;
    } settings[] = {
        {offsetof(Settings, lr),
         {[SCHEDULE_COSINE] = true, [SCHEDULE_CONSTANT] = true},
         N_("cosine and constant"),
         N_("add --schedule cosine, or give --lr-factor")},
        {offsetof(Settings, lr_factor),
         {[SCHEDULE_NOAM] = true},
         "noam",
         N_("give --lr, or leave --schedule out")},
        {offsetof(Settings, min_lr),
         {[SCHEDULE_COSINE] = true},
         "cosine",
         N_("add --schedule cosine")},
        {offsetof(Settings, cooldown),
         {[SCHEDULE_NOAM] = true, [SCHEDULE_CONSTANT] = true},
         N_("noam and constant"),
         N_("leave --schedule out")},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (decided->at[settings[i].offset] && !settings[i].is_read[s->schedule])
            usage_error("--%s is for --schedule %s; %s does not read it: %s",
                        field_at(SETTINGS, settings[i].offset)->name,
                        translated(settings[i].readers), SCHEDULES[s->schedule],
                        translated(settings[i].instead));
    if (s->schedule == SCHEDULE_COSINE && s->min_lr > s->lr)
        usage_error("--min-lr %g is above --lr %g: the rate falls to it", s->min_lr, s->lr);
}

int settings_least_vocabulary(bool lines, ObjectiveKind objective)
{
    return 256 + (lines ? 2 : 0) + (objective != OBJECTIVE_NEXT);
}

void settings_check_vocabulary(const Settings *s, bool lines)
{
    const int least = settings_least_vocabulary(lines, s->objective);
    if (s->vocabulary && s->vocabulary < least)
        usage_error("--vocabulary %d is too small: the bytes and special tokens alone are %d",
                    s->vocabulary, least);
}

/* Likewise the size of a vocabulary, which has at least the 256 bytes. A text whose vocabulary is
 * of subwords is a stream, unless it is to be read by lines. */
static void check_vocabulary(const Settings *s, const Decided *decided)
{
    const bool subwords =
        DECIDED(decided, tokens) ? s->tokens == TOKENIZER_BPE : DECIDED(decided, vocabulary);
    if (subwords && DECIDED(decided, max_words))
        usage_error("--max-words is for words and characters; the size of a vocabulary of subwords "
                    "is --vocabulary");
    if (!subwords && DECIDED(decided, vocabulary))
        usage_error("--vocabulary is for --tokens bpe; --max-words limits words and characters");
    settings_check_vocabulary(s, DECIDED(decided, sequence) && s->sequence == SEQUENCE_LINES);
}

void settings_check_objective(const Settings *s, const Decided *decided)
{
    if (DECIDED(decided, causal_source) && s->causal_source && s->objective != OBJECTIVE_PAIRS)
        usage_error("--causal-source is for --objective pairs; this is %s",
                    OBJECTIVE_NAMES[s->objective]);
    if (DECIDED(decided, mask) && s->objective != OBJECTIVE_MASKED)
        usage_error("--mask is for --objective masked; this is %s", OBJECTIVE_NAMES[s->objective]);
    if (s->counts && s->objective == OBJECTIVE_MASKED)
        usage_error("--counts predicts a token from those before it, so it is not for --objective "
                    "masked");
    if (s->counts && s->objective == OBJECTIVE_TURNS)
        usage_error("--counts does not count in conversations, so it is not for --objective turns");
    if (objective_answers(s->objective) && DECIDED(decided, sequence) &&
        s->sequence == SEQUENCE_STREAM)
        usage_error("--objective %s reads line by line, so --sequence stream conflicts with it",
                    OBJECTIVE_NAMES[s->objective]);
}

/* What is not known yet is 0. The attention's matrices have width H·D, which is C unless a head's
 * size is given. */
void settings_check_values(const Settings *s, const Decided *decided)
{
    if (s->shape.heads && !DECIDED(decided, shape.head_size) && s->shape.width % s->shape.heads)
        usage_error("--heads %d does not divide --width %d; choose others, or give --head-size",
                    s->shape.heads, s->shape.width);
    if (s->shape.heads && s->shape.key_heads && s->shape.heads % s->shape.key_heads)
        usage_error("--key-heads %d does not divide --heads %d", s->shape.key_heads,
                    s->shape.heads);
    if (s->shape.positions == POSITIONS_ROTARY && s->shape.head_size % 2)
        usage_error("--positions rotary turns pairs of numbers, but a head's size is %d: give an "
                    "even --head-size",
                    s->shape.head_size);
    free(settings_patterns(s->attend, s->shape.layers, s->shape.heads));
    if (s->shards & (s->shards - 1))
        usage_error("--shards %d is not a power of two: 1, 2, 4, 8 and so on", s->shards);
    if (s->keep && !s->checkpoint_every)
        usage_error("--keep %d needs --checkpoint-every N: it keeps those saves", s->keep);
}

void settings_check_prompt(const Settings *s, const Decided *asked)
{
    if (DECIDED(asked, prompt) && !s->show)
        usage_error("--prompt is what --show N continues; give --show too");
}

/* Few options go with --verify or --compare, and no setting of a run. */
static void check_task(const Settings *s, const Decided *decided, const char *word)
{
    const char *task = s->verify ? "verify" : "compare";
    Decided others = *decided;
    if (s->verify)
        DECIDED(&others, verify) = DECIDED(&others, from) = DECIDED(&others, threads) = false;
    else
        DECIDED(&others, compare) = DECIDED(&others, out) = false;
    EACH_FIELD (field, SETTINGS)
        if (others.at[field->offset])
            usage_error("--%s does not go with --%s", field->name, task);
    if (team_size() > 1)
        usage_error("--%s runs in one process, not in a team", task);
    if (s->compare && !word)
        usage_error("--compare needs the RUNs to compare");
}

/* Only the call's own settings are known here. trainer.c checks those of a resumed run or of a
 * model to start from, and plan.c those that it chooses to suit the text. */
void settings_check(const Settings *settings, const Decided *decided, const char *text_path)
{
    static const size_t new_only[] = {offsetof(Settings, out), offsetof(Settings, overwrite),
                                      offsetof(Settings, from), offsetof(Settings, val_text),
                                      offsetof(Settings, minutes)};
    const bool resuming = settings->resume;
    if (settings->verify || settings->compare) {
        check_task(settings, decided, text_path);
        return;
    }
    if (resuming && text_path && !settings->text)
        usage_error("give a TEXT to train on or --resume RUN, not both");
    if (!resuming && !text_path)
        usage_error("give a TEXT to train on, or --resume RUN; see --help");
    for (size_t i = 0; i < sizeof new_only / sizeof *new_only; i++)
        if (resuming && decided->at[new_only[i]])
            usage_error("--%s is for a new run, not with --resume",
                        field_at(SETTINGS, new_only[i])->name);
    if (DECIDED(decided, steps) + DECIDED(decided, epochs) + DECIDED(decided, minutes) > 1)
        usage_error("--steps, --epochs and --minutes say how long to train; give one of them");
    if (settings->minutes > 0 && team_size() > 1)
        usage_error("--minutes measures one process, not a team: give --steps");
    if (settings->val_text && (DECIDED(decided, val) || DECIDED(decided, val_seed)))
        usage_error("--val-text holds out that file, and no other part: leave out --val and "
                    "--val-seed");
    if (settings->val_text && !strcmp(settings->val_text, "-"))
        usage_error("--val-text needs a file, not standard input");
    if (resuming) /* the schedule is that of the run, which is not read yet */
        return;
    if (settings->text)
        usage_error("--text names the text of a resumed run; for a new run type: train TEXT");
    if (settings->overwrite && !settings->out)
        usage_error("--overwrite replaces the run that --out names; give --out DIR too");
    settings_check_prompt(settings, decided);
    check_schedule(settings, decided);
    settings_check_values(settings, decided);
    if (DECIDED(decided, objective))
        settings_check_objective(settings, decided);
    if (!settings->from) /* whose vocabulary counts */
        check_vocabulary(settings, decided);
}

/* ---- Patterns ---- */

Pattern *settings_patterns(const char *attend, int layers, int heads)
{
    Pattern *patterns = NULL;
    const int count = attend ? patterns_parse(&patterns, attend, layers, heads) : 1;
    if (!count)
        usage_error(
            "--attend %s is not a list of patterns with commas between them; a pattern is all, a "
            "number, strided:N, fixed:N, or summary:N:M with M from 1 to N and at most %d",
            attend, PATTERN_MOST_LAST);
    if (layers && heads && count > layers * heads)
        usage_error("--attend has more entries than the model has heads (%d layers of %d)", layers,
                    heads);
    return patterns;
}
