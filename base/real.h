/* real.h: the number type of the model. */
#ifndef PULGA_REAL_H
#define PULGA_REAL_H

/* All of the model computes in this type: float, or double in the build that the exactness tests
 * use (-DREAL=double). */
#ifndef REAL
#define REAL float
#endif
typedef REAL Real;

#endif
