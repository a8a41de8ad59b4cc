/* Keys of the events screen. */
#include "model_events.h"

bool model_events_command(struct view_model *model, struct key_event event,
                          struct view_request *ret_request)
{
    (void)model;
    (void)event;
    (void)ret_request;
    return false;
}
