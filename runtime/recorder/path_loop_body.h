// Stage: recorder. The loop over paths, compiled once for each kind of processor: with that kind's `Base`,
// `code_words`, `spread_sevens` and `pack_eight`. Nothing but what stands here and in path_loop.h: a function of the
// standard library that was compiled here could come to run on another kind.
#include "path_loop.h"

#include <string.h>

namespace dprof {
namespace {

__attribute__((noinline)) unsigned write_long(uint8_t *to, uint64_t value) {
  unsigned n = 0;
  for (; value >= 0x80; value >>= 7) to[n++] = (uint8_t)(value | 0x80);
  to[n++] = (uint8_t)value;
  return n;
}

// A step that stands behind one byte for its run, which needs more; returns its end.
__attribute__((noinline)) uint8_t *with_long_run(uint8_t *step, uint64_t run, uint8_t *end) {
  uint8_t number[10];
  unsigned n = write_long(number, run);
  memmove(step + n, step + 1, (size_t)(end - step - 1));
  memcpy(step, number, n);
  return end + n - 1;
}

// A varint; writes 8 bytes in any case. Without a loop: lengths vary too much for its branch to be predicted.
inline unsigned write_number(uint8_t *to, uint64_t value) {
  if (__builtin_expect(value >> 56, 0)) return write_long(to, value);
  unsigned longer = (63 - (unsigned)__builtin_clzll(value | 1)) / 7;
  uint64_t x = spread_sevens(value) | (0x8080808080808080 & ((1ull << 8 * longer) - 1));
  memcpy(to, &x, 8);
  return 1 + longer;
}

inline uint64_t fold_sign(uint64_t value) { return value << 1 ^ (0 - (value >> 63)); }

uint8_t *pack_differences(const uint64_t *begin, const uint64_t *end, uint8_t *to) {
  while (begin < end) {
    if (end - begin >= 8 && pack_eight(begin, to)) {
      begin += 8;
      continue;
    }
    for (const uint64_t *stop = end - begin < 8 ? end : begin + 8; begin < stop; begin++)
      to += write_number(to, fold_sign(*begin));
  }
  return to;
}

inline const uint64_t *without_gaps(const uint64_t *words, const uint32_t *positions, unsigned count, uint64_t *to) {
  for (unsigned i = 0; i < count; i++) to[1 + i] = words[1 + positions[i]];
  return to;
}

// `careful`: the words may end within a path.
template <bool careful> void encode_short_paths(PathLoop &loop) {
  uint64_t gathered[1 + most_short_words + 8];
  const uint64_t *p = loop.next, *const limit = loop.limit;
  char *const states = loop.states;
  PathState *before = loop.before;
  Base base = make_base(loop.base);
  uint64_t run = loop.run, counts = 0;
  uint8_t *control = loop.control;
  uint64_t *differences = loop.differences;
  while (p < limit) {
    __builtin_prefetch(p + 64);
    uint64_t header = *p;
    uint32_t place = before->successor;
    PathState *state = (PathState *)(states + place);
    // The step is written as if it had to be; if it turns out to be as predicted, the next one is written over it.
    *control = (uint8_t)run;
    uint8_t *operation = control + 1, *behind = operation + 1;
    unsigned code = PREDICTED_PATH;
    if (header != state->header) {
      uint64_t offset = header - loop.places_begin;
      if (__builtin_expect(offset >= loop.places_bytes, 0)) {
        if (header != time_header || (careful && loop.end - p <= 2)) break;
        *loop.times++ = {p[1], p[2]};
        *operation = RUNTIME_EVENT;
        control = run < 0x80 ? behind : with_long_run(control, run, behind);
        run = 0;
        counts += one_step;
        p += 3;
        continue;
      }
      place = loop.places[offset];
      int64_t further = -(int64_t)state->number;
      state = (PathState *)(states + place);
      if (__builtin_expect(state->header != header, 0)) break;
      behind += write_number(behind, fold_sign((uint64_t)(further + state->number)));
      code = OTHER_PATH;
    }
    unsigned n = state->coded_words, all = state->words;
    if (careful && (uint64_t)(loop.end - p) <= all) break;
    const uint64_t *words = p;
    if (__builtin_expect(n != all, 0)) {
      if (n == not_short) break;
      words = without_gaps(words, loop.positions + state->first_position, n, gathered);
    }
    p += 1 + all;
    before->successor = place;
    uint64_t codes = code_words(*state, words, n, base, differences), bytes = codes >> 2;
    *operation = (uint8_t)(code | (codes & state->code_mask));
    memcpy(behind, &bytes, 8);
    behind += state->code_bytes;
    bool written = (code | codes) != 0;
    if (__builtin_expect(written & (run >= 0x80), 0)) behind = with_long_run(control, run, behind);
    control = written ? behind : control;
    run = written ? 0 : run + 1;
    counts += state->counts;
    before = state;
  }
  loop.next = p;
  loop.before = before;
  loop.base = value_of(base);
  loop.run = run;
  loop.counts += counts;
  loop.control = control;
  loop.differences = differences;
}

} // namespace
} // namespace dprof
