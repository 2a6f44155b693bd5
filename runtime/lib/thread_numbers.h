// Stage: runtime. pthread_t -> thread number, for those who wait for a thread's end.
#pragma once

#include <pthread.h>
#include <stdint.h>

namespace dprof {

inline constexpr uint32_t no_number = 0xffffffff;

void make_thread_numbers();
void remember_number(pthread_t thread, uint32_t number);
uint32_t number_of(pthread_t thread);

} // namespace dprof
