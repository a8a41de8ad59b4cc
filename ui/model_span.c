/* Keys of heat map and history: cursor, zoom, pan. */
#include "model_span.h"

bool model_span_command(struct view_model *model, struct key_event event,
                        struct view_request *ret_request)
{
    (void)model;
    (void)event;
    (void)ret_request;
    return false;
}
