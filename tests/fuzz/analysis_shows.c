/* What is shown of a summary: every screen, both reports. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include "analysis_checks.h"
#include "fuzz.h"
#include "report.h"
#include "screen.h"
#include "text.h"

/* A word of its own: "inf" is one in "inf s" and in "-inf", not in "information". */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strcasestr(text, word); at; at = strcasestr(at + 1, word))
        if ((at == text || !isalpha((unsigned char)at[-1])) && !isalpha((unsigned char)at[length]))
            return true;
    return false;
}

static void check_words(const char *text)
{
    PROMISE(!has_word(text, "nan"), "what is not known is never \"nan\"");
    PROMISE(!has_word(text, "inf"), "nor \"inf\"");
}

static void check_lines(const char *text)
{
    for (const char *p = text; *p; p++)
        PROMISE(((unsigned char)*p >= 0x20 && *p != 0x7F) || *p == '\n', "no controls are printed");
}

static void check_screen(const struct view_model *model, int width, int height, bool unicode)
{
    struct canvas canvas;
    canvas_init(&canvas, width, height, unicode);
    screen_draw(&canvas, model);
    char *text = canvas_to_text(&canvas, false);
    check_words(text);
    check_lines(text);
    for (int i = 0; !unicode && i < width * height; i++)
        PROMISE(canvas.cells[i].code < 0x7F, "ASCII is ASCII");
    free(text);
    canvas_done(&canvas);
}

void check_screens(struct view_model *model, unsigned choice, bool whole)
{
    static const int sizes[8][2] = {{80, 24}, {40, 12},  {200, 60}, {40, 10},
                                    {1, 1},   {120, 30}, {17, 5},   {66, 40}};
    const int *size = sizes[choice % 8];
    enum screen screen = model->screen;
    bool detail = model->detail;
    for (int i = whole ? 0 : (int)(choice / 16 % (SCREEN_COUNT + 1)); i <= SCREEN_COUNT;
         i += whole ? 1 : SCREEN_COUNT + 1) {
        model->screen = i == SCREEN_COUNT ? SCREEN_RANKS : (enum screen)i;
        model->detail = i == SCREEN_COUNT;
        model->rank_rows = screen_rank_rows(model, size[0], size[1]);
        check_screen(model, size[0], size[1], choice & 8);
    }
    model->screen = screen;
    model->detail = detail;
}

/* ---- reports ---- */

static char *printed(void (*print)(FILE *to, const struct summary *summary),
                     const struct summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        abort();
    print(to, summary);
    fclose(to);
    PROMISE(strlen(text) == size, "no NUL is printed");
    return text;
}

static void print_text(FILE *to, const struct summary *summary)
{
    report_text(to, summary, summary->rank_count % 2);
}

char *check_reports(const struct summary *summary)
{
    char *text = printed(print_text, summary);
    check_words(text);
    check_lines(text);
    free(text);
    char *json = printed(report_json, summary);
    const char *end = NULL;
    cJSON *object = cJSON_ParseWithOpts(json, &end, false);
    PROMISE(cJSON_IsObject(object), "the report is one JSON object");
    PROMISE(strcmp(end, "\n") == 0, "and nothing else");
    cJSON_Delete(object);
    return json;
}
