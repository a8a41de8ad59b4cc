/* Bytes of a log: in whatever pieces they come, the same records, counts and
 * complaints. The first byte chooses the pieces and the input's name. Further
 * on, 0xFE and the byte behind it stand for many of that byte, so that short
 * inputs reach the limit of a line. */
#include <string.h>

#include "fuzz.h"
#include "kept.h"
#include "stream.h"

#define REPEAT 0xFE
#define REPEATED 21000
#define TEXT_MAX (300 * 1024)

struct text {
    size_t size;
    char *bytes;
};

/* What a stream made of the text. */
struct outcome {
    struct stream_totals totals;
    size_t count, room;
    struct kept *kept;
};

/* How many bytes the one at data[i] stands for. */
static size_t repeats(const uint8_t *data, size_t size, size_t i)
{
    return data[i] == REPEAT && i + 1 < size ? REPEATED : 1;
}

static struct text expand(const uint8_t *data, size_t size)
{
    struct text text = {0, NULL};
    size_t room = 0, used = 0;
    while (used < size && room < TEXT_MAX) {
        size_t count = repeats(data, size, used);
        room += count;
        used += count > 1 ? 2 : 1;
    }
    text.bytes = malloc(room ? room : 1);
    if (!text.bytes)
        abort();
    for (size_t i = 0; i < used; i++) {
        size_t count = repeats(data, size, i);
        i += count > 1;
        memset(text.bytes + text.size, data[i], count);
        text.size += count;
    }
    return text;
}

static void take_records(struct stream *stream, struct outcome *outcome)
{
    struct record record;
    while (stream_next(stream, &record)) {
        if (outcome->count == outcome->room) {
            outcome->room = outcome->room ? 2 * outcome->room : 64;
            outcome->kept = realloc(outcome->kept, outcome->room * sizeof(*outcome->kept));
            if (!outcome->kept)
                abort();
        }
        PROMISE(record.has & RECORD_RANK, "every record has a rank");
        PROMISE(record.has & RECORD_STEP, "and a step");
        PROMISE(record.has & RECORD_ANY_TIME, "and a time");
        kept_take(&outcome->kept[outcome->count++], &record);
    }
}

/* Sizes of pieces: 0 gives all that there is, others small and large ones mixed. */
static size_t next_piece(uint32_t *state, size_t left)
{
    if (*state == 0)
        return left;
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    size_t size = 1 + (*state >> 4) % (*state & 8 ? 7 : *state & 4 ? 100 : 70000);
    return size < left ? size : left;
}

static void feed(struct stream *stream, struct text text, uint32_t pieces, struct outcome *outcome)
{
    for (size_t at = 0; at < text.size;) {
        size_t room, piece = next_piece(&pieces, text.size - at);
        char *space = stream_space(stream, piece, &room);
        PROMISE(room > 0, "there is room");
        piece = piece < room ? piece : room;
        memcpy(space, text.bytes + at, piece);
        stream_filled(stream, piece);
        at += piece;
        take_records(stream, outcome);
    }
}

static void finish(struct stream *stream, struct outcome *outcome)
{
    stream_end(stream);
    take_records(stream, outcome);
    PROMISE(!stream_pending(stream), "nothing waits after the end");
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
    PROMISE(memcmp(&a->totals.counts, &b->totals.counts, sizeof(a->totals.counts)) == 0,
            "the counts are the same");
    PROMISE(a->count == b->count, "as many records");
    PROMISE(a->count == 0 || memcmp(a->kept, b->kept, a->count * sizeof(*a->kept)) == 0,
            "the records are the same");
    PROMISE(a->totals.complaint_count == b->totals.complaint_count, "as many complaints");
    for (int i = 0; i < a->totals.complaint_count; i++)
        PROMISE(strcmp(a->totals.complaints[i], b->totals.complaints[i]) == 0,
                "the complaints are the same");
}

/* After the end, and after a part that is forgotten: the stream has learned, but
 * it starts anew. */
static void feed_again(struct stream *stream, struct text text, uint32_t pieces,
                       struct stream_totals *totals, struct outcome *again)
{
    struct outcome forgotten = {.count = 0};
    struct text part = {text.size * (pieces % 8) / 8, text.bytes};
    feed(stream, part, pieces, &forgotten);
    stream_reset(stream);
    PROMISE(!stream_pending(stream), "nothing waits after it was forgotten");
    free(forgotten.kept);
    memset(totals, 0, sizeof(*totals));
    feed(stream, text, pieces, again);
    finish(stream, again);
    again->totals = *totals;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct text text = expand(data + 1, size - 1);
    const char *name = data[0] & 1 ? "rank5.jsonl" : "train.log";
    struct outcome whole = {.count = 0}, pieces = {.count = 0}, again = {.count = 0};
    struct stream *stream = stream_new(name, &whole.totals);
    feed(stream, text, 0, &whole);
    finish(stream, &whole);
    stream_free(stream);
    PROMISE(whole.totals.counts.bytes == text.size, "all bytes are counted");
    PROMISE(whole.totals.counts.records == whole.count, "all records are counted");
    stream = stream_new(name, &pieces.totals);
    feed(stream, text, 1u + data[0] / 2u, &pieces);
    finish(stream, &pieces);
    check_same(&whole, &pieces);
    feed_again(stream, text, 200u + data[0], &pieces.totals, &again);
    check_same(&whole, &again);
    stream_free(stream);
    free(whole.kept);
    free(pieces.kept);
    free(again.kept);
    free(text.bytes);
    return 0;
}
