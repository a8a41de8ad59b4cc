/* Events in words: one wording for the screen and for reports. */
#pragma once

#include "events.h"
#include "format.h"
#include "sentence.h"

/* "straggler", "slow group", "slow host", "spike", "restart", "missing", ... */
const char *event_name(const struct verdict *verdict);

/* "rank 5", "pp0", "node17", "attempt 2"; with `host` "rank 5 node00"; of a gap, and of
 * a spike that nobody made alone, "all ranks". */
void event_add_who(struct sentence *sentence, const struct summary *summary,
                   const struct verdict *verdict, bool host);

/* "forward", "begins late"; "" when it is not known. */
const char *event_phase(const struct verdict *verdict);

/* How much it was: "+10.1%", "2.3 x", "240 s" (down, missing, a gap), "4 steps" (a gap without
 * clocks); "-" when it is not known. */
const char *event_size(char out[FORMAT_BYTES], const struct run_event *event, bool unicode,
                       enum evidence *ret_evidence);

/* "1.23" GPU-hours that it cost; "-" when that is not known. */
const char *event_gpu_hours(char out[FORMAT_BYTES], const struct verdict *verdict);

/* "straggler, rank 5 begins; it was named at step 68", "spike", "missing, node3 ends": of
 * where a jump to one of its ends leads, on one line. */
void event_say_end(char *out, size_t size, const struct verdict *verdict, bool ends);

/* Is it about one step, and not about a span of them? */
bool event_is_moment(enum verdict_kind kind);

/* How long it lasted, or has so far, seconds, by the clocks of the ranks; NAN. */
double event_lasted_s(const struct run_event *event);

/* Does the event last at that step, from its first to its last? */
bool event_lasts_at(const struct run_event *event, int attempt, int64_t step);

/* All of it in one sentence: "straggler: rank 5 node00 +10.1% c (forward), steps 12,288 to
 * 12,340, for 4.27 min m, named at 12,307, cost 1.23 c GPU-hours". The attempts are said when
 * the run has several. */
void event_line(const struct summary *summary, const struct run_event *event, bool unicode,
                struct sentence *sentence);
