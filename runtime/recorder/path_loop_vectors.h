// Stage: recorder. The part of the loop over paths that takes four words at once, for the processors of
// path_loop_avx2.cc and path_loop_avx512.cc. Vectors of eight words take up to twice as long on a Zen 4, and few paths
// have so many.
#pragma once

#include <immintrin.h>

#include "path_loop.h"

namespace dprof {
namespace {

using Base = __m256i; // in lane 0
inline Base make_base(uint64_t value) { return _mm256_castsi128_si256(_mm_cvtsi64_si128((long long)value)); }
inline uint64_t value_of(Base base) { return (uint64_t)_mm256_extract_epi64(base, 0); }

inline uint64_t spread_sevens(uint64_t value) { return _pdep_u64(value, 0x7f7f7f7f7f7f7f7f); }

inline __m256i load(const void *from) { return _mm256_loadu_si256((const __m256i *)from); }
inline void store(uint64_t *to, __m256i value) { _mm256_storeu_si256((__m256i *)to, value); }

// For permutations of 32-bit halves.
struct alignas(32) Halves {
  uint32_t of[8];
};

// Permutations by lanes: each moves these lanes to the front.
struct Fronts {
  Halves lanes[16] = {};
  constexpr Fronts() {
    for (unsigned set = 0; set < 16; set++)
      for (unsigned lane = 0, to = 0; lane < 4; lane++)
        if (set >> lane & 1) {
          lanes[set].of[to++] = 2 * lane;
          lanes[set].of[to++] = 2 * lane + 1;
        }
  }
};
constexpr Fronts fronts;

// The codes that follow from nine bits: for each of lanes 1 to 3, whether the word is as STRIDE, as SAME, as LINKED
// says.
struct Verdict {
  uint8_t codes; // of lanes 1 to 3, from bit 2 on
  uint8_t explicit_count;
  uint16_t explicit_lanes;
};
struct Verdicts {
  Verdict of[512] = {};
  constexpr Verdicts() {
    for (unsigned bits = 0; bits < 512; bits++)
      for (unsigned lane = 1; lane < 4; lane++) {
        unsigned fits = bits >> 3 * (lane - 1) & 7;
        unsigned code = fits & 1 ? STRIDE : fits & 2 ? SAME : fits & 4 ? LINKED : EXPLICIT;
        of[bits].codes = (uint8_t)(of[bits].codes | code << 2 * lane);
        if (code != EXPLICIT) continue;
        of[bits].explicit_count++;
        of[bits].explicit_lanes = (uint16_t)(of[bits].explicit_lanes | 1 << lane);
      }
  }
};
constexpr Verdicts verdicts;

// One lane to the front: the last word of a path.
constexpr Halves last_word[4] = {{{0, 1}}, {{2, 3}}, {{4, 5}}, {{6, 7}}};

inline unsigned lanes_of(__m256i mask) { return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(mask)); }

inline void put_differences(__m256i difference, unsigned lanes, uint64_t *differences) {
  store(differences, _mm256_permutevar8x32_epi32(difference, load(&fronts.lanes[lanes])));
}

// Codes from the fourth word on, in bits 8 and up.
__attribute__((noinline)) uint64_t code_more_words(WordBlock *block, const uint64_t *words, unsigned count,
                                                   uint64_t *&differences) {
  uint64_t codes = 0;
  for (unsigned at = 4; at <= count; at += 4) {
    __m256i first = _mm256_permute4x64_epi64(load(block->stride), 3);
    block++;
    __m256i value = load(words + at), last = load(block->last), difference = _mm256_sub_epi64(value, last);
    __m256i before = _mm256_blend_epi32(_mm256_permute4x64_epi64(difference, 0x90), first, 3);
    unsigned lanes = count - at < 3 ? (2u << (count - at)) - 1 : 15;
    unsigned open = lanes & ~lanes_of(_mm256_cmpeq_epi64(difference, load(block->stride)));
    unsigned same = lanes_of(_mm256_cmpeq_epi64(value, last)),
             linked = lanes_of(_mm256_cmpeq_epi64(difference, before));
    unsigned unpredicted = open & ~(same | linked);
    store(block->last, value);
    store(block->stride, difference);
    put_differences(difference, unpredicted, differences);
    differences += __builtin_popcount(unpredicted);
    codes |= (uint64_t)(_pdep_u32(open & (same | linked), 0x55) | _pdep_u32(unpredicted | (open & same), 0xaa))
             << 2 * at;
  }
  return codes;
}

// As in path_loop_plain.cc; reads three words and writes four differences in any case.
inline uint64_t code_words(PathState &state, const uint64_t *words, unsigned count, Base &base,
                           uint64_t *&differences) {
  WordBlock *block = state.blocks();
  __m256i value = _mm256_blend_epi32(load(words), base, 3), last = load(block->last),
          difference = _mm256_sub_epi64(value, last);
  __m256i stride = _mm256_cmpeq_epi64(difference, load(block->stride)), same = _mm256_cmpeq_epi64(value, last);
  __m256i linked = _mm256_cmpeq_epi64(difference, _mm256_permute4x64_epi64(difference, 0x90));
  store(block->last, value);
  store(block->stride, difference);
  // Each lane has four 16-bit parts: the first says whether it is as STRIDE, the second SAME, the third LINKED.
  __m256i fits = _mm256_blend_epi16(_mm256_blend_epi16(stride, same, 0x22), linked, 0x44);
  const Verdict &verdict = verdicts.of[_pext_u32((unsigned)_mm256_movemask_epi8(fits), 0x15151500) | state.settled];
  put_differences(difference, verdict.explicit_lanes, differences);
  differences += verdict.explicit_count;
  if (__builtin_expect(count <= 3, 1)) {
    base = _mm256_permutevar8x32_epi32(value, load(&last_word[count]));
    return verdict.codes;
  }
  base = make_base(words[count]);
  return verdict.codes | code_more_words(block, words, count, differences);
}

} // namespace
} // namespace dprof
