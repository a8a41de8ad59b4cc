/* Values of options: read, held to their bounds, complained of by name. Used by
 * the parser (options.c) and by what it is made of (options_run.c). */
#pragma once

#include "options.h"

struct option_info {
    enum option_id id;
    const char *name;
    char letter;
    const char *argument;
    unsigned commands;
    const char *help;
};

struct parser {
    struct options *options;
    unsigned command;
    char *error;
    size_t error_size;
};

/* All below: true and *to set, or false, *to untouched, and the sentence in the
 * parser's `error`: which option, what it takes, what it got. */
bool option_fail(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* false */

/* "405e9", "7B", "1.5T", "65536", "64k". */
bool option_number(struct parser *parser, const struct option_info *info, const char *text,
                   double low, double high, double *to);
/* The same, whole, from 1. */
bool option_whole(struct parser *parser, const struct option_info *info, const char *text,
                  double high, double *to);
bool option_integer(struct parser *parser, const struct option_info *info, const char *text,
                    int64_t low, int64_t high, int64_t *to);
bool option_choice(struct parser *parser, const struct option_info *info, const char *text,
                   const char *const *words, int count, int *to);

/* "0.5" or "50%": a share from 0 to 1; says nothing of what is not one. */
bool option_share(const char *text, double *ret);

/* Options of the run: options.run. */
bool option_set_run(struct parser *parser, const struct option_info *info, const char *text);

/* Options of replays, and of a report's shape. */
bool option_set_replay(struct parser *parser, const struct option_info *info, const char *text);

/* Options of calc: rates, shares, hours. */
bool option_set_calc(struct parser *parser, const struct option_info *info, const char *text);
