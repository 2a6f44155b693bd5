// Stage: recorder. The writer's half of the protocol of a live trace (dprof/live_trace.h): waits for room, writes,
// wakes the reader. The engine feeds a trace that comes through a pipe in the same way.
#pragma once

#include <sys/uio.h>

#include <functional>

#include "dprof/live_trace.h"

namespace dprof {

// Words that both sides look at.
template <typename T> T load_shared(const T *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
template <typename T> void store_shared(T *word, T value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }

class LiveWriter {
public:
  // Both are borrowed. `goes_on` is asked now and then while it waits; false ends that with ECANCELED.
  LiveWriter(int data, dprof_live_control *control, std::function<bool()> goes_on);
  // Waits for room, and writes all of it. 0, or an errno: ECANCELED where the reader wants no more.
  int put(iovec *parts, int count);
  // Waits until the reader has made that true. 0 or ECANCELED. `wanted`: bytes that are to be written then.
  int wait_until(const std::function<bool()> &has_room, uint64_t wanted);
  // No more comes.
  void end(dprof_live_over how);

private:
  int wait_for_room(uint64_t bytes);
  void wake_reader();

  const int data_;
  dprof_live_control *const control_;
  const std::function<bool()> goes_on_;
  uint64_t written_ = 0;
};

} // namespace dprof
