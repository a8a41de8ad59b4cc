/* lockstep manual: the man page, made from the tables of options and keys, so
 * that it cannot say what the program does not. Printed at build time. */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "command.h"
#include "keys.h"

/* roff takes a leading '.' for a request, '\\' for an escape, '-' for a hyphen, '"' for the
 * end of an argument, and '\'' for a request or a closing quote. */
static void put(const char *text)
{
    if (*text == '.')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '"')
            fputs("\\(dq", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else
            putchar(*text);
    }
}

/* "      --gpus N   GPUs of the job": the option, then what it is. */
static void put_option(void *to, const char *line)
{
    (void)to;
    char option[64];
    line += strspn(line, " ");
    const char *about = strstr(line, "  ");
    snprintf(option, sizeof(option), "%.*s", (int)(about - line), line);
    fputs(".TP\n.B ", stdout);
    put(option);
    putchar('\n');
    put(about + strspn(about, " "));
    putchar('\n');
}

static void put_keys(void)
{
    size_t count;
    const struct key_binding *bindings = keys_bindings(&count);
    puts(".SH KEYS");
    for (size_t i = 0; i < count; i++) {
        fputs(".TP\n.B ", stdout);
        put(bindings[i].keys);
        putchar('\n');
        put(bindings[i].help);
        putchar('\n');
    }
}

/* Logs of others, and how to describe one's own. */
static void put_logs(void)
{
    puts(
        ".SH LOGS IN OTHER FORMATS\n"
        "Logs of Megatron\\-LM, DeepSpeed, torchtitan, MLPerf and many others are read as they "
        "are;\n"
        "\\fBlockstep explain\\fR lists them, and \\fBlockstep explain\\fR \\fIPATH\\fR says what "
        "a "
        "log\nis and what it can tell. A log of your own is described by a map or a pattern:\n"
        ".TP\n.B \\-\\-map MAP\n"
        "such as rank=process_index,step=global_step,forward=metrics.fwd:ms, of JSON lines, or of\n"
        "CSV with a header (commas, semicolons, tabs): FIELD=KEY, or FIELD=KEY:UNIT; points lead\n"
        "into objects; \\(dqany, key\\(dq:ms where a key has commas or colons.\n"
        ".TP\n.B \\-\\-pattern PATTERN\n"
        "such as \\(oqstep {step} rank {rank} took {step_time:ms}\\(cq, of lines of text: found\n"
        "anywhere in a line, blanks match any blanks, {} is anything, {{ is a brace.\n"
        ".PP\n"
        "The fields are step and a time (step_time, compute, data, forward, backward, sync,\n"
        "optimizer), and where they are there rank, t (when the step began), end (when it ended),\n"
        "tokens, steps (the value is their mean), flops, mfu, gpus, host, group. Where steps\n"
        "begin anew in each epoch, epoch and epoch_steps (how many it has, or =300) must be\n"
        "there: the step is then epoch * epoch_steps + step. Units: s, ms, us,\n"
        "ns, min, h, days of times; k, M, G, T of counts (1: none); T of flops, or TFLOP/s and "
        "the\n"
        "like; % of mfu. A unit that stands behind the value counts too; where that may be "
        "another\n"
        "word (min, m, h), the unit has to be said. The word job\n"
        "(in a pattern {job}) says that each value is of the whole job. Without rank it is the "
        "one\n"
        "of the prefix ([rank5]:) or of the file\\(aqs name.\n"
        ".SH FILES\n"
        ".TP\n.B $XDG_CONFIG_HOME/lockstep/config\n"
        "(else ~/.config/lockstep/config, or what LOCKSTEP_CONFIG names) keeps maps and patterns:\n"
        "a section [format NAME] with lines map = ... and pattern = ...; they are tried after all\n"
        "others, or with \\fBonly = named\\fR only for \\fB\\-\\-format\\fR NAME.");
}

