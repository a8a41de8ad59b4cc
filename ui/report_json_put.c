/* Values and keys of the JSON report. */
#include <inttypes.h>
#include <math.h>

#include "report_json.h"
#include "text.h"

/* A JSON string: sanitised first, then the two characters that need it escaped. */
void json_text(FILE *to, const char *raw)
{
    char text[4 * RUN_TEXT_BYTES];
    text_sanitise(text, sizeof(text), str_from(raw));
    fputc('"', to);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fputc('\\', to);
        fputc(*p, to);
    }
    fputc('"', to);
}

void json_text_or_null(FILE *to, const char *raw)
{
    if (raw[0])
        json_text(to, raw);
    else
        fputs("null", to);
}

void json_number(FILE *to, double value, int decimals)
{
    if (isfinite(value))
        fprintf(to, "%.*f", decimals, value);
    else
        fputs("null", to);
}

void json_quantity(FILE *to, const char *key, struct quantity quantity, int decimals)
{
    fprintf(to, "\"%s\": ", key);
    json_number(to, quantity_known(quantity) ? quantity.value : NAN, decimals);
}

void json_evidence(FILE *to, struct quantity quantity)
{
    if (quantity_known(quantity))
        fprintf(to, "\"evidence\": \"%s\"", evidence_name(quantity.evidence));
    else
        fputs("\"evidence\": null", to);
}

void json_step(FILE *to, const char *key, int64_t step)
{
    if (step >= 0)
        fprintf(to, "\"%s\": %" PRId64, key, step);
    else
        fprintf(to, "\"%s\": null", key);
}

void json_key_number(FILE *to, const char *before, const char *key, double value, int decimals)
{
    fprintf(to, "%s\"%s\": ", before, key);
    json_number(to, value, decimals);
}

void json_key_integer(FILE *to, const char *before, const char *key, int64_t value)
{
    fprintf(to, "%s\"%s\": %" PRId64, before, key, value);
}

void json_key_flag(FILE *to, const char *before, const char *key, bool value)
{
    fprintf(to, "%s\"%s\": %s", before, key, value ? "true" : "false");
}

void json_key_quantity(FILE *to, const char *before, const char *key, struct quantity quantity,
                       int decimals)
{
    fputs(before, to);
    json_quantity(to, key, quantity, decimals);
}
