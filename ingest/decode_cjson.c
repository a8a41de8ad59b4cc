/* Records by way of cJSON. */
#include "decode_cjson.h"

#include <string.h>

#include <cjson/cJSON.h>

/* cJSON ends a text at "\\u0000": such a key is none of ours. */
static enum field field_of_item(const cJSON *item, struct str key)
{
    if (memmem(key.p, key.len, "\\u0000", 6))
        return FIELD_UNKNOWN;
    return field_of(item->string, strlen(item->string));
}

/* `value` is the item's text: cJSON reads numbers as doubles, which is not exact. */
static enum scan_result put_item(const cJSON *item, enum field field, struct str value,
                                 struct record *record, char text[2][NAME_BYTES],
                                 const char **ret_why)
{
    if (field == FIELD_UNKNOWN)
        return SCAN_OK;
    record->has &= ~field_infos[field].bit;
    if (cJSON_IsNull(item))
        return SCAN_OK;
    if (field == FIELD_EVENT) {
        field_put_event(record, str_from(cJSON_IsString(item) ? item->valuestring : NULL));
        return SCAN_OK;
    }
    *ret_why = "a known key holds a value of another type";
    switch (field_infos[field].type) {
    case FIELD_TEXT:
        if (!cJSON_IsString(item))
            return SCAN_RANGE;
        str_copy(text[field == FIELD_GROUP], NAME_BYTES, str_from(item->valuestring));
        field_put_text(record, field, str_from(text[field == FIELD_GROUP]));
        return SCAN_OK;
    case FIELD_FLAG:
        if (!cJSON_IsBool(item))
            return SCAN_RANGE;
        if (cJSON_IsTrue(item))
            record->has |= field_infos[field].bit;
        return SCAN_OK;
    default:
        if (!cJSON_IsNumber(item))
            return SCAN_RANGE;
        return json_put_number(record, field, value.p, value.p + value.len, ret_why);
    }
}

enum scan_result decode_cjson(const char *p, const char *end, struct record *record,
                              char text[2][NAME_BYTES], const char **ret_end, const char **ret_why)
{
    record->has = 0;
    if (!json_valid(p, end, ret_end, ret_why))
        return SCAN_INVALID;
    *ret_why = "it is not valid JSON";
    cJSON *object = cJSON_ParseWithLengthOpts(p, (size_t)(*ret_end - p), NULL, false);
    if (!cJSON_IsObject(object)) {
        cJSON_Delete(object);
        return SCAN_INVALID;
    }
    enum scan_result result = SCAN_OK;
    const cJSON *item = object->child;
    struct str key, value;
    for (; item && json_next_member(&p, *ret_end, &key, &value) && result == SCAN_OK;
         item = item->next)
        result = put_item(item, field_of_item(item, key), value, record, text, ret_why);
    cJSON_Delete(object);
    return result;
}
