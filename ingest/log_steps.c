/* Log intervals, and values against stamps. */
#include "log_steps.h"

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

enum log_order log_steps_next(struct log_steps *steps, int64_t number, int64_t *ret_span)
{
    bool first = !steps->any;
    bool again = !first && number == steps->previous, back = !first && number < steps->previous;
    int64_t distance = first || back ? number : number - steps->previous;
    if (number > 1)
        steps->divisor = greatest_divisor(number, steps->divisor);
    int64_t interval = steps->declared > 0 ? steps->declared : steps->divisor;
    steps->previous = number;
    steps->any = true;
    if (number <= 1)
        *ret_span = 1;
    else if (first && steps->declared == 0)
        *ret_span = 0;
    else if (again && steps->span > 0)
        *ret_span = steps->span;
    else
        *ret_span = distance > 0 && distance < interval ? distance : interval;
    steps->span = *ret_span;
    return again ? LOG_STEPS_AGAIN : back ? LOG_STEPS_BACK : LOG_STEPS_ON;
}

bool log_stamps_disagree(int64_t value_ns, int64_t span, int64_t before_ns, int64_t after_ns,
                         int64_t resolution_ns)
{
    double said = (double)value_ns * (double)span, between = (double)after_ns - (double)before_ns;
    double more = said > between ? said : between;
    double difference = said > between ? said - between : between - said;
    return difference > more / 10 && difference > (double)resolution_ns;
}
