/* version.h: the version that --version prints and config.json holds. */
#ifndef PULGA_VERSION
#define PULGA_VERSION "0.1"
#endif
