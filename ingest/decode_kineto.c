/* TODO */
#include "log_format.h"

static enum log_sniff sniff(const char *bytes, size_t size, bool whole)
{
    (void)bytes;
    (void)size;
    (void)whole;
    return LOG_SNIFF_NO;
}

static void bytes(void *state, const char *bytes, size_t size, struct log_out *out)
{
    (void)state;
    (void)bytes;
    (void)size;
    (void)out;
}

const struct format format_kineto = {
    .name = "kineto", .title = "kineto", .needs = "", .tells = "", .sniff = sniff, .bytes = bytes};
