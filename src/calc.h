/* Panels 1.1 and 1.2 of the chapter: from 6ND to days, and what one point of MFU
 * is worth. Plain arithmetic; every value in is an argument. What is not a
 * positive, finite number is not known, and what would follow from it is NAN;
 * nothing is ever divided by zero. Only money and power may be 0. */
#pragma once

#define CALC_YEAR_S 3.15e7 /* the chapter's year, in seconds */

/* Panel 1.1. Pure stepping: no communication, restarts or checkpoints. */
struct calc_training {
    double params;    /* N, active parameters */
    double tokens;    /* D */
    double gpus;      /* G */
    double achieved;  /* F: FLOP/s a GPU, in steps */
    double peak;      /* dense, FLOP/s a GPU */
    double gpu_hours; /* that the whole run took; 0: not known */
};
struct calc_training_result {
    double flop;              /* 6ND */
    double one_at_peak_s;     /* one GPU at its peak: 6ND / peak */
    double one_at_achieved_s; /* 6ND / F */
    double rate;              /* GF, FLOP/s */
    double stepping_s;        /* 6ND / (GF) */
    double gpu_hours;         /* 6ND / F / 3,600 */
    double gpu_years_at_40;   /* 6ND / (0.4 x peak x year) */
    double gpu_year_flop;     /* 0.4 x peak x year */
    double run_average;       /* FLOP/s a GPU over gpu_hours; NAN when that is not known */
    double run_share;         /* of peak */
};

/* Panel 1.2. One point is what going from `mfu` to mfu + 0.01 saves; NAN when that
 * would be over 1. */
struct calc_point {
    double flop;  /* of the run; the chapter goes on from 6ND in three digits */
    double peak;  /* dense, FLOP/s a GPU */
    double mfu;   /* 0 to 1 */
    double gpus;
    double price; /* money a GPU-hour */
    double watts; /* W a GPU */
};
struct calc_point_result {
    double gpu_hours_at_peak;  /* at 100% */
    double gpu_hours;          /* at this MFU */
    double gpu_hours_one_more; /* at one point more */
    double saved_gpu_hours;
    double saved_hours; /* of the whole cluster */
    double saved_money;
    double saved_kwh;
};

void calc_training_defaults(struct calc_training *training); /* Llama 3 405B, section 1.2 */
void calc_point_defaults(struct calc_point *point);          /* and section 1.3 */
struct calc_training_result calc_training(const struct calc_training *training);
struct calc_point_result calc_point(const struct calc_point *point);

/* To so many significant digits, 1 to 17; NAN for what is not finite. */
double calc_rounded(double value, int digits);

/* GPU-hours of `flop` at an MFU of `mfu` (0 to 1). */
double calc_gpu_hours(double flop, double peak, double mfu);

/* What a step from one MFU to another saves: GPU-hours; negative when it costs. */
double calc_saved_gpu_hours(double flop, double peak, double mfu_from, double mfu_to);
