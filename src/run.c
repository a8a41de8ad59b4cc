/* The defaults of a run's description. */
#include "run.h"

void run_init(struct run *run)
{
    *run = (struct run){.threshold = 0.05, .window = 50};
}
