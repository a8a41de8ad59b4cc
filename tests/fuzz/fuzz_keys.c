/* Bytes from a terminal: whatever comes, the decoder stays within its bounds and
 * finds back. The byte 0xFE stands for KEYS_TIMEOUT_MS of silence (as a byte of
 * a terminal it is like 0xFF: never part of anything). */
#include <string.h>

#include "fuzz.h"
#include "keys.h"

#define SILENCE 0xFE
#define SILENCES_ENOUGH 20 /* a second: a paste that never ends */

static void check_event(struct key_event event)
{
    PROMISE(event.code > 0 && event.code <= KEYS_DELETE, "an event has a code");
    PROMISE(event.code < 0xD800 || event.code > 0xDFFF, "no code is a surrogate");
    PROMISE(event.code != 0xFFFD, "broken UTF-8 makes no event");
    PROMISE(event.command < CMD_COUNT, "an event's command exists");
    PROMISE(!keys_is_text(event) || event.code >= ' ', "no control is text");
}

static void check_state(const struct keys *keys)
{
    PROMISE(keys->state <= KEYS_UTF8, "the state exists");
    PROMISE(keys->count <= 5 && keys->wanted <= sizeof(keys->bytes), "the state is bounded");
    PROMISE(keys->state != KEYS_UTF8 || keys->count < keys->wanted, "a whole character is given");
    PROMISE(keys->number <= 9999 && keys->field <= 2, "parameters are bounded");
    PROMISE(keys->silences < SILENCES_ENOUGH, "silences are bounded");
    PROMISE(keys_wants_timeout(keys) == (keys->state != KEYS_GROUND),
            "an open state asks for time");
}

static void feed(struct keys *keys, uint8_t byte)
{
    struct key_event events[KEYS_EVENTS_MAX + 1], guard;
    memset(events, 0xAB, sizeof(events));
    guard = events[KEYS_EVENTS_MAX];
    size_t count = keys_feed(keys, byte, events);
    PROMISE(count <= KEYS_EVENTS_MAX, "a byte makes two events at most");
    PROMISE(memcmp(&guard, &events[KEYS_EVENTS_MAX], sizeof(guard)) == 0, "no event is too much");
    for (size_t i = 0; i < count; i++)
        check_event(events[i]);
}

static void be_silent(struct keys *keys)
{
    struct key_event event;
    bool escape = keys->state == KEYS_ESCAPE;
    bool made = keys_timeout(keys, &event);
    PROMISE(made == escape, "silence makes an event of ESC alone");
    PROMISE(!made || event.code == KEYS_ESC, "and that is ESC");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keys keys = {0};
    for (size_t i = 0; i < size; i++) {
        if (data[i] == SILENCE)
            be_silent(&keys);
        else
            feed(&keys, data[i]);
        check_state(&keys);
    }
    for (int i = 0; i < SILENCES_ENOUGH; i++)
        be_silent(&keys);
    PROMISE(!keys_wants_timeout(&keys), "a second of silence ends every sequence");
    struct key_event events[KEYS_EVENTS_MAX];
    PROMISE(keys_feed(&keys, 'q', events) == 1 && events[0].command == CMD_QUIT,
            "nothing locks the user in");
    return 0;
}
