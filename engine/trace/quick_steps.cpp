// Stage: trace -> replay. Steps as nearly all are, each decoded by a function for its number of words and its codes. A
// step that may be wrong, or needs more than these know, is left untouched for Decoder::codedStep, which raises all
// errors.
//
// The functions call one another in tail position, and pass on all that changes from step to step: so it stays in
// registers.
#include "base/calling.h"
#include "trace/batch_place.h"
#include "trace/quick_words.h"

// `control`: behind the last step, or at the operation of the one at hand; `at`: behind what was read of it. `taken`:
// its path, `previous` the one before. `left`: steps that fit wherever they go, with the one at hand.
#define DPROF_STEP                                                                                                     \
  [[maybe_unused]] Quick &quick, [[maybe_unused]] const uint8_t *control, [[maybe_unused]] const uint8_t *at,          \
      [[maybe_unused]] const uint8_t *zigzags, [[maybe_unused]] Path *previous, [[maybe_unused]] Path *taken,          \
      [[maybe_unused]] uint64_t base, [[maybe_unused]] uint64_t *word, [[maybe_unused]] size_t step,                   \
      [[maybe_unused]] int64_t left
#define DPROF_GO_ON(function)                                                                                          \
  [[clang::musttail]] return function(quick, control, at, zigzags, previous, taken, base, word, step, left)

namespace dprof {

namespace {

// A step of few words has a run and an operation of a byte each, and a number of up to 4; up to 3 zigzags of 8 bytes.
constexpr int CONTROL_SHIFT = 3, ZIGZAG_SHIFT = 5, WORD_SHIFT = 2;
static_assert(1 + 1 + 4 <= 1 << CONTROL_SHIFT && QuickWords::FEW * 8 <= 1 << ZIGZAG_SHIFT &&
              QuickWords::FEW <= 1 << WORD_SHIFT);
// So many bytes may be read behind where steps of few words end.
constexpr ptrdiff_t CONTROL_MARGIN = 16, ZIGZAG_MARGIN = 8;

} // namespace

/// What steps share, and their functions.
struct Decoder::Quick {
  Decoder &decoder;
  Batch &batch;
  BatchColumns columns{batch, decoder.calls_, decoder.paths_};
  uint64_t *const lastWord = batch.words.data() + decoder.mostSteps_ * WORDS_PER_STEP;
  int64_t granted = 0; // `left` at first

  typedef void(DPROF_KEEPS_NONE *Function)(DPROF_STEP);

  int64_t stepsLeft(int64_t left) const { return decoder.stepsLeft_ - (granted - left); }
  int64_t wordsFit(const uint64_t *word) const { return (lastWord - word) >> WORD_SHIFT; }
  /// So many fewer steps fit.
  void take(int64_t steps, int64_t &left) {
    granted -= steps;
    left -= steps;
  }
  /// As many steps as surely fit from here.
  int64_t grant(const uint8_t *control, const uint8_t *zigzags, const uint64_t *word, size_t step, int64_t left) {
    const Cursor *const cursor = decoder.columns_.cursor;
    decoder.stepsLeft_ = static_cast<uint32_t>(stepsLeft(left));
    const int64_t most = std::min({int64_t{decoder.stepsLeft_}, static_cast<int64_t>(decoder.mostSteps_ - step),
                                   wordsFit(word), (cursor[0].end - control - CONTROL_MARGIN) >> CONTROL_SHIFT,
                                   (cursor[1].end - zigzags - ZIGZAG_MARGIN) >> ZIGZAG_SHIFT});
    return granted = step < decoder.mostSteps_ ? std::max<int64_t>(most, 0) : 0;
  }
  void store(const uint8_t *control, const uint8_t *zigzags, Path *previous, uint64_t base, uint64_t *word, size_t step,
             int64_t left) {
    BatchPlace(word, step).store(batch, decoder.words_);
    decoder.columns_.cursor[0].at = control;
    decoder.columns_.cursor[1].at = zigzags;
    decoder.previous_ = previous;
    decoder.base_ = base;
    decoder.stepsLeft_ = static_cast<uint32_t>(stepsLeft(left));
    granted = left;
  }

  /// May throw: nobody goes on then.
  void takeEvent(size_t step) {
    batch.steps[step] = EVENT_STEP;
    batch.stepCount = step + 1;
    decoder.takeEvent(batch);
    columns.top = decoder.calls_.top(); // a gap empties the stack
  }

