// Stage: program <-> takers of histories and samples, while a program runs. The facts about the program's allocation
// calls, in memory that both map.
#ifndef DPROF_CALL_SITES_H
#define DPROF_CALL_SITES_H

#include <stdint.h>

#define DPROF_CALL_SITES 65536u /* a power of two */

// An allocation call, by the address that it returns to.
struct dprof_call_site {
  uint64_t address;  // 0: free
  uint32_t answer;   // futex; dprof_call_site_answer, or DPROF_SITE_FIRST_TYPE + type
  int32_t offset;    // from what the call returns to the type's first byte; of a wrapper to what its function returns
  uint32_t is_array; // of the type, from there to the end
  uint32_t reserved;
};
#define DPROF_SITE_OFFSET_UNKNOWN INT32_MIN
enum dprof_call_site_answer {
  DPROF_SITE_NEW = 0,     // nobody has asked: calls that free are here too
  DPROF_SITE_OTHER = 1,   // of no type that is asked for
  DPROF_SITE_WRAPPER = 2, // in a function that hands out untyped memory itself: ask for its caller
  DPROF_SITE_ASKED = 3,
  DPROF_SITE_FIRST_TYPE = 16
};

struct dprof_call_sites {
  uint32_t used;
  uint32_t refused; // the table is full
  struct dprof_call_site entries[DPROF_CALL_SITES];
};

#endif
