/* Compressed bytes: whatever they are, what comes out is the same in whatever
 * pieces they come and are asked for, and the work is bounded. The first byte
 * chooses the pieces; the kind is that of the bytes behind it. */
#include <string.h>

#include "fuzz.h"
#include "inflate.h"

#define MADE_MAX (1 << 20) /* of a bomb so much is looked at */

struct outcome {
    enum inflate_result result;
    bool may_end;
    size_t taken, made;
    uint8_t bytes[MADE_MAX];
};

static void run(struct inflater *inflater, const uint8_t *data, size_t size, size_t piece,
                size_t room, struct outcome *outcome)
{
    memset(outcome, 0, offsetof(struct outcome, bytes));
    while (outcome->made < MADE_MAX) {
        size_t left = size - outcome->taken, space = MADE_MAX - outcome->made, taken, made;
        left = left < piece ? left : piece;
        space = space < room ? space : room;
        outcome->result = inflater_run(inflater, data + outcome->taken, left, &taken,
                                       outcome->bytes + outcome->made, space, &made);
        PROMISE(taken <= left && made <= space, "no more is taken or made than there is");
        outcome->taken += taken;
        outcome->made += made;
        if (outcome->result == INFLATE_DAMAGED)
            break;
        PROMISE(outcome->result != INFLATE_HUNGRY || taken == left, "all input was taken");
        PROMISE(outcome->result != INFLATE_FULL || made == space, "the output is full");
        if (outcome->result == INFLATE_HUNGRY && outcome->taken == size)
            break;
        PROMISE(taken > 0 || made > 0, "each call goes on");
    }
    outcome->may_end = inflater_may_end(inflater);
}

static void check_damaged(struct inflater *inflater, const uint8_t *data, size_t size)
{
    uint8_t to[16];
    size_t taken, made;
    PROMISE(inflater_problem(inflater), "damage has words");
    PROMISE(inflater_run(inflater, data, size, &taken, to, sizeof(to), &made) == INFLATE_DAMAGED,
            "damage stays");
    PROMISE(made == 0 && taken == 0, "and nothing more is made");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome whole, pieces;
    if (size == 0)
        return 0;
    size_t piece = 1 + data[0] % 16u, room = 1 + data[0] / 16u * 97u;
    enum inflate_kind kind = inflate_kind(data + 1, size - 1, data[0] & 1 ? "a.gz" : "a.zst");
    if (kind == INFLATE_NOT)
        return 0;
    struct inflater *inflater = inflater_new(kind);
    run(inflater, data + 1, size - 1, size, MADE_MAX, &whole);
    if (whole.result == INFLATE_DAMAGED)
        check_damaged(inflater, data + 1, size - 1);
    inflater_free(inflater);
    inflater = inflater_new(kind);
    run(inflater, data + 1, size - 1, piece, room, &pieces);
    inflater_free(inflater);
    size_t both = whole.made < pieces.made ? whole.made : pieces.made;
    PROMISE(memcmp(whole.bytes, pieces.bytes, both) == 0, "the bytes are the same");
    if (whole.made == MADE_MAX || pieces.made == MADE_MAX)
        return 0;
    /* A wrong content size is noticed by libzstd when it has the whole frame, but not in pieces. */
    PROMISE(kind == INFLATE_ZSTD ||
                (whole.result == INFLATE_DAMAGED) == (pieces.result == INFLATE_DAMAGED),
            "the damage is the same");
    if (whole.result == INFLATE_DAMAGED || pieces.result == INFLATE_DAMAGED)
        return 0;
    PROMISE(whole.made == pieces.made, "as many bytes");
    PROMISE(whole.may_end == pieces.may_end, "it may end at the same place");
    return 0;
}
