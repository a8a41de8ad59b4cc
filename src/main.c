/* The program: which command is meant, and nothing else. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_feed.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} commands[] = {
    {"watch", command_watch, "SOURCE...   live screen (also the meaning of a bare SOURCE)"},
    {"replay", command_replay, "PATH...     saved records: plays them, goes to any step"},
    {"report", command_report, "SOURCE...   no screen: text, JSON, CSV, SVG, HTML; --compare, --check"},
    {"explain", command_explain, "[PATH]...   what a log is, what it can tell; alone: all formats"},
    {"demo", command_demo, "            the barrier effect, simulated"},
    {"calc", command_calc, "[RUN]       from 6ND to days; what one MFU point is worth"},
    {"feed", command_feed, "            writes records, simulated or recorded, paced in time"},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *to)
{
    fputs("usage: lockstep COMMAND [OPTION]... [SOURCE]...\n\n"
          "Step timing of distributed training: who holds the others up at the barrier.\n\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  lockstep %-7s %s\n", commands[i].name, commands[i].about);
    fputs("\nA SOURCE is a file, a folder, a glob in quotes, - for standard input, or\n"
          "udp://HOST:PORT. lockstep COMMAND --help tells the options.\n",
          to);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is a full disk, and is said like one */
    setlocale(LC_CTYPE, ""); /* no other category: numbers keep their point */
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        puts("lockstep " LOCKSTEP_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (strcmp(argv[1], "manual") == 0)
        return command_manual(argc - 1, argv + 1);
    return command_watch(argc, argv);
}
