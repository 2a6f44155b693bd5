// Stage: program, preloaded. The allocations, frees and threads that the interposed functions see, for either consumer:
// histories or samples.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace dprof {

// True while a collector wants to hear of this process. Every interposed function looks here first.
extern bool listening;

enum class Memory : uint8_t {
  heap,
  part,    // memory handed out by a described allocator of the program's own (docs/allocators.md)
  mapping, // mapped by mmap, without a file
  mapped_file
};

// An allocation call that returns to `site` gives `object` to the program. `element_bytes`: element size if the call
// allocates an array; 0: it does not say so.
void consider(void *object, size_t bytes, size_t element_bytes, uintptr_t site, Memory memory);
// The object is about to be given back. `bytes`: size of a mapping's pages; else 0.
void consider_free(const void *object, size_t bytes, uintptr_t site, Memory memory);
// The object was not given back after all: realloc has failed.
void consider_kept(const void *object);
// For the calling thread: called before its own code runs, and after it.
void announce_thread();
void retire_thread();

} // namespace dprof
