/* Reported runs to compare an MFU with. */
#include "marks.h"

static const struct mark all[] = {
#define MARK(name, scale, mfu, hfu, about, source)                                                 \
    {name, scale, (mfu) / 100., (hfu) / 100., (about) / 100., source},
#include "marks.def"
#undef MARK
};

#define COUNT (sizeof(all) / sizeof(all[0]))

const struct mark *marks(size_t *ret_count)
{
    *ret_count = COUNT;
    return all;
}

double mark_share(const struct mark *mark)
{
    return isfinite(mark->mfu) ? mark->mfu : isfinite(mark->hfu) ? mark->hfu : mark->about;
}

const char *mark_share_name(const struct mark *mark)
{
    return isfinite(mark->mfu) ? "MFU" : isfinite(mark->hfu) ? "HFU" : "of peak";
}

const struct mark *mark_nearest(double mfu)
{
    const struct mark *nearest = NULL;
    for (size_t i = 0; i < COUNT && isfinite(mfu); i++) {
        if (!isfinite(all[i].mfu))
            continue;
        if (!nearest || fabs(all[i].mfu - mfu) < fabs(nearest->mfu - mfu))
            nearest = &all[i];
    }
    return nearest;
}
