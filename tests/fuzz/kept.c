/* Records kept beyond their line. */
#include "kept.h"

#include <string.h>

#include "fields.h"
#include "fuzz.h"

static void take_number(struct kept *kept, const struct record *record, enum field field)
{
    const struct field_info *info = &field_infos[field];
    const char *why;
    int64_t value = record->rank;
    if (field != FIELD_RANK)
        memcpy(&value, (const char *)record + info->offset, sizeof(value));
    PROMISE(value >= 0 && value <= info->max, "a value is within the bounds of its field");
    PROMISE(field_put(&kept->record, field, value, &why), "a value that was taken can be put");
}

void kept_take(struct kept *kept, const struct record *record)
{
    memset(kept, 0, sizeof(*kept));
    kept->record.has = record->has;
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct field_info *info = &field_infos[f];
        bool number = info->type == FIELD_INTEGER || info->type == FIELD_SECONDS;
        if (number && (record->has & info->bit))
            take_number(kept, record, (enum field)f);
    }
    if (record->has & RECORD_HOST)
        str_copy(kept->host, NAME_BYTES, record->host);
    if (record->has & RECORD_GROUP)
        str_copy(kept->group, NAME_BYTES, record->group);
}

bool kept_same(const struct record *a, const struct record *b)
{
    struct kept first, second;
    kept_take(&first, a);
    kept_take(&second, b);
    return memcmp(&first, &second, sizeof(first)) == 0;
}
