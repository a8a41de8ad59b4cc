/* A look at the beginning of a file for what NCCL Inspector says of its process, so that
 * all files of a job are known before anything is made of the first. */
#pragma once

struct log_book;

/* name: of its stream. Not there, or another kind of file: nothing. */
void source_meet_nccl(const char *path, const char *name, struct log_book *book);
