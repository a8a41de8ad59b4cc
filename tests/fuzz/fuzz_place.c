/* What is typed to go somewhere in a run, and the conditions of --check: any text.
 *
 * The first byte chooses: bit 0 conditions, else a place; bit 1 a clock is known, or a
 * comparison. The rest is the text. */
#include <math.h>
#include <string.h>

#include "checks.h"
#include "fuzz.h"
#include "place.h"
#include "record.h"

#define TEXT_MAX 512

static void check_place(const char *text, bool clocked)
{
    struct place_clock clock = {clocked, 1764472350.75};
    struct place place, again;
    const char *why = place_parse(text, &clock, &place);
    if (why) {
        PROMISE(strlen(why) > 0 && strlen(why) < 200, "a refusal is a sentence");
        return;
    }
    char blanks[TEXT_MAX + 8];
    snprintf(blanks, sizeof(blanks), "  %s ", text);
    PROMISE(!place_parse(blanks, &clock, &again) && again.kind == place.kind &&
                again.step == place.step && again.attempt == place.attempt &&
                again.share == place.share && again.time_s == place.time_s,
            "blanks around are left out");
    switch (place.kind) {
    case PLACE_STEP:
        PROMISE(place.step >= 0 && place.step <= RECORD_STEP_MAX, "a step that may be");
        PROMISE(place.attempt >= -1, "an attempt that may be");
        break;
    case PLACE_MOVE:
        PROMISE(llabs(place.step) <= RECORD_STEP_MAX, "a move that may be");
        PROMISE((text[strspn(text, " ")] == '-') == (place.step < 0) || place.step == 0,
                "a move goes where its sign says");
        break;
    case PLACE_SHARE:
        PROMISE(place.share >= 0 && place.share <= 1, "a share is one");
        break;
    case PLACE_TIME:
        PROMISE(clocked, "no time without a clock");
        PROMISE(isfinite(place.time_s) && place.time_s == floor(place.time_s), "whole seconds");
        PROMISE(strchr(text, '-') ||
                    (place.time_s >= clock.begin_s - 60 && place.time_s <= clock.begin_s + 86400),
                "a time of day is the next one");
    }
}

static void check_sentence(const char *text, bool full)
{
    PROMISE(*text || !full, "an answer is a sentence");
    for (const char *p = text; *p; p++)
        PROMISE((unsigned char)*p >= 0x20 && *p != 0x7F, "no controls in it");
}

/* Every figure at the bound, just above, unknown: what is not known does not hold. */
static void judge(struct checks *checks, bool compared)
{
    static const double values[] = {0, 0.4, 1, 1e9};
    struct check_values now = {0}, base = {0};
    for (size_t i = 0; i <= sizeof(values) / sizeof(values[0]); i++) {
        bool known = i < sizeof(values) / sizeof(values[0]), all = true;
        for (int f = 0; f < CHECK_FIGURES; f++) {
            now.value[f] = quantity_none();
            if (known)
                now.value[f] = (struct quantity){.value = values[i], .evidence = EVIDENCE_MEASURED};
            base.value[f] = now.value[f];
        }
        bool held = checks_judge(checks, &now, compared ? &base : NULL);
        for (size_t c = 0; c < checks->count; c++) {
            const struct check *check = &checks->items[c];
            PROMISE(known || !check->holds, "what is not known does not hold");
            PROMISE(
                !known || check->relative || !(values[i] > check->bound * 1.01) ||
                    check->holds ==
                        (check->operator== CHECK_AT_LEAST || check->operator== CHECK_MORE || check->
                         operator== CHECK_NOT_EQUAL),
                "what is above the bound is above it");
            check_sentence(check->sentence, true);
            all &= check->holds;
        }
        PROMISE(held == all, "all hold when each does");
    }
}

static void check_conditions(const char *text, bool compared)
{
    static struct checks checks, again;
    char error[512] = "";
    checks.count = 0;
    if (!checks_parse(&checks, text, compared, error, sizeof(error))) {
        PROMISE(strlen(error) > 0 && strlen(error) < sizeof(error) - 1, "a refusal says all of it");
        return;
    }
    PROMISE(checks.count > 0 && checks.count <= CHECKS_MAX, "so many conditions as may be");
    for (size_t i = 0; i < checks.count; i++) {
        const struct check *check = &checks.items[i];
        PROMISE(isfinite(check->bound) && (check->bound >= 0 || check->relative), "a bound is one");
        PROMISE(compared || !check->relative, "relative to what was compared");
        again.count = 0;
        PROMISE(checks_parse(&again, check->text, compared, error, sizeof(error)),
                "what was taken is taken again");
        PROMISE(again.count == 1 && again.items[0].bound == check->bound &&
                    again.items[0].figure == check->figure &&
                    again.items[0].operator== check->operator,
                "as the same");
    }
    judge(&checks, compared);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[TEXT_MAX];
    if (size == 0)
        return 0;
    size_t length = size - 1 < sizeof(text) - 1 ? size - 1 : sizeof(text) - 1;
    memcpy(text, data + 1, length);
    text[length] = '\0';
    if (data[0] & 1)
        check_conditions(text, data[0] & 2);
    else
        check_place(text, data[0] & 2);
    return 0;
}
