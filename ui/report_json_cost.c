/* What waiting costs and where the GPU time goes, for scripts. */
#include <inttypes.h>
#include <math.h>

#include "job_lines.h"
#include "ledger.h"
#include "report_json.h"

#define WHOLE 1000000 /* shares have six decimals */
#define SECONDS_AN_HOUR 3600.0

static void put_jitter(FILE *to, const struct jitter *jitter)
{
    json_key_integer(to, "  \"jitter\": {", "steps", jitter->steps);
    json_key_integer(to, ", ", "ranks", jitter->ranks);
    json_key_quantity(to, ", ", "loss", jitter->loss, 6);
    json_key_quantity(to, ", ", "floor", jitter->floor, 6);
    json_key_quantity(to, ", ", "chronic", jitter->chronic, 6);
    json_key_quantity(to, ", ", "longer", jitter->longer, 6);
    json_key_quantity(to, ", ", "spread", jitter->spread, 6);
    fputs(", \"longer_at\": [", to);
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++) {
        json_key_integer(to, i ? ", {" : "{", "ranks", jitter_extrapolation_ranks[i]);
        json_key_quantity(to, ", ", "longer", jitter->longer_at[i], 6);
        fputs("}", to);
    }
    fputs("], ", to);
    json_evidence(to, jitter->floor);
    fputs("},\n", to);
}

static void put_rotation(FILE *to, const struct summary *summary)
{
    const struct rotation *rotation = &summary->rotation;
    bool known = rotation->steps > 0;
    json_key_integer(to, "  \"rotation\": {", "steps", rotation->steps);
    json_key_integer(to, ", ", "distinct", rotation->distinct);
    fputs(", ", to);
    json_step(to, "most_rank", known ? rotation->most_rank : -1);
    json_key_integer(to, ", ", "most_count", rotation->most_count);
    fputs(", ", to);
    json_step(to, "streak_rank", known ? rotation->streak_rank : -1);
    json_key_integer(to, ", ", "streak", rotation->streak);
    fputs(", ", to);
    json_evidence(to, known ? summary->wait_mean_s : quantity_none());
    fputs("},\n", to);
}

void json_scaled_from(FILE *to, const struct summary *summary)
{
    int64_t from = job_scaled_from(summary);
    fputs(", ", to);
    json_step(to, "scaled_from_ranks", from > 0 ? from : -1);
}

static void put_end(FILE *to, const struct summary *summary, const struct what_if *what_if)
{
    json_key_quantity(to, ", ", "gpu_hours_day", what_if->gpu_hours_day, 4);
    json_key_quantity(to, ", ", "money_day", what_if->money_day, 2);
    json_key_quantity(to, ", ", "kwh_day", what_if->kwh_day, 3);
    json_key_quantity(to, ", ", "hours_end", what_if->hours_end, 4);
    json_key_quantity(to, ", ", "gpu_hours_end", what_if->gpu_hours_end, 3);
    json_key_quantity(to, ", ", "money_end", what_if->money_end, 2);
    json_key_quantity(to, ", ", "kwh_end", what_if->kwh_end, 3);
    json_scaled_from(to, summary);
    fputs(", ", to);
    json_evidence(to, what_if->step_time_without_s);
    fputs("}", to);
}

static void put_what_if(FILE *to, const struct summary *summary, const struct what_if *what_if)
{
    static const char *const of[] = {"rank", "group", "host", "all"};
    fprintf(to, "{\"of\": \"%s\", ", of[what_if->of]);
    json_step(to, "rank", what_if->of == COST_OF_RANK ? what_if->rank : -1);
    fputs(", \"name\": ", to);
    json_text_or_null(to, what_if->name);
    json_key_integer(to, ", ", "ranks", what_if->ranks);
    json_key_flag(to, ", ", "named", what_if->named);
    json_key_integer(to, ", ", "steps", what_if->steps);
    json_key_quantity(to, ", ", "step_time_s", what_if->step_time_s, 6);
    json_key_quantity(to, ", ", "without_s", what_if->step_time_without_s, 6);
    json_key_flag(to, ", ", "lower_bound", what_if->lower_bound);
    json_key_quantity(to, ", ", "gain_share", what_if->gain_share, 6);
    json_key_quantity(to, ", ", "explains", what_if->explains, 6);
    json_key_quantity(to, ", ", "mfu_points", what_if->mfu_points, 4);
    put_end(to, summary, what_if);
}

