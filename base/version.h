/* version.h: the one place that says it. */
#ifndef PULGA_VERSION
#define PULGA_VERSION "0.1"
#endif
