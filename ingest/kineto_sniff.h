/* Whether a document is a profiler's trace. */
#pragma once

#include "log_format.h"

/* For struct format.sniff, of Kineto: an object with the keys of a trace, or a bare array of
 * events that is not ByteDance's. */
enum log_sniff kineto_sniff(const char *bytes, size_t size, bool whole);

/* The same of an array of operations by step, as ByteDance's StragglerAnalysis writes it. */
enum log_sniff op_timeline_sniff(const char *bytes, size_t size, bool whole);
