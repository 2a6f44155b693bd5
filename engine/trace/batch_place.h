// Stage: trace -> replay. The place behind a batch's last step, for loops that hold it in registers while they append
// plain paths.
#pragma once

#include "trace/decoder.h"

namespace dprof {

/// Its functions are all inlined. It may write beyond what it appends; `Decoder::reserve` makes room for that.
struct BatchPlace {
  uint64_t *word;
  uint32_t *steps;
  Path **paths;
  uint32_t step;

  BatchPlace(Batch &batch, size_t words)
      : word(batch.words.data() + words), steps(batch.steps.data()), paths(batch.paths.data()),
        step(static_cast<uint32_t>(batch.stepCount)) {}
  void store(Batch &batch, size_t &words) const {
    words = static_cast<size_t>(word - batch.words.data());
    batch.stepCount = step;
  }

  /// Its words have been written.
  [[gnu::always_inline]] void add(Path &plain) {
    steps[step] = PATH_STEP | step;
    paths[step] = &plain;
    step++;
    word += plain.codedWords;
  }

  /// Each iteration is a plain path of its own. False, and nothing done, if the loop is none of few iterations.
  [[gnu::always_inline]] bool addShortLoop(Path &path) {
    const LoopShape &loop = *path.loop;
    const uint64_t *last = path.last();
    if (last[0] - 1 >= loop.mostShort) return false; // one without iterations too
    const auto iterations = static_cast<uint32_t>(last[0]);
    const uint32_t count = path.wordCount, words = iterations * count + loop.tailWords;
    const WordSource *source = path.words(), *strides = loop.strides.data();
    for (uint32_t i = 0; i < count; i++) {
      uint64_t value = source[i].of(last);
      const uint64_t stride =
          strides[i].coded ? last[strides[i].coded] : static_cast<uint64_t>(int64_t{strides[i].delta});
      for (uint32_t k = i; k < words; k += count, value += stride) word[k] = value;
    }
    word += words;
    for (uint32_t end = step + iterations; step != end; step++) {
      steps[step] = PATH_STEP | step;
      paths[step] = loop.iteration;
    }
    for (uint32_t i = 0; i < loop.tailRecords; i++) steps[step++] = path.records()[i];
    return true;
  }
};

} // namespace dprof
