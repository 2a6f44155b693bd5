// Stage: recorder. The loop over paths for any processor.
#include "path_loop.h"

namespace dprof {
namespace {

using Base = uint64_t;
inline Base make_base(uint64_t value) { return value; }
inline uint64_t value_of(Base base) { return base; }
inline bool pack_eight(const uint64_t *, uint8_t *&) { return false; }

// Seven bits into each of eight bytes.
inline uint64_t spread_sevens(uint64_t value) {
  uint64_t x = (value & 0x00fffffff0000000) << 4 | (value & 0x000000000fffffff);
  x = (x & 0x0fffc0000fffc000) << 2 | (x & 0x00003fff00003fff);
  return (x & 0x3f803f803f803f80) << 1 | (x & 0x007f007f007f007f);
}

// Returns the codes of the `count` words behind `words[0]`, from bit 2 on; moves the path's state and `base` on. The
// processor can not predict which code a word will have, so the loop does not branch on it: a difference that nobody
// needs is stored all the same, and then overwritten.
inline uint64_t code_words(PathState &state, const uint64_t *words, unsigned count, Base &base,
                           uint64_t *&differences) {
  WordBlock *blocks = state.blocks();
  uint64_t codes = 0, expected = base - blocks->last[0];
  blocks->last[0] = base;
  for (unsigned i = 1; i <= count; i++) {
    uint64_t &last = blocks[i / block_words].last[i % block_words],
             &stride = blocks[i / block_words].stride[i % block_words], difference = words[i] - last;
    uint64_t code = difference == expected ? LINKED : EXPLICIT;
    code = difference == 0 ? SAME : code;
    code = difference == stride ? STRIDE : code;
    *differences = difference;
    differences += code == EXPLICIT;
    codes |= code << 2 * i;
    last = base = words[i];
    stride = expected = difference;
  }
  return codes;
}

} // namespace
} // namespace dprof

#include "path_loop_body.h"

namespace dprof {
extern const PathLoops path_loops_plain = {encode_short_paths<false>, encode_short_paths<true>, pack_differences};
}
