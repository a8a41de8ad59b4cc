/* The grid of styled cells. Each cell holds one safe code point; a wide one takes
 * two cells and never stands on one alone. */
#include "canvas.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "style.h"
#include "text.h"

static int canvas_clamp(int side)
{
    return side < 1 ? 1 : side > CANVAS_SIDE_MAX ? CANVAS_SIDE_MAX : side;
}

/* A screen's worth of memory that is not there leaves nothing to go on with. */
static void *canvas_memory(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void canvas_init(struct canvas *canvas, int width, int height, bool unicode)
{
    *canvas = (struct canvas){.unicode = unicode};
    canvas_resize(canvas, width, height);
}

void canvas_resize(struct canvas *canvas, int width, int height)
{
    width = canvas_clamp(width);
    height = canvas_clamp(height);
    if (width != canvas->width || height != canvas->height) {
        free(canvas->cells);
        canvas->cells = canvas_memory(calloc((size_t)width * (size_t)height, sizeof(struct cell)));
        canvas->width = width;
        canvas->height = height;
    }
    canvas_clear(canvas);
}

void canvas_clear(struct canvas *canvas)
{
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    for (size_t i = 0; i < count; i++)
        canvas->cells[i] = (struct cell){.code = ' ', .style = STYLE_NORMAL};
}

void canvas_done(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

bool canvas_size_equal(const struct canvas *a, const struct canvas *b)
{
    return a->cells && b->cells && a->width == b->width && a->height == b->height;
}

bool canvas_row_equal(const struct canvas *a, const struct canvas *b, int y)
{
    const struct cell *left = a->cells + (size_t)y * (size_t)a->width;
    const struct cell *right = b->cells + (size_t)y * (size_t)b->width;
    for (int x = 0; x < a->width; x++) {
        if (left[x].code != right[x].code || left[x].style != right[x].style)
            return false;
    }
    return true;
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
    if (!canvas_size_equal(a, b))
        return false;
    for (int y = 0; y < a->height; y++) {
        if (!canvas_row_equal(a, b, y))
            return false;
    }
    return true;
}

void canvas_copy(struct canvas *to, const struct canvas *from)
{
    if (!canvas_size_equal(to, from))
        canvas_resize(to, from->width, from->height);
    to->unicode = from->unicode;
    size_t count = (size_t)from->width * (size_t)from->height;
    memcpy(to->cells, from->cells, count * sizeof from->cells[0]);
}

struct rect canvas_rect(const struct canvas *canvas)
{
    return (struct rect){0, 0, canvas->width, canvas->height};
}

struct rect rect_part(struct rect rect, int x, int y, int width, int height)
{
    int64_t left = x < 0 ? 0 : x;
    int64_t top = y < 0 ? 0 : y;
    int64_t right = (int64_t)x + (width < 0 ? 0 : width);
    int64_t bottom = (int64_t)y + (height < 0 ? 0 : height);
    if (right > rect.width)
        right = rect.width;
    if (bottom > rect.height)
        bottom = rect.height;
    if (left >= right || top >= bottom)
        return (struct rect){rect.x, rect.y, 0, 0};
    return (struct rect){(int)(rect.x + left), (int)(rect.y + top), (int)(right - left),
                         (int)(bottom - top)};
}

/* The cell at (x, y) of the rect, NULL outside of rect or canvas. */
static struct cell *canvas_cell(struct canvas *canvas, struct rect rect, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= rect.width || y >= rect.height)
        return NULL;
    x += rect.x;
    y += rect.y;
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return NULL;
    return &canvas->cells[y * canvas->width + x];
}

/* Before a cell is overwritten: what remains of a wide code point becomes blank. */
static void canvas_split(struct canvas *canvas, struct cell *cell)
{
    struct cell *end = canvas->cells + (size_t)canvas->width * (size_t)canvas->height;
    if (cell->code == 0)
        cell[-1].code = ' ';
    if (cell + 1 < end && cell[1].code == 0)
        cell[1].code = ' ';
}

/* A wide code point that does not fit as a whole leaves blanks. */
static void canvas_place(struct canvas *canvas, struct rect rect, int64_t x, int64_t y,
                         uint32_t code, enum style style)
{
    struct cell *cell = canvas_cell(canvas, rect, x, y);
    struct cell *right = NULL;
    if (text_width(code) == 2) {
        right = canvas_cell(canvas, rect, x + 1, y);
        if (!right || !cell)
            code = ' ';
    }
    if (cell) {
        canvas_split(canvas, cell);
        *cell = (struct cell){.code = code, .style = (uint8_t)style};
    }
    if (right) {
        canvas_split(canvas, right);
        if (cell)
            cell->code = code;
        *right = (struct cell){.code = cell ? 0 : ' ', .style = (uint8_t)style};
    }
}

static uint32_t canvas_code(const struct canvas *canvas, uint32_t code)
{
    if (!canvas->unicode && code > 0x7E)
        return '?';
    if (text_is_safe(code))
        return code;
    return canvas->unicode ? TEXT_REPLACEMENT : '?';
}

void canvas_put(struct canvas *canvas, struct rect rect, int x, int y, uint32_t code,
                enum style style)
{
    assert(style < STYLE_COUNT);
    canvas_place(canvas, rect, x, y, canvas_code(canvas, code), style);
}

/* From column x on, which may be left of the rect; returns the column behind the
 * last cell. Each code point takes its width even in ASCII, where '?' and a
 * blank stand for a wide one, so that columns do not depend on the terminal. */
static int64_t canvas_string(struct canvas *canvas, struct rect rect, int64_t x, int y,
                             enum style style, struct str text)
{
    assert(style < STYLE_COUNT);
    uint32_t code;
    while (x < rect.width && (code = text_next(&text)) != 0) {
        int width = text_width(code);
        uint32_t shown = canvas_code(canvas, code);
        canvas_place(canvas, rect, x, y, shown, style);
        if (width == 2 && text_width(shown) == 1)
            canvas_place(canvas, rect, x + 1, y, ' ', style);
        x += width;
    }
    return x;
}

int canvas_text(struct canvas *canvas, struct rect rect, int x, int y, enum style style,
                const char *text)
{
    int64_t end = canvas_string(canvas, rect, x, y, style, str_of(text, strlen(text)));
    if (end > rect.width)
        end = rect.width;
    return end > x ? (int)(end - x) : 0;
}

int canvas_text_right(struct canvas *canvas, struct rect rect, int right, int y, enum style style,
                      const char *text)
{
    struct str from = str_of(text, strlen(text));
    int64_t begin = (int64_t)right - (int64_t)text_columns(from);
    int64_t end = canvas_string(canvas, rect, begin, y, style, from);
    if (end > rect.width)
        end = rect.width;
    if (begin < 0)
        begin = 0;
    return end > begin ? (int)(end - begin) : 0;
}

int canvas_printf(struct canvas *canvas, struct rect rect, int x, int y, enum style style,
                  const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length < 0 ? 0 : canvas_text(canvas, rect, x, y, style, text);
}

/* The rect as far as it lies on the canvas. */
static struct rect canvas_clip(const struct canvas *canvas, struct rect rect)
{
    return rect_part(canvas_rect(canvas), rect.x, rect.y, rect.width, rect.height);
}

void canvas_fill(struct canvas *canvas, struct rect rect, uint32_t code, enum style style)
{
    struct rect part = canvas_clip(canvas, rect);
    uint32_t shown = canvas_code(canvas, code);
    int step = text_width(shown);
    for (int y = 0; y < part.height; y++) {
        for (int x = 0; x < part.width; x += step)
            canvas_put(canvas, part, x, y, shown, style);
    }
}

static bool canvas_is_blank(struct cell cell)
{
    return cell.code == ' ';
}

static bool canvas_is_plain(struct cell cell)
{
    return cell.style == STYLE_NORMAL;
}

static int canvas_row_end(const struct canvas *canvas, int y, bool (*is_empty)(struct cell))
{
    int end = canvas->width;
    while (end > 0 && is_empty(canvas->cells[y * canvas->width + end - 1]))
        end--;
    return end;
}

static char *canvas_row_text(const struct canvas *canvas, int y, char *to)
{
    int end = canvas_row_end(canvas, y, canvas_is_blank);
    for (int x = 0; x < end; x++) {
        uint32_t code = canvas->cells[y * canvas->width + x].code;
        if (code != 0)
            to += text_encode(code, to);
    }
    *to++ = '\n';
    return to;
}

static char *canvas_row_styles(const struct canvas *canvas, int y, char *to)
{
    int end = canvas_row_end(canvas, y, canvas_is_plain);
    *to++ = '|';
    for (int x = 0; x < end; x++)
        *to++ = style_look(canvas->cells[y * canvas->width + x].style)->letter;
    *to++ = '\n';
    return to;
}

char *canvas_to_text(const struct canvas *canvas, bool styles)
{
    size_t row = (size_t)canvas->width * (styles ? 5 : 4) + 3;
    char *text = canvas_memory(malloc(row * (size_t)canvas->height + 1));
    char *end = text;
    for (int y = 0; y < canvas->height; y++) {
        end = canvas_row_text(canvas, y, end);
        if (styles)
            end = canvas_row_styles(canvas, y, end);
    }
    *end = '\0';
    return text;
}
