/* trainer.c: a run is new or resumed. Either way leads from the settings to the text, its tokens,
 * the plan, the memory, and the first weights. In a team only its leader does that, and shares what
 * came of it. */
#include "trainer.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "base/parallel/threads.h"
#include "formats/huggingface/config.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"
#include "formats/run/checkpoint.h"
#include "formats/run/log.h"
#include "formats/run/training_text.h"
#include "model/matrix/matrix.h"
#include "programs/answer/answer.h"
#include "programs/train/plan/floor.h"
#include "programs/train/plan/plan.h"
#include "programs/train/team/team.h"
#include "text/corpus/corpus.h"
#include "text/tokenizer.h"

/* ---- A model to start from ---- */

/* Takes over one setting, whose value `own` has. Ends in a usage error if the call asked for
 * another. */
static void take(Settings *settings, Decided *decided, const Field *field, const Settings *own)
{
    if (decided->at[field->offset] && !field_equal(field, settings, own)) {
        if (field->kind == FIELD_FLAG)
            usage_error("--%s conflicts with the model in %s, which was made without it",
                        field->name, settings->from);
        const char *asked = field_text(field, settings), *value = field_text(field, own);
        usage_error("--%s %s conflicts with the model in %s, which has %s", field->name,
                    *asked ? asked : "all", settings->from, *value ? value : "all");
    }
    field_copy(field, settings, own);
    decided->at[field->offset] = true;
}
/* TAKE(layers, 4): the setting --layers is 4, in the model. */
#define TAKE(member, value) \
    take(settings, decided, SETTING(member), &(const Settings){.member = (value)})

/* The sizes of the model that settings->from names, and how it reads a text. They follow from the
 * model and its tokenizer, so a GPT-2 that Transformers saved also works. One that has ChatML's
 * tokens learns conversations by them. */
static void take_over_model(Settings *settings, Decided *decided, Pretrained *model)
{
    const GptConfig *shape = &model->gpt.config;
    static const size_t of_vocabulary[] = {offsetof(Settings, min_count),
                                           offsetof(Settings, max_words),
                                           offsetof(Settings, vocabulary)};
    for (size_t i = 0; i < sizeof of_vocabulary / sizeof *of_vocabulary; i++)
        if (decided->at[of_vocabulary[i]])
            usage_error("--%s is for a new vocabulary; the model in %s keeps its own",
                        field_at(SETTINGS, of_vocabulary[i])->name, settings->from);
    if (DECIDED(decided, objective) && settings->objective == OBJECTIVE_TURNS &&
        model->config.objective == OBJECTIVE_NEXT && tokenizer_take_chatml(&model->tokenizer))
        model->config.objective = OBJECTIVE_TURNS;
    TAKE(objective, model->config.objective);
    TAKE(causal_source, model->config.causal_source);
    settings_check_objective(settings, decided);
    TAKE(tokens, model->tokenizer.kind);
    TAKE(sequence, model->tokenizer.stream ? SEQUENCE_STREAM : SEQUENCE_LINES);
    TAKE(lower, model->tokenizer.form == TEXT_LOWER);
    EACH_FIELD (field, SETTINGS)
        if (field->offset >= offsetof(Settings, shape) &&
            field->offset < offsetof(Settings, shape) + sizeof *shape)
            take(settings, decided, field, &(const Settings){.shape = *shape});
    /* For two heads "2" and "2,2" are the same patterns: with an entry for each head, equal. */
    const int all = shape->layers * shape->heads;
    AUTOFREE Pattern *asked = settings_patterns(settings->attend, shape->layers, shape->heads);
    free(settings->attend);
    settings->attend = asked ? patterns_list(asked, all) : NULL;
    AUTOFREE char *own = shape->patterns ? patterns_list(shape->patterns, all) : NULL;
    TAKE(attend, own);
}

/* ---- Opening ---- */

/* Encodes the text, chunk by chunk. The ids of a large text go into a file on the file system of
 * the run; if nothing is to be written, into a temporary one. */
