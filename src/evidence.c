/* The letters and names of the four kinds of evidence. */
#include "evidence.h"

char evidence_letter(enum evidence evidence)
{
    return " mcse"[evidence];
}

const char *evidence_name(enum evidence evidence)
{
    static const char *const names[] = {"none", "measured", "computed", "simulated", "example"};
    return names[evidence];
}
