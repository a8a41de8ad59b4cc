/* What `lockstep explain` prints for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_explain.h"
#include "command_logs_text.h"
#include "format.h"
#include "log_text.h"
#include "shell_word.h"
#include "text.h"

/* ---- the formats ---- */

static void put_format(FILE *to, const struct format *format, const char *only)
{
    char head[160];
    snprintf(head, sizeof(head), "\n%s  ", format->name);
    explain_wrap(to, head, 4, format->title);
    if (format->needs && format->needs[0])
        explain_wrap(to, "    needs  ", 11, format->needs);
    if (format->tells && format->tells[0])
        explain_wrap(to, "    tells  ", 11, format->tells);
    if (format->lacks)
        explain_wrap(to, "    lacks  ", 11, format->lacks);
    if (only)
        explain_wrap(to, "    only   ", 11, only);
}

static bool is_in_table(const struct formats *formats, const struct format *format)
{
    for (size_t i = 0; i < formats_count(formats); i++)
        if (formats_at(formats, i) == format)
            return true;
    return false;
}

void explain_formats_text(FILE *to, const struct command_logs *logs)
{
    explain_wrap(to, "", 0,
                 "The formats of logs that are read as they are. All are tried on every line; "
                 "--format NAME reads one of them alone. A log of your own: --map, --pattern.");
    fputs("\nlockstep  our own records, one JSON object a line\n", to);
    for (size_t i = 0; i < formats_count(logs->formats); i++)
        if (!formats_at(logs->formats, i)->setup)
            put_format(to, formats_at(logs->formats, i), NULL);
    for (size_t i = 0; i < logs->described_count; i++) {
        const struct format *format = user_format_of(logs->described[i]);
        bool named = !is_in_table(logs->formats, format);
        put_format(to, format, named ? "with --format, as the settings say" : NULL);
        explain_wrap(to, "    reads  ", 11, user_format_text(logs->described[i]));
    }
}

/* ---- what was recognised ---- */

/* lines: its own, damaged: of these; other: that are of no kind. */
static void add_how_sure(char *to, size_t size, uint64_t records, uint64_t lines, uint64_t damaged,
                         uint64_t other)
{
    char a[FORMAT_BYTES], b[FORMAT_BYTES];
    size_t at = strlen(to);
    if (records_are_doubtful(records, other))
        snprintf(to + at, size - at, "doubtful: %s among %s: examples in a text?",
                 format_counted(a, (int64_t)records, "record"),
                 format_counted(b, (int64_t)other, "other line"));
    else
        snprintf(to + at, size - at, "%s",
                 records == 0           ? "its lines are there, but no record came of them"
                 : damaged * 10 > lines ? "doubtful: over a tenth of its lines are damaged"
                 : records >= 3         ? "sure"
                                        : "likely: there are few records");
}

static void put_read(FILE *to, const struct explained *explained)
{
    char text[1024], a[FORMAT_BYTES], b[FORMAT_BYTES];
    snprintf(text, sizeof(text), "%s%s%s, %s bytes", explained->first,
             explained->files > 1 ? " and " : "",
             explained->files > 1 ? format_counted(a, explained->files - 1, "more file") : "",
             format_count_unsigned(b, explained->bytes));
    explain_wrap(to, "read      ", 10, text);
    if (explained->cut > 0) {
        snprintf(text, sizeof(text), "only the beginning was looked at (%d MiB at most) of %s",
                 (int)(EXPLAIN_FILE_BYTES >> 20), format_counted(a, explained->cut, "file"));
        explain_wrap(to, "          ", 10, text);
    }
    if (explained->left_out > 0) {
        snprintf(text, sizeof(text), "%s not looked at",
                 format_counted(a, explained->left_out, "more file"));
        explain_wrap(to, "          ", 10, text);
    }
}

