// Stage: runtime. Barriers -> the generation in which a thread arrives.
//
// A thread that wakes late leaves with a larger stamp than others have when they come again, and would seem to have
// waited for them. So a generation is an object of its own. Two objects in turn are enough: nobody comes to the next
// generation but one before all have left this one.
#pragma once

#include <pthread.h>
#include <stdint.h>

namespace dprof {

void note_barrier(const pthread_barrier_t *barrier, unsigned threads);
// To be called before the thread waits: returns the object at which it meets the others of its generation. For an
// unknown barrier, all generations have the same object.
uint64_t barrier_object(const pthread_barrier_t *barrier);

} // namespace dprof
