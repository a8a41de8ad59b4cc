/* `lockstep replay` without a terminal: a line a step, as fast as it goes. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_replay.h"
#include "session_plain.h"

#define INDEX_RECORDS 65536

/* The steps that the index knows, from the one after the shown on. False: that is
 * all, or nobody reads on. */
static bool write_known(struct replay *replay, struct session_plain *plain, struct summary *summary,
                        bool *failed)
{
    enum replay_way way;
    struct step_key key;
    while ((way = replay_next(replay)) == REPLAY_THERE && replay_key(replay, &key))
        if (!session_plain_step(plain, replay_shown(replay), key, summary))
            return false;
    *failed = way == REPLAY_FAILED;
    return way == REPLAY_WAITING;
}

/* To where --at says; the step there is the first line. False: it can't be gone to. */
static bool go_to_begin(struct replaying *replaying, struct session_plain *plain,
                        struct summary *summary)
{
    struct replay *replay = replaying->replay;
    struct step_key key;
    struct place place;
    while (replay_index(replay, INDEX_RECORDS))
        continue;
    struct place_clock clock = replaying_clock(replaying);
    const char *why = place_parse(replaying->options.at, &clock, &place);
    if (why)
        return command_fail("--at %s: %s", replaying->options.at, why) == 0;
    if (!replaying_resolve(replaying, place, &key))
        return true; /* there is no step at all */
    enum replay_way way = replay_go(replay, key);
    while (way == REPLAY_ON_WAY)
        way = replay_work(replay, INDEX_RECORDS);
    if (replay_key(replay, &key))
        session_plain_step(plain, replay_shown(replay), key, summary);
    return way != REPLAY_FAILED;
}

int replaying_plain(struct replaying *replaying)
{
    struct session_plain *plain = session_plain_new(STDOUT_FILENO);
    struct summary summary;
    bool failed = false;
    summary_init(&summary);
    signal(SIGPIPE, SIG_IGN);
    if (replaying->options.at && !go_to_begin(replaying, plain, &summary))
        failed = true;
    while (!failed && write_known(replaying->replay, plain, &summary, &failed))
        replay_index(replaying->replay, INDEX_RECORDS);
    const struct files_state *state = replay_files(replaying->replay);
    command_notices(state);
    int status = failed || state->unreadable > 0 || state->unfinished > 0;
    int error = session_plain_error(plain);
    if (error)
        status = command_fail("standard output: %s", strerror(error));
    if (status == 0 && !error && replay_indexed(replaying->replay) >= 1 &&
        replay_totals(replaying->replay)->counts.records == 0)
        status =
            command_fail_empty(replaying->options.sources, replaying->options.source_count, "");
    summary_done(&summary);
    session_plain_free(plain);
    return status;
}
