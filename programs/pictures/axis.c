/* axis.c: ticks of a linear axis are the multiples of a step; those of the other one are the powers
 * of ten, and in each decade as many numbers between them as there is room for. */
#include "axis.h"

#include "base/base.h"
#include "base/numbers/elementary.h"

double axis_step(double range, int parts)
{
    static const double steps[] = {1, 2, 5, 10};
    const double least = range / parts;
    double power = 1;
    while (power > least)
        power /= 10;
    while (10 * power <= least)
        power *= 10;
    int i = 0;
    while (i < 3 && range > parts * power * steps[i])
        i++;
    return power * steps[i];
}

/* A range of one value is made wider: it begins at 0. */
Axis axis_linear(double low, double high, int parts, bool rounded)
{
    if (high - low <= 1e-9 * fabs(high)) {
        low = fmin(low, 0);
        high = high > low ? high : low + 1;
    }
    const double step = axis_step(high - low, parts);
    Axis axis = {.low = rounded ? step * floor(low / step) : low,
                 .high = rounded ? step * ceil(high / step) : high};
    /* A little more than a range has room for what rounding lost. */
    const double first = ceil(axis.low / step - 1e-9), last = axis.high / step + 1e-9;
    while (axis.count < AXIS_MOST_TICKS && first + axis.count <= last) {
        axis.tick[axis.count] = step * (first + axis.count) + 0.0; /* not -0 */
        axis.count++;
    }
    return axis;
}

/* Puts the ticks of one kind on a logarithmic axis: in every `every`-th decade some numbers, which
 * end with 0. Returns how many there are, which may be more than there is room for. */
static int put_ticks(Axis *axis, const double *numbers, int every)
{
    int count = 0;
    double power = 1e-30;
    for (int decade = -30; power <= axis->high; decade++) {
        for (const double *number = numbers; *number && decade % every == 0; number++)
            if (power * *number >= axis->low * (1 - 1e-9) &&
                power * *number <= axis->high * (1 + 1e-9) && ++count <= AXIS_MOST_TICKS)
                axis->tick[count - 1] = power * *number;
        power *= 10;
    }
    return count;
}

Axis axis_log(double low, double high, int parts)
{
    static const double kinds[][8] = {
        {1, 1.5, 2, 3, 4, 5, 7, 0}, {1, 2, 3, 5, 0}, {1, 2, 5, 0}, {1, 3, 0}, {1, 0}};
    Axis axis = {.low = low, .high = high, .log = true};
    int kind = 0, every = 1;
    while ((axis.count = put_ticks(&axis, kinds[kind], every)) > parts + 1)
        if (kind < 4)
            kind++;
        else
            every++;
    return axis;
}

double axis_place(const Axis *axis, double value)
{
    const double place = axis->log ? value <= axis->low ? 0
                                                        : elementary_log(value / axis->low) /
                                                              elementary_log(axis->high / axis->low)
                                   : (value - axis->low) / (axis->high - axis->low);
    return fmin(fmax(place, 0), 1);
}
