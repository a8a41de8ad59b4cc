/* What was learned of logs in other formats, as JSON. */
#include "command_logs_json.h"

#include <inttypes.h>

#include "command_logs.h"
#include "report_json.h"

static const char *const count_names[LOG_COUNTS] = {
    [LOG_DOUBLED] = "doubled",        [LOG_NOT_NUMBER] = "not_numbers",
    [LOG_IMPOSSIBLE] = "impossible",  [LOG_DISAGREE] = "disagree",
    [LOG_EVALUATION] = "evaluations", [LOG_WITHOUT_PAIR] = "without_pair",
    [LOG_LEFT_OUT] = "left_out",      [LOG_UNRECORDED] = "unrecorded",
    [LOG_NOBODYS] = "rank_unknown",   [LOG_BESIDE] = "beside",
    [LOG_UNMAPPED] = "unmapped",
};

static void put_text(FILE *to, const char *key, const char *text)
{
    fprintf(to, "\"%s\": ", key);
    if (text)
        json_text_or_null(to, text);
    else
        fputs("null", to);
}

static void put_counts(FILE *to, const struct log_facts *facts)
{
    fputs("     \"counts\": {", to);
    for (int i = 0; i < LOG_COUNTS; i++)
        json_key_integer(to, i ? ", " : "", count_names[i], (int64_t)facts->counts[i]);
    fputs("},\n     \"examples\": {", to);
    const char *before = "";
    for (int i = 0; i < LOG_COUNTS; i++) {
        if (!facts->examples[i][0])
            continue;
        fputs(before, to);
        put_text(to, count_names[i], facts->examples[i]);
        before = ", ";
    }
    fputs("},\n", to);
}

static void put_notes(FILE *to, const struct log_facts *facts)
{
    const char *before = "";
    fputs("     \"notes\": [", to);
    for (int i = 0; i < LOG_NOTES; i++) {
        if (!(facts->notes & (1u << i)))
            continue;
        fputs(before, to);
        json_text(to, log_note_sentence((enum log_note)i));
        before = ", ";
    }
    fputs("],\n", to);
}

static void put_value(FILE *to, const struct log_value *value)
{
    fputs("{", to);
    put_text(to, "name", value->name);
    fputs(", ", to);
    put_text(to, "unit", value->unit);
    json_key_integer(to, ", ", "count", (int64_t)value->count);
    json_key_number(to, ", ", "least", value->least, 6);
    json_key_number(to, ", ", "median", quantile_median(&value->quantile), 6);
    json_key_number(to, ", ", "most", value->most, 6);
    json_key_number(to, ", ", "mean", value->sum / (double)value->count, 6);
    fputs("}", to);
}

static void put_values(FILE *to, const struct log_facts *facts)
{
    fputs("     \"values\": [", to);
    const char *before = "\n       ";
    for (size_t i = 0; i < facts->value_count; i++) {
        if (facts->values[i].count == 0)
            continue;
        fputs(before, to);
        put_value(to, &facts->values[i]);
        before = ",\n       ";
    }
    fprintf(to, "],\n     \"values_left_out\": %" PRIu64 "}", facts->values_left_out);
}

void command_how_json(FILE *to, const struct format *format)
{
    fputs(",\n     \"how\": [", to);
    for (int k = 0; k < 2 && format->how[k]; k++) {
        fputs(k ? ", " : "", to);
        json_text(to, format->how[k]);
    }
    fputs("]", to);
}

static void put_facts(FILE *to, const struct log_facts *facts)
{
    const struct format *format = facts->format;
    fputs("{", to);
    put_text(to, "name", format->name);
    fputs(", ", to);
    put_text(to, "title", format->title);
    json_key_integer(to, ", ", "lines", (int64_t)facts->lines);
    json_key_integer(to, ", ", "records", (int64_t)facts->records);
    json_key_integer(to, ", ", "job_records", (int64_t)facts->job_records);
    json_key_integer(to, ", ", "damaged", (int64_t)facts->damaged);
    if (facts->world > 0)
        json_key_integer(to, ", ", "world_size", facts->world);
    else
        fputs(", \"world_size\": null", to);
    fputs(",\n     ", to);
    put_text(to, "lacks", format->lacks);
    command_how_json(to, format);
    fputs(",\n", to);
    put_counts(to, facts);
    put_notes(to, facts);
    put_values(to, facts);
}

void log_book_json(FILE *to, const struct log_book *book)
{
    fputs("  \"logs\": [", to);
    for (size_t i = 0; i < book->count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_facts(to, &book->facts[i]);
    }
    fputs(book->count ? "\n  ]" : "]", to);
}

void command_logs_json(FILE *to, const void *logs)
{
    log_book_json(to, &((const struct command_logs *)logs)->book);
    fputs(",\n", to);
}
