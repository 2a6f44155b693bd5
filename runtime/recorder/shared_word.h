// Stage: recorder. Words of a session's shared files, which the recorded program writes at the same time.
#pragma once

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dprof {

template <typename T> T load_acquire(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <typename T> void store_release(T *p, T value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }

// For whoever sleeps on the futex.
inline void wake(uint32_t *word) {
  __atomic_fetch_add(word, 1u, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace dprof