static void put_what_ifs(FILE *to, const struct summary *summary)
{
    fputs("  \"what_if\": [", to);
    for (size_t i = 0; i < summary->what_if_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_what_if(to, summary, &summary->what_ifs[i]);
    }
    fputs("],\n", to);
}

static void put_effective(FILE *to, const struct effective *effective)
{
    json_key_quantity(to, "  \"effective\": {", "share", effective->share, 6);
    json_key_quantity(to, ", ", "wall_s", effective->wall_s, 6);
    json_key_quantity(to, ", ", "kept_s", effective->kept_s, 6);
    json_key_quantity(to, ", ", "lost_s", effective->lost_s, 6);
    json_key_quantity(to, ", ", "down_s", effective->down_s, 6);
    json_key_quantity(to, ", ", "between_s", effective->between_s, 6);
    json_key_integer(to, ", ", "restarts", effective->restarts);
    json_key_integer(to, ", ", "repeated_steps", effective->repeated_steps);
    fputs(", ", to);
    json_evidence(to, effective->share);
    fputs("},\n", to);
}

static void put_part(FILE *to, const struct ledger *ledger, enum ledger_part part, int64_t units)
{
    struct quantity share = ledger->share[part];
    double hours = ledger->wall_s / SECONDS_AN_HOUR * ledger->gpus * share.value;
    enum ledger_part within = ledger->within[part];
    bool known = quantity_known(share), inside = !known && within != part && within < LEDGER_COUNT;
    fprintf(to, "{\"part\": \"%s\"", ledger_part_name(part));
    json_key_number(to, ", ", "share", known ? (double)units / WHOLE : NAN, 6);
    json_key_number(to, ", ", "gpu_hours", known && ledger->gpus > 0 ? hours : NAN, 6);
    fputs(", ", to);
    json_evidence(to, share);
    fputs(", \"within\": ", to);
    json_text_or_null(to, inside ? ledger_part_name(within) : "");
    fputs("}", to);
}

/* The shares add up to exactly 1 as they are written. */
static void put_ledger(FILE *to, const struct summary *summary, const char *key,
                       const struct ledger *ledger)
{
    int64_t units[LEDGER_COUNT] = {0};
    bool known = ledger->wall_s > 0;
    if (known)
        ledger_round(ledger, WHOLE, units);
    fprintf(to, "  \"%s\": {", key);
    json_key_number(to, "", "wall_s", known ? ledger->wall_s : NAN, 6);
    json_key_number(to, ", ", "gpus", known && ledger->gpus > 0 ? ledger->gpus : NAN, 0);
    json_scaled_from(to, summary);
    json_key_integer(to, ", ", "steps", ledger->steps);
    json_key_flag(to, ", ", "over_peak", ledger->over_peak);
    fputs(", \"parts\": [", to);
    for (int part = 0; part < LEDGER_COUNT && known; part++) {
        fputs(part ? ",\n    " : "\n    ", to);
        put_part(to, ledger, (enum ledger_part)part, units[part]);
    }
    fputs("]},\n", to);
}

void report_json_cost(FILE *to, const struct summary *summary)
{
    put_jitter(to, &summary->jitter);
    put_rotation(to, summary);
    put_what_ifs(to, summary);
    put_effective(to, &summary->effective);
    put_ledger(to, summary, "ledger", &summary->ledger);
    put_ledger(to, summary, "ledger_window", &summary->ledger_window);
}
