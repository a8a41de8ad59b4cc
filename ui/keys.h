/* Bytes from a terminal to key events, and the one table of bindings. A pure
 * state machine: no clock, no terminal, bounded state whatever arrives. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum command {
    CMD_NONE, /* a key without a binding; `code` may still be text */
#define BINDING(command, keys, line_key, line_label, help) CMD_##command,
#include "keys.def"
#undef BINDING
    CMD_COUNT
};

/* Keys that are no character: above all code points. */
enum {
    KEYS_ESC = 0x1B,
    KEYS_TAB = 0x09,
    KEYS_ENTER = 0x0D,
    KEYS_BACKSPACE = 0x7F, /* ^H too */
    KEYS_UP = 0x110000,
    KEYS_DOWN,
    KEYS_RIGHT,
    KEYS_LEFT,
    KEYS_HOME,
    KEYS_END,
    KEYS_PGUP,
    KEYS_PGDN,
    KEYS_SHIFT_TAB,
    KEYS_F1,
    KEYS_F2,
    KEYS_F3,
    KEYS_F4,
    KEYS_F5,
    KEYS_F6,
    KEYS_F7,
    KEYS_F8,
    KEYS_DELETE
};

struct key_event {
    enum command command; /* what the key is bound to */
    uint32_t code;        /* code point, control character (^A is 1) or a KEYS_ name */
};

enum keys_state {
    KEYS_GROUND,
    KEYS_ESCAPE, /* ESC came: a key of its own or the begin of a sequence */
    KEYS_CSI,
    KEYS_SS3,
    KEYS_LINUX,  /* ESC [ [: one more byte */
    KEYS_MOUSE,  /* ESC [ M: three more bytes */
    KEYS_STRING, /* OSC, DCS, APC, PM, SOS: until BEL or ST */
    KEYS_STRING_ESCAPE,
    KEYS_PASTE, /* until ESC [ 201 ~ */
    KEYS_UTF8,
};

/* All zero is the beginning. */
struct keys {
    enum keys_state state;
    uint8_t bytes[4]; /* of a UTF-8 sequence */
    uint8_t count;    /* bytes had; in KEYS_PASTE, bytes of the end mark had */
    uint8_t wanted;   /* bytes of the sequence */
    uint8_t silences; /* calls of keys_timeout without a byte between */
    bool unknown;     /* the sequence has what no known key has */
    uint8_t field;    /* parameters begun */
    uint16_t number;  /* first parameter, at most 9999 */
};

#define KEYS_EVENTS_MAX 2 /* of one byte: ESC and the key behind it */
#define KEYS_TIMEOUT_MS 50

/* Feeds one byte; returns how many events it made, 0 to KEYS_EVENTS_MAX. Arrows
 * come as ESC [ A or ESC O A, whole or in pieces. Sequences that are no known
 * key (mouse, answers of the terminal, pasted text) are swallowed whole. */
size_t keys_feed(struct keys *keys, uint8_t byte, struct key_event ret[KEYS_EVENTS_MAX]);

/* True while a sequence is open: call keys_timeout when KEYS_TIMEOUT_MS pass
 * without a byte, as long as this stays true. */
bool keys_wants_timeout(const struct keys *keys);

/* Silence: a bare ESC becomes the key, another open sequence is given up (a paste
 * after a second of silence only). True when *ret holds an event. */
bool keys_timeout(struct keys *keys, struct key_event *ret);

/* Can the key be entered into a text (a filter)? */
bool keys_is_text(struct key_event event);

struct key_binding {
    enum command command;
    const char *keys;     /* "q ^C" */
    const char *line_key; /* key and label of the key line; both "" when it has no place there */
    const char *line_label;
    const char *help;
};

/* The bindings in the order of help page and key line. */
const struct key_binding *keys_bindings(size_t *ret_count);

/* What a code is bound to; CMD_NONE when to nothing. */
enum command keys_command(uint32_t code);
bool keys_binding_has(const struct key_binding *binding, uint32_t code);