  static void leave(DPROF_STEP) DPROF_KEEPS_NONE { quick.store(control, zigzags, previous, base, word, step, left); }
  /// Behind the length of a run.
  static void leaveOperation(DPROF_STEP) DPROF_KEEPS_NONE {
    quick.decoder.runKnown_ = true;
    DPROF_GO_ON(leave);
  }

  static void grantMore(DPROF_STEP) DPROF_KEEPS_NONE {
    left = quick.grant(control, zigzags, word, step, left);
    if (left == 0) DPROF_GO_ON(leave);
    DPROF_GO_ON(begin);
  }
  [[gnu::always_inline]] static void next(DPROF_STEP) DPROF_KEEPS_NONE {
    if (--left <= 0) [[unlikely]]
      DPROF_GO_ON(grantMore);
    DPROF_GO_ON(begin);
  }
  [[gnu::always_inline]] static void begin(DPROF_STEP) DPROF_KEEPS_NONE {
    if (*control) DPROF_GO_ON(run);
    control++;
    DPROF_GO_ON(operation);
  }
  [[gnu::always_inline]] static void operation(DPROF_STEP) DPROF_KEEPS_NONE {
    const unsigned head = *control;
    at = control + 1;
    taken = previous->successor;
    if (head & 3) DPROF_GO_ON(otherPath);
    const Function words = wordsOf(*taken, head);
    DPROF_GO_ON(words);
  }
  static void otherPath(DPROF_STEP) DPROF_KEEPS_NONE {
    const unsigned head = *control;
    if (head == 2) DPROF_GO_ON(event);
    const Zigzag moved = shortZigzag(at);
    if ((head & 3) != 1 || !moved.behind) [[unlikely]]
      DPROF_GO_ON(leaveOperation);
    at = moved.behind;
    taken = quick.decoder.paths_.known(taken->number + moved.value);
    if (!taken) [[unlikely]]
      DPROF_GO_ON(leaveOperation);
    const Function words = wordsOf(*taken, head);
    DPROF_GO_ON(words);
  }

  [[gnu::noinline]] static void event(DPROF_STEP) DPROF_KEEPS_NONE {
    control = at;
    left--;
    quick.takeEvent(step++);
    DPROF_GO_ON(grantMore);
  }

  /// What these codes ask for, and no more. `LONG`: zigzags may have more than 4 bytes.
  template <uint32_t COUNT, unsigned CODES, bool LONG = false> static void few(DPROF_STEP) DPROF_KEEPS_NONE {
    if constexpr (CODES >> 2 * COUNT != 0) { // codes behind those of the path's words
      DPROF_GO_ON(leaveOperation);
    } else {
      uint64_t logged[COUNT + 1];
      const uint8_t *behind = zigzags;
      for (uint32_t i = 0; i < COUNT; i++) {
        if ((CODES >> 2 * i & 3) != 2) continue;
        const Zigzag next = LONG ? longZigzag(behind) : nextZigzag(behind);
        if (!next.behind) [[unlikely]] {
          if constexpr (LONG) DPROF_GO_ON(leaveOperation);
          DPROF_GO_ON((few<COUNT, CODES, true>));
        }
        behind = next.behind;
        logged[i] = next.value;
      }
      zigzags = behind;
      if constexpr (COUNT != 0) base = QuickWords::few<COUNT, CODES>(*taken, word, logged, base);
      DPROF_GO_ON((emit<COUNT>));
    }
  }
  static void many(DPROF_STEP) DPROF_KEEPS_NONE {
    const uint32_t count = taken->codedWords;
    const Cursor &column = quick.decoder.columns_.cursor[1];
    if (count > QuickWords::MOST || column.end - zigzags < ptrdiff_t{count} * QuickWords::VARINT_BYTES)
      DPROF_GO_ON(leaveOperation);
    const QuickWords next = QuickWords::many(*taken, word, zigzags, base, at, column);
    if (!next.zigzags) DPROF_GO_ON(leaveOperation);
    const ptrdiff_t bytes = next.zigzags - zigzags;
    quick.take(std::max<int64_t>({1, bytes >> ZIGZAG_SHIFT, (count - 1) >> WORD_SHIFT}), left);
    zigzags = next.zigzags;
    base = next.base;
    at += (count + 3) / 4;
    DPROF_GO_ON(emit<QuickWords::MOST>);
  }

