// Stage: program, preloaded. What the interposed functions need from each other to tell the taker of allocations, frees and threads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace dprof {

// True while the taker wants to hear of this process. Every interposed function looks here first.
extern bool asking;

// An allocation call that returns to `site` gives `object` to the program. `element_bytes`: the call says that it is an array of such; 0: it does not.
void consider(void *object, size_t bytes, size_t element_bytes, uintptr_t site);
// It is about to be given back.
void consider_free(const void *object, uintptr_t site);
// The program mapped memory of no file: what it makes of it nobody says.
void count_mapping(size_t bytes);
// Of the calling thread, before its own code runs and behind it.
void announce_thread();
void retire_thread();

} // namespace dprof
