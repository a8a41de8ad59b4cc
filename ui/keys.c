/* The key decoder. It never waits and never reads: the caller owns descriptor and
 * timer. A byte that breaks a sequence off is looked at again from the ground,
 * so that ^C works in the middle of anything. */
#include "keys.h"

#include <string.h>

#include "text.h"

#define KEYS_PASTE_SILENCES 20 /* times KEYS_TIMEOUT_MS: one second */

static const struct key_binding bindings[] = {
#define BINDING(command, keys, line_key, line_label, help)                                         \
    {CMD_##command, keys, line_key, line_label, help},
#include "keys.def"
#undef BINDING
};

#define BINDING_COUNT (sizeof bindings / sizeof bindings[0])

const struct key_binding *keys_bindings(size_t *ret_count)
{
    *ret_count = BINDING_COUNT;
    return bindings;
}

static const struct {
    const char *name;
    uint32_t code;
} key_names[] = {
    {"Space", ' '},
    {"Tab", KEYS_TAB},
    {"Enter", KEYS_ENTER},
    {"Esc", KEYS_ESC},
    {"Up", KEYS_UP},
    {"Down", KEYS_DOWN},
    {"Right", KEYS_RIGHT},
    {"Left", KEYS_LEFT},
    {"Home", KEYS_HOME},
    {"End", KEYS_END},
    {"PgUp", KEYS_PGUP},
    {"PgDn", KEYS_PGDN},
    {"F1", KEYS_F1},
    {"F2", KEYS_F2},
    {"F3", KEYS_F3},
    {"F4", KEYS_F4},
    {"F5", KEYS_F5},
    {"F6", KEYS_F6},
    {"F7", KEYS_F7},
    {"F8", KEYS_F8},
    {"Delete", KEYS_DELETE},
    {"Backspace", KEYS_BACKSPACE},
    {"Shift-Tab", KEYS_SHIFT_TAB},
};

/* Does one name of a binding's keys mean this code? */
static bool keys_matches(struct str name, uint32_t code)
{
    if (name.len == 1)
        return code == (uint8_t)name.p[0];
    if (name.len == 2 && name.p[0] == '^')
        return code == ((uint8_t)name.p[1] & 0x1Fu);
    if (name.len == 4 && name.p[1] == '.' && name.p[2] == '.')
        return code >= (uint8_t)name.p[0] && code <= (uint8_t)name.p[3];
    for (size_t i = 0; i < sizeof key_names / sizeof key_names[0]; i++) {
        if (strlen(key_names[i].name) == name.len &&
            memcmp(key_names[i].name, name.p, name.len) == 0)
            return code == key_names[i].code;
    }
    return false;
}

bool keys_binding_has(const struct key_binding *binding, uint32_t code)
{
    const char *names = binding->keys;
    while (*names != '\0') {
        size_t length = strcspn(names, " ");
        if (keys_matches(str_of(names, length), code))
            return true;
        names += length;
        names += strspn(names, " ");
    }
    return false;
}

enum command keys_command(uint32_t code)
{
    for (size_t i = 0; i < BINDING_COUNT; i++) {
        if (keys_binding_has(&bindings[i], code))
            return bindings[i].command;
    }
    return CMD_NONE;
}

bool keys_is_text(struct key_event event)
{
    return event.code <= TEXT_CODE_MAX && text_is_safe(event.code);
}

static size_t keys_emit(struct key_event *ret, uint32_t code)
{
    *ret = (struct key_event){.command = keys_command(code), .code = code};
    return 1;
}

static size_t keys_enter(struct keys *keys, enum keys_state state)
{
    *keys = (struct keys){.state = state};
    return 0;
}

static size_t keys_ground(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    keys_enter(keys, KEYS_GROUND);
    if (byte == KEYS_ESC)
        return keys_enter(keys, KEYS_ESCAPE);
    if (byte == 0)
        return 0;
    if (byte == '\n')
        return keys_emit(ret, KEYS_ENTER);
    if (byte == 0x08)
        return keys_emit(ret, KEYS_BACKSPACE);
    if (byte < 0x80)
        return keys_emit(ret, byte);
    if (byte >= 0xC2 && byte <= 0xF4) {
        keys_enter(keys, KEYS_UTF8);
        keys->bytes[0] = byte;
        keys->count = 1;
        keys->wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    }
    return 0;
}

/* Behind ESC. A key that is no introducer is a key of its own, and so was ESC: a
 * slow line may deliver both at once. */
static size_t keys_escape(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    switch (byte) {
    case '[':
        return keys_enter(keys, KEYS_CSI);
    case 'O':
        return keys_enter(keys, KEYS_SS3);
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X':
        return keys_enter(keys, KEYS_STRING);
    case KEYS_ESC:
        return keys_emit(ret, KEYS_ESC);
    default: {
        size_t count = keys_emit(ret, KEYS_ESC);
        return count + keys_ground(keys, byte, ret + count);
    }
    }
}

/* The key of a final byte that CSI and SS3 share; 0: none. */
static uint32_t keys_letter(uint8_t final)
{
    switch (final) {
    case 'A':
        return KEYS_UP;
    case 'B':
        return KEYS_DOWN;
    case 'C':
        return KEYS_RIGHT;
    case 'D':
        return KEYS_LEFT;
    case 'H':
        return KEYS_HOME;
    case 'F':
        return KEYS_END;
    case 'P':
        return KEYS_F1;
    default:
        return 0;
    }
}

/* The key of ESC [ number ~; 0: none. */
static uint32_t keys_number(uint16_t number)
{
    switch (number) {
    case 1:
    case 7:
        return KEYS_HOME;
    case 3:
        return KEYS_DELETE;
    case 4:
    case 8:
        return KEYS_END;
    case 5:
        return KEYS_PGUP;
    case 6:
        return KEYS_PGDN;
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
        return KEYS_F1 + (number - 11u);
    case 17:
    case 18:
    case 19:
        return KEYS_F6 + (number - 17u);
    default:
        return 0;
    }
}

static size_t keys_csi_final(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    struct keys sequence = *keys;
    keys_enter(keys, KEYS_GROUND);
    if (sequence.unknown)
        return 0;
    if (byte == 'M' && sequence.field == 0)
        return keys_enter(keys, KEYS_MOUSE);
    if (byte == '~' && sequence.number == 200)
        return keys_enter(keys, KEYS_PASTE);
    uint32_t code = byte == '~'   ? keys_number(sequence.number)
                    : byte == 'Z' ? KEYS_SHIFT_TAB
                                  : keys_letter(byte);
    return code ? keys_emit(ret, code) : 0;
}

static void keys_csi_digit(struct keys *keys, uint8_t byte)
{
    if (keys->field == 0)
        keys->field = 1;
    if (keys->field == 1 && keys->number < 1000)
        keys->number = (uint16_t)(keys->number * 10 + (byte - '0'));
}

static size_t keys_csi(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    if (byte == '[' && keys->field == 0 && !keys->unknown)
        return keys_enter(keys, KEYS_LINUX);
    if (byte >= 0x40 && byte <= 0x7E)
        return keys_csi_final(keys, byte, ret);
    if (byte < 0x20 || byte > 0x7E)
        return keys_ground(keys, byte, ret);
    if (byte >= '0' && byte <= '9')
        keys_csi_digit(keys, byte);
    else if (byte == ';')
        keys->field = 2;
    else
        keys->unknown = true;
    return 0;
}

static size_t keys_ss3(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    keys_enter(keys, KEYS_GROUND);
    if (byte < 0x20 || byte > 0x7E)
        return keys_ground(keys, byte, ret);
    /* F2 to F4 have this form alone: ESC [ R is the answer of a terminal. */
    uint32_t code = byte == 'M'                  ? KEYS_ENTER
                    : byte >= 'Q' && byte <= 'S' ? KEYS_F2 + (byte - (uint32_t)'Q')
                                                 : keys_letter(byte);
    return code ? keys_emit(ret, code) : 0;
}

static size_t keys_linux(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    keys_enter(keys, KEYS_GROUND);
    if (byte < 0x20 || byte > 0x7E)
        return keys_ground(keys, byte, ret);
    return byte >= 'A' && byte <= 'E' ? keys_emit(ret, KEYS_F1 + (byte - (uint32_t)'A')) : 0;
}

static size_t keys_mouse(struct keys *keys)
{
    if (++keys->count == 3)
        keys_enter(keys, KEYS_GROUND);
    return 0;
}

static size_t keys_string(struct keys *keys, uint8_t byte)
{
    if (byte == KEYS_ESC)
        keys->state = KEYS_STRING_ESCAPE;
    else if (byte == 0x07 || byte == 0x18 || byte == 0x1A)
        keys_enter(keys, KEYS_GROUND);
    return 0;
}

static size_t keys_string_escape(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    if (byte == '\\')
        return keys_enter(keys, KEYS_GROUND);
    keys_enter(keys, KEYS_ESCAPE);
    return keys_feed(keys, byte, ret);
}

static size_t keys_paste(struct keys *keys, uint8_t byte)
{
    static const char end[] = "\x1b[201~";
    keys->silences = 0;
    if (byte == (uint8_t)end[keys->count])
        keys->count++;
    else
        keys->count = byte == KEYS_ESC ? 1 : 0;
    if (keys->count == sizeof end - 1)
        keys_enter(keys, KEYS_GROUND);
    return 0;
}

static size_t keys_utf8(struct keys *keys, uint8_t byte, struct key_event *ret)
{
    if (byte < 0x80 || byte > 0xBF)
        return keys_ground(keys, byte, ret);
    keys->bytes[keys->count++] = byte;
    if (keys->count < keys->wanted)
        return 0;
    struct str rest = str_of((const char *)keys->bytes, keys->count);
    uint32_t code = text_next(&rest);
    keys_enter(keys, KEYS_GROUND);
    return code != 0 && code != TEXT_REPLACEMENT ? keys_emit(ret, code) : 0;
}

size_t keys_feed(struct keys *keys, uint8_t byte, struct key_event ret[KEYS_EVENTS_MAX])
{
    switch (keys->state) {
    case KEYS_GROUND:
        return keys_ground(keys, byte, ret);
    case KEYS_ESCAPE:
        return keys_escape(keys, byte, ret);
    case KEYS_CSI:
        return keys_csi(keys, byte, ret);
    case KEYS_SS3:
        return keys_ss3(keys, byte, ret);
    case KEYS_LINUX:
        return keys_linux(keys, byte, ret);
    case KEYS_MOUSE:
        return keys_mouse(keys);
    case KEYS_STRING:
        return keys_string(keys, byte);
    case KEYS_STRING_ESCAPE:
        return keys_string_escape(keys, byte, ret);
    case KEYS_PASTE:
        return keys_paste(keys, byte);
    case KEYS_UTF8:
        return keys_utf8(keys, byte, ret);
    }
    return 0;
}

bool keys_wants_timeout(const struct keys *keys)
{
    return keys->state != KEYS_GROUND;
}

bool keys_timeout(struct keys *keys, struct key_event *ret)
{
    if (keys->state == KEYS_PASTE && ++keys->silences < KEYS_PASTE_SILENCES)
        return false;
    bool escape = keys->state == KEYS_ESCAPE;
    keys_enter(keys, KEYS_GROUND);
    return escape && keys_emit(ret, KEYS_ESC) > 0;
}