static void encode(Trainer *t)
{
    const Settings *s = &t->plan.settings;
    int count;
    const char *folder = s->out ? s->out : t->directory.path ? t->directory.path : "runs";
    const Store store = source_text(t->source) ? store_in_memory()
                        : s->verify            ? store_in_temporary_file(TOKENS_FILE)
                                               : store_in_file(folder, TOKENS_FILE);
    const TextCut cut = tokenizer_chunks(&t->tokenizer);
    CorpusBuilder *builder = corpus_begin(&t->tokenizer, store, source_size(t->source));
    for (const Text *chunks; (chunks = source_next(t->source, cut, "encoding", &count));)
        corpus_add(builder, chunks, count);
    t->corpus = corpus_end(builder, source_name(t->source));
    t->text_name = format_text("%s", source_name(t->source));
    t->origin = (CorpusOrigin){.text = source_checksum(t->source),
                               .tokenizer = tokenizer_checksum(&t->tokenizer, 0),
                               .text_size = source_size(t->source)};
}

/* Dies if the processor lacks the precision. */
static void choose_precision(const Settings *s)
{
    if (!matrix_choose(s->precision))
        usage_error("--precision bf16 needs AMX or AVX-512 BF16, which this processor, or the "
                    "kernel that PULGA_KERNEL names, does not have; f32 runs everywhere");
}

/* Dies if the text is too small for that. */
static void set_aside(Trainer *t)
{
    if (!t->corpus.held_out.count)
        usage_error("--counts needs a part of %s held out; hold it out with --val 0.1",
                    t->text_name);
    corpus_set_aside(&t->corpus);
    if (!t->corpus.aside.count)
        usage_error("--counts sets a fortieth of the part trained on aside, and %s is too small "
                    "for that",
                    t->text_name);
}

/* Whether --val is a share of the bytes: of subwords whose last part is held out. */
static bool cuts_bytes(const Trainer *t)
{
    return t->corpus.stream && t->tokenizer.kind == TOKENIZER_BPE && !t->plan.settings.val_seed;
}

/* Plans the run, with the settings that are decided, and takes its memory. */
static void take_memory(Trainer *t, int vocabulary)
{
    Settings *settings = &t->plan.settings;
    t->plan = plan_training(settings, &t->decided, &t->corpus, vocabulary);
    memory_check(t->plan.bytes, "a model of these sizes");
    thread_set_limit(settings->threads);
    t->gpt = gpt_new(&t->plan.shape, t->plan.rows);
    t->optimizer = optimizer_new(&t->gpt, settings->optimizer, settings->average);
    t->shards = shards_new(settings->shards, t->gpt.gradient_block, t->gpt.size);
    t->best = memory_new(t->gpt.size, sizeof *t->best, "the best weights");
    t->room = batch_room_new(t->plan.rows);
    t->reader = reader_new(&t->corpus, (uint32_t)settings->seed);
    t->progress = (Progress){.best_loss = INFINITY};
    t->whole.loss = NAN;
}

static void free_memory(Trainer *t)
{
    batch_room_free(&t->room);
    reader_free(&t->reader);
    free(t->best);
    shards_free(&t->shards);
    optimizer_free(&t->optimizer);
    gpt_free(&t->gpt);
    plan_free(&t->plan);
}

/* How many steps --minutes has room for: takes some, from random weights. A twentieth of the time
 * is for evaluations and saves. */
static int steps_in_minutes(Trainer *t)
{
    const double enough = 0.5, begun = clock_seconds();
    double took = 0;
    int count = 0;
    gpt_init(&t->gpt, (uint32_t)t->plan.settings.seed);
    while (count < 3 || took < enough) {
        t->progress.step = 0;
        trainer_step(t);
        count++;
        took = clock_seconds() - begun;
    }
    return (int)fmax(1, fmin(INT_MAX, 0.95 * 60 * t->plan.settings.minutes * count / took));
}

/* Cuts the corpus, plans the run and takes its memory; dies if there is not enough. A corpus that
 * was kept, or shared, is cut already. */
