// Stage: recorder. The loop over paths for x86-64 with AVX-512 (up to VBMI2) and BMI2, for which it is compiled: eight
// differences are packed at once.
#ifdef __AVX512F__
#include "path_loop_vectors.h"

namespace dprof {
namespace {

// False: one of the numbers has more than 56 bits. Splits numbers into bytes of seven bits, and moves the needed bytes
// together.
inline bool pack_eight(const uint64_t *differences, uint8_t *&to) {
  __m512i signed_ones = _mm512_loadu_si512(differences),
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

} // namespace
} // namespace dprof

#include "path_loop_body.h"

namespace dprof {
extern const PathLoops path_loops_avx512 = {encode_short_paths<false>, encode_short_paths<true>, pack_differences};
}
#endif
