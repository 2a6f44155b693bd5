// Stage: trace -> replay. The place behind a batch's last step, for loops that hold it in registers while they append
// plain paths.
#pragma once

#include <cstring>

#include "base/calling.h"
#include "trace/decoder.h"

namespace dprof {

/// The columns of a batch that plain paths go to, and the call stack that these move.
struct BatchColumns {
  uint32_t *const steps;
  const PlainPath **const paths;
  CallStack &calls;
  PathTable &table;
  CallStack::Frame *top = calls.top();

  BatchColumns(Batch &batch, CallStack &calls, PathTable &table)
      : steps(batch.steps.data()), paths(batch.paths.data()), calls(calls), table(table) {}

  [[gnu::always_inline]] void put(const Path *plain, size_t step) {
    steps[step] = PATH_STEP | static_cast<uint32_t>(step);
    paths[step] = plain->plain;
  }
  /// Follows the functions of a plain path; nearly all stay in one.
  [[gnu::always_inline]] void pass(const Path &plain) {
    if (plain.function == top->function) [[likely]]
      top->call = plain.call;
    else
      passMoves(*plain.plain);
  }

  /// A plain path whose words have been written.
  [[gnu::always_inline]] void append(Path &plain, size_t step) {
    put(&plain, step);
    pass(plain);
  }

private:
  [[gnu::noinline]] DPROF_KEEPS_ALL void passMoves(const PlainPath &plain) {
    for (const auto &[function, call, flags] : plain.calls) calls.pass(function, flags, call);
    top = calls.top();
  }
};

/// It may write beyond what it appends; `Decoder::reserve` makes room for that.
struct BatchPlace {
  uint64_t *word;
  size_t step;

  BatchPlace(uint64_t *word, size_t step) : word(word), step(step) {}
  BatchPlace(Batch &batch, size_t words) : BatchPlace(batch.words.data() + words, batch.stepCount) {}
  void store(Batch &batch, size_t &words) const {
    words = static_cast<size_t>(word - batch.words.data());
    batch.stepCount = step;
  }

  /// Its words have been written.
  [[gnu::always_inline]] void add(BatchColumns &columns, Path &plain) {
    columns.append(plain, step++);
    word += plain.codedWords;
  }

  /// Whether it is one of few iterations.
  [[gnu::always_inline]] static bool isShortLoop(Path &path) {
    return path.loop && path.last()[0] - 1 < path.loop->mostShort; // none without iterations
  }
  /// All of a short loop as a plain path, which has the loop's coded words; null if it is not known.
  [[gnu::always_inline]] static Path *wholeOf(const Path &path, const uint64_t *coded) {
    if (!path.loop) return nullptr;
    const uint64_t more = *coded - 1;
    return more < path.loop->mostWhole ? path.loop->whole[more] : nullptr;
  }
  /// All of it is a plain path, if its strides are constants. Else each iteration is one, and so is the last, partial
  /// one.
  [[gnu::noinline]] static BatchPlace behindShortLoop(uint64_t *word, size_t step, BatchColumns &columns, Path &path) {
    const LoopShape &loop = *path.loop;
    const size_t count = path.wordCount, iterations = path.last()[0], end = step + iterations;
    if (loop.mostWhole) {
      Path *whole = wholeOf(path, path.last());
      if (!whole) whole = columns.table.makeWhole(path, static_cast<uint32_t>(iterations));
      if (whole) {
        std::copy_n(path.last(), whole->codedWords, word);
        BatchPlace place(word, step);
        place.add(columns, *whole);
        return place;
      }
    }
    Path *const iteration = loop.iteration;
    columns.pass(*iteration); // all leave the stack as the first does
    if (count == 1) {
      uint64_t value = path.words()->of(path.last());
      const uint64_t stride = loop.strides.front().of(path.last());
#pragma clang loop vectorize(disable) unroll(disable)
      do {
        columns.put(iteration, step);
        *word++ = value;
        value += stride;
      } while (++step != end);
      *word = value;
      word += loop.tailWords;
    } else {
      word = writeIterations(word, path, iterations * count + loop.tailWords);
      do columns.put(iteration, step);
      while (++step != end);
    }
    if (loop.tail) {
      columns.put(loop.tail, step++);
      columns.pass(*loop.tail);
    }
    return {word, step};
  }

private:
  static uint64_t *writeIterations(uint64_t *word, Path &path, size_t words) {
    const size_t count = path.wordCount;
    for (size_t i = 0; i < count; i++) {
      uint64_t value = path.words()[i].of(path.last());
      const uint64_t stride = path.loop->strides[i].of(path.last());
#pragma clang loop vectorize(disable) unroll(disable)
      for (size_t k = i; k < words; k += count, value += stride) word[k] = value;
    }
    return word + words;
  }
};

} // namespace dprof