static void prepare(Trainer *t, int vocabulary)
{
    Settings *settings = &t->plan.settings;
    t->corpus.objective.causal_source = settings->causal_source;
    t->corpus.objective.share = settings->mask;
    plan_model(settings, &t->decided, &t->corpus);
    if (!t->corpus.context) {
        corpus_check_pairs(&t->corpus, settings->shape.context, t->text_name);
        const double share =
            cuts_bytes(t) ? corpus_tail(&t->corpus, &t->tokenizer, settings->val) : settings->val;
        corpus_cut_watched(&t->corpus, settings->shape.context, share, (uint32_t)settings->val_seed,
                           t->rules.watch, t->rules.watcher);
    } else {
        corpus_choose_evaluated(&t->corpus, (uint32_t)settings->val_seed);
    }
    if (settings->counts && !t->corpus.aside.count)
        set_aside(t);
    const Settings given = *settings;
    take_memory(t, vocabulary);
    if (given.minutes > 0) {
        const int steps = steps_in_minutes(t);
        free_memory(t);
        *settings = given;
        settings->steps = steps;
        DECIDED(&t->decided, steps) = true;
        take_memory(t, vocabulary);
    }
}

/* Ends in a usage error if the model cannot answer the prompt of --show. */
static void check_prompt(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    if (!s->show)
        return;
    if (!s->prompt && s->objective != OBJECTIVE_NEXT)
        usage_error("--show %d needs a --prompt for --objective %s: %s", s->show,
                    OBJECTIVE_NAMES[s->objective],
                    s->objective == OBJECTIVE_PAIRS   ? _("a source")
                    : s->objective == OBJECTIVE_TURNS ? _("what is said to it")
                                                      : _("a line with [mask] in it"));
    const char *prompt = s->prompt ? s->prompt : "";
    Encoding e =
        answer_encode(&t->tokenizer, s->shape.context, false, "--prompt", prompt, strlen(prompt));
    if (e.wrong)
        usage_error("%s", e.wrong);
    encoding_free(&e);
}

/* Makes a vocabulary of the text: subwords, of the part of a stream that is trained on; words and
 * characters, of all, so that the part held out has no unknown ones. */
static Tokenizer train_tokenizer(Trainer *t)
{
    Settings *s = &t->plan.settings;
    TokenizerRules rules = {.kind = s->tokens,
                            .objective = s->objective,
                            .lower = s->lower,
                            .stream = s->sequence == SEQUENCE_STREAM,
                            .min_count = s->min_count,
                            .max_words = s->max_words};
    if (rules.stream && rules.kind == TOKENIZER_BPE)
        rules.bytes = (size_t)((1 - s->val) * (double)source_clean_size(t->source));
    const TextCut cut = tokenizer_cut(rules.stream, rules.objective);
    TokenCounts *counts = token_counts_begin(rules);
    int count;
    for (const Text *chunks; (chunks = source_next(t->source, cut, "counting", &count));)
        token_counts_add(counts, chunks, count);
    plan_vocabulary(s, source_clean_size(t->source));
    rules.vocabulary = s->vocabulary;
    return token_counts_end(counts, source_name(t->source), rules);
}

/* Files of tab-separated values, or a small text in which every line has one tab. */
static bool looks_like_pairs(const Trainer *t)
{
    bool named = true;
    for (char *const *text = t->texts; *text && named; text++) {
        const char *ending = strrchr(*text, '.');
        named = ending && !strcasecmp(ending, ".tsv");
    }
    const Text *small = source_text(t->source);
    if (named || !small)
        return named;
    AUTOFREE char *wrong = text_check_pairs(small);
    return !wrong;
}

/* A small text of conversations. */
static bool looks_like_turns(const Trainer *t)
{
    const Text *small = source_text(t->source);
    AUTOFREE char *wrong = small ? text_check_turns(small) : NULL;
    return small && !wrong;
}

/* Decides how a text becomes tokens, and notes what a person would see at a glance. A large text is
 * not looked at: it is read as a stream of subwords. */
static void look_at_text(Trainer *t)
{
    Settings *s = &t->plan.settings;
    const Decided *decided = &t->decided;
    const Text *small = source_text(t->source);
    const int column = small ? text_wrapped_at(small) : 0;
    plan_text(s, decided,
              &(TextLook){.size = source_size(t->source),
                          .pairs = looks_like_pairs(t),
                          .turns = looks_like_turns(t),
                          .few_spaces = small && text_has_few_spaces(small),
                          .wrapped = column,
                          .blocks = small && text_in_blocks(small)});
    if (s->tokens == TOKENIZER_WORD && s->sequence == SEQUENCE_STREAM &&
        !DECIDED(decided, sequence))
        t->wrapped_at = column;
    if (!small || objective_answers(s->objective))
        return;
    if (s->objective == OBJECTIVE_NEXT && !DECIDED(decided, objective))
        t->advice = text_advice_of_pairs(small);
    if (!t->advice && s->objective == OBJECTIVE_NEXT && !DECIDED(decided, objective))
        t->advice = text_advice_of_turns(small);
    if (!t->advice && !DECIDED(decided, tokens) && !DECIDED(decided, sequence))
        t->advice = text_advice(small, s->tokens);
    if (!t->advice)
        t->advice = text_advice_of_little(small, s->tokens);
}

