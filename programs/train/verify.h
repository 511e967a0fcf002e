/* verify.h: trains a run again, in memory, and compares it with its receipt. */
#ifndef PULGA_VERIFY_H
#define PULGA_VERIFY_H

#include "session.h"

/* Verifies what settings->verify names: a run; a checkpoint of one, from which it trains to the
 * next or to the end; or a receipt. First compares the files of the run with the receipt. The
 * trainer need not have texts if the run holds a copy. Prints what comes of it, and returns whether
 * all is the same. Dies if that cannot be known. Writes no file. The session's screen is set; its
 * trainer is opened here. */
bool verify(Session *session);

#endif
