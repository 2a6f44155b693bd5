// Stage: recorder. The loop over paths for x86-64 with AVX-512 (up to VBMI2) and BMI2, for which it is compiled: eight
// words at once, gaps among them or not.
#include "path_loop.h"

#ifdef __AVX512F__
#include <immintrin.h>

namespace dprof {
namespace {

using Base = __m512i; // in lane 0
inline Base make_base(uint64_t value) { return _mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)value)); }
inline uint64_t value_of(Base base) { return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(base)); }
inline bool skips_gaps(unsigned words) { return words < 8; }

inline uint64_t spread_sevens(uint64_t value) { return _pdep_u64(value, 0x7f7f7f7f7f7f7f7f); }

inline __m512i load(const void *from) { return _mm512_loadu_si512(from); }

// False: one of the numbers has more than 56 bits. Splits numbers into bytes of seven bits, and moves the needed bytes
// together.
inline bool pack_eight(const uint64_t *differences, uint8_t *&to) {
  __m512i signed_ones = load(differences),
          folded = _mm512_xor_si512(_mm512_slli_epi64(signed_ones, 1), _mm512_srai_epi64(signed_ones, 63));
  if (__builtin_expect(_mm512_cmpge_epu64_mask(folded, _mm512_set1_epi64(1ll << 56)), 0)) return false;
  const __m512i shifts = _mm512_set1_epi64(0x312a231c150e0700), places = _mm512_set1_epi64(0x0706050403020100);
  __m512i bits =
      _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(_mm512_or_si512(folded, _mm512_set1_epi64(1))));
  __m512i longer = _mm512_srli_epi64(_mm512_mul_epu32(bits, _mm512_set1_epi64(37)), 8); // a seventh
  longer = _mm512_shuffle_epi8(longer, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
  __m512i sevens = _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, folded), _mm512_set1_epi8(0x7f));
  sevens = _mm512_mask_add_epi8(sevens, _mm512_cmplt_epu8_mask(places, longer), sevens, _mm512_set1_epi8((char)0x80));
  __mmask64 needed = _mm512_cmple_epu8_mask(places, longer);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(needed, sevens));
  to += __builtin_popcountll(needed);
  return true;
}

// Codes of a block's lanes, two bits each; `before` is the difference of the block in front of it. Moves the block on.
inline uint64_t code_block(WordBlock &block, __m512i value, __m512i difference, __m512i before, unsigned lanes,
                           uint64_t *&differences) {
  unsigned open = lanes & ~(unsigned)_mm512_cmpeq_epi64_mask(difference, load(block.stride));
  unsigned same = (unsigned)_mm512_cmpeq_epi64_mask(value, load(block.last)) & open;
  unsigned linked = (unsigned)_mm512_cmpeq_epi64_mask(difference, _mm512_alignr_epi64(difference, before, 7)) & open;
  unsigned unpredicted = open & ~(same | linked);
  _mm512_store_si512(block.last, value);
  _mm512_store_si512(block.stride, difference);
  _mm512_storeu_si512(differences, _mm512_maskz_compress_epi64((__mmask8)unpredicted, difference));
  differences += __builtin_popcount(unpredicted);
  return _pdep_u64(same | linked, 0x5555) | _pdep_u64(unpredicted | same, 0xaaaa);
}

__attribute__((noinline)) uint64_t code_more_words(WordBlock *block, const uint64_t *words, unsigned count,
                                                   uint64_t *&differences) {
  uint64_t codes = 0;
  for (unsigned at = 8; at <= count; at += 8) {
    __m512i before = load(block->stride), value = load(words + at);
    block++;
    unsigned lanes = count - at < 7 ? (2u << (count - at)) - 1 : 255;
    codes |= code_block(*block, value, _mm512_sub_epi64(value, load(block->last)), before, lanes, differences)
             << 2 * at;
  }
  return codes;
}

// As in path_loop_plain.cc; reads seven words and writes eight differences in any case.
inline uint64_t code_words(PathState &state, const uint64_t *words, unsigned count, Base &base,
                           uint64_t *&differences) {
  WordBlock &block = *state.blocks();
  __m512i value = _mm512_maskz_compress_epi64(state.lanes, _mm512_mask_mov_epi64(load(words), 1, base));
  __m512i difference = _mm512_sub_epi64(value, load(block.last));
  uint64_t codes = code_block(block, value, difference, difference, state.valid, differences);
  if (__builtin_expect(count < 8, 1)) {
    base = _mm512_maskz_compress_epi64((__mmask8)(1u << count), value);
    return codes;
  }
  base = make_base(words[count]);
  return codes | code_more_words(&block, words, count, differences);
}

} // namespace
} // namespace dprof

#include "path_loop_body.h"

namespace dprof {
extern const PathLoops path_loops_avx512 = {encode_short_paths, pack_differences};
}
#endif
