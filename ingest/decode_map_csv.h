/* Tables with a header, of which a map names columns. */
#pragma once

#include "user_format_inside.h"

#define CSV_COLUMNS_MAX 512

/* All zero: no header was seen yet. */
struct map_csv {
    char separator;
    bool decimal_commas; /* seen in a number: "0,5" */
    size_t columns;
    bool last_mapped;                 /* a cut line may have cut its number */
    uint8_t element[CSV_COLUMNS_MAX]; /* 1 + the element of a column; 0: none */
};

/* A line that may be the header or a row. After a header every line is wanted. */
enum log_answer map_csv_line(struct map_csv *csv, const struct user_format *user,
                             const struct log_line *line, struct log_out *out);
