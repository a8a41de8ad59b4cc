/* The table of formats. */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "format_reader.h"
#include "memory.h"

#define FORMAT(id) extern const struct format format_##id;
#include "formats.def"
#undef FORMAT

static const struct format *const built_in[] = {
#define FORMAT(id) &format_##id,
#include "formats.def"
#undef FORMAT
};

static void note_numbered(struct formats *formats, const char *anchor, size_t owner)
{
    static const char digits[] = "0123456789";
    size_t stem = strcspn(anchor, digits);
    if (anchor[stem] == '\0')
        return;
    const char *tail = anchor + stem + strspn(anchor + stem, digits);
    if (formats->numbered_count < NUMBERED_MAX)
        formats->numbered[formats->numbered_count] =
            (struct numbered){.stem = str_of(anchor, stem),
                              .tail = str_of(tail, strcspn(tail, digits)),
                              .owner = (uint8_t)owner};
    formats->numbered_count++;
}

static void make_anchors(struct formats *formats)
{
    anchors_free(formats->anchors);
    formats->anchors = anchors_new();
    formats->always = formats->lines = formats->documents = 0;
    formats->numbered_count = 0;
    for (size_t i = 0; i < formats->count; i++) {
        const struct format *format = formats->list[i];
        uint64_t bit = UINT64_C(1) << i;
        formats->lines |= format->line ? bit : 0;
        formats->documents |= format->sniff ? bit : 0;
        if (!format->line)
            continue;
        bool all = !format->anchors || !format->anchors[0];
        for (size_t k = 0; !all && format->anchors[k]; k++) {
            all |= !anchors_add(formats->anchors, format->anchors[k], (unsigned)i);
            note_numbered(formats, format->anchors[k], i);
        }
        formats->always |= all ? bit : 0;
    }
}

struct formats *formats_new(void)
{
    struct formats *formats = memory_zeroed(1, sizeof(*formats));
    formats->count = sizeof(built_in) / sizeof(built_in[0]);
    memcpy(formats->list, built_in, sizeof(built_in));
    formats->own = true;
    make_anchors(formats);
    return formats;
}

void formats_free(struct formats *formats)
{
    if (!formats)
        return;
    anchors_free(formats->anchors);
    free(formats);
}

int formats_choose(struct formats *formats, const char *name)
{
    bool own = strcmp(name, "lockstep") == 0;
    size_t kept = 0;
    for (size_t i = 0; i < formats->count; i++)
        if (strcmp(formats->list[i]->name, name) == 0)
            formats->list[kept++] = formats->list[i];
    if (kept == 0 && !own)
        return -1;
    formats->count = kept;
    formats->own = own;
    make_anchors(formats);
    return 0;
}

bool formats_add(struct formats *formats, const struct format *format)
{
    if (formats->count == LOG_FORMATS_MAX)
        return false;
    memmove(formats->list + 1, formats->list, formats->count * sizeof(formats->list[0]));
    formats->list[0] = format;
    formats->count++;
    make_anchors(formats);
    return true;
}

bool formats_append(struct formats *formats, const struct format *format)
{
    if (formats->count == LOG_FORMATS_MAX)
        return false;
    formats->list[formats->count++] = format;
    make_anchors(formats);
    return true;
}

void formats_learn(struct formats *formats, bool learn)
{
    formats->plainly = !learn;
}

size_t formats_count(const struct formats *formats)
{
    return formats->count;
}

const struct format *formats_at(const struct formats *formats, size_t index)
{
    return formats->list[index];
}

bool formats_own(const struct formats *formats)
{
    return formats->own;
}
