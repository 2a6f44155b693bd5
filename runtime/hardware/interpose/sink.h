// Stage: program, preloaded. What the interposed functions see of allocations, frees and threads, for whatever takes
// it: histories, or samples.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace dprof {

// True while a collector wants to hear of this process. Every interposed function looks here first.
extern bool listening;

enum class Memory : uint8_t {
  heap,
  part,    // of memory that the program's own allocator has, which is described (docs/allocators.md)
  mapping, // mmap's, of no file
  mapped_file
};

// An allocation call that returns to `site` gives `object` to the program. `element_bytes`: the call says that it is an
// array of such; 0: it does not.
void consider(void *object, size_t bytes, size_t element_bytes, uintptr_t site, Memory memory);
// It is about to be given back. `bytes`: of a mapping's pages; else 0.
void consider_free(const void *object, size_t bytes, uintptr_t site, Memory memory);
// It was not, after all: realloc has failed.
void consider_kept(const void *object);
// Of the calling thread, before its own code runs and behind it.
void announce_thread();
void retire_thread();

} // namespace dprof
