/* A pattern as it was written, into its texts and fields. */
#include "decode_pattern_read.h"

#include <stdio.h>
#include <string.h>

static bool end_text(struct user_format *user, char *from, const char *to, char *error, size_t size)
{
    struct element element = {.text = true, .key = str_of(from, (size_t)(to - from))};
    size_t front = pattern_blanks(element.key), word = front;
    while (word < element.key.len && !log_is_blank(element.key.p[word]))
        word++;
    element.front = (uint16_t)front;
    element.word = (uint16_t)(word - front);
    for (size_t i = 0; i < element.key.len; i++)
        user->digits |= log_is_digit(element.key.p[i]);
    return from == to || user_format_field(user, &element, error, size);
}

/* The unit that the pattern's text behind a value says, into its field; said: so did the field. */
static bool take_unit(const struct user_format *user, struct str name, struct str said,
                      const char *behind, struct user_field *field, char *error, size_t size)
{
    struct user_unit unit;
    char plain[24];
    const char *other = field->kind == USER_TIME ? "s" : field->kind == USER_COUNT ? "1" : "FLOP/s";
    user_field_unit(field, str_from(behind), str_from(user->text), &unit);
    str_copy(plain, sizeof(plain), str_of(behind + unit.blanks, unit.length));
    int length = (int)(name.len < 40 ? name.len : 40);
    bool opposed = unit.answer == UNIT_SURE && !unit.weak && unit.scale != field->scale &&
                   behind[unit.blanks + unit.length] != '{';
    if (unit.answer == UNIT_WRONG)
        snprintf(error, size, "'%s' behind a value is no unit of %.*s, which takes %s", plain,
                 length, name.p, user_unit_list(field->kind));
    else if (said.len > 0 && opposed)
        snprintf(error, size, "{%.*s:%.*s} has another unit behind it: '%s'", length, name.p,
                 (int)(said.len < 20 ? said.len : 20), said.p, plain);
    else if (said.len == 0 && unit.answer == UNIT_UNCLEAR)
        snprintf(error, size,
                 "'%s' behind a value may be its unit or not: write {%.*s:%s} if it is, or "
                 "{%.*s:%s} (or the unit it has) if not",
                 plain, length, name.p, unit.name, length, name.p, other);
    else if (said.len > 0 || unit.answer == UNIT_NONE)
        return true;
    else
        return user_field_find(name, str_of(plain, strlen(plain)), field, error, size);
    return false;
}

/* "{name:unit}" from behind its '{' to its '}'; behind: the pattern from there. */
static bool add_field(struct user_format *user, struct str inside, const char *behind, char *error,
                      size_t size)
{
    struct element element = {.text = false};
    const char *colon = memchr(inside.p, ':', inside.len);
    struct str name = colon ? log_until(inside, (size_t)(colon - inside.p)) : inside;
    struct str unit = colon ? log_from(inside, name.len + 1) : str_of("", 0);
    const char *equals = memchr(inside.p, '=', inside.len);
    if (equals &&
        user_format_constant(user, log_trim(log_until(inside, (size_t)(equals - inside.p))),
                             log_trim(log_from(inside, (size_t)(equals - inside.p) + 1))))
        return true; /* it stands for no text */
    const struct element *before = user->count ? &user->elements[user->count - 1] : NULL;
    bool open = before && !before->text &&
                (before->field.kind == USER_NOTHING || before->field.kind == USER_NAME);
    if (open) {
        snprintf(error, size, "there must be some text between two fields");
        return false;
    }
    if (inside.len == 0) {
        element.field.kind = USER_NOTHING;
        return user->count == 0 || user_format_field(user, &element, error, size);
    }
    name = log_trim(name);
    unit = log_trim(unit);
    if (!user_field_find(name, unit, &element.field, error, size) ||
        !take_unit(user, name, unit, behind, &element.field, error, size))
        return false;
    if (element.field.kind != USER_JOB)
        return user_format_field(user, &element, error, size);
    return user->job = true; /* it stands for no text */
}

static bool read_pattern(struct user_format *user, char *error, size_t size, size_t *ret_at)
{
    char *to = user->plain, *from = to;
    for (const char *p = user->text; *p; p++) {
        *ret_at = (size_t)(p - user->text) + 1;
        bool doubled = (*p == '{' || *p == '}') && p[1] == *p;
        if (*p == '}' && !doubled) {
            snprintf(error, size, "there is no '{' before this '}' (}} is the character)");
            return false;
        }
        if (*p != '{' || doubled) {
            *to++ = *p;
            p += doubled;
            continue;
        }
        const char *close = strchr(p, '}');
        if (!close) {
            snprintf(error, size, "there is no '}' behind this '{' ({{ is the character)");
            return false;
        }
        if (!end_text(user, from, to, error, size) ||
            !add_field(user, str_of(p + 1, (size_t)(close - p) - 1), close + 1, error, size))
            return false;
        from = to;
        p = close;
    }
    return end_text(user, from, to, error, size);
}

bool pattern_read(struct user_format *user, char *error, size_t size)
{
    char why[512];
    size_t at = 1;
    if (read_pattern(user, why, sizeof(why), &at))
        return true;
    snprintf(error, size, "at character %zu: %s", at, why);
    return false;
}
