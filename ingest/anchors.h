/* Finds out which of many texts are in a line, in one pass: every second byte begins a
 * group of four that is looked up in a small table. Any five bytes hold one of these
 * groups, wherever they begin, so no text is missed; what the table lets pass is compared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANCHORS_MAX 256
#define ANCHORS_OWNERS_MAX 64
#define ANCHORS_SLACK 16

struct anchors;

struct anchors *anchors_new(void);
void anchors_free(struct anchors *anchors);

/* `text` (borrowed) has 5 bytes or more; owner: 0 to ANCHORS_OWNERS_MAX - 1. False: too many, or
 * too short. Its rarest five bytes are taken. */
bool anchors_add(struct anchors *anchors, const char *text, unsigned owner);

/* The owners (1 << owner) of which a text is in [p, p + size). ANCHORS_SLACK bytes behind it must
 * be readable. */
uint64_t anchors_find(const struct anchors *anchors, const char *p, size_t size);
