/* The inside of a format that a user described: may be used by user_format.c,
 * decode_map.c and decode_pattern.c only. */
#pragma once

#include "user_field.h"
#include "user_format.h"

/* Of a map: a key and its field. Of a pattern: text between fields, or a field. */
struct element {
    bool text;
    struct user_field field;
    struct str key; /* within user_format.text or .keys; of a text of a pattern: its bytes */
};

struct user_format {
    struct format format;
    bool job;
    struct str step_key; /* of a map: the last part of its step's key */
    size_t count;
    struct element elements[USER_ELEMENTS_MAX];
    const char *anchors[2];
    char anchor[128];
    char name[64];
    char text[USER_TEXT_MAX + 1];
    char plain[USER_TEXT_MAX + 1]; /* of a pattern: its texts, without escapes */
};

struct user_format *user_format_new(const char *name, const char *text);

/* Takes one more; false: there are too many. */
bool user_format_field(struct user_format *user, const struct element *element, char *error,
                       size_t size);

/* Whether they come to records. */
bool user_format_check(struct user_format *user, char *error, size_t size);
