/* `lockstep calc`: the arithmetic of Panels 1.1 and 1.2, as tables, as JSON, or as
 * a form on the screen. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calc_text.h"
#include "command.h"
#include "mfu.h"
#include "run_json.h"
#include "session.h"

static bool is_given(const struct options *options, enum option_id id)
{
    return options->given[id];
}

static int wrong_use(const char *text)
{
    command_fail("%s", text);
    return 2;
}

/* --run FILE, a run.json, or the folder it is in. 0, or the exit status. */
static int read_run(const struct options *options, struct run *run)
{
    char path[COMMAND_PATH_BYTES], error[512];
    struct stat status;
    run_init(run);
    if (options->source_count > 1 || (options->source_count == 1 && options->run_file))
        return wrong_use("calc takes one run.json, or the folder it is in");
    const char *source = options->source_count ? options->sources[0] : options->run_file;
    if (!source)
        return 0;
    if (stat(source, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (!command_run_place(source, path))
            return command_fail("%s: the path is too long", source);
        source = path;
    }
    if (run_json_load(source, run, error, sizeof(error)) < 0)
        return command_fail("%s: %s; it must be a run description as run.json is", source, error);
    return 0;
}

/* The peak of --peak, or of --chip; without either it is the run's. */
static int set_peak(struct calc_form *form, const struct options *options, const struct run *run)
{
    const struct run *given = &options->run;
    if (is_given(options, OPTION_PEAK)) {
        if (is_given(options, OPTION_CHIP))
            calc_form_set_chip(form, given->chip, given->peak_flops);
        else
            calc_form_set(form, CALC_PEAK, given->peak_flops);
        return 0;
    }
    bool format = is_given(options, OPTION_FORMAT);
    if (!is_given(options, OPTION_CHIP) && !format)
        return 0;
    const char *chip = is_given(options, OPTION_CHIP) ? given->chip
                       : run->chip[0]                 ? run->chip
                                                      : form->chip;
    double peak = peak_flops_of(str_from(chip), format ? given->format : run->format);
    if (peak > 0) {
        calc_form_set_chip(form, chip, peak);
        return 0;
    }
    command_fail("%s: no peak is known of '%s'%s%s; give its dense peak with --peak TFLOPS",
                 is_given(options, OPTION_CHIP) ? "--chip" : "--number-format", chip, format ? " in " : "",
                 format ? number_format_name(given->format) : "");
    return 2;
}

/* What the options say over the run's description. */
static int set_options(struct calc_form *form, const struct options *options, const struct run *run)
{
    const struct run *given = &options->run;
    const struct {
        enum option_id id;
        enum calc_argument argument;
        double value;
    } values[] = {
        {OPTION_PARAMS, CALC_PARAMS, given->params},
        {OPTION_ACTIVE_PARAMS, CALC_PARAMS, given->active_params},
        {OPTION_TOTAL_TOKENS, CALC_TOKENS, given->total_tokens},
        {OPTION_GPUS, CALC_GPUS, given->gpus},
        {OPTION_MFU, CALC_MFU, options->mfu},
        {OPTION_PRICE, CALC_PRICE, given->gpu_hour_price},
        {OPTION_WATTS, CALC_WATTS, given->gpu_watts},
        {OPTION_ACHIEVED, CALC_ACHIEVED, options->achieved_flops},
        {OPTION_GPU_HOURS, CALC_GPU_HOURS, options->gpu_hours},
        {OPTION_EFFECTIVE, CALC_EFFECTIVE, options->effective},
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (is_given(options, values[i].id) &&
            !calc_form_set(form, values[i].argument, values[i].value)) {
            command_fail("%s: %g is out of its bounds", calc_argument(values[i].argument)->option,
                         values[i].value);
            return 2;
        }
    }
    return set_peak(form, options, run);
}

static int print(const struct options *options, const struct calc_form *form)
{
    if (options->json)
        calc_json(stdout, form);
    else
        calc_text(stdout, form);
    if (fflush(stdout) != 0 || ferror(stdout))
        return command_fail("standard output: %s", strerror(errno));
    return 0;
}

/* The form on the screen: a session without a job. */
static int show(const struct options *options, const struct run *run, const struct calc_form *form)
{
    struct session_caller caller = {0};
    int number = 0;
    struct session *session = session_new(options, run, MODE_CALC, &caller);
    session_model(session)->calc = *form;
    int status = session_open(session);
    if (status == 0)
        status = session_run(session, &number);
    session_free(session);
    session_raise(number);
    return status;
}

int command_calc(int argc, char **argv)
{
    struct options options;
    struct run run;
    struct calc_form form;
    int status = command_options(
        &options, COMMAND_CALC, argc, argv, "calc [OPTION]... [RUN]",
        "From 6ND to days on a cluster, and what one MFU point is worth (Panels 1.1 and 1.2\n"
        "of the chapter). RUN is a run.json, or the folder it is in; what neither it nor an\n"
        "option says is the chapter's: Llama 3 405B on 16,384 H100. On a terminal a form whose\n"
        "arguments keys change; elsewhere, or with --text, the tables.");
    if (status >= 0)
        return status;
    status = read_run(&options, &run);
    if (status != 0)
        return status;
    calc_form_init(&form);
    calc_form_fill_run(&form, &run);
    status = set_options(&form, &options, &run);
    if (status != 0)
        return status;
    bool plain = options.json || options.text || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO);
    return plain ? print(&options, &form) : show(&options, &run, &form);
}
