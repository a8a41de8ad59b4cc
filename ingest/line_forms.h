/* The forms of lines (log_learn.h) that a stream's decoders have learned last. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log_learn.h"

#define LINE_FORMS 8

struct formats;

struct line_form {
    struct log_learned *form; /* owned */
    uint64_t found;           /* the formats whose anchors it holds */
    uint64_t leave;           /* those of them that leave it, as long as their state lets them */
    uint8_t owner;            /* the format that has learned it */
    uint8_t next;             /* which one came after it last */
    bool bare;                /* no launcher's prefix is in front, whatever its digits */
    uint64_t begins, mask;    /* its bytes before the first digit, eight at most */
};

struct line_forms {
    struct line_form list[LINE_FORMS];
    size_t count, oldest, last;
    struct log_learned *learning; /* owned; of the line that is read */
    unsigned in_vain;             /* learned since one matched */
    struct log_values values;     /* of the line whose form was found last */
};

struct line_forms *line_forms_new(void);
void line_forms_free(struct line_forms *forms);

/* The form that the line has, its values are forms->values then. NULL: none of these. */
const struct line_form *line_forms_find(struct line_forms *forms, struct str line);

/* Room to learn the form of the next line. NULL: not this one, since forms do not come back. */
struct log_learned *line_forms_learn(struct line_forms *forms);

/* What was learned, by this format, is kept: where it is ready, and its digits do not tell which
 * formats have a line like it. found: the formats whose anchors it holds. NULL: it is not. */
struct line_form *line_forms_keep(struct line_forms *forms, const struct formats *formats,
                                  uint8_t owner, uint64_t found);