static void put_formats(FILE *to, const struct explained *explained)
{
    const struct log_book *book = &explained->logs.book;
    char text[512], a[FORMAT_BYTES], b[FORMAT_BYTES];
    const char *head = "format    ";
    uint64_t other = explained->totals.counts.other;
    if (explained->own_records > 0) {
        snprintf(text, sizeof(text), "our own records: %s; ",
                 format_counted(a, (int64_t)explained->own_records, "record"));
        add_how_sure(text, sizeof(text), explained->own_records, explained->own_records, 0, other);
        explain_wrap(to, head, 10, text);
        head = "          ";
    }
    for (size_t i = 0; i < book->count; i++) {
        const struct log_facts *facts = &book->facts[i];
        snprintf(text, sizeof(text), "%s (%s): %s from %s; ", facts->format->title,
                 facts->format->name, format_counted(a, (int64_t)facts->records, "record"),
                 format_counted(b, (int64_t)facts->lines, facts->format->sniff ? "event" : "line"));
        add_how_sure(text, sizeof(text), facts->records, facts->lines, facts->damaged, other);
        explain_wrap(to, head, 10, text);
        head = "          ";
        for (int note = 0; note < LOG_NOTES; note++)
            if (facts->notes & (1u << note))
                explain_wrap(to, "            ", 12, log_note_sentence((enum log_note)note));
    }
}

/* Of a job of more ranks than are in its logs. */
static void put_ranks(FILE *to, const struct explained *explained)
{
    char text[128], a[FORMAT_BYTES], b[FORMAT_BYTES];
    int64_t world = 0;
    for (size_t i = 0; i < explained->logs.book.count; i++)
        if (explained->logs.book.facts[i].world > world)
            world = explained->logs.book.facts[i].world;
    if (explained->ranks == 0 || world <= (int64_t)explained->ranks)
        return;
    snprintf(text, sizeof(text), "%s of %s ranks are in these logs",
             format_count(a, (int64_t)explained->ranks), format_count(b, world));
    explain_wrap(to, "ranks     ", 10, text);
}

static void put_lines(FILE *to, const struct explained *explained)
{
    const struct log_book *book = &explained->logs.book;
    char text[512], a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES];
    snprintf(text, sizeof(text), "ends: %s LF, %s CRLF, %s lone CR",
             format_count_unsigned(a, explained->ends_lf),
             format_count_unsigned(b, explained->ends_crlf),
             format_count_unsigned(c, explained->ends_cr));
    explain_wrap(to, "lines     ", 10, text);
    if (book->lines_colored > 0) {
        snprintf(text, sizeof(text), "%s with colour",
                 format_count_unsigned(a, book->lines_colored));
        explain_wrap(to, "          ", 10, text);
    }
    if (book->lines_labelled > 0) {
        /* Not how many: lines of other kinds are not looked at so closely. */
        snprintf(text, sizeof(text), "with a launcher's prefix, such as '%s'", book->label);
        explain_wrap(to, "          ", 10, text);
    }
}

/* ---- the first records ---- */

static double seconds_of(const struct record *record, uint32_t bit)
{
    if (!(record->has & bit))
        return NAN;
    if (bit == RECORD_STEP_TIME)
        return (double)record->step_time_ns * 1e-9;
    if (bit == RECORD_COMPUTE)
        return (double)record->compute_ns * 1e-9;
    return (double)record->phase_ns[__builtin_ctz(bit)] * 1e-9;
}

static const struct {
    const char *head;
    uint32_t bit;
} time_columns[] = {
    {"time", RECORD_STEP_TIME},    {"data", RECORD_DATA}, {"forward", RECORD_FORWARD},
    {"backward", RECORD_BACKWARD}, {"sync", RECORD_SYNC}, {"optim.", RECORD_OPTIMIZER},
    {"compute", RECORD_COMPUTE},
};
#define TIME_COLUMNS (sizeof(time_columns) / sizeof(time_columns[0]))

