/* One line of NCCL's Inspector plugin (plugins/profiler/inspector of NCCL 2.28 and
 * later, and RCCL's): what it says of one operation of one communicator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

enum nccl_kind {
    NCCL_NOTHING,    /* of another kind: a header alone, a summary */
    NCCL_COLLECTIVE, /* "coll_perf" */
    NCCL_PAIR,       /* "p2p_perf" */
    NCCL_DUMP,       /* "dump_stats": from version 4.3 on the header of the lines after it */
    NCCL_PROXY,      /* "proxy_trace" */
};

struct nccl_record {
    enum nccl_kind kind;
    bool has_header; /* communicator, rank, ranks */
    bool damaged;    /* a value is there that can't be one */
    char communicator[32], name[48], host[64], operation[24]; /* raw; "" */
    int64_t rank, ranks;                                      /* within the communicator */
    int64_t nodes;                                            /* that it spans; 0: not there */
    int64_t pid;                                              /* -1: not there */
    int64_t dumped_us; /* when the line was written, Unix time; 0: not there */
    int64_t number;    /* coll_sn: counts a function's calls on a communicator; -1 */
    int64_t exec_ns;   /* the longest kernel's time on the GPU's clock, waiting included; -1 */
    double bus_gbs;    /* < 0: not there */
    /* With NCCL_INSPECTOR_DUMP_VERBOSE=1: Unix time, ns; 0: not there. */
    int64_t enqueued_ns, arrival_ns, release_ns; /* the first kernel's start, the last one's stop */
    int64_t dropped; /* collectives that never got into the file since the dump before */
    int64_t follow;  /* lines after it that belong to this dump */
};

/* A value of a line as it is understood: nccl_number_read() and nccl_number_put(). */
struct nccl_number {
    bool good;
    int64_t whole;
    double decimal;
};

#define NCCL_PLACES_MAX 512

/* Where the values stood that a line was asked for, in order. */
struct nccl_places {
    size_t count; /* more than NCCL_PLACES_MAX: there were too many to note */
    struct nccl_place {
        const char *at; /* in the line */
        uint32_t length;
        uint8_t key; /* nccl_number_put()'s or nccl_text_put()'s */
        bool text;
    } list[NCCL_PLACES_MAX];
};

/* Reads the JSON object at the front of text. False: it is not one, whole and valid. Where its
 * values stood comes to places, if it is not NULL. */
bool nccl_record_read(struct nccl_record *record, struct str text, struct nccl_places *places);

/* A record of which nothing is known. */
struct nccl_record nccl_record_none(void);

/* What the value of a key comes to: a valid JSON number; a string between its quotes. All of them
 * in the order of the line, and then the end make the record. */
struct nccl_number nccl_number_read(uint8_t key, struct str text);
void nccl_number_put(struct nccl_record *record, uint8_t key, const struct nccl_number *number);
void nccl_text_put(struct nccl_record *record, uint8_t key, struct str text);
void nccl_record_end(struct nccl_record *record);
