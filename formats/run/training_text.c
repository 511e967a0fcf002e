/* training_text.c: the checksum in config.json decides which text a model was trained on. A
 * directory without one is someone else's: its text.txt may be anything, and is not read. */
#include "training_text.h"

#include <cjson/cJSON.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "formats/json.h"
#include "log.h"

static bool read_copy(const Directory *directory, TextForm form, Text *text)
{
    if (!directory_has(directory, TEXT_FILE))
        return false;
    char *own = path_in(directory, TEXT_FILE);
    *text = text_from(own, file_read_in(directory, TEXT_FILE, true), form);
    free(own);
    return true;
}

Source *training_text_source(const Directory *directory, char *const *named, SourceRules rules)
{
    Text text;
    if (named)
        return source_open(named, rules);
    return read_copy(directory, rules.form, &text) ? source_of(&text) : NULL;
}

/* See TrainingText.lines. */
static size_t *numbers_of_lines(Span text)
{
    size_t *lines = NULL, line = 1;
    Span part;
    for (const char *at = text.begin, *read = at; split_part(&at, text.end, CUT_LINES, &part);
         arrput(lines, line))
        for (; read < part.begin; read++)
            line += *read == '\n';
    return lines;
}

/* The checksum is of the raw bytes, so a copy and its original are the same text. After this only
 * the ids are left. The tokenizer has learned where spaces stand between words. */
TrainingText training_text_open(Pretrained *model, const char *named)
{
    Tokenizer *tokenizer = &model->tokenizer;
    const char *wanted = model->config.text;
    Text text;
    if (named)
        text = text_read(named, tokenizer->form);
    else if (!wanted || !read_copy(&model->directory, tokenizer->form, &text))
        return (TrainingText){.there = false};
    if (!wanted || strcmp(wanted, checksum_hex(text.checksum).text) != 0)
        die("%s is not the text that %s was trained on", text.name, model->directory.path);
    TrainingText encoded = {.there = true, .corpus = corpus_new(&text, tokenizer)};
    encoded.lines = tokenizer->stream ? NULL : numbers_of_lines(text_span(&text));
    tokenizer_learn_spacing(tokenizer, text_span(&text));
    text_free(&text);
    return encoded;
}

void training_text_free(TrainingText *text)
{
    if (text->there)
        corpus_free(&text->corpus);
    arrfree(text->lines);
}

/* ---- A newer text or run ---- */

/* The file that a run's text came from, if it is there and has other bytes now; else NULL. Of a
 * large file only the size is compared, and several are not looked at. */
static const char *changed_text(const Pretrained *model)
{
    enum { LARGE = 16 << 20 };
    const cJSON *text = json_get(config_own(&model->config), "text");
    const char *name = json_text(text, "name");
    const double size = json_number(text, "size");
    struct stat now;
    if (!name || isnan(size) || stat(name, &now) || !S_ISREG(now.st_mode))
        return NULL;
    if ((double)now.st_size != size)
        return name;
    if (now.st_size > LARGE || access(name, R_OK))
        return NULL;
    const Bytes file = file_read(name, false);
    const uint64_t checksum = checksum_of(file.bytes, file.size);
    free(file.bytes);
    return strcmp(checksum_hex(checksum).text, model->config.text) ? name : NULL;
}

/* When the model of a run was written; 0 if there is none. */
static time_t trained_at(const char *run)
{
    AUTOFREE char *model = format_text("%s/" MODEL_FILE, run);
    struct stat about;
    return stat(model, &about) ? 0 : about.st_mtime;
}

/* The runs of a text that was trained on several times are runs/mio, runs/mio-2, ...: the last of
 * those trained after the one at `path`, or NULL. The caller frees it. */
static char *later_run(const char *path)
{
    int length = (int)strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    AUTOFREE char *name = format_text("%.*s", length, path);
    char *dash = strrchr(name, '-'), *later = NULL;
    if (dash && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")])
        *dash = 0;
    time_t latest = trained_at(path);
    for (int number = 1;; number++) {
        AUTOFREE char *run =
            number == 1 ? format_text("%s", name) : format_text("%s-%d", name, number);
        const time_t trained = trained_at(run);
        if (!trained && number > 1)
            return later;
        if (trained > latest) {
            latest = trained;
            free(later);
            later = format_text("%s", run);
        }
    }
}

void warn_of_newer(const Pretrained *model, const char *path)
{
    if (!model->config.text || model->directory.zip) /* of another machine */
        return;
    AUTOFREE char *later = later_run(path);
    const char *changed = later ? NULL : changed_text(model);
    if (later)
        warn("this is %s; %s was trained later", path, later);
    if (changed)
        warn("%s has changed since %s was trained on it", changed, path);
}

/* ---- Counts ---- */

bool counted_read(const Pretrained *model, Corpus *corpus, CountMixture *mixture)
{
    const Config *config = &model->config;
    const struct cJSON *result = json_get(config_own(config), "result");
    const double share = json_number(result, "counting_share");
    const double order = json_number(result, "counting_order");
    CorpusOrigin origin;
    if (!config->identity || !(share >= 0 && share <= 1) ||
        !(order >= 1 && order <= KNESER_NEY_MOST) || !directory_has(&model->directory, TOKENS_FILE))
        return false;
    *corpus = corpus_open(&model->directory, TOKENS_FILE, &model->tokenizer,
                          model->gpt.config.context, strtoull(config->identity, NULL, 16), &origin);
    corpus->objective.causal_source = config->causal_source;
    corpus_set_aside(corpus);
    *mixture = count_mixture_new(corpus, (int)order, share);
    return true;
}