/* The figures that --check knows. */
static void put_checks(void)
{
    static const struct {
        const char *name, *about;
    } figures[] = {
#define CHECK(id, name, unit, about) {name, about},
#include "checks.def"
#undef CHECK
    };
    puts(
        ".SH CONDITIONS\n"
        "\\fBreport \\-\\-check\\fR takes conditions with commas between them: a figure, one of\n"
        ">= <= > < = !=, and a value. Shares are 0.40 or 40%, times seconds or with a unit\n"
        "(930ms, 2min). With \\fB\\-\\-compare\\fR they are about B, and +5% or \\-2% is relative\n"
        "to A. What is not known does not hold. Each that does not hold is a line on standard\n"
        "error, and the exit status is 3.");
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        fputs(".TP\n.B ", stdout);
        put(figures[i].name);
        putchar('\n');
        put(figures[i].about);
        putchar('\n');
    }
}

int command_manual(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts(".TH LOCKSTEP 1 \"\" \"lockstep " LOCKSTEP_VERSION "\"\n"
         ".SH NAME\n"
         "lockstep \\- step timing of distributed training, and who holds the others up\n"
         ".SH SYNOPSIS\n"
         ".B lockstep\n[\\fBwatch\\fR] [\\fIOPTION\\fR]... \\fISOURCE\\fR...\n.br\n"
         ".B lockstep replay\n[\\fIOPTION\\fR]... \\fIPATH\\fR...\n.br\n"
         ".B lockstep report\n[\\fIOPTION\\fR]... \\fISOURCE\\fR...\n.br\n"
         ".B lockstep explain\n[\\fIOPTION\\fR]... [\\fIPATH\\fR]...\n.br\n"
         ".B lockstep demo\n[\\fIOPTION\\fR]...\n.br\n"
         ".B lockstep calc\n[\\fIOPTION\\fR]... [\\fIRUN\\fR]\n.br\n"
         ".B lockstep feed\n[\\fIOPTION\\fR]...\n"
         ".SH DESCRIPTION\n"
         "Reads what each rank of a training job says of its own steps, one JSON object a line,\n"
         "and shows step times, waits at the barrier, MFU and stragglers: live\n"
         "(\\fBwatch\\fR), played again from saved logs (\\fBreplay\\fR), as text, JSON, CSV, SVG "
         "or "
         "HTML (\\fBreport\\fR), simulated (\\fBdemo\\fR).\n"
         "\\fBfeed\\fR writes such records; \\fBlockstep feed \\-\\-help\\fR tells its options.\n"
         ".PP\n"
         "A SOURCE is a file, a folder, a glob in quotes, \\- for standard input, or\n"
         "udp://HOST:PORT. Files are followed by name.\n"
         ".SH OPTIONS");
    options_help(COMMAND_ANY | COMMAND_EXPLAIN, put_option, NULL);
    puts(".SH OPTIONS OF CALC\n"
         "From 6ND to days on a cluster, and what one MFU point is worth. RUN is a run.json,\n"
         "or the folder it is in; what is not said is the chapter's: Llama 3 405B on 16,384\n"
         "H100. On a terminal a form, elsewhere the tables.");
    options_help(COMMAND_CALC, put_option, NULL);
    put_logs();
    put_checks();
    put_keys();
    puts(".PP\n"
         "On the calculator Up and Down choose an argument, Left and Right change it, digits or\n"
         "Enter edit it (405e9, 405B), r gives it back to the run or the chapter, u all of them.");
    puts(".SH EXIT STATUS\n"
         "0 good; 1 a failure at run time; 2 wrong use; 3 a condition of \\fB\\-\\-check\\fR does "
         "not\n"
         "hold; a signal is raised again.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n.B LOCKSTEP_CONFIG\nthe file of the settings, instead of the one in the home "
         "folder.\n"
         ".TP\n.B NO_COLOR\nwhen set and not empty: no colours.\n"
         ".TP\n.B TERM\nthe type of the terminal.\n"
         ".SH EVIDENCE\n"
         "Behind every number: m measured, c computed, s simulated, e our example.");
    return 0;
}
