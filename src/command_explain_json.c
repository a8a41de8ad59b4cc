/* What `lockstep explain --json` prints. */
#include "command_explain.h"
#include "command_logs_json.h"
#include "record_json.h"
#include "report_json.h"

static void put_text(FILE *to, const char *before, const char *key, const char *text)
{
    fprintf(to, "%s\"%s\": ", before, key);
    json_text_or_null(to, text ? text : "");
}

void explain_formats_json(FILE *to, const struct command_logs *logs)
{
    fputs("{\n  \"schema\": \"lockstep-formats/1\",\n  \"formats\": [", to);
    for (size_t i = 0; i < formats_count(logs->formats); i++) {
        const struct format *format = formats_at(logs->formats, i);
        put_text(to, i ? ",\n    {" : "\n    {", "name", format->name);
        put_text(to, ", ", "title", format->title);
        put_text(to, ",\n     ", "needs", format->needs);
        put_text(to, ",\n     ", "tells", format->tells);
        put_text(to, ",\n     ", "lacks", format->lacks);
        command_how_json(to, format);
        fputs("}", to);
    }
    fputs("\n  ]\n}\n", to);
}

/* Our own lines, without their line ends. */
static void put_records(FILE *to, const struct explained *explained)
{
    char line[RECORD_JSON_MAX];
    fputs("  \"first_records\": [", to);
    for (size_t i = 0; i < explained->first_count; i++) {
        size_t length = record_json_write_exact(line, &explained->records[i].record);
        fprintf(to, "%s%.*s", i ? ",\n    " : "\n    ", (int)length - 1, line);
    }
    fputs("],\n", to);
}

static void put_tells(FILE *to, const struct explained *explained)
{
    struct explain_tell tells[EXPLAIN_TELLS];
    explain_tells(explained, tells);
    fputs("  \"tells\": [", to);
    for (int i = 0; i < EXPLAIN_TELLS; i++) {
        put_text(to, i ? ",\n    {" : "\n    {", "what", tells[i].what);
        json_key_flag(to, ", ", "can", tells[i].can);
        put_text(to, ", ", "why", tells[i].why);
        fputs("}", to);
    }
    fputs("],\n", to);
}

void explain_json(FILE *to, const struct explained *explained, const struct options *options)
{
    const struct source_counts *counts = &explained->totals.counts;
    const struct log_book *book = &explained->logs.book;
    char text[4096];
    (void)options;
    fputs("{\n  \"schema\": \"lockstep-explain/1\",\n", to);
    put_text(to, "  ", "first_file", explained->first);
    json_key_integer(to, ", ", "files", explained->files);
    json_key_integer(to, ", ", "files_cut", explained->cut);
    json_key_integer(to, ", ", "files_left_out", explained->left_out);
    json_key_integer(to, ", ", "files_failed", explained->failed);
    json_key_integer(to, ",\n  ", "bytes", (int64_t)explained->bytes);
    json_key_integer(to, ", ", "records", (int64_t)counts->records);
    json_key_integer(to, ", ", "own_records", (int64_t)explained->own_records);
    json_key_integer(to, ", ", "other", (int64_t)counts->other);
    json_key_integer(to, ", ", "damaged", (int64_t)counts->damaged);
    json_key_flag(to, ", ", "doubtful", records_are_doubtful(counts->records, counts->other));
    json_key_integer(to, ",\n  \"lines\": {", "lf", (int64_t)explained->ends_lf);
    json_key_integer(to, ", ", "crlf", (int64_t)explained->ends_crlf);
    json_key_integer(to, ", ", "cr", (int64_t)explained->ends_cr);
    json_key_integer(to, ", ", "colored", (int64_t)book->lines_colored);
    json_key_integer(to, ", ", "labelled", (int64_t)book->lines_labelled);
    put_text(to, ", ", "label", book->label);
    fputs("},\n", to);
    log_book_json(to, book);
    fputs(",\n", to);
    put_records(to, explained);
    put_tells(to, explained);
    bool nothing = explained->has == 0 && book->count == 0;
    put_text(to, "  ", "keys", nothing && explain_keys(explained, text, sizeof(text)) ? text : "");
    put_text(to, ",\n  ", "proposal",
             nothing && explain_propose(explained, text, sizeof(text)) ? text : "");
    fputs(",\n  \"complaints\": [", to);
    for (int i = 0; i < explained->totals.complaint_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        json_text(to, explained->totals.complaints[i]);
    }
    fputs("]\n}\n", to);
}