/* Holds out the file that --val-text names, the last one of the text: sets --val to its share of
 * the lines, or of a stream's tokens. These are known when all is encoded, and until then its share
 * of the bytes counts; with subwords, whose vocabulary is made without it, also after that. */
static void hold_out_file(Trainer *t)
{
    Settings *s = &t->plan.settings;
    const bool encoded = t->corpus.ids.count;
    Text text = text_read(s->val_text, encoded ? t->tokenizer.form : t->rules.form);
    if (!encoded) {
        s->val = (double)text.size / (double)source_clean_size(t->source);
        s->val_seed = 0;
        DECIDED(&t->decided, val) = true;
    } else if (!cuts_bytes(t)) {
        Corpus held_out = corpus_new(&text, &t->tokenizer);
        s->val = t->corpus.stream ? (double)held_out.ids.count / (double)t->corpus.ids.count
                                  : (double)held_out.lines / (double)t->corpus.lines;
        corpus_free(&held_out);
    }
    text_free(&text);
}

/* A new run makes its vocabulary from its text, and draws its weights; or it takes the sizes, the
 * vocabulary and the weights of another model. Nothing is written yet. */
static void open_new(Trainer *t)
{
    Settings *settings = &t->plan.settings;
    Pretrained model = {0};
    const bool from_another = settings->from;
    run_check(settings, t->texts);
    choose_precision(settings);
    if (from_another) {
        model = pretrained_open(settings->from);
        take_over_model(settings, &t->decided, &model);
        t->rules.form = model.tokenizer.form;
    }
    if (!t->source)
        t->source = source_open(t->texts, t->rules);
    if (settings->val_text)
        hold_out_file(t);
    if (from_another) {
        t->tokenizer = model.tokenizer;
        model.tokenizer = tokenizer_new(); /* it is the trainer's from now on */
    } else {
        look_at_text(t);
        if (settings->tokens == TOKENIZER_BPE && !settings->lower)
            source_set_form(t->source, TEXT_AS_IS);
        t->tokenizer = train_tokenizer(t);
    }
    encode(t);
    if (settings->val_text)
        hold_out_file(t);
    prepare(t, tokenizer_size(&t->tokenizer));
    check_prompt(t);
    t->origin.run = record_identity(settings, t->origin.text, &t->tokenizer);
    uint64_t from = 0;
    if (from_another) {
        from = weights_checksum(&model.gpt, model.gpt.weight_block);
        memcpy(t->gpt.weight_block, model.gpt.weight_block, model.gpt.size * sizeof(Real));
        pretrained_close(&model);
    } else {
        gpt_init(&t->gpt, (uint32_t)settings->seed);
    }
    t->receipt = receipt_begin(settings, t->origin, from, 0);
    if (settings->verify) {
        t->directory = (Directory){.handle = -1, .path = format_text("%s", settings->verify)};
        return;
    }
    t->directory = run_begin(settings, t->texts, t->receipt.head);
    t->log = log_begin(&t->directory);
    t->shown = shown_begin(&t->directory);
}

/* Reads the receipt up to the step that the run goes on from, and notes there if more or fewer
 * steps are planned from here on. An older version wrote no receipt, and a person may have changed
 * it: then it begins again, with a row for this step. */
static void resume_receipt(Trainer *t)
{
    AUTOFREE char *file = directory_has(&t->directory, RECEIPT_FILE)
                              ? file_read_in(&t->directory, RECEIPT_FILE, false).bytes
                              : NULL;
    const bool good = file && receipt_parse(&t->receipt, file, t->origin.run);
    if (!good) {
        warn("%s/%s is missing or damaged: it begins again", t->directory.path, RECEIPT_FILE);
        t->receipt = receipt_begin(&t->plan.settings, t->origin, 0, t->progress.step);
    }
    receipt_cut(&t->receipt, t->progress.step);
    if (!good || receipt_planned(&t->receipt) != t->plan.settings.steps)
        receipt_add(&t->receipt, trainer_receipt_row(t, NAN));
}

