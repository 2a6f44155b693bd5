/* Counts per iteration of a benchmark, for `dprof check`: some iterations warm the caches, some are counted, and what
 * comes behind them is not recorded. So the numbers depend neither on time nor on how many iterations a library thinks
 * that it needs. docs/check.md, "Benchmarks", has the words for dprof.yml.
 *
 *   for (;;) {
 *     dprof::iteration counted; // to the end of its scope
 *     work();
 *   }
 *
 * The first iterations of the process are the ones: run one benchmark at a time, on one thread. As all of dprof.h it
 * needs no library, and is nothing without dprof-cc.
 */
#ifndef DPROF_ITERATIONS_H
#define DPROF_ITERATIONS_H

#include "../dprof.h"

/* Define them before the first #include to have others. */
#ifndef DPROF_WARM_UP
#define DPROF_WARM_UP 10
#endif
#ifndef DPROF_COUNTED
#define DPROF_COUNTED 100
#endif

namespace dprof {

#ifdef __DPROF__

/* Of the process: one for all of its files. */
struct iteration_counter {
  long begun = 0;

  static iteration_counter &of_process() {
    static iteration_counter counter;
    return counter;
  }

  static constexpr long all() { return DPROF_WARM_UP + DPROF_COUNTED; }

  void begin() {
    if (begun == DPROF_WARM_UP) dprof_mark("benchmark");
    begun++;
    if (begun > DPROF_WARM_UP && begun <= all()) dprof_mark("iteration");
  }

  void end() {
    if (begun != all()) return;
    dprof_mark("benchmark end");
    dprof_stop();
  }
};

struct iteration {
  iteration() { iteration_counter::of_process().begin(); }
  ~iteration() { iteration_counter::of_process().end(); }
  iteration(const iteration &) = delete;
  iteration &operator=(const iteration &) = delete;
};

#else

struct iteration {
  iteration() {}
  ~iteration() {} /* so that a variable which nothing reads is no warning */
  iteration(const iteration &) = delete;
  iteration &operator=(const iteration &) = delete;
};

#endif

} // namespace dprof
#endif
