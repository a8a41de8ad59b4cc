/* What maps and patterns have in common. */
#include "user_format_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct user_format *user_format_new(const char *name, const char *text)
{
    struct user_format *user = memory_zeroed(1, sizeof(*user));
    str_copy(user->name, sizeof(user->name), str_from(name));
    str_copy(user->text, sizeof(user->text), str_from(text));
    user->format = (struct format){
        .name = user->name,
        .title = user->name,
        .needs = "",
        .tells = "what its map or pattern names",
        .anchors = user->anchors,
        .setup = user,
    };
    return user;
}

void user_format_free(struct user_format *user)
{
    free(user);
}

const struct format *user_format_of(const struct user_format *user)
{
    return &user->format;
}

const char *user_format_text(const struct user_format *user)
{
    return user->text;
}

bool user_format_field(struct user_format *user, const struct element *element, char *error,
                       size_t size)
{
    if (user->count == USER_ELEMENTS_MAX) {
        snprintf(error, size, "it has more than %d parts", USER_ELEMENTS_MAX);
        return false;
    }
    user->elements[user->count++] = *element;
    return true;
}

bool user_format_constant(struct user_format *user, struct str name, struct str value)
{
    return str_is(name, "epoch_steps") && user->epoch_steps == 0 &&
           str_to_int(value, 1, INT32_MAX, &user->epoch_steps);
}

bool user_format_check(struct user_format *user, char *error, size_t size)
{
    struct user_record seen = {0};
    bool rank = false;
    for (size_t i = 0; i < user->count; i++) {
        const struct element *element = &user->elements[i];
        uint32_t bit = element->text ? 0 : element->field.bit;
        if (seen.record.has & bit) {
            snprintf(error, size, "it fills in the same field twice");
            return false;
        }
        seen.record.has |= bit;
        rank |= bit == RECORD_RANK;
    }
    if (user->epoch_steps > 0 && (seen.record.has & USER_BIT_EPOCH_STEPS)) {
        snprintf(error, size, "it fills in the same field twice");
        return false;
    }
    seen.record.has |= user->epoch_steps > 0 ? USER_BIT_EPOCH_STEPS : 0;
    user->job |= (seen.record.has & RECORD_JOB) != 0;
    if (user->job && rank) {
        snprintf(error, size, "job says that a record is of the whole job: then it has no rank");
        return false;
    }
    if (!(seen.record.has & RECORD_STEP) || !(seen.record.has & RECORD_ANY_TIME)) {
        snprintf(error, size,
                 "it must fill in step, and a time: step_time, compute, data, forward, backward, "
                 "sync or optimizer");
        return false;
    }
    uint32_t epochs = seen.record.has & (USER_BIT_EPOCH | USER_BIT_EPOCH_STEPS);
    user->epochs = epochs != 0;
    if (epochs == USER_BIT_EPOCH || epochs == USER_BIT_EPOCH_STEPS) {
        snprintf(error, size,
                 "of epoch and epoch_steps, the steps in each, one is missing: a step's number is "
                 "worked out from both");
        return false;
    }
    /* Of records that are the whole job's after all: no prefix and no file's name has a rank. */
    user->format.lacks = rank ? NULL : "the times of single ranks";
    user->format.how[0] = rank ? NULL : "let every rank write its own line, and its rank in it";
    user->format.how[1] = rank        ? NULL
                          : user->job ? "name that in the map or pattern: rank, instead of job"
                                      : "name that in the map or pattern: rank";
    return true;
}
