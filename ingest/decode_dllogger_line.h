/* One line of NVIDIA DLLogger, as text or as JSON: where in the run it is and its times. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log_out.h"
#include "log_text.h"
#include "str.h"

#define DLLOGGER_UNITS_MAX 16

/* Units that METADATA lines of the JSON form tell. */
struct dllogger_units {
    int count;
    struct {
        char name[48];
        double ns; /* 0: no time */
    } of[DLLOGGER_UNITS_MAX];
};

struct dllogger_line {
    bool evaluation, torn;
    bool has_iteration, has_epoch, has_stamp, has_zone;
    int64_t epoch, iteration, length; /* length of the epoch; 0: not said */
    int64_t stamp_ns;
    bool timed;           /* there is a step time, whether or not it can be read */
    enum log_number time; /* LOG_NOTHING: torn, or its unit is not known */
    bool unit_known;      /* of the step time */
    int64_t step_time_ns;
    bool has_data;
    int64_t data_ns;
};

/* Behind "DLL ". Rates and other times become values. */
void dllogger_read_text(struct str text, struct dllogger_line *line, struct log_out *out);

/* Behind "DLLL ". False: no valid JSON. */
bool dllogger_read_json(struct str text, struct dllogger_units *units, struct dllogger_line *line,
                        struct log_out *out);
