/* Operations summed by rank and step. */
#include "op_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_text.h"
#include "memory.h"
#include "record.h"

enum kind { FORWARD, BACKWARD, EXCHANGE, OPTIMIZER, OTHER };

void op_steps_done(struct op_steps *steps)
{
    free(steps->lanes);
    free(steps->cells);
    free(steps->table);
    memset(steps, 0, sizeof(*steps));
}

/* ---- what an operation is ---- */

static enum kind kind_of(struct str operation)
{
    static const char *const waits[] = {"-recv", "-reduce-scatter", "-all-gather", "-all-reduce",
                                        "-clip-main-grad"};
    if (str_is(operation, "forward-compute"))
        return FORWARD;
    if (str_is(operation, "backward-compute"))
        return BACKWARD;
    if (str_is(operation, "optimizer"))
        return OPTIMIZER;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
        if (log_ends(operation, waits[i]))
            return EXCHANGE;
    return OTHER;
}

/* ---- lanes and cells ---- */

uint32_t op_steps_lane(struct op_steps *steps, int64_t process, int64_t thread)
{
    const struct op_lane *last = steps->lane_count > 0 ? &steps->lanes[steps->last_lane] : NULL;
    if (last && last->process == process && last->thread == thread)
        return steps->last_lane;
    /* Rows of the ranks in turn. */
    uint32_t at = last && steps->last_lane + 1 < steps->lane_count ? steps->last_lane + 1 : 0;
    if (at < steps->lane_count && steps->lanes[at].process == process &&
        steps->lanes[at].thread == thread)
        return steps->last_lane = at;
    at = 0;
    while (at < steps->lane_count &&
           (steps->lanes[at].process != process || steps->lanes[at].thread != thread))
        at++;
    if (at == OP_LANES_MAX)
        return UINT32_MAX;
    if (at == steps->lane_count) {
        if (at == steps->lane_capacity)
            steps->lanes = memory_grown(steps->lanes, &steps->lane_capacity, sizeof(*steps->lanes));
        steps->lanes[steps->lane_count++] =
            (struct op_lane){.process = process, .thread = thread, .rank = -1, .stage = -1};
    }
    steps->last_lane = at;
    return at;
}

static uint32_t slot_of(const struct op_steps *steps, uint32_t lane, int64_t step)
{
    uint64_t key = ((uint64_t)step << 16 ^ lane) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t slot = (uint32_t)(key >> 32) & (steps->table_size - 1);
    for (; steps->table[slot]; slot = (slot + 1) & (steps->table_size - 1)) {
        const struct op_cell *cell = &steps->cells[steps->table[slot] - 1];
        if (cell->lane == lane && cell->step == step)
            break;
    }
    return slot;
}

static void grow_table(struct op_steps *steps)
{
    free(steps->table);
    steps->table_size = steps->table_size ? steps->table_size * 2 : 64;
    steps->table = memory_zeroed(steps->table_size, sizeof(*steps->table));
    for (uint32_t i = 0; i < steps->cell_count; i++)
        steps->table[slot_of(steps, steps->cells[i].lane, steps->cells[i].step)] = i + 1;
}

