/* Two runs side by side, for scripts. */
#include <inttypes.h>
#include <math.h>

#include "job_lines.h"
#include "report_compare.h"
#include "report_json.h"

static const char *const sides[COMPARE_SIDES] = {"a", "b"};

static void put_side(FILE *to, const struct comparison *comparison, int s)
{
    const struct compare_side *side = &comparison->side[s];
    const struct summary *summary = side->summary;
    fprintf(to, "  \"%s\": {\"source\": ", sides[s]);
    json_text(to, side->name);
    fputs(", \"name\": ", to);
    json_text_or_null(to, summary->run.name);
    fputs(", \"chip\": ", to);
    json_text_or_null(to, summary->run.chip);
    json_key_number(to, ", ", "gpus", summary->run.gpus > 0 ? summary->run.gpus : NAN, 0);
    json_key_integer(to, ", ", "ranks", job_alone(summary) ? 0 : (int64_t)summary->rank_count);
    fputs(", ", to);
    json_step(to, "first_step", summary->first_step);
    fputs(", ", to);
    json_step(to, "last_step", summary->last_step);
    json_key_integer(to, ", ", "attempts", summary->attempts);
    json_key_integer(to, ", ", "steps_compared", comparison->steps[s]);
    json_key_integer(to, ", ", "steps_of_warm_up", comparison->warm_up[s]);
    json_key_flag(to, ", ", "simulated", summary->simulated);
    fputs("},\n", to);
}

static void put_notes(FILE *to, unsigned notes)
{
    static const char *const names[] = {"gpus",      "chip",       "model",
                                        "tokens",    "convention", "wait_rule",
                                        "simulated", "merged",     "cannot_tell"};
    bool first = true;
    fputs("  \"unlike\": [", to);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (notes & (1u << i)) {
            fprintf(to, "%s\"%s\"", first ? "" : ", ", names[i]);
            first = false;
        }
    fputs("],\n", to);
}

static void put_test(FILE *to, const struct compare_figure *figure)
{
    static const char *const answers[] = {[PERMUTATION_DONE] = "done",
                                          [PERMUTATION_FEW_STEPS] = "too_few_steps",
                                          [PERMUTATION_ALIKE] = "steps_too_alike"};
    const struct permutation *test = &figure->test;
    if (!figure->tested) {
        fputs("null", to);
        return;
    }
    fprintf(to, "{\"answer\": \"%s\"", answers[test->answer]);
    json_key_number(to, ", ", "p", test->p, 4);
    if (test->answer == PERMUTATION_DONE)
        json_key_flag(to, ", ", "more_than_noise", compare_is_more(figure));
    else
        fputs(", \"more_than_noise\": null", to);
    json_key_number(to, ", ", "autocorrelation", test->alike, 4);
    json_key_integer(to, ", ", "block_steps", (int64_t)test->block);
    json_key_integer(to, ", ", "blocks_a", (int64_t)test->blocks[COMPARE_A]);
    json_key_integer(to, ", ", "blocks_b", (int64_t)test->blocks[COMPARE_B]);
    json_key_integer(to, ", ", "permutations", PERMUTATION_COUNT);
    fputs("}", to);
}

/* Which side is better; null when neither, or nobody can say. */
static const char *better_of(const struct compare_figure *figure)
{
    if (isnan(figure->difference) || figure->difference == 0 || figure->better == 0)
        return "";
    return sides[(figure->difference > 0) == (figure->better > 0) ? COMPARE_B : COMPARE_A];
}

static void put_figure(FILE *to, const struct comparison *comparison, int id)
{
    const struct compare_figure *figure = &comparison->figures[id];
    int decimals = figure->unit == COMPARE_COUNT ? 3 : 6;
    fprintf(to, "{\"figure\": \"%s\"", compare_figure_name(id));
    for (int s = 0; s < COMPARE_SIDES; s++)
        json_key_quantity(to, ", ", sides[s], figure->value[s], decimals);
    json_key_number(to, ", ", "difference", figure->difference, decimals);
    json_key_number(to, ", ", "change", figure->change, 6);
    fputs(", \"better\": ", to);
    json_text_or_null(to, better_of(figure));
    fputs(", \"test\": ", to);
    put_test(to, figure);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        bool known = quantity_known(figure->value[s]);
        fprintf(to, ", \"evidence_%s\": ", sides[s]);
        json_text_or_null(to, known ? evidence_name(figure->value[s].evidence) : "");
    }
    fputs("}", to);
}

static void put_named(FILE *to, const struct compare_named *named)
{
    const struct verdict *verdict = &named->verdict;
    bool group = verdict->kind == VERDICT_GROUP;
    fprintf(to, "{\"unit\": \"%s\", ", !group ? "rank" : verdict->is_host ? "host" : "group");
    json_step(to, "rank", group ? -1 : verdict->rank);
    fputs(", \"name\": ", to);
    json_text_or_null(to, group ? verdict->group : "");
    for (int s = 0; s < COMPARE_SIDES; s++) {
        fprintf(to, ", \"in_%s\": %s", sides[s], named->named[s] ? "true" : "false");
        fprintf(to, ", \"slowdown_%s\": ", sides[s]);
        json_number(to, named->slowdown[s], 4);
    }
    fputs("}", to);
}

void report_compare_json(FILE *to, const struct comparison *comparison, const struct checks *checks)
{
    fputs("{\n  \"schema\": \"lockstep-compare/1\",\n", to);
    put_side(to, comparison, COMPARE_A);
    put_side(to, comparison, COMPARE_B);
    put_notes(to, comparison->notes);
    fputs("  \"figures\": [", to);
    for (int id = 0; id < COMPARE_FIGURES; id++) {
        fputs(id ? ",\n    " : "\n    ", to);
        put_figure(to, comparison, id);
    }
    fputs("\n  ],\n  \"named\": [", to);
    for (size_t i = 0; i < comparison->named_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_named(to, &comparison->named[i]);
    }
    fputs("\n  ],\n", to);
    report_json_checks(to, checks->count > 0 ? checks : NULL);
    fprintf(to, "  \"level\": %g\n}\n", PERMUTATION_LEVEL);
}
