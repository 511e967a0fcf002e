/* schedule.h: the learning rate at a step. */
#ifndef PULGA_SCHEDULE_H
#define PULGA_SCHEDULE_H

#include <stdint.h>

typedef enum { SCHEDULE_NOAM, SCHEDULE_COSINE, SCHEDULE_CONSTANT } ScheduleKind;

typedef struct {
    ScheduleKind kind;
    double factor;   /* noam: factor · C^-1/2 · min(t^-1/2, t·warmup^-3/2) */
    int width;       /* noam: C */
    double rate;     /* cosine, constant: the highest rate */
    double min_rate; /* cosine: the rate at the end */
    int64_t warmup;  /* steps in which the rate grows linearly */
    double cooldown; /* noam, constant: the last part of the run, in which the rate falls to 0 */
    int64_t horizon; /* steps of the whole run */
} Schedule;

/* At step t, counted from 1. */
double schedule_rate(const Schedule *schedule, int64_t t);

#endif
