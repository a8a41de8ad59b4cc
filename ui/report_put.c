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

void report_sentence(const struct report *report, const char *first, int indent,
                     const struct sentence *sentence)
{
    const char *text = sentence->text;
    size_t from = strspn(text, " ");
    if (report->sentence) {
        report->sentence(report, first, sentence);
        return;
    }
    fprintf(report->to, "%-*s", indent, first);
    while (from < sentence->length) {
        size_t to = sentence_line_end(sentence, from, REPORT_WIDTH - indent), end = to;
        while (end > from && text[end - 1] == ' ')
            end--;
        fprintf(report->to, "%.*s\n", (int)(end - from), text + from);
        from = to + strspn(text + to, " ");
        if (from < sentence->length)
            fprintf(report->to, "%*s", indent, "");
    }
}
