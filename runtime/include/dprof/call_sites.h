// Stage: program <-> collectors of histories and samples, while a program runs. The table of the program's allocation
// calls, with what each allocates as far as it is known. It lies in memory that both map.
#ifndef DPROF_CALL_SITES_H
#define DPROF_CALL_SITES_H

#include <stdint.h>

#define DPROF_CALL_SITES 65536u /* a power of two */

// An allocation call, by the address that it returns to.
struct dprof_call_site {
  uint64_t address;  // 0: free
  uint32_t answer;   // futex; dprof_call_site_answer, or DPROF_SITE_FIRST_TYPE + type
  int32_t offset;    // from the call's result to the type's first byte; in a wrapper, to what the wrapper returns
  uint32_t is_array; // 1: an array of the type reaches from there to the end
  uint32_t reserved;
};
#define DPROF_SITE_OFFSET_UNKNOWN INT32_MIN
enum dprof_call_site_answer {
  DPROF_SITE_NEW = 0,     // nobody has asked yet; calls that free stay so
  DPROF_SITE_OTHER = 1,   // it allocates no type that is asked for
  DPROF_SITE_WRAPPER = 2, // it is in a function that hands out untyped memory itself: ask for that function's caller
  DPROF_SITE_ASKED = 3,   // a thread has asked and waits for the answer
  DPROF_SITE_FIRST_TYPE = 16
};

struct dprof_call_sites {
  uint32_t used;
  uint32_t refused; // look-ups of calls for which the table had no room
  struct dprof_call_site entries[DPROF_CALL_SITES];
};

#endif
