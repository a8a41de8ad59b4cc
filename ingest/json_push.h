/* JSON as a stream: bytes are put in, in any pieces, and tokens come out. For
 * documents that may be a single line of 500 MB: nothing is kept but the token that
 * is torn between two pieces, nothing is allocated, and what nobody wants is skipped
 * at the speed of memory.
 *
 * Strict about the structure; within skipped values only about quotes and the balance
 * of brackets. NaN and Infinity are taken, since Python writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define JSON_DEPTH_MAX 64
#define JSON_TEXT_MAX 256 /* bytes of a string or key that are given; the rest is left out */

enum json_token {
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,      /* text: as written between the quotes, with its escapes */
    JSON_STRING,   /* likewise */
    JSON_NUMBER,   /* text: a valid number of at most 63 bytes */
    JSON_CONSTANT, /* text: true, false, null, NaN, Infinity or -Infinity */
};

/* One token. text is valid during the call. depth: how many objects and arrays the token stands
 * in, its own not counted: 0 at the top, 1 for the keys of the outermost object. False for OBJECT
 * and ARRAY: its inside is not wanted, no END comes; for KEY: its value is not wanted. For the
 * others the answer does not matter. */
typedef bool json_push_handler(void *to, enum json_token token, struct str text, unsigned depth);

struct json_push {
    json_push_handler *handler;
    void *to;
    const char *why; /* it is not JSON from here on; NULL */
    unsigned depth;
    uint64_t objects; /* bit: the container at that depth is an object */
    uint8_t state, token;
    bool unwanted;  /* the value that comes is */
    bool after_key; /* it is a key's */
    bool escape;    /* the last byte was a backslash in a string */
    bool in_string; /* of a value that is skipped */
    uint64_t skip_depth;
    size_t length; /* of the torn token in text */
    char text[JSON_TEXT_MAX];
};

void json_push_init(struct json_push *json, json_push_handler *handler, void *to);

/* False: it is not JSON (json->why says how); nothing more comes of it from now on. */
bool json_push_bytes(struct json_push *json, const char *bytes, size_t size);

/* After the last byte: whether one whole value was read. A number at the top level ends here. */
bool json_push_end(struct json_push *json);

/* Whether nothing was read so far but blanks. */
bool json_push_empty(const struct json_push *json);

/* Behind a whole value, or the comma after it: how many containers are open. 0: elsewhere. */
unsigned json_push_depth_after_value(const struct json_push *json);
