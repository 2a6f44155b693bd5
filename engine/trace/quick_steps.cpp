// Stage: trace -> replay. Steps as nearly all are, one after another in a loop that leaves the decoder alone. A step
// that may be wrong, or needs more than the loop knows, is left untouched for codedStep, which raises all errors.
#include "trace/batch_place.h"
#include "trace/quick_words.h"

namespace dprof {

namespace {

constexpr ptrdiff_t VARINT_BYTES = 10;
/// Of a step that does not read beyond a column's end: run, operation, path and codes; zigzags of few words.
constexpr ptrdiff_t MOST_CONTROL = 1 + 1 + VARINT_BYTES + 8, FEW_ZIGZAGS = QuickWords::FEW * VARINT_BYTES;

} // namespace

/// Its functions are all inlined where it is used, so that its members lie in registers.
struct Decoder::Quick {
  Decoder &decoder;
  Batch &batch;
  BatchColumns &columns;
  const uint8_t *control = decoder.columns_.cursor[0].at, *zigzags = decoder.columns_.cursor[1].at;
  const uint8_t *const lastControl = decoder.columns_.cursor[0].end - MOST_CONTROL;
  const uint8_t *const lastZigzag = decoder.columns_.cursor[1].end - FEW_ZIGZAGS;
  Path *previous = decoder.previous_;
  uint64_t base = decoder.base_;
  uint64_t stepsLeft = decoder.stepsLeft_;
  uint64_t run = 0;
  BatchPlace place{batch, decoder.words_};
  uint64_t *const lastWord = batch.words.data() + decoder.mostSteps_ * WORDS_PER_STEP;
  const size_t lastStep = decoder.mostSteps_;

  void store(bool runKnown) {
    place.store(batch, decoder.words_);
    decoder.columns_.cursor[0].at = control;
    decoder.columns_.cursor[1].at = zigzags;
    decoder.previous_ = previous;
    decoder.base_ = base;
    decoder.stepsLeft_ = static_cast<uint32_t>(stepsLeft);
    decoder.runLeft_ = run;
    decoder.runKnown_ = runKnown;
  }

  bool isFull() const { return place.step >= lastStep || place.word >= lastWord; }

  /// False: a loop has begun.
  [[gnu::always_inline]] bool emit(Path &taken) {
    if (taken.plain) [[likely]] {
      place.add(columns, taken);
      return true;
    }
    if (BatchPlace::isShortLoop(taken)) {
      if (place.addWhole(columns, taken)) [[likely]]
        return true;
      place = BatchPlace::behindShortLoop(place.word, place.step, columns, taken);
      return true;
    }
    place.store(batch, decoder.words_);
    decoder.emitCoded(batch, taken);
    place = BatchPlace(batch, decoder.words_);
    columns.top = decoder.calls_.top();
    return !decoder.loop_;
  }

  /// False: not all of the run.
  [[gnu::always_inline]] bool predictedSteps() {
    do {
      Path &taken = *previous->successor;
      base = QuickWords::predicted(taken, place.word, base);
      run--;
      stepsLeft--;
      previous = &taken;
      if (!emit(taken) || isFull()) return false;
    } while (run);
    return true;
  }

  /// Null if it cannot be told here. Reads what follows the operation.
  [[gnu::always_inline]] Path *otherPath(unsigned operation, const Path &predicted, const uint8_t *&at) const {
    if (operation != 1) return nullptr;
    const Zigzag moved = shortZigzag(at);
    if (!moved.behind) return nullptr;
    at = moved.behind;
    return decoder.paths_.known(predicted.number + moved.value);
  }

  enum class Coded { DONE, LEFT, LOOP }; // LEFT: for codedStep; LOOP: one has begun

  [[gnu::always_inline]] Coded codedStep() {
    const uint8_t *at = control;
    const unsigned head = *at++, operation = head & 3, codes = head >> 2;
    Path *taken = previous->successor;
    if (operation) {
      taken = otherPath(operation, *taken, at);
      if (!taken) return Coded::LEFT;
    }
    QuickWords next;
    if (const uint32_t count = taken->codedWords; count <= QuickWords::FEW) [[likely]] {
      next = QuickWords::few(count, codes)(*taken, place.word, zigzags, base);
    } else {
      if (codes || count > QuickWords::MOST ||
          decoder.columns_.cursor[1].end - zigzags < ptrdiff_t{count} * VARINT_BYTES)
        return Coded::LEFT;
      next = QuickWords::many(*taken, place.word, zigzags, base, at, decoder.columns_.cursor[1]);
      at += (count + 3) / 4;
    }
    if (!next.zigzags) return Coded::LEFT;
    zigzags = next.zigzags;
    base = next.base;
    control = at;
    previous->successor = taken;
    previous = taken;
    stepsLeft--;
    return emit(*taken) ? Coded::DONE : Coded::LOOP;
  }

  /// Whether the length of a run was read, behind which there is more to do.
  [[gnu::always_inline]] bool decode() {
    while (!isFull() && stepsLeft && control <= lastControl && zigzags <= lastZigzag) {
      const auto length = static_cast<uint64_t>(int64_t{static_cast<int8_t>(*control)}); // very long if not in one byte
      if (length > stepsLeft) return false;
      control++;
      if (length) {
        run = length;
        if (!predictedSteps() || stepsLeft == 0) return true;
      }
      const Coded coded = codedStep();
      if (coded != Coded::DONE) return coded == Coded::LEFT;
    }
    return false;
  }
};

void Decoder::quickSteps(Batch &batch) {
  if (!previous_ || loop_ || !open_) return;
  BatchColumns columns(batch, calls_, paths_);
  Quick quick{*this, batch, columns};
  const bool runKnown = quick.decode();
  quick.store(runKnown);
}

} // namespace dprof
