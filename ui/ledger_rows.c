/* The rows of a ledger. */
#include "ledger_rows.h"

#include <stdio.h>

#define SECONDS_AN_HOUR 3600.0

static bool exists(const struct ledger *ledger)
{
    return ledger && ledger->wall_s > 0;
}

static void fill_cell(struct ledger_cell *cell, const struct ledger *ledger, enum ledger_part part,
                      const int64_t units[LEDGER_COUNT])
{
    if (!exists(ledger))
        return;
    cell->evidence = ledger->share[part].evidence;
    cell->units = quantity_known(ledger->share[part]) ? units[part] : 0;
}

static bool shows_something(const struct ledger_row *row)
{
    bool something = false;
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        something |= row->cells[i].units != 0;
    return something || row->part == LEDGER_ARITHMETIC;
}

/* The row that is missed least: the arithmetic always stays. */
static int smallest(const struct ledger_row *rows, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++) {
        const struct ledger_cell *cells = rows[i].cells;
        if (rows[i].part == LEDGER_ARITHMETIC || rows[i].part == LEDGER_COUNT)
            continue;
        if (best < 0 || cells[0].units < rows[best].cells[0].units ||
            (cells[0].units == rows[best].cells[0].units &&
             cells[1].units < rows[best].cells[1].units))
            best = i;
    }
    return best;
}

static enum evidence both(enum evidence a, enum evidence b)
{
    if (a == EVIDENCE_NONE || b == EVIDENCE_NONE)
        return a == EVIDENCE_NONE ? b : a;
    return a == b ? a : EVIDENCE_COMPUTED;
}

static void take_together(struct ledger_row *into, const struct ledger_row *row)
{
    into->parts += row->parts;
    for (int i = 0; i < LEDGER_COLUMNS; i++) {
        into->cells[i].units += row->cells[i].units;
        into->cells[i].evidence = both(into->cells[i].evidence, row->cells[i].evidence);
    }
}

/* Makes room by taking the smallest rows together, in the first one. */
static int shorten(struct ledger_row *rows, int count, int max)
{
    struct ledger_row together = {.part = LEDGER_COUNT};
    int at;
    while (count + (together.parts > 0) > max && (at = smallest(rows, count)) >= 0) {
        take_together(&together, &rows[at]);
        for (int i = at; i + 1 < count; i++)
            rows[i] = rows[i + 1];
        count--;
    }
    if (together.parts == 0 || count >= LEDGER_COUNT)
        return count;
    for (int i = count; i > 0; i--)
        rows[i] = rows[i - 1];
    rows[0] = together;
    return count + 1;
}

static void stack_up(struct ledger_row *rows, int count)
{
    for (int column = 0; column < LEDGER_COLUMNS; column++) {
        int64_t below = 0;
        for (int i = count - 1; i >= 0; i--) {
            rows[i].cells[column].from = below;
            below += rows[i].cells[column].units;
        }
    }
}

int ledger_rows(const struct ledger *const ledgers[LEDGER_COLUMNS], int max, bool all,
                struct ledger_row rows[LEDGER_COUNT])
{
    int64_t units[LEDGER_COLUMNS][LEDGER_COUNT] = {0};
    int count = 0;
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (exists(ledgers[i]))
            ledger_round(ledgers[i], LEDGER_WHOLE, units[i]);
    for (int part = LEDGER_COUNT - 1; part >= 0; part--) {
        struct ledger_row row = {.part = (enum ledger_part)part, .parts = 1};
        for (int i = 0; i < LEDGER_COLUMNS; i++)
            fill_cell(&row.cells[i], ledgers[i], (enum ledger_part)part, units[i]);
        if ((all && max >= LEDGER_COUNT) || shows_something(&row))
            rows[count++] = row;
    }
    count = shorten(rows, count, max < 2 ? 2 : max);
    stack_up(rows, count);
    return count;
}

bool ledger_is_one(const struct ledger *ledger)
{
    return !quantity_known(ledger->share[LEDGER_JITTER]) &&
           ledger->within[LEDGER_JITTER] == LEDGER_KERNELS;
}

const char *ledger_title(const struct ledger *ledger, enum ledger_part part)
{
    return part == LEDGER_KERNELS && ledger_is_one(ledger) ? "not told apart"
                                                           : ledger_part_title(part);
}

static bool is_told(const struct ledger *ledger)
{
    return exists(ledger) && quantity_known(ledger->share[LEDGER_KERNELS]);
}

const char *ledger_row_title(const struct ledger *const ledgers[LEDGER_COLUMNS],
                             enum ledger_part part)
{
    bool both = is_told(ledgers[0]) && is_told(ledgers[1]) &&
                ledger_is_one(ledgers[0]) != ledger_is_one(ledgers[1]);
    return part == LEDGER_KERNELS && both ? "kernels/not told apart"
                                          : ledger_title(ledgers[0], part);
}

const char *ledger_share_text(char out[LEDGER_SHARE_BYTES], int64_t units)
{
    snprintf(out, LEDGER_SHARE_BYTES, "%d.%02d%%", (int)(units / 100), (int)(units % 100));
    return out;
}

double ledger_gpu_hours(const struct ledger *ledger, int64_t units)
{
    return ledger->wall_s / SECONDS_AN_HOUR * ledger->gpus * ((double)units / LEDGER_WHOLE);
}

const char *ledger_hours_text(char out[FORMAT_BYTES], double hours)
{
    if (hours > 0 && hours < 0.9995)
        snprintf(out, FORMAT_BYTES, "%.3f", hours);
    else
        format_decimal(out, hours);
    return out;
}
