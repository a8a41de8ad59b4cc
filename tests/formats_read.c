/* A log, read through a stream in pieces, as text. */
#include "formats_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "stream.h"

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
    char line[1024];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof(line), format, values);
    va_end(values);
    size_t size = length < (int)sizeof(line) ? (size_t)length : sizeof(line) - 1;
    if (text->length + size + 1 > text->capacity) {
        text->capacity = (text->capacity + size + 1) * 2;
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes)
            abort();
    }
    memcpy(text->bytes + text->length, line, size);
    text->length += size;
    text->bytes[text->length] = '\0';
}

static void put_seconds(struct text *text, const char *name, int64_t ns)
{
    put(text, " %s=%lld.%09lld", name, (long long)(ns / 1000000000), (long long)(ns % 1000000000));
}

/* Bytes from a log, without what a terminal or a line would take wrongly. */
static void put_raw(struct text *text, const char *raw, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put(text, raw[i] >= ' ' && raw[i] < 0x7f ? "%c" : "\\x%02x", (unsigned char)raw[i]);
}

static void put_record(struct text *text, const struct record *record)
{
    uint32_t has = record->has;
    put(text, has & RECORD_JOB ? "job" : "rank %u", record->rank);
    put(text, " step %lld", (long long)record->step);
    if (has & RECORD_SPAN)
        put(text, " span=%lld", (long long)record->span);
    if (has & RECORD_BEGIN)
        put_seconds(text, "t", record->begin_ns);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (has & (1u << phase))
            put_seconds(text, phase_name((enum phase)phase), record->phase_ns[phase]);
    if (has & RECORD_COMPUTE)
        put_seconds(text, "compute", record->compute_ns);
    if (has & RECORD_STEP_TIME)
        put_seconds(text, "step_time", record->step_time_ns);
    if (has & RECORD_TOKENS)
        put(text, " tokens=%lld", (long long)record->tokens);
    if (has & RECORD_FLOPS)
        put(text, " flops=%lld", (long long)record->flops);
    if (has & RECORD_MFU)
        put_seconds(text, "mfu", record->mfu);
    if (has & RECORD_GPUS)
        put(text, " gpus=%lld", (long long)record->gpus);
    if (has & RECORD_COMPUTED)
        put(text, " computed");
    if (has & RECORD_CHECKPOINT)
        put(text, " checkpoint");
    if (has & RECORD_VALIDATION)
        put(text, " validation");
    if (has & RECORD_HOST) {
        put(text, " host=");
        put_raw(text, record->host.p, record->host.len);
    }
    if (has & RECORD_GROUP) {
        put(text, " group=");
        put_raw(text, record->group.p, record->group.len);
    }
    put(text, "\n");
}

static void put_facts(struct text *text, const struct log_facts *facts)
{
    put(text, "# %s: lines %llu, records %llu, of the job %llu, damaged %llu\n",
        facts->format->name, (unsigned long long)facts->lines, (unsigned long long)facts->records,
        (unsigned long long)facts->job_records, (unsigned long long)facts->damaged);
    for (int i = 0; i < LOG_NOTES; i++)
        if (facts->notes & (1u << i))
            put(text, "#   values: %s\n", log_note_sentence((enum log_note)i));
    for (int i = 0; i < LOG_COUNTS; i++) {
        if (facts->counts[i] == 0)
            continue;
        put(text, "#   %llu x %s: ", (unsigned long long)facts->counts[i],
            log_count_sentence((enum log_count)i));
        put_raw(text, facts->examples[i], strlen(facts->examples[i]));
        put(text, "\n");
    }
    for (size_t i = 0; i < facts->value_count; i++) {
        const struct log_value *value = &facts->values[i];
        put(text, "#   ");
        put_raw(text, value->name, strlen(value->name));
        put(text, " (%s): %llu, %.6g to %.6g, median %.6g\n", value->unit,
            (unsigned long long)value->count, value->least, value->most,
            quantile_median(&value->quantile));
    }
}

static void put_totals(struct text *text, const struct stream_totals *totals)
{
    const struct source_counts *counts = &totals->counts;
    for (size_t i = 0; i < totals->book->count; i++)
        put_facts(text, &totals->book->facts[i]);
    put(text, "# records %llu, other %llu, damaged %llu, too long %llu\n",
        (unsigned long long)counts->records, (unsigned long long)counts->other,
        (unsigned long long)counts->damaged, (unsigned long long)counts->too_long);
    for (int i = 0; i < totals->complaint_count; i++) {
        put(text, "# ");
        put_raw(text, totals->complaints[i], strlen(totals->complaints[i]));
        put(text, "\n");
    }
}

static size_t next_piece(struct pieces *pieces, size_t left)
{
    size_t size = pieces->each ? pieces->each : left;
    if (pieces->each && pieces->seed) {
        pieces->seed = pieces->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size = 1 + (size_t)(pieces->seed >> 33) % pieces->each;
    }
    return size < left ? size : left;
}

static void feed(struct stream *stream, struct text *text, const char *bytes, size_t size)
{
    struct record record;
    while (size > 0) {
        size_t room;
        char *space = stream_space(stream, size, &room);
        size_t piece = size < room ? size : room;
        memcpy(space, bytes, piece);
        stream_filled(stream, piece);
        bytes += piece;
        size -= piece;
        while (stream_next(stream, &record))
            put_record(text, &record);
    }
}

void formats_read(struct text *text, const char *name, const char *format, const char *bytes,
                  size_t size, struct pieces pieces)
{
    struct formats *formats = formats_new();
    if (format && formats_choose(formats, format) != 0)
        abort();
    formats_read_by(text, name, formats, bytes, size, pieces);
    formats_free(formats);
}

void formats_read_by(struct text *text, const char *name, const struct formats *formats,
                     const char *bytes, size_t size, struct pieces pieces)
{
    struct log_book book = {0};
    struct stream_totals totals = {.formats = formats, .book = &book};
    struct record record;
    struct stream *stream = stream_new(name, &totals);
    for (size_t at = 0; at < size;) {
        size_t piece = next_piece(&pieces, size - at);
        feed(stream, text, bytes + at, piece);
        at += piece;
    }
    stream_end(stream);
    while (stream_next(stream, &record))
        put_record(text, &record);
    put_totals(text, &totals);
    stream_free(stream);
    log_book_done(&book);
}
