/* The inside of a format that a user described: may be used by user_format.c,
 * decode_map*.c and decode_pattern*.c only. */
#pragma once

#include <stdint.h>

#include "user_field.h"
#include "user_format.h"

/* Of a map: a key and its field. Of a pattern: text between fields, or a field. */
struct element {
    bool text;
    struct user_field field;
    struct str key; /* within user_format.text or .plain; of a text of a pattern: its bytes */
    uint8_t same;   /* of a map: 1 + the next element with this key; 0: none */
    uint16_t front; /* of a text: blanks before its first word */
    uint16_t word;  /* length of that word */
};

#define USER_KEY_SLOTS 64
static inline size_t user_key_slot(char first)
{
    return (unsigned char)first % USER_KEY_SLOTS;
}

struct user_format {
    struct format format;
    bool job;
    bool epochs;                       /* steps begin anew in each */
    int64_t epoch_steps;               /* how many each has, when no line says it; 0: it does */
    bool digits;                       /* there are some in its keys, or texts */
    struct str step_key;               /* of a map: the last part of its step's key */
    uint64_t by_first[USER_KEY_SLOTS]; /* of a map: bits of the elements whose keys begin so */
    size_t count;
    struct element elements[USER_ELEMENTS_MAX];
    const char *anchors[2];
    char anchor[128];
    char name[64];
    char text[USER_TEXT_MAX + 1];
    char plain[USER_TEXT_MAX + 16]; /* of a pattern: its texts, without escapes; some bytes behind
                                       each are readable */
};

/* What the format says of each of its records. */
static inline void user_format_mark(const struct user_format *user, struct user_record *record)
{
    record->record.has |= user->job ? RECORD_JOB : 0;
    record->in_epochs = user->epochs;
    if (user->epoch_steps > 0) {
        record->epoch_steps = user->epoch_steps;
        record->own |= USER_BIT_EPOCH_STEPS;
    }
}

struct user_format *user_format_new(const char *name, const char *text);

/* Takes one more; false: there are too many. */
bool user_format_field(struct user_format *user, const struct element *element, char *error,
                       size_t size);

/* Takes "epoch_steps=300", a number that no line says; false: it is another field, or no number. */
bool user_format_constant(struct user_format *user, struct str name, struct str value);

/* Whether they come to records. */
bool user_format_check(struct user_format *user, char *error, size_t size);
