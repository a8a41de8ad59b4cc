/* A small checker of XML, for the tests of figures and pages. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKUP_DEPTH 64
#define MARKUP_NAME 32
#define MARKUP_IDS 256

struct markup {
    const char *at;
    char open[MARKUP_DEPTH][MARKUP_NAME];
    int depth;
    char ids[MARKUP_IDS][64];
    int id_count;
    const char *wrong; /* NULL: well-formed so far */
};

/* Bytes of a valid UTF-8 sequence that XML may hold; 0. */
static inline int markup_utf8(const unsigned char *p)
{
    if (p[0] < 0x80)
        return p[0] >= 0x20 || p[0] == '\n' ? 1 : 0;
    int length = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : p[0] >= 0xC2 ? 2 : 0;
    if (length == 0 || p[0] > 0xF4)
        return 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    bool surrogate = p[0] == 0xED && p[1] >= 0xA0, c1 = p[0] == 0xC2 && p[1] < 0xA0;
    bool long_form = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    bool none = p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE;
    return surrogate || c1 || long_form || none ? 0 : length;
}

static inline bool markup_entity(const char *p)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (int i = 0; i < 5; i++)
        if (strncmp(p, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

static inline void markup_fail(struct markup *markup, const char *wrong)
{
    if (!markup->wrong)
        markup->wrong = wrong;
}

static inline void markup_name(struct markup *markup, char name[MARKUP_NAME])
{
    int length = 0;
    while (isalnum((unsigned char)*markup->at) || (*markup->at && strchr("-_:", *markup->at))) {
        if (length < MARKUP_NAME - 1)
            name[length++] = *markup->at;
        markup->at++;
    }
    name[length] = '\0';
    if (length == 0)
        markup_fail(markup, "a name is missing");
}

static inline void markup_value(struct markup *markup, const char *name)
{
    if (markup->at[0] != '=' || markup->at[1] != '"') {
        markup_fail(markup, "an attribute without a quoted value");
        return;
    }
    const char *from = markup->at += 2;
    for (; *markup->at && *markup->at != '"'; markup->at++)
        if (*markup->at == '<' || (*markup->at == '&' && !markup_entity(markup->at)))
            markup_fail(markup, "a value that is not escaped");
    size_t length = (size_t)(markup->at - from);
    if (strcmp(name, "id") == 0 && markup->id_count < MARKUP_IDS && length < 64) {
        char *id = markup->ids[markup->id_count++];
        snprintf(id, 64, "%.*s", (int)length, from);
        for (int i = 0; i < markup->id_count - 1; i++)
            if (strcmp(markup->ids[i], id) == 0)
                markup_fail(markup, "an id twice");
    }
    if (strncmp(name, "on", 2) == 0)
        markup_fail(markup, "an event handler");
    if (*markup->at == '"')
        markup->at++;
}

static inline void markup_tag(struct markup *markup)
{
    char name[MARKUP_NAME], attribute[MARKUP_NAME];
    if (*markup->at == '?' || *markup->at == '!') {
        markup->at += strcspn(markup->at, ">") + 1;
        return;
    }
    bool closing = *markup->at == '/';
    markup->at += closing;
    markup_name(markup, name);
    if (strcmp(name, "script") == 0)
        markup_fail(markup, "a script");
    while (*markup->at == ' ' && !markup->wrong) {
        markup->at++;
        markup_name(markup, attribute);
        markup_value(markup, attribute);
    }
    bool empty = *markup->at == '/';
    markup->at += empty;
    if (*markup->at++ != '>')
        markup_fail(markup, "a tag without an end");
    if (closing && (markup->depth == 0 || strcmp(markup->open[--markup->depth], name) != 0))
        markup_fail(markup, "a tag that closes another");
    if (!closing && !empty && markup->depth == MARKUP_DEPTH)
        markup_fail(markup, "too deep");
    else if (!closing && !empty)
        memcpy(markup->open[markup->depth++], name, MARKUP_NAME);
}

/* Every url(#x) and aria-labelledby names an id that is there. */
static inline void markup_references(struct markup *markup, const char *text)
{
    for (const char *p = text; (p = strstr(p, "url(#")); p++) {
        char id[64];
        snprintf(id, sizeof(id), "%.*s", (int)strcspn(p + 5, ")"), p + 5);
        bool found = false;
        for (int i = 0; i < markup->id_count; i++)
            found = found || strcmp(markup->ids[i], id) == 0;
        if (!found)
            markup_fail(markup, "a reference to nothing");
    }
}

/* Words that a number becomes when it is none. */
static inline bool markup_has_nan(const char *text)
{
    static const char *const words[] = {"nan", "NaN", "NAN", "inf", "Infinity", "INF"};
    for (const char *p = text; *p; p++)
        for (int i = 0; i < 6; i++) {
            size_t length = strlen(words[i]);
            bool begins = p == text || !isalnum((unsigned char)p[-1]);
            if (begins && strncmp(p, words[i], length) == 0 && !isalpha((unsigned char)p[length]))
                return true;
        }
    return false;
}

/* NULL when it is well-formed, without scripts, each id once; else what is wrong. */
static inline const char *markup_check(const char *text)
{
    static struct markup markup;
    memset(&markup, 0, sizeof(markup));
    markup.at = text;
    while (*markup.at && !markup.wrong) {
        int bytes = markup_utf8((const unsigned char *)markup.at);
        if (bytes == 0)
            markup_fail(&markup, "bytes that are no text");
        else if (*markup.at == '&' && !markup_entity(markup.at))
            markup_fail(&markup, "an ampersand");
        else if (*markup.at == '<') {
            markup.at++;
            markup_tag(&markup);
        } else
            markup.at += bytes;
    }
    if (markup.depth > 0)
        markup_fail(&markup, "a tag that is not closed");
    markup_references(&markup, text);
    if (markup_has_nan(text))
        markup_fail(&markup, "a number that is none");
    if (markup.wrong)
        fprintf(stderr, "%s near: %.120s\n", markup.wrong, *markup.at ? markup.at : "the end");
    return markup.wrong;
}
