// Stage: trace -> replay. Steps as nearly all are, one after another in a loop that leaves the decoder alone. A step
// that may be wrong, or needs more than the loop knows, is left untouched for codedStep, which raises all errors.
#include "trace/batch_place.h"

namespace dprof {

namespace {

constexpr uint32_t FEW_WORDS = 3;   // so many have their codes in the byte of the operation
constexpr uint32_t MOST_CODED = 31; // so many have their codes in one 64-bit word
constexpr ptrdiff_t VARINT_BYTES = 10;
/// Of a step that does not read beyond a column's end: run, operation, path and codes; zigzags of few words.
constexpr ptrdiff_t MOST_CONTROL = 1 + 1 + VARINT_BYTES + 8, FEW_ZIGZAGS = FEW_WORDS * VARINT_BYTES;

struct Zigzag {
  uint64_t value;
  const uint8_t *behind;
};

/// A zigzag of 2 to 4 bytes; `behind` is null if it has more. Takes the bytes up to the first without a continuation
/// bit, and moves their 7 bits together. No branch depends on their number.
[[gnu::always_inline]] inline Zigzag shortZigzag(const uint8_t *at) {
  uint32_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  const uint32_t stops = ~bytes & 0x80808080;
  if (stops == 0) [[unlikely]]
    return {0, nullptr};
  uint32_t n = bytes & (stops ^ (stops - 1)) & 0x7f7f7f7f;
  n -= n >> 1 & 0x3f803f80;
  n -= (n >> 16) * 0xc000;
  return {static_cast<uint64_t>(int64_t{static_cast<int32_t>((n >> 1) ^ (0 - (n & 1)))}),
          at + (std::countr_zero(stops) >> 3) + 1};
}

[[gnu::noinline]] Zigzag longZigzag(Cursor cursor, const uint8_t *at) {
  cursor.at = at;
  uint64_t value = cursor.zigzag();
  return {value, cursor.at};
}

} // namespace

/// Its functions are all inlined where it is used, so that its members lie in registers.
struct Decoder::Quick {
  Decoder &decoder;
  Batch &batch;
  const uint8_t *control = decoder.columns_.cursor[0].at, *zigzags = decoder.columns_.cursor[1].at;
  const uint8_t *const lastControl = decoder.columns_.cursor[0].end - MOST_CONTROL;
  const uint8_t *const lastZigzag = decoder.columns_.cursor[1].end - FEW_ZIGZAGS;
  Path *previous = decoder.previous_;
  uint64_t base = decoder.base_;
  uint32_t stepsLeft = decoder.stepsLeft_;
  uint32_t run = 0;
  bool runKnown = false;
  BatchPlace place{batch, decoder.words_};
  uint64_t *const lastWord = batch.words.data() + decoder.mostSteps_ * WORDS_PER_STEP;
  const size_t lastStep = decoder.mostSteps_;

  void store() {
    place.store(batch, decoder.words_);
    decoder.columns_.cursor[0].at = control;
    decoder.columns_.cursor[1].at = zigzags;
    decoder.previous_ = previous;
    decoder.base_ = base;
    decoder.stepsLeft_ = stepsLeft;
    decoder.runLeft_ = run;
    decoder.runKnown_ = runKnown;
  }

  bool isFull() const { return place.step >= lastStep || place.word >= lastWord; }

  [[gnu::always_inline]] uint64_t zigzag() {
    Zigzag next{*zigzags, zigzags + 1};
    if (next.value < 0x80) {
      next.value = (next.value >> 1) ^ (0 - (next.value & 1));
    } else {
      next = shortZigzag(zigzags);
      if (!next.behind) [[unlikely]]
        next = longZigzag(decoder.columns_.cursor[1], zigzags);
    }
    zigzags = next.behind;
    return next.value;
  }

  /// By how much a word moves that has this code; a linked one moves as the word before it does.
  [[gnu::always_inline]] uint64_t moveOf(unsigned code, uint64_t linked) {
    return code == 1 ? linked : code == 2 ? zigzag() : 0;
  }

  /// A path of so many words, with these codes: what they ask for, and no more.
  template <uint32_t COUNT, unsigned CODES> [[gnu::always_inline]] void few(Path &taken) {
    uint64_t *last = taken.last(), *stride = last + Path::padded(COUNT), *word = place.word;
    uint64_t moved = base - taken.base;
    if (COUNT == 0) return;
    taken.base = base;
    for (uint32_t i = 0; i < COUNT; i++) {
      const unsigned code = CODES >> 2 * i & 3;
      if (code == 0)
        moved = stride[i];
      else
        stride[i] = moved = moveOf(code, moved);
      base = last[i] + moved;
      word[i] = base;
      if (code != 3) last[i] = base;
    }
  }

  /// All words go as predicted.
  [[gnu::always_inline]] void moveOn(Path &taken) {
    uint64_t *__restrict last = taken.last(), *__restrict word = place.word;
    const uint64_t *__restrict stride = taken.stride();
    uint32_t i = 0;
    do {
      for (uint32_t k = i; k < i + Path::GROUP; k++) word[k] = last[k] += stride[k];
    } while ((i += Path::GROUP) < taken.codedWords);
  }

