/* One line of NVIDIA DLLogger, as text or as JSON: where in the run it is and its times. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log_learn.h"
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
    struct log_learned *form; /* that is being learned; NULL: none */
    unsigned learned;         /* its values so far */
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

/* Behind "DLL ". Rates and other times become values. form: what is learned of a usual line;
 * NULL: nothing. */
void dllogger_read_text(struct str text, struct dllogger_line *line, struct log_learned *form,
                        struct log_out *out);

/* The same of a line of a form that was learned; end: that of the line. False: it is to be read,
 * nothing has come of it. */
bool dllogger_read_again(const struct log_values *values, const char *end,
                         struct dllogger_line *line, struct log_out *out);

/* Behind "DLLL ". False: no valid JSON. */
bool dllogger_read_json(struct str text, struct dllogger_units *units, struct dllogger_line *line,
                        struct log_out *out);
