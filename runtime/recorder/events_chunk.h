// Stage: recorder. The contents of one EVENTS chunk, not packed yet.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "bytes.h"
#include "path_loop.h"

namespace dprof {

// Differences of explicit words. Its storage only grows, so that a loop may write behind the last one.
struct Differences {
  std::vector<uint64_t, Unfilled<uint64_t>> storage;
  size_t count = 0;

  void reserve(size_t more) {
    if (storage.size() < count + more) storage.resize((count + more) * 3 / 2);
  }
};

// What is known of the chunks of one thread, for packing the next one.
struct PackingHabit {
  bool words_repeat = true; // in the last one: what comes next is most likely of the same kind
};

struct EventsChunk {
  std::shared_ptr<PackingHabit> habit; // of its thread
  uint32_t steps = 0, entries = 0;
  bool restarts = false; // it needs no predictions of the chunks before
  bool raw = false;      // LiveTrace::write_raw takes it: `differences` are its words, and `control` is empty
  Column control, events;
  Differences differences; // the words column, before it is packed
  Column words;            // once it is

  // Makes the payload of the chunk. It runs on the writer's thread: work that can wait must not hold up the program.
  void pack(Bytes &payload, const PathLoops &loops = path_loops());
};

} // namespace dprof
