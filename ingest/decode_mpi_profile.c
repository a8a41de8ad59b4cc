/* What libmpitrace writes, a file a rank: "Data for MPI rank 3 of 8:", a table of MPI routines,
 * "total communication time = 0.123 seconds.", "total elapsed time = 232.130 seconds.". One
 * record of the whole run: step 0. */
#include "log_format.h"
#include "log_text.h"

#define BLOCK_LINES_MAX 300

struct mpi_profile {
    bool in_block, in_table;
    int lines;
    int64_t rank;
    bool communicated;
    double communication;
};

static void end_block(struct mpi_profile *profile, const char *why, struct log_out *out)
{
    if (profile->in_block && why)
        log_out_damaged(out, why);
    profile->in_block = false;
    log_out_want_all(out, false);
}

/* "Data for MPI rank 3 of 8:" */
static bool take_head(struct mpi_profile *profile, struct str text, struct log_out *out)
{
    struct str rest;
    int64_t rank, size;
    size_t length;
    if (!log_after(text, "Data for MPI rank", &rest))
        return false;
    end_block(profile, "a profile without its elapsed time", out);
    if (!log_integer(rest, &rank, &length) || !log_begins(log_from(rest, length), " of "))
        return false;
    rest = log_from(rest, length + 4);
    if (!log_integer(rest, &size, &length) || !log_begins(log_from(rest, length), ":") ||
        rank >= size || size > RECORD_RANK_MAX) {
        log_out_damaged(out, "the rank of a profile is torn");
        return true;
    }
    *profile = (struct mpi_profile){.in_block = true, .in_table = true, .rank = rank};
    log_out_want_all(out, true);
    return true;
}

/* "total elapsed time       = 232.130 seconds." */
static bool seconds_of(struct str text, const char *name, bool *ret_torn, double *ret)
{
    struct str rest;
    size_t length;
    if (!log_after(text, name, &rest) || rest.len == 0 || rest.p[0] != '=')
        return false;
    rest = log_trim(log_from(rest, 1));
    *ret_torn = log_number(rest, ret, &length) != LOG_NUMBER ||
                !log_begins(log_from(rest, length), " seconds");
    return true;
}

static void put(struct mpi_profile *profile, double elapsed, struct log_out *out)
{
    struct record record = {.has = RECORD_STEP | RECORD_STEP_TIME | RECORD_RANK,
                            .rank = (uint32_t)profile->rank};
    if (elapsed <= 0 || !log_duration(elapsed, LOG_SECOND, &record.step_time_ns) ||
        (profile->communicated && profile->communication > elapsed)) {
        log_out_count(out, LOG_IMPOSSIBLE, "rank %lld: %g s of %g s", (long long)profile->rank,
                      profile->communication, elapsed);
        return;
    }
    if (profile->communicated && profile->communication >= 0 &&
        log_duration(profile->communication, LOG_SECOND, &record.phase_ns[PHASE_SYNC]))
        record.has |= RECORD_SYNC;
    log_out_note(out, LOG_NOTE_BLOCKS);
    log_out_record(out, &record);
}

/* "MPI_Allreduce     24561     208138.3     162.080" */
static bool take_routine(struct str text, bool cut, struct log_out *out)
{
    struct str fields[4];
    size_t count = 0;
    double calls, bytes, seconds;
    if (!log_begins(text, "MPI_"))
        return false;
    for (struct str rest = text; count < 4 && rest.len > 0; count++) {
        size_t end = 0;
        while (end < rest.len && rest.p[end] != ' ' && rest.p[end] != '\t')
            end++;
        fields[count] = log_until(rest, end);
        rest = log_trim(log_from(rest, end));
        if (count == 3 && rest.len > 0)
            return false;
    }
    if (cut || count < 4 || log_number_whole(fields[1], NULL, &calls) != LOG_NUMBER ||
        log_number_whole(fields[2], NULL, &bytes) != LOG_NUMBER ||
        log_number_whole(fields[3], NULL, &seconds) != LOG_NUMBER || seconds < 0)
        return false;
    log_out_value(out, fields[0], "s", seconds);
    return true;
}

static bool take_total(struct mpi_profile *profile, struct str text, struct log_out *out)
{
    bool torn = false;
    double seconds = 0;
    if (seconds_of(text, "total communication time", &torn, &seconds)) {
        profile->in_table = false;
        profile->communicated = !torn;
        profile->communication = seconds;
        if (torn)
            log_out_damaged(out, "the communication time of a profile is torn");
        return true;
    }
    if (!seconds_of(text, "total elapsed time", &torn, &seconds))
        return false;
    if (!torn)
        put(profile, seconds, out);
    end_block(profile, torn ? "the elapsed time of a profile is torn" : NULL, out);
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct mpi_profile *profile = state;
    struct str text = log_trim(line->body);
    if (take_head(profile, text, out))
        return LOG_TAKEN;
    if (!profile->in_block)
        return LOG_OTHER;
    if (take_total(profile, text, out) || (profile->in_table && take_routine(text, line->cut, out)))
        return LOG_TAKEN;
    if (++profile->lines > BLOCK_LINES_MAX)
        end_block(profile, "a profile without its elapsed time", out);
    return text.len == 0 || text.p[0] == '-' || log_begins(text, "MPI ") ||
                   log_begins(text, "Times ")
               ? LOG_TAKEN
               : LOG_OTHER;
}

static void end(void *state, struct log_out *out)
{
    end_block(state, "a profile without its elapsed time", out);
}

static const char *const anchors[] = {"Data for MPI rank", NULL};

const struct format format_mpi_profile = {
    .name = "mpi-profile",
    .title = "MPI profiles (libmpitrace)",
    .needs = "LD_PRELOAD=libmpitrace.so; SAVE_ALL_TASKS=yes for the files of all ranks",
    .tells = "every rank's time in MPI and in all, over the whole run",
    .lacks = "steps: a file is one sum over the run; what NCCL does is not in it",
    .how = LOG_HOW_PYTHON,
    .anchors = anchors,
    .state_bytes = sizeof(struct mpi_profile),
    .line = line,
    .end = end};
