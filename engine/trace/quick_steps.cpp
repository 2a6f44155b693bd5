// Stage: trace -> replay. Steps as nearly all are, one after another in a loop that leaves the decoder alone. A step
// that may be wrong, or needs more than the loop knows, is left untouched for codedStep, which raises all errors.
#include "trace/decoder.h"

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

/// A zigzag of up to 4 bytes; `behind` is null if it has more. Takes the bytes up to the first without a continuation
/// bit, and moves their 7 bits together.
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
  uint64_t *word;
  uint32_t *step;
  Path **path;
  uint32_t pathStep; // of the next plain path
  uint64_t *const lastWord = batch.words.data() + decoder.mostSteps_ * WORDS_PER_STEP;
  uint32_t *const lastStep = batch.steps.data() + decoder.mostSteps_;

  Quick(Decoder &decoder, Batch &batch) : decoder(decoder), batch(batch) { loadPlace(); }

  void loadPlace() {
    word = batch.words.data() + decoder.words_;
    step = batch.steps.data() + batch.stepCount;
    path = batch.paths.data() + batch.paths.size();
    pathStep = PATH_STEP | static_cast<uint32_t>(batch.paths.size());
  }
  void storePlace() {
    decoder.words_ = static_cast<size_t>(word - batch.words.data());
    batch.stepCount = static_cast<size_t>(step - batch.steps.data());
    batch.paths.resize(static_cast<size_t>(path - batch.paths.data()));
  }
  void store() {
    storePlace();
    decoder.columns_.cursor[0].at = control;
    decoder.columns_.cursor[1].at = zigzags;
    decoder.previous_ = previous;
    decoder.base_ = base;
    decoder.stepsLeft_ = stepsLeft;
    decoder.runLeft_ = run;
    decoder.runKnown_ = runKnown;
  }

  bool isFull() const { return step >= lastStep || word >= lastWord; }

  /// The stride of a word with this code. No branch depends on the length of a zigzag of up to 4 bytes.
  [[gnu::always_inline]] uint64_t strideOf(unsigned code, uint64_t predicted, uint64_t linked) {
    const bool logged = code == 2;
    Zigzag next = shortZigzag(zigzags);
    uint64_t stride = code == 1 ? linked : predicted;
    stride = code == 3 ? 0 : stride;
    if (!next.behind) [[unlikely]] {
      if (!logged) return stride;
      next = longZigzag(decoder.columns_.cursor[1], zigzags);
    }
    zigzags = logged ? next.behind : zigzags;
    return logged ? next.value : stride;
  }

  /// A linked word moves as the word before it does.
  template <uint32_t COUNT> [[gnu::always_inline]] void few(Path &taken, unsigned codes) {
    uint64_t *last = taken.last(), *stride = last + Path::padded(COUNT), value = 0;
    uint64_t moved = base + taken.link - last[0];
    for (uint32_t i = 0; i < COUNT; i++, codes >>= 2) {
      moved = strideOf(codes & 3, stride[i], moved);
      value = last[i] + moved;
      stride[i] = moved;
      last[i] = word[i] = value;
      if (i == 0) taken.link = value - base;
    }
    if (COUNT) base = value;
  }

  [[gnu::always_inline]] void moveOn(Path &taken) {
    uint64_t *last = taken.last();
    const uint64_t *stride = taken.stride();
    uint32_t i = 0;
    do {
      for (uint32_t k = i; k < i + Path::GROUP; k++) last[k] += stride[k];
    } while ((i += Path::GROUP) < taken.codedWords);
  }

  [[gnu::always_inline]] void finish(Path &taken) {
    const uint64_t *last = taken.last();
    uint32_t i = 0;
    do {
      for (uint32_t k = i; k < i + Path::GROUP; k++) word[k] = last[k];
    } while ((i += Path::GROUP) < taken.codedWords);
    taken.link = last[0] - base;
    base = taken.codedWords ? last[taken.codedWords - 1] : base;
  }

  /// All words go as predicted, then those that do not are put right.
  [[gnu::always_inline]] void many(Path &taken, uint64_t codes) {
    uint64_t *last = taken.last(), *stride = taken.stride();
    const uint64_t linked = base + taken.link - last[0]; // the first word's
    moveOn(taken);
    for (uint64_t others = (codes | codes >> 1) & 0x5555555555555555; others; others &= others - 1) {
      const int shift = std::countr_zero(others), i = shift >> 1;
      const uint64_t before = last[i] - stride[i];
      stride[i] = strideOf(codes >> shift & 3, 0, i ? stride[i - 1] : linked);
      last[i] = before + stride[i];
    }
    finish(taken);
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
      *step++ = pathStep++;
      *path++ = &taken;
      word += taken.codedWords;
      return true;
    }
    storePlace();
    decoder.emitCoded(batch, taken);
    loadPlace();
    return !decoder.loop_;
  }

  /// False: not all of the run.
  [[gnu::always_inline]] bool predictedSteps() {
    while (run) {
      Path &taken = *previous->successor;
      moveOn(taken);
      finish(taken);
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
    const uint64_t number = predicted->number + moved.value;
    if (number < decoder.own_.first || number >= decoder.own_.end) return nullptr;
    return decoder.paths_.known(number);
  }

  /// False: it is left for codedStep, or a loop has begun.
  [[gnu::always_inline]] bool codedStep() {
    const uint8_t *at = control;
    const unsigned head = *at++, codes = head >> 2;
    Path *taken = pathOf(head & 3, at);
    if (!taken) return false;
    switch (taken->codedWords) {
      case 0:
        if (codes) return false;
        few<0>(*taken, codes);
        break;
      case 1:
        if (codes >> 2) return false;
        few<1>(*taken, codes);
        break;
      case 2:
        if (codes >> 4) return false;
        few<2>(*taken, codes);
        break;
      case 3: few<3>(*taken, codes); break;
      default:
        uint64_t all;
        if (codes || !manyCodes(*taken, at, all)) return false;
        at += (taken->codedWords + 3) / 4;
        many(*taken, all);
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
  Quick quick(*this, batch);
  quick.decode();
  quick.store();
}

} // namespace dprof
