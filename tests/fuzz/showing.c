/* showing.c: answers and files are caught in memory; small parsers check that each is what its kind
 * must be. */
#include "showing.h"

#include <cjson/cJSON.h>
#include <stb/stb_ds.h>

#include "programs/answer/answer_print.h"
#include "programs/attend/heads_file.h"
#include "programs/attend/tables.h"
#include "programs/sample/score.h"
#include "text/encoder.h"
#include "harness.h"

/* ---- Checks of the output ---- */

static void check_json(const char *text)
{
    cJSON *json = cJSON_ParseWithOpts(text, NULL, true);
    if (!json)
        found("no JSON: %s", text);
    cJSON_Delete(json);
    check_harmless(text);
}

/* Reads the name after < or </; returns the place after the tag. */
static const char *tag_end(const char *at, char name[16])
{
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    bool quoted = false;
    snprintf(name, 16, "%.*s", (int)length, at);
    for (at += length; *at && (quoted || *at != '>'); at++) {
        quoted ^= *at == '"';
        if (*at == '<' || *at == '&')
            return NULL;
    }
    return *at ? at + 1 : NULL;
}

/* A figure: its tags match, and nothing between them looks like one. */
static void check_svg(const char *text)
{
    char open[16][16], name[16];
    int depth = 0;
    for (const char *at = text, *next; *at; at = next) {
        next = at + 1;
        if (*at == '&') {
            if (strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) && strncmp(at, "&amp;", 5) &&
                strncmp(at, "&quot;", 6))
                found("no entity: %.40s", at);
        } else if (*at == '<') {
            const bool closes = at[1] == '/';
            if (!(next = tag_end(at + 1 + closes, name)) || !*name)
                found("no tag: %.40s", at);
            if (closes && (!depth || strcmp(open[--depth], name)))
                found("%s is not open: %.40s", name, at);
            if (!closes && next[-2] != '/' && depth < 16)
                strcpy(open[depth++], name);
        }
    }
    if (depth || strncmp(text, "<svg", 4))
        found("depth %d of: %s", depth, text);
    check_harmless(text);
}

/* A page: its words are in one block of JSON, which contains no tag. */
static void check_html(char *text)
{
    char *data = strstr(text, "id=\"data\">\n"), *end = data ? strstr(data, "\n</script>") : NULL;
    if (!end)
        found("a page without data");
    *end = 0;
    data = strchr(data, '\n') + 1;
    if (strpbrk(data, "<>&"))
        found("markup in: %s", data);
    check_json(data);
}

/* ---- Answers ---- */

static char *answered(Pretrained *model, const TrainingText *text, AnswerRules rules,
                      const char *prompt, size_t size)
{
    char *bytes = NULL;
    size_t length;
    const Screen screen = {0, "", ""};
    stdout = memory_stream(&bytes, &length);
    Answerer answerer = answerer_new(model, text, rules);
    Answer answer = answer_begin(&answerer, "the prompt", prompt, size);
    if (answer.encoding.wrong)
        check_harmless(answer.encoding.wrong);
    else
        answer_continue(&answerer, &answer, NULL, NULL);
    if (rules.json) {
        answer_print_json(&answerer, &answer);
    } else if (!answer.encoding.wrong) {
        answer_print_tables(&answerer, &answer, &screen);
        answer_print_continuations(&answerer, &answer, &screen);
    }
    answer_free(&answer);
    answerer_free(&answerer);
    fclose(stdout);
    return bytes;
}

static void show_answers(Pretrained *model, const TrainingText *text, const char *prompt,
                         size_t size)
{
    AnswerRules rules = {.table = 5, .count = 2, .words = 6, .sampling = {1, 0.9, 0}, .seed = 1};
    char *drawn = answered(model, text, rules, prompt, size);
    check_harmless(drawn);
    rules.beam = 2;
    rules.json = true;
    char *searched = answered(model, text, rules, prompt, size);
    check_json(searched);
    free(drawn);
    free(searched);
}

/* ---- Heads ---- */

static void show_tables(const Heads *heads)
{
    char *bytes = NULL;
    size_t length;
    stdout = memory_stream(&bytes, &length);
    const Screen screen = {false, "", ""};
    tables_summarise(heads);
    tables_show(heads, &screen);
    fclose(stdout);
    check_harmless(bytes);
    free(bytes);
}

static char *written(const Heads *heads, const char *name, const PageSource *source)
{
    char *path = format_text("%s/%s", folder(), name);
    if (!heads_file_write(path, heads, source))
        found("%s was not written", path);
    Bytes file = file_read(path, false);
    free(path);
    return file.bytes;
}

/* A page with the model and one without it. */
static void show_pages(const Heads *heads, PageSource source)
{
    for (int live = 0; live < 2; live++) {
        source.live = live;
        char *html = written(heads, "a.html", &source);
        check_html(html);
        free(html);
    }
}

static void show_files(const Heads *heads, const Pretrained *model,
                       const TrainingText *training_text)
{
    char *svg = written(heads, "a.svg", NULL), *json = written(heads, "a.json", NULL);
    char *csv = written(heads, "a.csv", NULL), **texts = NULL; /* stb_ds array */
    arrput(texts, (char *)heads->text);
    show_pages(heads, (PageSource){model, training_text, texts, .live = false});
    check_svg(svg);
    check_json(json);
    check_harmless(csv);
    arrfree(texts);
    free(csv);
    free(svg);
    free(json);
}

static void show_score(Pretrained *model, const char *text, size_t size, bool json)
{
    char *bytes = NULL, *path = put_file("scored.txt", text, size);
    size_t length;
    stdout = memory_stream(&bytes, &length);
    score_text(model, NULL, &(Choice){.score = path, .json = json});
    fclose(stdout);
    check_harmless(bytes);
    for (char *line = bytes, *end; json && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = 0;
        check_json(line);
    }
    free(bytes);
    free(path);
}

void show_all(Pretrained *model, const TrainingText *training_text, const char *prompt, size_t size)
{
    show_answers(model, training_text, prompt, size);
    enum { MOST = 12 }; /* with more the figure only grows */
    Encoding e = prompt_encode(&model->tokenizer, "the text", prompt, size);
    if (e.wrong)
        die("%s", e.wrong);
    int count = e.count;
    for (int i = 0; i < count; i++)
        if (e.ids[i] < 0 || e.ids[i] >= model->tokenizer.vocabulary.count)
            found("token %d is %d", i, e.ids[i]);
    count = count < MOST ? count : MOST;
    count = count < model->gpt.config.context ? count : model->gpt.config.context;
    if (count > 0) {
        const GptConfig *config = &model->gpt.config;
        const Objective objective = pretrained_objective(model);
        const Sequence sequence = objective_sequence(&objective, e.ids, count);
        Heads heads = heads_read(&model->gpt, &model->tokenizer, &sequence,
                                 (Range){0, config->layers}, (Range){0, config->heads});
        heads.run = model->directory.path;
        heads.text = prompt;
        for (int i = 0; i < count; i++) /* as attend does with all */
            pretrained_check(model, (double)ROW(heads.maps, i, count)[0]);
        show_tables(&heads);
        show_files(&heads, model, training_text);
        heads_free(&heads);
    }
    encoding_free(&e);
    show_score(model, prompt, size, false);
    show_score(model, prompt, size, true);
}
