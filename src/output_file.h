/* A file that is written whole or not at all: into another one beside it, which takes its
 * place when all of it is on the disk. What stood there stays until then. What is no
 * regular file (a terminal, a pipe), or is named as a descriptor (/dev/fd/3), is written straight.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct output_file;

/* Where to write; NULL with a sentence in `error`: what is wrong, and what to do. Through a
 * symbolic link to where it leads. A new file gets the permissions that any new file gets; one
 * that is replaced keeps its own. */
struct output_file *output_open(const char *path, char *error, size_t size);
FILE *output_stream(struct output_file *output);

/* The new content takes the old one's place. False with a sentence: the old file is as it was.
 * Frees *output in any case. */
bool output_commit(struct output_file *output, char *error, size_t size);