/* Puts the weights, the moments, the data and the log where the last save left them. */
static void go_on(Trainer *t)
{
    size_t log_size;
    t->progress =
        state_read(&t->directory, &t->gpt, &t->optimizer, t->best, &log_size, t->origin.run);
    if (t->plan.settings.steps < t->progress.step)
        usage_error("%s has already taken %" PRId64 " steps; give it --steps %" PRId64 " or more",
                    t->directory.path, t->progress.step, t->progress.step);
    if (!reader_seek(&t->reader, t->progress.epoch, t->progress.next))
        die("%s/state.safetensors is damaged: an epoch has no piece %zu", t->directory.path,
            t->progress.next);
    if (t->plan.settings.verify)
        return;
    t->log = log_resume(&t->directory, log_size);
    t->shown = shown_resume(&t->directory, t->progress.step - !t->progress.evaluated);
    resume_receipt(t);
}

void check_text(const char *name, uint64_t text, uint64_t wanted, const char *run)
{
    if (text != wanted)
        die("%s is not the text that %s was trained on", name, run);
}

/* Reads the ids that the run keeps of a large text, or else the text, whose checksum is known. */
static void read_again(Trainer *t, uint64_t text, uint64_t identity)
{
    const Settings *s = &t->plan.settings;
    char *const *named = s->text ? t->texts : NULL;
    if (!named && !directory_has(&t->directory, TEXT_FILE) &&
        directory_has(&t->directory, TOKENS_FILE)) {
        t->corpus = corpus_open(&t->directory, TOKENS_FILE, &t->tokenizer, s->shape.context,
                                identity, &t->origin);
        t->text_name = path_in(&t->directory, TOKENS_FILE);
    } else {
        t->source = training_text_source(&t->directory, named, t->rules);
        if (!t->source)
            die("%s holds no copy of its text; name it with --text FILE", t->directory.path);
        if (source_text(t->source)) /* else the checksum is known when all is read */
            check_text(source_name(t->source), source_checksum(t->source), text, t->directory.path);
        encode(t);
        t->origin.run = identity;
    }
    check_text(t->text_name, t->origin.text, text, t->directory.path);
}

/* Everything comes from the run's directory. Its identity (settings, text, vocabulary) is checked
 * before anything is computed from it. The vocabulary is not made again from the text: after
 * --from, it is another model's. */
static void open_resumed(Trainer *t)
{
    const Settings *settings = &t->plan.settings;
    const bool longer = DECIDED(&t->decided, steps) || DECIDED(&t->decided, epochs);
    /* Locked: nobody else changes it. */
    t->directory = settings->verify ? run_open(settings->resume) : run_resume(settings->resume);
    Config config = record_take_over(&t->directory, &t->plan.settings, &t->decided);
    const uint64_t text = strtoull(config.text, NULL, 16);
    choose_precision(settings);
    t->tokenizer =
        tokenizer_json_read(&t->directory, config.shape.vocabulary, config.eos, config.objective);
    t->rules.form = t->tokenizer.form;
    const uint64_t identity = record_identity(settings, text, &t->tokenizer);
    record_check_identity(&config, &t->directory, identity);
    read_again(t, text, identity);
    prepare(t, tokenizer_size(&t->tokenizer));
    check_prompt(t);
    record_check_plan(&config, &t->directory, &t->plan);
    config_free(&config);
    go_on(t);
    if (longer) /* also than its patience was */
        t->progress.worse = 0;
}

/* ---- Sharing ---- */

/* What the leader of a team has read and decided becomes everybody's. The other members need no
 * text, no run and no disk in common, only the program. Structs are shared as they are in memory;
 * what they point to follows. */

static void share_text(char **text)
{
    size_t size = team_leads() && *text ? strlen(*text) + 1 : 0;
    team_share(&size, sizeof size);
    if (!team_leads())
        *text = size ? memory_take(size) : NULL;
    team_share(*text, size);
}

void share_settings(Settings *settings)
{
    if (!team_leads())
        fields_free(SETTINGS, settings);
    team_share(settings, sizeof *settings);
    EACH_FIELD (field, SETTINGS)
        if (field->kind == FIELD_TEXT)
            share_text((char **)((char *)settings + field->offset));
}