static struct op_cell *cell_of(struct op_steps *steps, uint32_t lane, int64_t step)
{
    if (steps->last_cell < steps->cell_count) {
        struct op_cell *last = &steps->cells[steps->last_cell];
        if (last->lane == lane && last->step == step)
            return last;
    }
    if (steps->cell_count * 2 >= steps->table_size)
        grow_table(steps);
    uint32_t slot = slot_of(steps, lane, step);
    if (!steps->table[slot]) {
        if (steps->cell_count == OP_CELLS_MAX)
            return NULL;
        if (steps->cell_count == steps->cell_capacity)
            steps->cells = memory_grown(steps->cells, &steps->cell_capacity, sizeof(*steps->cells));
        steps->cells[steps->cell_count] = (struct op_cell){
            .lane = lane, .step = step, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
        steps->table[slot] = ++steps->cell_count;
    }
    steps->last_cell = steps->table[slot] - 1;
    return &steps->cells[steps->last_cell];
}

void op_steps_add(struct op_steps *steps, uint32_t lane, int64_t step, struct str operation,
                  int64_t begin_ns, int64_t length_ns)
{
    struct op_cell *cell = lane < steps->lane_count ? cell_of(steps, lane, step) : NULL;
    if (!cell) {
        steps->left_out++;
        return;
    }
    cell->spoiled |= steps->spoil_next;
    steps->spoil_next = false;
    enum kind kind = kind_of(operation);
    if (kind != OTHER)
        cell->sums_ns[kind] += (uint64_t)length_ns;
    cell->kinds |= 1u << kind;
    if (begin_ns < cell->begin_ns)
        cell->begin_ns = begin_ns;
    if (begin_ns + length_ns > cell->end_ns)
        cell->end_ns = begin_ns + length_ns;
}

void op_steps_spoil(struct op_steps *steps)
{
    if (steps->last_cell < steps->cell_count)
        steps->cells[steps->last_cell].spoiled = true;
    steps->spoil_next = true;
}

void op_steps_spoil_step(struct op_steps *steps)
{
    if (steps->last_cell >= steps->cell_count)
        return;
    int64_t step = steps->cells[steps->last_cell].step;
    for (uint32_t i = 0; i < steps->cell_count; i++)
        steps->cells[i].spoiled |= steps->cells[i].step == step;
}

/* ---- records ---- */

/* A cell with whom it is about, to be sorted. */
struct row {
    int64_t step, rank;
    const struct op_cell *cell;
};

static int by_step_and_rank(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    if (one->step != other->step)
        return one->step > other->step ? 1 : -1;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

static void add_up(struct op_cell *sum, const struct op_cell *cell)
{
    for (int kind = 0; kind < OTHER; kind++)
        sum->sums_ns[kind] += cell->sums_ns[kind];
    sum->kinds |= cell->kinds;
    sum->spoiled |= cell->spoiled;
    sum->begin_ns = cell->begin_ns < sum->begin_ns ? cell->begin_ns : sum->begin_ns;
    sum->end_ns = cell->end_ns > sum->end_ns ? cell->end_ns : sum->end_ns;
}

static void put_phase(struct record *record, const struct op_cell *cell, enum kind kind,
                      enum phase phase)
{
    if (!(cell->kinds & 1u << kind))
        return;
    uint64_t ns = cell->sums_ns[kind];
    record->has |= 1u << phase;
    record->phase_ns[phase] = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static void put_exchange(struct record *record, const struct op_cell *cell)
{
    put_phase(record, cell, EXCHANGE, PHASE_SYNC);
    uint64_t work_ns = cell->sums_ns[FORWARD] + cell->sums_ns[BACKWARD] + cell->sums_ns[OPTIMIZER];
    uint64_t step_ns = (uint64_t)record->step_time_ns;
    int64_t room_ns = work_ns < step_ns ? (int64_t)(step_ns - work_ns) : 0;
    if (record->phase_ns[PHASE_SYNC] > room_ns)
        record->phase_ns[PHASE_SYNC] = room_ns;
}

static void put_record(const struct op_lane *lane, int64_t rank, const struct op_cell *cell,
                       int64_t base_ns, bool waits, struct log_out *out)
{
    char group[32];
    struct record record = {.has = RECORD_RANK | RECORD_STEP | RECORD_STEP_TIME,
                            .rank = (uint32_t)rank,
                            .step = cell->step,
                            .step_time_ns = cell->end_ns - base_ns};
    if (lane->stage >= 0) {
        snprintf(group, sizeof(group), "stage%lld", (long long)lane->stage);
        record.has |= RECORD_GROUP;
        record.group = str_from(group);
    }
    put_phase(&record, cell, FORWARD, PHASE_FORWARD);
    put_phase(&record, cell, BACKWARD, PHASE_BACKWARD);
    put_phase(&record, cell, OPTIMIZER, PHASE_OPTIMIZER);
    if (waits && record.step_time_ns >= 0)
        put_exchange(&record, cell);
    log_out_record(out, &record);
}

/* The rows of one step. */
static void put_step(const struct op_steps *steps, const struct row *rows, uint32_t count,
                     bool relative, struct log_out *out)
{
    int64_t base_ns = relative ? 0 : INT64_MAX;
    for (uint32_t i = 0; i < count && !relative; i++)
        base_ns = rows[i].cell->begin_ns < base_ns ? rows[i].cell->begin_ns : base_ns;
    for (uint32_t i = 0; i < count;) {
        const struct op_lane *lane = &steps->lanes[rows[i].cell->lane];
        struct op_cell sum = *rows[i].cell;
        uint32_t next = i + 1;
        for (; next < count && rows[next].rank == rows[i].rank; next++)
            add_up(&sum, rows[next].cell);
        if (sum.spoiled)
            log_out_count(out, LOG_WITHOUT_PAIR,
                          "step %lld of rank %lld: not all of its operations", (long long)sum.step,
                          (long long)rows[i].rank);
        else
            put_record(lane, rows[i].rank, &sum, base_ns, relative, out);
        i = next;
    }
}

void op_steps_put(struct op_steps *steps, bool relative, struct log_out *out)
{
    struct row *rows = memory_zeroed(steps->cell_count, sizeof(*rows));
    uint32_t count = 0;
    for (uint32_t i = 0; i < steps->cell_count; i++) {
        int64_t rank = steps->lanes[steps->cells[i].lane].rank;
        if (rank >= 0 && rank <= RECORD_RANK_MAX)
            rows[count++] = (struct row){steps->cells[i].step, rank, &steps->cells[i]};
    }
    qsort(rows, count, sizeof(*rows), by_step_and_rank);
    for (uint32_t i = 0; i < count;) {
        uint32_t next = i + 1;
        while (next < count && rows[next].step == rows[i].step)
            next++;
        put_step(steps, rows + i, next - i, relative, out);
        i = next;
    }
    free(rows);
    if (steps->left_out > 0)
        log_out_count(out, LOG_LEFT_OUT,
                      "%llu operations of more ranks and steps than there is "
                      "room for",
                      (unsigned long long)steps->left_out);
}