static void put_record(FILE *to, const struct record *record, uint32_t has)
{
    char cell[FORMAT_BYTES];
    fprintf(to, "  %7" PRId64, record->step);
    if (record->has & RECORD_JOB)
        fputs("    job", to);
    else
        fprintf(to, " %6" PRIu32, record->rank);
    for (size_t i = 0; i < TIME_COLUMNS; i++)
        if (has & time_columns[i].bit)
            fprintf(to, " %8s",
                    format_duration(cell, seconds_of(record, time_columns[i].bit), false));
    if (has & RECORD_SPAN)
        fprintf(to, " %6" PRId64, record->has & RECORD_SPAN ? record->span : 1);
    fputc('\n', to);
}

static void put_first(FILE *to, const struct explained *explained)
{
    uint32_t has = 0;
    if (explained->first_count == 0)
        return;
    for (size_t i = 0; i < explained->first_count; i++)
        has |= explained->records[i].record.has;
    if ((has & RECORD_ANY_PHASE) == RECORD_ANY_PHASE)
        has &= ~(uint32_t)RECORD_COMPUTE; /* there is no room, and it is their sum */
    fputs("\nThe first records:\n     step   rank", to);
    for (size_t i = 0; i < TIME_COLUMNS; i++)
        if (has & time_columns[i].bit)
            fprintf(to, " %8s", time_columns[i].head);
    fputs(has & RECORD_SPAN ? "  steps\n" : "\n", to);
    for (size_t i = 0; i < explained->first_count; i++)
        put_record(to, &explained->records[i].record, has);
}

/* ---- what was skipped ---- */

static void put_counts(FILE *to, const struct log_facts *facts)
{
    char head[64], a[FORMAT_BYTES];
    for (int i = 0; i < LOG_COUNTS; i++) {
        if (facts->counts[i] == 0)
            continue;
        snprintf(head, sizeof(head), "  %8s  ", format_count_unsigned(a, facts->counts[i]));
        explain_wrap(to, head, 12, log_count_sentence((enum log_count)i));
        if (i == LOG_UNMAPPED)
            explain_wrap(to, "            ", 12, facts->examples[i]); /* all of them */
        else if (facts->examples[i][0])
            explain_cut(to, "            ", str_from(facts->examples[i]));
    }
}

static void put_skipped(FILE *to, const struct explained *explained)
{
    const struct source_counts *counts = &explained->totals.counts;
    char a[FORMAT_BYTES];
    fputs("\nSkipped, or told apart:\n", to);
    fprintf(to, "  %8s  lines of other kinds\n", format_count_unsigned(a, counts->other));
    fprintf(to, "  %8s  damaged\n", format_count_unsigned(a, counts->damaged));
    for (size_t i = 0; i < explained->logs.book.count; i++)
        put_counts(to, &explained->logs.book.facts[i]);
    for (int i = 0; i < explained->totals.complaint_count; i++)
        explain_cut(to, "            ", str_from(explained->totals.complaints[i]));
}

/* ---- what it can tell ---- */

static void put_how(FILE *to, const struct explained *explained)
{
    const struct log_book *book = &explained->logs.book;
    char text[512];
    if (explained->bare != 0)
        return; /* it has single ranks */
    for (size_t i = 0; i < book->count; i++) {
        const struct format *format = book->facts[i].format;
        if (explained->has == 0 && format->needs && format->needs[0]) {
            snprintf(text, sizeof(text), "No record came of it. %s needs %s.", format->title,
                     format->needs);
            fputc('\n', to);
            explain_wrap(to, "", 0, text);
        }
        if (book->facts[i].records == 0 || !format->lacks)
            continue;
        snprintf(text, sizeof(text),
                 "%s does not hold %s. These two lines would give it:", format->title,
                 format->lacks);
        fputc('\n', to);
        explain_wrap(to, "", 0, text);
        for (int k = 0; k < 2; k++)
            if (format->how[k])
                fprintf(to, "  %s\n", format->how[k]); /* not wrapped: it is to be pasted */
        return;
    }
}

