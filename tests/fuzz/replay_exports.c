/* Exports, parsed again. */
#include "replay_exports.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include "analysis_checks.h"
#include "fuzz.h"
#include "markup_check.h"
#include "model.h"
#include "report.h"

struct export
{
    const struct report_data *data;
    int which;
    void (*write)(FILE * to, const struct export *export);
};

static void write_csv(FILE *to, const struct export *export)
{
    report_csv(to, export->data, (enum csv_table) export->which);
}

static void write_svg(FILE *to, const struct export *export)
{
    report_svg(to, export->data, (enum svg_figure) export->which);
}

static void write_html(FILE *to, const struct export *export)
{
    report_html(to, export->data);
}

static void write_json(FILE *to, const struct export *export)
{
    report_json_data(to, export->data);
}

static char *written(const struct export *export)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        abort();
    export->write(to, export);
    fclose(to);
    PROMISE(strlen(text) == size, "no NUL is written");
    return text;
}

/* Each row has as many fields as the first, and quotes are paired. */
static void check_csv(const char *text)
{
    int fields = 1, wanted = 0;
    bool quoted = false;
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (!quoted && *p == ',')
            fields++;
        else if (!quoted && *p == '\n') {
            wanted = wanted ? wanted : fields;
            PROMISE(fields == wanted, "rows are as wide as their head");
            fields = 1;
        }
        PROMISE((unsigned char)*p >= 0x20 || *p == '\n' || *p == '\r', "no controls in a table");
    }
    PROMISE(!quoted && wanted > 1, "a table is whole");
}

static void check_markup(const char *text)
{
    const char *wrong = markup_check(text);
    PROMISE(!wrong, wrong);
    PROMISE(!strstr(text, "<script"), "no script");
}

static void check_json(const char *text)
{
    cJSON *object = cJSON_ParseWithOpts(text, NULL, true);
    PROMISE(cJSON_IsObject(object), "one object");
    cJSON_Delete(object);
}

static void check_all(const struct report_data *data)
{
    struct export export = {.data = data};
    char *text;
    export.write = write_csv;
    for (export.which = CSV_STEPS; export.which <= CSV_EVENTS; export.which++) {
        check_csv(text = written(&export));
        free(text);
    }
    export.write = write_svg;
    for (export.which = SVG_TIMELINE; export.which <= SVG_LEDGER; export.which++) {
        check_markup(text = written(&export));
        free(text);
    }
    export.write = write_html;
    check_markup(text = written(&export));
    free(text);
    export.write = write_json;
    check_json(text = written(&export));
    free(text);
}

static void draw(const struct report_data *data, uint32_t choice)
{
    struct view_model model;
    model_init(&model, MODE_REPLAY);
    model.summary = data->summary;
    model.overview = data->overview;
    model.events = data->events;
    check_screens(&model, choice, true);
}

void check_exports(struct analysis *analysis, uint32_t choice)
{
    struct summary summary;
    struct overview overview;
    struct run_events events;
    summary_init(&summary);
    overview_init(&overview);
    run_events_init(&events);
    analysis_summary(analysis, (struct step_key){.latest = true}, INT64_MIN, &summary);
    check_summary(&summary);
    analysis_overview(
        analysis,
        (struct overview_request){
            .to = INT64_MAX, .columns = 1 + (int)choice % 97, .heat = true, .worst = choice & 1},
        &overview);
    analysis_events(analysis, &events);
    struct report_data data = {.summary = &summary,
                               .overview = &overview,
                               .events = &events,
                               .title = "a\"<&>\x1b[1m\xff"};
    check_all(&data);
    draw(&data, choice);
    run_events_done(&events);
    overview_done(&overview);
    summary_done(&summary);
}
