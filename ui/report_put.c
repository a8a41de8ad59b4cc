/* What the parts of the text report share. */
#include "report_text.h"

#include <math.h>
#include <string.h>

#include "text.h"

const char *report_safe(char out[REPORT_SAFE_BYTES], const char *raw)
{
    text_sanitise(out, REPORT_SAFE_BYTES, str_from(raw));
    return out;
}

static enum evidence evidence_of(const struct report *report, struct quantity quantity)
{
    bool known = quantity_known(quantity) && isfinite(quantity.value);
    return known ? model_evidence(&report->model, quantity.evidence) : EVIDENCE_NONE;
}

const char *report_duration(char out[FORMAT_BYTES], const struct report *report,
                            struct quantity seconds)
{
    char text[FORMAT_BYTES];
    format_duration(text, quantity_known(seconds) ? seconds.value : NAN, report->unicode);
    return format_evidence(out, text, evidence_of(report, seconds));
}

const char *report_share(char out[FORMAT_BYTES], const struct report *report, struct quantity share)
{
    char text[FORMAT_BYTES];
    if (quantity_known(share) && fabs(share.value) < 1e9)
        snprintf(text, sizeof(text), "%.2f%%", 100 * share.value);
    else
        snprintf(text, sizeof(text), "-");
    return format_evidence(out, text, evidence_of(report, share));
}

/* Bytes of the words that fit into `columns`, one word at least. */
static size_t words_that_fit(const char *text, int columns)
{
    size_t end = 0;
    for (;;) {
        size_t next = end + strspn(text + end, " ");
        next += strcspn(text + next, " ");
        if (end > 0 && (int)text_columns(str_of(text, next)) > columns)
            return end;
        end = next;
        if (!text[end])
            return end;
    }
}

void report_sentence(const struct report *report, const char *first, int indent,
                     const struct sentence *sentence)
{
    const char *text = sentence->text + strspn(sentence->text, " ");
    fprintf(report->to, "%-*s", indent, first);
    while (*text) {
        size_t length = words_that_fit(text, REPORT_WIDTH - indent);
        fprintf(report->to, "%.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " ");
        if (*text)
            fprintf(report->to, "%*s", indent, "");
    }
}