static void put_tells(FILE *to, const struct explained *explained)
{
    struct explain_tell tells[EXPLAIN_TELLS];
    char text[256];
    explain_tells(explained, tells);
    for (int can = 1; can >= 0; can--) {
        const char *head = can ? "\nIt can tell\n" : "\nIt cannot tell\n";
        for (int i = 0; i < EXPLAIN_TELLS; i++) {
            if (tells[i].can != (can == 1))
                continue;
            fputs(head, to);
            head = "";
            snprintf(text, sizeof(text), "%s: %s", tells[i].what, tells[i].why);
            explain_wrap(to, "  ", 4, text);
        }
    }
    put_how(to, explained);
}

/* Not wrapped: it is to be pasted. */
static void put_line(FILE *to, const char *head, const char *command)
{
    char safe[3 * 4096];
    text_sanitise(safe, sizeof(safe), str_from(command));
    fprintf(to, "%s%s\n", head, safe);
}

static void put_command(FILE *to, const struct options *options)
{
    char command[4096] = "";
    if (options->log_format)
        shell_word_add(command, sizeof(command), " --format ", options->log_format);
    for (int i = 0; i < options->described_count; i++)
        shell_word_add(command, sizeof(command),
                       options->described[i].pattern ? " --pattern " : " --map ",
                       options->described[i].text);
    for (int i = 0; i < options->source_count && i < 8; i++)
        shell_word_add(command, sizeof(command), " ", options->sources[i]);
    fputs("\nGo on with\n", to);
    put_line(to, "  lockstep report", command);
    put_line(to, "  lockstep watch", command);
}

/* ---- nothing recognised ---- */

/* UTF-16, as the older PowerShell's > and Tee-Object write it: by its mark, or by every other byte
 * of its beginning being NUL. */
static bool is_utf16(struct str text)
{
    size_t nul[2] = {0}, pairs = (text.len < 256 ? text.len : 256) / 2;
    if (text.len >= 2 && (memcmp(text.p, "\xFF\xFE", 2) == 0 || memcmp(text.p, "\xFE\xFF", 2) == 0))
        return true;
    for (size_t i = 0; i < 2 * pairs; i++)
        nul[i % 2] += text.p[i] == '\0';
    return pairs >= 8 && ((nul[0] == pairs && nul[1] == 0) || (nul[1] == pairs && nul[0] == 0));
}

/* Bytes that no text has, or hardly. Escapes and backspaces are a terminal's; a log that was cut
 * while it was written to has a hole of NULs. */
static bool is_binary(struct str text)
{
    size_t odd = 0, nuls = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool inside = c == '\0' && i > 0 && text.p[i - 1] == '\0';
        nuls += c == '\0';
        odd += c < ' ' && !inside && !memchr("\t\n\r\b\f\x1b", c, 6);
    }
    return odd > (text.len - nuls) / 20;
}

/* One value over many lines: its first line is a bracket alone. */
static bool is_document(struct str text)
{
    size_t at = 0;
    while (at < text.len && strchr(" \t\r\n", text.p[at]))
        at++;
    if (at == text.len || (text.p[at] != '{' && text.p[at] != '['))
        return false;
    for (at++; at < text.len && text.p[at] != '\n'; at++)
        if (!strchr(" \t\r", text.p[at]))
            return false;
    return at < text.len;
}

