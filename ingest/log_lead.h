/* Which of several formats gives the records of a stream. A log may hold the same steps more than
 * once: an iteration line and a progress bar, a trainer's line and MLPerf's. One format leads, the
 * others are left out and counted, so that no step is there twice and none looks like a
 * restart. That which stands first in formats.def leads; our own records stand before all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

#define LEAD_NONE (-2)
#define LEAD_OWN (-1) /* our own records */

struct log_lead {
    int format;          /* index in the table; LEAD_NONE, LEAD_OWN */
    int64_t last, span;  /* the last step that it gave, and how many its value covers; -1: none */
    int64_t floor;       /* the format that led before gave the steps up to this one; -1 */
    int64_t silent;      /* steps for which others have had a value since */
    int64_t silent_step; /* the last of them */
};

void log_lead_begin(struct log_lead *lead);

/* Our own records were read, the last one of this step. */
void log_lead_own(struct log_lead *lead, int64_t step);

/* Whether this record of the format counts. claims: bit set of the formats that have records in
 * this stream, this one among them. */
bool log_lead_takes(struct log_lead *lead, size_t format, uint64_t claims,
                    const struct record *record);

/* The input has ended: whether what others had since the leader's last record is a run of its own,
 * which was appended to the log. */
bool log_lead_is_over(const struct log_lead *lead);

/* Whether another than this format leads, and stands before it. */
bool log_lead_outranks(const struct log_lead *lead, size_t format, uint64_t claims);
