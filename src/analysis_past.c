/* Folds to go back to. */
#include "analysis_past.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Ranks x rows between two marks, at least: a copy of a fold costs as much. */
#define CELLS_MIN 16384
#define SPACING_MIN 16 /* rows */
#define NEAR_ROWS 8    /* that a step back folds again, mostly */
#define BYTES_SHARE 4  /* of the table's budget that marks may take: one part in so many */
#define MARKS_LEAST 4  /* in a table from which rows leave, whatever they take */

void analysis_past_init(struct analysis *analysis)
{
    analysis->past = memory_zeroed(1, sizeof(*analysis->past));
    analysis->past->spacing = SPACING_MIN;
}

static void forget(struct past_mark *mark)
{
    if (mark->rows == 0)
        return;
    fold_done(&mark->fold);
    mark->rows = 0;
}

void analysis_past_done(struct analysis_past *past)
{
    for (uint32_t i = 0; i < past->count; i++)
        forget(&past->marks[i]);
    free(past->marks);
    forget(&past->shown);
    forget(&past->near);
    *past = (struct analysis_past){0};
}

void analysis_past_restart(struct analysis *analysis)
{
    analysis_past_done(analysis->past);
    analysis->past->spacing = SPACING_MIN;
    analysis->past->base = analysis->dropped_rows;
}

static void count_bytes(struct analysis_past *past)
{
    past->bytes = 0;
    for (uint32_t i = 0; i < past->count; i++)
        past->bytes += fold_bytes(&past->marks[i].fold);
}

static void drop_first(struct analysis_past *past, uint32_t count)
{
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        forget(&past->marks[i]);
    past->count -= count;
    memmove(past->marks, past->marks + count, past->count * sizeof(*past->marks));
    count_bytes(past);
}

/* Every second one goes, the newest stays. */
static void thin_out(struct analysis_past *past)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < past->count; i++) {
        if ((past->count - 1 - i) % 2 == 0)
            past->marks[kept++] = past->marks[i];
        else
            forget(&past->marks[i]);
    }
    past->count = kept;
    past->spacing *= 2;
    count_bytes(past);
}

/* Rows from one mark to the next. When rows leave the table, those before its first mark
 * cannot be looked back at: then there are to be some marks in it, whatever they cost. */
static uint64_t spacing(const struct analysis *analysis)
{
    uint64_t most = analysis->steps.count / MARKS_LEAST;
    uint64_t least = CELLS_MIN / (analysis->ranks.count > 0 ? analysis->ranks.count : 1);
    uint64_t rows = analysis->past->spacing > least ? analysis->past->spacing : least;
    bool leaving = analysis->steps.bytes > analysis->options.memory_bytes / 2;
    return leaving && rows > most ? most + 1 : rows;
}

static uint64_t settled_rows(const struct analysis *analysis)
{
    return analysis->dropped_rows + analysis->settled_rows;
}

void analysis_past_settled(struct analysis *analysis)
{
    struct analysis_past *past = analysis->past;
    uint64_t rows = settled_rows(analysis);
    uint64_t last = past->newest > past->base ? past->newest : past->base;
    if (!analysis->options.keep_history || rows - last < spacing(analysis))
        return;
    past->newest = rows;
    if (past->count == past->capacity)
        past->marks = memory_grown(past->marks, &past->capacity, sizeof(*past->marks));
    struct past_mark *mark = &past->marks[past->count++];
    *mark = (struct past_mark){.rows = rows};
    fold_copy(&mark->fold, &analysis->settled);
    past->bytes += fold_bytes(&mark->fold);
    while (past->bytes > analysis->options.memory_bytes / BYTES_SHARE && past->count > MARKS_LEAST)
        if (past->spacing < analysis->steps.count / MARKS_LEAST)
            thin_out(past);
        else
            drop_first(past, 1);
}

/* Folds with no more rows than this lack what the next rows look back at: who was slow,
 * over how many steps. */
static uint64_t rows_wanted(const struct analysis *analysis)
{
    return analysis->dropped_rows + analysis->settled.test.window + 1;
}

void analysis_past_dropped(struct analysis *analysis)
{
    struct analysis_past *past = analysis->past;
    uint64_t wanted = rows_wanted(analysis);
    uint32_t gone = 0;
    while (gone < past->count && past->marks[gone].rows < wanted)
        gone++;
    drop_first(past, gone);
    if (past->shown.rows < wanted)
        forget(&past->shown);
    if (past->near.rows < wanted)
        forget(&past->near);
}

size_t analysis_past_first(const struct analysis *analysis)
{
    const struct analysis_past *past = analysis->past;
    if (past->base >= analysis->dropped_rows) /* none has left since */
        return 0;
    uint64_t rows = past->count > 0 ? past->marks[0].rows : settled_rows(analysis);
    return rows >= rows_wanted(analysis) ? (size_t)(rows - 1 - analysis->dropped_rows) : SIZE_MAX;
}

/* The longest fold that has no row after the `wanted` first ones, nor lacks one that has
 * left the table; NULL: an empty one. */
static const struct past_mark *nearest(const struct analysis *analysis, uint64_t wanted,
                                       struct past_mark *room)
{
    const struct analysis_past *past = analysis->past;
    const struct past_mark *best = NULL;
    const struct past_mark *others[] = {&past->near, &past->shown};
    for (uint32_t i = 0; i < past->count && past->marks[i].rows <= wanted; i++)
        best = &past->marks[i];
    for (size_t i = 0; i < 2; i++)
        if (others[i]->rows > 0 && others[i]->rows <= wanted &&
            (!best || others[i]->rows > best->rows))
            best = others[i];
    uint64_t settled = settled_rows(analysis);
    if (settled >= rows_wanted(analysis) && settled > past->base && settled <= wanted &&
        (!best || settled > best->rows)) {
        *room = (struct past_mark){.rows = settled, .fold = analysis->settled}; /* to be copied */
        best = room;
    }
    return best;
}

static void fold_up_to(struct analysis *analysis, struct past_mark *mark, uint64_t rows)
{
    for (; mark->rows < rows; mark->rows++)
        fold_row(&mark->fold, &analysis->steps, (size_t)(mark->rows - analysis->dropped_rows),
                 &analysis->ranks, analysis->choice, &analysis->barrier);
}

struct fold *analysis_past_fold(struct analysis *analysis, size_t index)
{
    struct analysis_past *past = analysis->past;
    uint64_t wanted = analysis->dropped_rows + index + 1;
    if (past->changes != analysis->changes) {
        forget(&past->shown);
        forget(&past->near);
        past->changes = analysis->changes;
    }
    struct past_mark room;
    const struct past_mark *from = nearest(analysis, wanted, &room);
    struct past_mark mark = {.rows = past->base};
    if (!from) {
        fold_init(&mark.fold, &analysis->options.run, analysis->options.from_step,
                  analysis->options.to_step);
        mark.fold.figures_only = analysis->options.figures_only;
    } else if (from == &past->shown) { /* goes on from where it is */
        mark = past->shown;
        past->shown = (struct past_mark){0};
    } else {
        mark.rows = from->rows;
        fold_copy(&mark.fold, &from->fold);
    }
    if (wanted > mark.rows + NEAR_ROWS) {
        fold_up_to(analysis, &mark, wanted - NEAR_ROWS);
        forget(&past->near);
        past->near.rows = mark.rows;
        fold_copy(&past->near.fold, &mark.fold);
    }
    fold_up_to(analysis, &mark, wanted);
    forget(&past->shown);
    past->shown = mark;
    return &past->shown.fold;
}