static bool is_end(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

static void put_first_lines(FILE *to, struct str rest)
{
    fputs("\nThe first lines:\n", to);
    for (int lines = 0; lines < 8 && rest.len > 0;) {
        size_t length = 0;
        while (length < rest.len && !is_end(rest.p[length]))
            length++;
        if (length > 0) {
            explain_cut(to, "  ", str_of(rest.p, length));
            lines++;
        }
        length += length < rest.len;
        rest = str_of(rest.p + length, rest.len - length);
    }
}

/* Whether one of these keys, "key = value, ", is an epoch's number. */
static bool counts_epochs(struct str keys)
{
    static const char key[] = "epoch = ";
    int64_t number;
    size_t length, at = log_find(keys, key);
    if (at == SIZE_MAX || (at > 0 && keys.p[at - 1] != ' '))
        return false;
    struct str value = log_from(keys, at + sizeof(key) - 1);
    return log_integer(value, &number, &length) && (length == value.len || value.p[length] == ',');
}

static void put_nothing(FILE *to, const struct explained *explained, const struct options *options)
{
    char text[4096], command[4096] = "";
    if (explained->bytes == 0 && explained->failed == 0) {
        fputs(explained->files == 1 ? "\nIt is empty: nothing was written to it yet.\n"
                                    : "\nThey are empty: nothing was written to them yet.\n",
              to);
        return;
    }
    fputs("\nNothing was recognised. Looked for:\n", to);
    snprintf(text, sizeof(text), "our own records");
    for (size_t i = 0; i < formats_count(explained->logs.formats); i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof(text) - at, ", %s",
                 formats_at(explained->logs.formats, i)->title);
    }
    explain_wrap(to, "  ", 2, text);
    struct str rest = str_of(explained->sample, explained->sample_size);
    if (is_utf16(rest)) {
        fputs("\nIt is text in UTF-16, as PowerShell writes it. In UTF-8 it may be read:\n"
              "  iconv -f UTF-16 -t UTF-8 train.log > train-utf8.log\n",
              to);
        return;
    }
    if (is_binary(rest) || (rest.len == 0 && explained->bytes > 0)) {
        fputs("\nIt is no text: it has bytes that no text has.\n", to);
        return;
    }
    if (is_document(rest)) {
        fputc('\n', to);
        explain_wrap(
            to, "", 0,
            "It is one JSON document over many lines. --map reads JSON lines, an object in "
            "each: jq -c '.[]' makes them of a list, jq -c '.NAME[]' of one in it.");
    }
    put_first_lines(to, rest);
    if (explain_keys(explained, text, sizeof(text))) {
        fputs("\nIts keys, with a value of each:\n", to);
        explain_wrap(to, "  ", 2, text);
    }
    if (!explain_propose(explained, text, sizeof(text))) {
        fputc('\n', to);
        explain_wrap(to, "", 0,
                     "No line was found that has a step and a time. If there is one, name what it "
                     "holds: --map 'step=KEY,step_time=KEY:ms' for JSON lines and CSV, --pattern "
                     "'step {step} took {step_time:ms}' for lines of text.");
        return;
    }
    fputs("\nThis may read it:\n", to);
    snprintf(command, sizeof(command), " %.3000s", text);
    for (int i = 0; i < options->source_count && i < 8; i++)
        shell_word_add(command, sizeof(command), " ", options->sources[i]);
    put_line(to, "  lockstep explain", command);
    if (strncmp(text, "--map", 5) == 0 && !strstr(text, "epoch=") &&
        explain_keys(explained, text, sizeof(text)) && counts_epochs(str_from(text)))
        explain_wrap(to, "", 0,
                     "If its steps begin anew in each epoch, every epoch seems to be a restart: "
                     "then add epoch=epoch,epoch_steps=N to it, with the steps of an epoch.");
}

void explain_text(FILE *to, const struct explained *explained, const struct options *options)
{
    put_read(to, explained);
    if (explained->totals.counts.records > 0 || explained->logs.book.count > 0)
        put_formats(to, explained);
    put_ranks(to, explained);
    put_lines(to, explained);
    if (explained->has == 0 && explained->logs.book.count == 0) {
        put_nothing(to, explained, options);
        return;
    }
    put_first(to, explained);
    put_skipped(to, explained);
    command_logs_values(to, &explained->logs.book, SIZE_MAX);
    put_tells(to, explained);
    if (explained->has != 0)
        put_command(to, options);
}