/* Sends the leader's store through memory, in blocks. A member has the leader's struct so far, and
 * writes the bytes to a store of its own, which is a file too if the leader's is. */
static void share_store(Store *store)
{
    enum { BLOCK = 1 << 26 };
    const size_t size = store->size;
    if (!team_leads())
        *store = store->file < 0 ? store_in_memory() : store_in_temporary_file(TOKENS_FILE);
    const char *bytes = team_leads() ? store_view(store) : NULL;
    AUTOFREE char *room = memory_take(size < BLOCK ? size : BLOCK);
    for (size_t at = 0; at < size; at += BLOCK) {
        const size_t block = size - at < BLOCK ? size - at : BLOCK;
        if (bytes)
            memcpy(room, bytes + at, block);
        team_share(room, block);
        if (!bytes)
            store_put(store, room, block);
    }
}

/* The address that has so far the leader's: NULL, or as far from the beginning of the store. */
static const void *moved(const void *address, const char *from, const char *to)
{
    return address ? to + ((uintptr_t)address - (uintptr_t)from) : NULL;
}

/* A corpus that was cut, for training: without the sizes of its lines in the text, and before what
 * is evaluated is chosen. */
static void share_corpus(Corpus *c)
{
    team_share(c, sizeof *c);
    const char *from = c->store.at;
    share_store(&c->store);
    if (team_leads())
        return;
    const char *to = store_view(&c->store);
    c->ids.at = moved(c->ids.at, from, to);
    c->train.list = moved(c->train.list, from, to);
    c->aside.list = moved(c->aside.list, from, to);
    c->held_out.list = moved(c->held_out.list, from, to);
    c->evaluated = (Part){0};
}

/* Gives all members of a team what the leader has opened; for the others, which decide nothing,
 * this opens it. */
static void share(Trainer *t)
{
    int vocabulary = t->plan.shape.vocabulary;
    team_await_leader(); /* it reads the text */
    share_settings(&t->plan.settings);
    share_text(&t->directory.path);
    team_share(&vocabulary, sizeof vocabulary);
    share_corpus(&t->corpus);
    if (!team_leads()) {
        EACH_FIELD (field, SETTINGS)
            if (field->life != LIFE_CALL)
                t->decided.at[field->offset] = true;
        choose_precision(&t->plan.settings);
        t->tokenizer = tokenizer_new();
        t->directory.handle = -1;
        prepare(t, vocabulary);
    }
    if (t->plan.settings.precision == PRECISION_BF16)
        team_agree(checksum_of(matrix_kernel_name(), strlen(matrix_kernel_name())),
                   "kernel for bf16");
    const size_t size = t->gpt.size * sizeof(Real);
    team_share(&t->progress, sizeof t->progress);
    team_share(t->gpt.weight_block, size);
    if (t->progress.step) {
        team_share(t->best, size);
        if (t->optimizer.average)
            team_share(t->optimizer.average, size);
        team_share(t->optimizer.m, size);
        team_share(t->optimizer.v, size);
    }
    reader_seek(&t->reader, t->progress.epoch, t->progress.next);
}

/* Whether its ids are mapped from a file: see text/source.h. */
static bool text_is_large(const Trainer *t)
{
    return t->corpus.store.file >= 0;
}

void trainer_open(Trainer *t)
{
    t->rules.form = t->plan.settings.lower ? TEXT_LOWER : TEXT_COMPOSED;
    t->rules.large = LARGE_TEXT;
    t->log.file = t->shown.file = -1;
    if (team_leads() && t->plan.settings.resume)
        open_resumed(t);
    else if (team_leads())
        open_new(t);
    if (team_size() > 1)
        share(t);
    if (t->optimizer.average && !t->progress.step) /* there is no mean of no steps */
        memcpy(t->optimizer.average, t->gpt.weight_block, t->gpt.size * sizeof(Real));
    t->floor = t->counting.loss = NAN;
    if (!team_leads()) /* what follows is printed */
        return;
    const Part *part = &t->corpus.evaluated;
    t->token_bytes = corpus_bytes(&t->corpus, &t->tokenizer, part) / (double)part->targets;
    t->counting = counting_of(&t->corpus);
    /* The floor of a stream would depend on where each epoch cuts it; that of a large text would
     * take too long. */
    const bool has_floor = !t->corpus.stream && !text_is_large(t);
    const GptConfig *shape = &t->plan.shape;
    if (has_floor)
        t->floor =
            floor_of(&t->corpus, shape->patterns, shape->layers, shape->heads, &t->floor_sees);
}