  /// All words go as predicted, then those that do not are put right.
  [[gnu::always_inline]] void many(Path &taken, uint64_t codes) {
    uint64_t *last = taken.last(), *stride = taken.stride(), *word = place.word;
    const uint64_t linked = base - taken.base; // the first word's
    taken.base = base;
    moveOn(taken);
    for (uint64_t others = (codes | codes >> 1) & 0x5555555555555555; others; others &= others - 1) {
      const int shift = std::countr_zero(others), i = shift >> 1;
      const uint64_t before = last[i] - stride[i];
      stride[i] = moveOf(codes >> shift & 3, i ? stride[i - 1] : linked);
      word[i] = last[i] = before + stride[i];
    }
    base = word[taken.codedWords - 1];
  }

  /// Reads its codes if it has as many as can be read here.
  [[gnu::always_inline]] bool manyCodes(const Path &taken, const uint8_t *at, uint64_t &codes) const {
    const uint32_t count = taken.codedWords;
    if (count > MOST_CODED || decoder.columns_.cursor[1].end - zigzags < ptrdiff_t{count} * VARINT_BYTES) return false;
    std::memcpy(&codes, at, sizeof codes);
    codes &= ~uint64_t{0} >> (64 - 8 * ((count + 3) / 4));
    return codes >> 2 * count == 0;
  }

  /// False: a loop has begun.
  [[gnu::always_inline]] bool emit(Path &taken) {
    if (taken.plain) {
      place.add(taken);
      return true;
    }
    if (taken.loop && place.addShortLoop(taken)) return true;
    place.store(batch, decoder.words_);
    decoder.emitCoded(batch, taken);
    place = BatchPlace(batch, decoder.words_);
    return !decoder.loop_;
  }

  /// False: not all of the run.
  [[gnu::always_inline]] bool predictedSteps() {
    while (run) {
      Path &taken = *previous->successor;
      if (taken.codedWords) {
        moveOn(taken);
        taken.base = base;
        base = place.word[taken.codedWords - 1];
      }
      run--;
      stepsLeft--;
      previous = &taken;
      if (!emit(taken)) return false;
      if (isFull()) return false;
    }
    return true;
  }

  /// Null if it cannot be told here. Reads what follows the operation.
  [[gnu::always_inline]] Path *pathOf(unsigned operation, const uint8_t *&at) const {
    Path *predicted = previous->successor;
    if (operation == 0) return predicted;
    if (operation != 1) return nullptr;
    const Zigzag moved = shortZigzag(at);
    if (!moved.behind) return nullptr;
    at = moved.behind;
    return decoder.paths_.known(predicted->number + moved.value);
  }

  /// False: it is left for codedStep, or a loop has begun.
  [[gnu::always_inline]] bool codedStep() {
    const uint8_t *at = control;
    const unsigned head = *at++, codes = head >> 2;
    Path *taken = pathOf(head & 3, at);
    if (!taken) return false;
#define DPROF_FEW(count, codes)                                                                                        \
  case count << 6 | (codes): few<count, codes>(*taken); break;
#define DPROF_FEW_1(count, codes)                                                                                      \
  DPROF_FEW(count, 4 * (codes))                                                                                        \
  DPROF_FEW(count, 4 * (codes) + 1) DPROF_FEW(count, 4 * (codes) + 2) DPROF_FEW(count, 4 * (codes) + 3)
#define DPROF_FEW_2(count, codes)                                                                                      \
  DPROF_FEW_1(count, 4 * (codes))                                                                                      \
  DPROF_FEW_1(count, 4 * (codes) + 1) DPROF_FEW_1(count, 4 * (codes) + 2) DPROF_FEW_1(count, 4 * (codes) + 3)
    switch (std::min(taken->codedWords, FEW_WORDS + 1) << 6 | codes) {
      DPROF_FEW(0, 0)
      DPROF_FEW_1(1, 0)
      DPROF_FEW_2(2, 0)
      DPROF_FEW_2(3, 0)
      DPROF_FEW_2(3, 1)
      DPROF_FEW_2(3, 2)
      DPROF_FEW_2(3, 3)
      case (FEW_WORDS + 1) << 6:
        uint64_t all;
        if (!manyCodes(*taken, at, all)) return false;
        at += (taken->codedWords + 3) / 4;
        many(*taken, all);
        break;
      default: return false; // codes behind those of the path's words
    }
    control = at;
    previous->successor = taken;
    previous = taken;
    runKnown = false;
    stepsLeft--;
    return emit(*taken);
  }

  [[gnu::always_inline]] void decode() {
    while (!isFull() && stepsLeft && control <= lastControl && zigzags <= lastZigzag) {
      if (*control >= 0x80 || *control > stepsLeft) return;
      run = *control++;
      runKnown = true;
      if (run && !predictedSteps()) return;
      if (stepsLeft == 0 || !codedStep()) return;
    }
  }
};

void Decoder::quickSteps(Batch &batch) {
  if (!previous_ || loop_ || !open_) return;
  Quick quick{*this, batch};
  quick.decode();
  quick.store();
}

} // namespace dprof
