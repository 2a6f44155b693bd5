// Stage: recorder. Words of a session's shared files, which the recorded program writes at the same time.
#pragma once

namespace dprof {

template <typename T> T load_acquire(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <typename T> void store_release(T *p, T value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }

} // namespace dprof
