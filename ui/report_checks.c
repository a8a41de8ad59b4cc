/* What the conditions of a script came to. */
#include <math.h>

#include "report.h"
#include "report_json.h"

void report_checks_text(FILE *to, const struct checks *checks)
{
    for (size_t i = 0; checks && i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        fprintf(to, "%s%-7s %s: %s\n", i == 0 ? "\ncheck   " : "        ",
                check->holds ? "holds" : "FAILED", check->text, check->sentence);
    }
}

static void put_check(FILE *to, const struct check *check)
{
    fputs("{\"condition\": ", to);
    json_text(to, check->text);
    fprintf(to, ", \"figure\": \"%s\"", check_figure_name(check->figure));
    json_key_quantity(to, ", ", "value", check->value, 6);
    if (check->relative)
        json_key_number(to, ", ", "change", check->change, 6);
    json_key_flag(to, ", ", "holds", check->holds);
    fputs(", \"sentence\": ", to);
    json_text(to, check->sentence);
    fputs(", ", to);
    json_evidence(to, check->value);
    fputs("}", to);
}

void report_json_checks(FILE *to, const struct checks *checks)
{
    if (!checks) {
        fputs("  \"checks\": null,\n", to);
        return;
    }
    fputs("  \"checks\": [", to);
    for (size_t i = 0; i < checks->count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_check(to, &checks->items[i]);
    }
    fputs("\n  ],\n", to);
}
