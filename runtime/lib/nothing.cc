// Stage: runtime, for programs linked with no C library (-nostdlib): empty definitions of the symbols that instrumented
// code uses. Such a program is never recorded.
#include "dprof/abi.h"

namespace {

// As long as the longest path.
constexpr unsigned scratch_words = 1 << 12;
uint64_t scratch[scratch_words];

} // namespace

#pragma GCC visibility push(hidden)
extern "C" {

__thread dprof_thread_cursor __dprof_thread = {};

DPROF_PRESERVE_MOST uint64_t *__dprof_refill(uint64_t) {
  __dprof_thread.cursor = scratch;
  return scratch;
}

DPROF_PRESERVE_MOST uint64_t __dprof_stamp(void) { return 0; }
uint64_t __dprof_measure(uint32_t, const void *, const void *, uint64_t, uint64_t) { return 0; }
void __dprof_register_module_v1(const dprof_module *) {}
void __dprof_unregister_module_v1(const dprof_module *) {}
}
#pragma GCC visibility pop
