/* Screens compared cell by cell with golden pictures, and drawn at every size.
 * Include it behind cmocka.h. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "view_fixture.h"

/* GENERATE=1 writes the picture instead of comparing it. */
static inline void golden_path(char *path, size_t size, const char *name)
{
    const char *folder = getenv("LOCKSTEP_TESTS");
    snprintf(path, size, "%s/golden/view/%s.screen", folder ? folder : "tests", name);
}

static inline char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (file) {
        size_t length = fread(text, 1, (1 << 20) - 1, file);
        text[length] = '\0';
        fclose(file);
    }
    return text;
}

static inline void compare(const char *name, char *text)
{
    char path[512];
    golden_path(path, sizeof(path), name);
    if (getenv("GENERATE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    char *expected = read_whole(path);
    if (strcmp(expected, text) != 0) {
        print_error("%s differs.\nexpected:\n%s\nis:\n%s\n", name, expected, text);
        fail();
    }
    free(expected);
    free(text);
}

static inline void check(const char *name, const struct view_model *model, int width, int height,
                         bool unicode, bool styles)
{
    struct canvas canvas;
    canvas_init(&canvas, width, height, unicode);
    screen_draw(&canvas, model);
    compare(name, canvas_to_text(&canvas, styles));
    canvas_done(&canvas);
}

static inline struct view_model model_of(struct summary *summary)
{
    struct view_model model;
    model_init(&model, MODE_LIVE);
    model.summary = summary;
    snprintf(model.feed.source, sizeof(model.feed.source), "logs/rank*.jsonl");
    model.feed.files = 8;
    return model;
}

static inline void assert_cells_are_safe(const struct canvas *canvas)
{
    for (int i = 0; i < canvas->width * canvas->height; i++) {
        uint32_t code = canvas->cells[i].code;
        assert_true(code == 0 || (code >= 0x20 && code != 0x7F && (code < 0x80 || code > 0x9F)));
        assert_true(code < 0x80 || canvas->unicode);
        assert_true(canvas->cells[i].style < STYLE_COUNT);
    }
}

static inline void draw_everywhere(struct view_model *model)
{
    static const int heights[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                  15, 16, 18, 20, 23, 24, 25, 30, 37, 45, 52, 60, 65, 70};
    for (int width = 1; width <= 220; width += width < 90 ? 1 : 7) {
        for (size_t h = 0; h < sizeof(heights) / sizeof(heights[0]); h++) {
            struct canvas canvas;
            canvas_init(&canvas, width, heights[h], (width + heights[h]) % 2);
            model->rank_rows = screen_rank_rows(model, width, heights[h]);
            screen_draw(&canvas, model);
            assert_cells_are_safe(&canvas);
            canvas_done(&canvas);
        }
    }
}