  /// Its words have been written.
  template <uint32_t COUNT> [[gnu::always_inline]] static void emit(DPROF_STEP) DPROF_KEEPS_NONE {
    control = at;
    previous->successor = taken;
    previous = taken;
    if (!taken->plain) [[unlikely]]
      DPROF_GO_ON(emitOther);
    word += COUNT <= QuickWords::FEW ? COUNT : taken->codedWords;
    quick.columns.append(*taken, step++);
    DPROF_GO_ON(next);
  }
  static void emitOther(DPROF_STEP) DPROF_KEEPS_NONE {
    Path *const whole = BatchPlace::wholeOf(*taken, taken->last());
    if (!whole) [[unlikely]]
      DPROF_GO_ON(emitMore);
    word += whole->codedWords;
    quick.columns.append(*whole, step++);
    DPROF_GO_ON(next);
  }
  /// As which any number of steps goes to the batch.
  [[gnu::noinline]] static void emitMore(DPROF_STEP) DPROF_KEEPS_NONE {
    BatchPlace place(word, step);
    const bool goesOn = quick.emitMore(*taken, place);
    word = place.word;
    step = place.step;
    left--;
    if (!goesOn) DPROF_GO_ON(leave);
    DPROF_GO_ON(grantMore);
  }
  /// False: a loop has begun.
  [[gnu::noinline]] bool emitMore(Path &taken, BatchPlace &place) {
    place.store(batch, decoder.words_);
    decoder.emitCoded(batch, taken);
    place = BatchPlace(batch, decoder.words_);
    columns.top = decoder.calls_.top();
    return !decoder.loop_;
  }

  /// Steps that are as predicted, up to the next operation.
  static void run(DPROF_STEP) DPROF_KEEPS_NONE {
    int64_t length = (int64_t{*control} ^ 0x80) - 0x80; // below 0: a varint goes on
    if (length < 0 || length > quick.stepsLeft(left)) [[unlikely]]
      DPROF_GO_ON(leave);
    control++;
    left -= length;
    bool goesOn = true, isLong = false;
    do {
      taken = previous->successor;
      base = QuickWords::predicted(*taken, word, base);
      previous = taken;
      if (Path *const plain = taken->plain ? taken : BatchPlace::wholeOf(*taken, taken->last())) [[likely]] {
        word += plain->codedWords;
        quick.columns.append(*plain, step++);
      } else {
        BatchPlace place(word, step);
        goesOn = quick.emitMore(*taken, place);
        word = place.word;
        step = place.step;
        isLong = true;
      }
      length--;
      goesOn = goesOn && step < quick.decoder.mostSteps_ && word < quick.lastWord;
    } while (length && goesOn);
    left += length;
    quick.decoder.runLeft_ = static_cast<uint64_t>(length);
    if (!goesOn) DPROF_GO_ON(leaveOperation);
    if (const int64_t fit = quick.wordsFit(word); left > fit) quick.take(left - fit, left);
    if (isLong || left <= 0) [[unlikely]] {
      left = quick.grant(control, zigzags, word, step, left);
      if (left == 0) DPROF_GO_ON(leaveOperation);
    }
    DPROF_GO_ON(operation);
  }

  template <size_t... INDEX> static constexpr auto table(std::index_sequence<INDEX...>) {
    constexpr uint32_t CODES = QuickWords::CODES;
    std::array<Function, sizeof...(INDEX) + CODES> table{few<INDEX / CODES, INDEX % CODES>...};
    std::fill(table.end() - CODES, table.end(), leaveOperation);
    table[sizeof...(INDEX)] = many;
    return table;
  }
  static Function wordsOf(const Path &path, unsigned head) {
    static constexpr auto FUNCTIONS =
        table(std::make_index_sequence<size_t{QuickWords::FEW + 1} * QuickWords::CODES>());
    return FUNCTIONS[path.decoding + (head >> 2)];
  }
};

/// False: none was taken, and nothing read.
bool Decoder::quickSteps(Batch &batch) {
  if (!previous_ || isRaw_ || stepsLeft_ == 0) return false;
  const uint32_t before = stepsLeft_;
  Quick quick{*this, batch};
  Quick::grantMore(quick, columns_.cursor[0].at, nullptr, columns_.cursor[1].at, previous_, nullptr, base_,
                   batch.words.data() + words_, batch.stepCount, 0);
  return stepsLeft_ != before || runKnown_;
}

} // namespace dprof