/* Removes the run that a new one replaces, and writes what stays as it is. config.json is written
 * first: it makes the directory a run. */
static bool write_files(Trainer *t, const char *command)
{
    const Text *copy = source_text(t->source);
    return run_remove_old(&t->directory) &&
           record_write(&t->directory, &t->plan, &t->tokenizer, t->texts, t->origin, command) &&
           tokenizer_json_write(&t->directory, &t->tokenizer, t->plan.shape.context) &&
           (!copy || file_replace(&t->directory, TEXT_FILE, copy->raw.bytes, copy->raw.size)) &&
           ((copy && !t->plan.settings.counts) ||
            corpus_keep(&t->corpus, t->origin, &t->directory, TOKENS_FILE));
}

/* A resumed run's command, kernel and text stay as they were. */
static bool update_files(Trainer *t)
{
    return record_update(&t->directory, &t->plan.settings, NULL, 0) &&
           (!t->source || !text_is_large(t) ||
            corpus_keep(&t->corpus, t->origin, &t->directory, TOKENS_FILE));
}

/* Warns and returns false if the disk would become full. A save is the model and a state with the
 * weights, two moments and the best weights: five numbers for each parameter. Until it is complete,
 * the disk also holds the one before it and those that --keep keeps. */
static bool has_room(const Trainer *t)
{
    const double save = 5.0 * (double)t->plan.parameters * sizeof(Real);
    const double needed = save * (t->plan.settings.keep + (t->progress.step ? 1 : 2));
    const double room = directory_room(&t->directory);
    if (room < needed)
        warn("the run's saves need %.1f MB in %s, but only %.1f MB are free; make room, or choose "
             "another --out",
             needed / 1e6, t->directory.path, room / 1e6);
    return room >= needed;
}

bool trainer_begin_files(Trainer *t, const char *command)
{
    bool good = true;
    if (team_leads())
        good = (t->plan.settings.resume ? update_files(t) : write_files(t, command)) && has_room(t);
    if (t->source && source_text(t->source) && t->plan.settings.show) /* whose answers need it */
        tokenizer_learn_spacing(&t->tokenizer, text_span(source_text(t->source)));
    if (t->source)
        source_free(t->source);
    t->source = NULL;
    return team_answer(good);
}

void trainer_close(Trainer *t)
{
    lines_close(&t->log);
    lines_close(&t->shown);
    receipt_free(&t->receipt);
    free_memory(t);
    fields_free(SETTINGS, &t->plan.settings);
    corpus_free(&t->corpus);
    tokenizer_free(&t->tokenizer);
    free(t->text_name);
    if (t->source)
        source_free(t->source);
    free(t->advice);
    directory_close(&t->directory);
}

/* ---- What is evaluated ---- */

bool trainer_holds_out(const Trainer *t)
{
    return t->corpus.held_out.count > 0;
}

bool trainer_has_floor(const Trainer *t)
{
    return !isnan(t->floor) && !trainer_holds_out(t) && !t->corpus.evaluated.sample;
}

int trainer_first_evaluation(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const int twentieth = max_int(1, s->steps / 20);
    const bool early = t->corpus.evaluated.sample && s->eval_every / 2 > twentieth;
    return early ? twentieth : min_int(s->eval_every, s->steps);
}

Real *trainer_evaluated_weights(const Trainer *t)
{
    return t->optimizer.average ? t->optimizer.average : t->gpt.weight_block;
}

/* Before the first evaluation the last weights are the best. */
ReceiptRow trainer_receipt_row(const Trainer *t, double evaluated)
{
    Real *best = isinf(t->progress.best_loss) ? trainer_evaluated_weights(t) : t->best;
    return (ReceiptRow){.step = t->progress.step,
                        .of = t->plan.settings.steps,
                        .loss = evaluated,
                        .state = state_checksum(&t->gpt, &t->optimizer),
                        .model = weights_checksum(&t->gpt, best)};
}

