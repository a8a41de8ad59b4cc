/* Steps as lines of plain text. */
#include "session_plain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "memory.h"
#include "sentence.h"

struct session_plain {
    int fd;
    int error;
    bool begun;
    struct step_key last; /* that was written */
};

struct session_plain *session_plain_new(int fd)
{
    struct session_plain *plain = memory_zeroed(1, sizeof(*plain));
    plain->fd = fd;
    return plain;
}

void session_plain_free(struct session_plain *plain)
{
    free(plain);
}

int session_plain_error(const struct session_plain *plain)
{
    return plain->error == EPIPE ? 0 : plain->error;
}

static void say_last(struct sentence *line, const struct summary *summary)
{
    char text[FORMAT_BYTES];
    const struct summary_rank *last = summary_rank_of(summary, summary->shown.last_rank);
    if (!last)
        return;
    sentence_add(line, "  rank %" PRIu32 " last", last->rank);
    if (isfinite(last->slowdown))
        sentence_add(line, " %s", format_difference(text, last->slowdown - 1));
}

static void say_verdicts(struct sentence *line, const struct summary *summary)
{
    char text[FORMAT_BYTES];
    for (size_t i = 0; i < summary->verdicts_in_force; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        if (verdict->kind != VERDICT_STRAGGLER && verdict->kind != VERDICT_GROUP)
            continue;
        sentence_add(line, "  straggler: ");
        if (verdict->kind == VERDICT_STRAGGLER)
            sentence_add(line, "rank %" PRId64, verdict->rank);
        else {
            sentence_add(line, verdict->is_host ? "host " : "group ");
            sentence_add_raw(line, verdict->group);
        }
        if (isfinite(verdict->slowdown))
            sentence_add(line, " %s", format_difference(text, verdict->slowdown - 1));
        sentence_add(line, " since step %" PRId64, verdict->from_step);
        if (verdict->phase >= 0)
            sentence_add(line, " (%s)", phase_name((enum phase)verdict->phase));
    }
}

static void say_step(struct sentence *line, const struct summary *summary)
{
    char text[FORMAT_BYTES];
    const struct summary_step *shown = &summary->shown;
    sentence_clear(line, STYLE_NORMAL);
    sentence_add(line, "%sstep %" PRId64, summary->simulated ? "simulated  " : "", shown->step);
    if (quantity_known(shown->step_time_s))
        sentence_add(line, "  %s", format_duration(text, shown->step_time_s.value, false));
    if (shown->span > 1)
        sentence_add(line, ", mean of %s", format_counted(text, shown->span, "step"));
    if (summary->scope != SCOPE_JOB && shown->reported < shown->expected)
        sentence_add(line, "  %d of %d ranks", shown->reported, shown->expected);
    if (quantity_known(shown->wait_share))
        sentence_add(line, "  waiting %s", format_share(text, shown->wait_share.value));
    if (quantity_known(summary->mfu))
        sentence_add(line, "  MFU %s", format_share(text, summary->mfu.value));
    say_last(line, summary);
    say_verdicts(line, summary);
}

static void write_line(struct session_plain *plain, const struct sentence *line)
{
    char bytes[SENTENCE_BYTES + 1];
    const char *text = bytes;
    size_t length = line->length + 1;
    memcpy(bytes, line->text, line->length);
    bytes[line->length] = '\n';
    while (length > 0 && !plain->error) {
        ssize_t written = write(plain->fd, text, length);
        if (written < 0 && errno != EINTR)
            plain->error = errno;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

/* The step after the last one that was written; false when there is none. */
static bool next(struct session_plain *plain, const struct analysis *analysis)
{
    struct step_key key =
        plain->begun ? analysis_move(analysis, plain->last, 1)
                     : analysis_move(analysis, (struct step_key){.latest = true}, INT64_MIN);
    key.latest = false;
    if (plain->begun && key.attempt == plain->last.attempt && key.step == plain->last.step)
        return false;
    plain->begun = true;
    plain->last = key;
    return true;
}

bool session_plain_write(struct session_plain *plain, struct analysis *analysis,
                         struct summary *summary)
{
    struct sentence line;
    struct step_key key = plain->begun ? plain->last : (struct step_key){.latest = true};
    summary->brief = true; /* lines show no more */
    analysis_summary(analysis, key, INT64_MIN, summary);
    while (summary->shown.known && !plain->error && next(plain, analysis)) {
        analysis_summary(analysis, plain->last, INT64_MIN, summary);
        say_step(&line, summary);
        write_line(plain, &line);
    }
    return !plain->error;
}

bool session_plain_step(struct session_plain *plain, struct analysis *analysis, struct step_key key,
                        struct summary *summary)
{
    struct sentence line;
    summary->brief = true;
    analysis_summary(analysis, key, INT64_MIN, summary);
    if (summary->shown.known && !plain->error) {
        say_step(&line, summary);
        write_line(plain, &line);
    }
    return !plain->error;
}