/* ---- The end of a run whose numbers are no longer finite ---- */

_Noreturn void end_not_finite(const Trainer *t, int64_t step, const char *what)
{
    team_follow();
    const char *run = t->directory.path;
    const char *rate = t->plan.settings.schedule == SCHEDULE_NOAM ? "lr-factor" : "lr";
    const char *weight = weights_wrong(&t->gpt, t->gpt.weight_block);
    const char *gradient = weights_wrong(&t->gpt, t->gpt.gradient_block);
    if (weight || gradient)
        die(weight ? N_("step %" PRId64 ": %s: among the weights, %s; %s keeps its last save; try "
                        "a smaller --%s")
                   : N_("step %" PRId64 ": %s: in the gradient, %s; %s keeps its last save; try a "
                        "smaller --%s"),
            step, translated(what), weight ? weight : gradient, run, rate);
    die("step %" PRId64 ": %s; %s keeps its last save; try a smaller --%s", step, translated(what),
        run, rate);
}

/* ---- Saving ---- */

void trainer_keep_best(Trainer *t)
{
    t->progress.best_step = t->progress.step;
    memcpy(t->best, trainer_evaluated_weights(t), t->gpt.size * sizeof *t->best);
}

bool trainer_save(Trainer *t)
{
    if (team_leads() && directory_is_removed(&t->directory))
        die("%s was removed during training: there is no place to save to", t->directory.path);
    if (team_leads())
        corpus_check_unchanged(&t->corpus);
    if (weights_wrong(&t->gpt, t->gpt.weight_block))
        end_not_finite(t, t->progress.step, "the weights are not finite");
    if (isinf(t->progress.best_loss)) /* not evaluated yet: the last weights are the best */
        trainer_keep_best(t);
    /* The state comes last: a resumed run starts from it, and it names the size of the log. */
    const bool good =
        team_leads() && weights_write(&t->directory, &t->gpt, t->best, t->origin.run) &&
        receipt_write(&t->directory, &t->receipt) && lines_sync(&t->log) && lines_sync(&t->shown) &&
        state_write(&t->directory, &t->gpt, &t->optimizer, t->best, &t->progress, t->log.size,
                    t->origin.run);
    return team_answer(good);
}

void trainer_evaluate_stopped(Trainer *t)
{
    t->watch = NULL;
    trainer_evaluate(t);
    if (team_leads())
        weights_write(&t->directory, &t->gpt, t->best, t->origin.run);
}

/* NAN becomes null. */
void trainer_record_result(const Trainer *t, double seconds)
{
    const Counting *counting = &t->counting;
    const double order = isnan(counting->loss) ? (double)NAN : counting->order;
    cJSON *result = cJSON_CreateObject();
    cJSON_AddNumberToObject(result, "step", (double)t->progress.step);
    cJSON_AddNumberToObject(result, "best_step", (double)t->progress.best_step);
    cJSON_AddNumberToObject(result, "best_loss", t->progress.best_loss);
    cJSON_AddBoolToObject(result, "held_out", trainer_holds_out(t));
    cJSON_AddNumberToObject(result, "bits_per_byte",
                            bits_per_byte(t->progress.best_loss, t->token_bytes));
    if (!isnan(t->whole.loss)) {
        cJSON_AddNumberToObject(result, "whole_loss", t->whole.loss);
        cJSON_AddNumberToObject(result, "whole_bits_per_byte", t->whole.bits);
        cJSON_AddNumberToObject(result, "whole_tokens", (double)t->whole.targets);
    }
    cJSON_AddNumberToObject(result, "floor", t->floor);
    cJSON_AddNumberToObject(result, "counting", counting->loss);
    cJSON_AddNumberToObject(result, "counting_order", order);
    cJSON_AddNumberToObject(result, "counting_share", counting->share);
    cJSON_AddNumberToObject(result, "mixed_loss", counting->mixed);
    cJSON_AddStringToObject(result, "checksum",
                            checksum_hex(weights_checksum(&t->gpt, t->best)).text);
    record_update(&t->directory, &t->plan.settings, result, seconds);
}

bool trainer_keep(const Trainer *t, bool again)
{
    return team_answer(team_leads() && checkpoint_keep(&t->directory, t->progress.step, t->log.size,
                                                       t->plan.settings.keep, again));
}
