// Stage: recorder. CRC-32 as zlib computes it: by tables, and where the processor multiplies without carries, 64 bytes
// at a time (V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009).
#include <array>

#include "bytes.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace dprof {
namespace {

// All polynomials have their bits reflected: the highest power is bit 0.
constexpr uint32_t polynomial = 0xedb88320;
constexpr uint32_t times_x(uint32_t c) { return c & 1 ? c >> 1 ^ polynomial : c >> 1; }

using Table = std::array<std::array<uint32_t, 256>, 8>;

constexpr Table make_table() {
  Table table = {};
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; bit++) c = times_x(c);
    table[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (size_t n = 1; n < 8; n++) table[n][i] = table[n - 1][i] >> 8 ^ table[0][table[n - 1][i] & 0xff];
  return table;
}

constexpr Table table = make_table();

// Continues `c` over the bytes, without the inversions before and behind.
uint32_t by_tables(const uint8_t *p, size_t count, uint32_t c) {
  for (; count >= 8; count -= 8, p += 8) {
    uint32_t low, high;
    memcpy(&low, p, 4);
    memcpy(&high, p + 4, 4);
    low ^= c;
    c = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^
        table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^ table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
  }
  while (count--) c = c >> 8 ^ table[0][(c ^ *p++) & 0xff];
  return c;
}

#ifdef __x86_64__
// x to the power n, modulo the polynomial: what the upper (n + 32) or lower (n - 32) half of 16 bytes is multiplied by
// to stand n bits further. The product of two reflected numbers is one bit short of where it belongs.
constexpr uint64_t power(unsigned n) {
  uint32_t c = 0x80000000;
  for (; n; n--) c = times_x(c);
  return (uint64_t)c << 1;
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i further(__m128i block, __m128i powers, __m128i next) {
  return _mm_xor_si128(
      _mm_xor_si128(_mm_clmulepi64_si128(block, powers, 0x00), _mm_clmulepi64_si128(block, powers, 0x11)), next);
}

constexpr size_t stretch = 64;

// At least one stretch.
__attribute__((target("pclmul,sse4.1"))) uint32_t by_folding(const uint8_t *p, size_t count, uint32_t c) {
  const __m128i by_stretch = _mm_set_epi64x((long long)power(8 * stretch - 32), (long long)power(8 * stretch + 32));
  const __m128i by_block = _mm_set_epi64x((long long)power(128 - 32), (long long)power(128 + 32));
  auto block = [](const uint8_t *at) { return _mm_loadu_si128((const __m128i *)at); };
  __m128i sums[4] = {_mm_xor_si128(block(p), _mm_cvtsi32_si128((int)c)), block(p + 16), block(p + 32), block(p + 48)};
  for (p += stretch, count -= stretch; count >= stretch; p += stretch, count -= stretch)
    for (unsigned i = 0; i < 4; i++) sums[i] = further(sums[i], by_stretch, block(p + 16 * i));
  for (unsigned i = 1; i < 4; i++) sums[i] = further(sums[i - 1], by_block, sums[i]);
  uint8_t rest[16];
  _mm_storeu_si128((__m128i *)rest, sums[3]);
  return by_tables(p, count, by_tables(rest, sizeof rest, 0));
}
#endif

} // namespace

uint32_t checksum(const void *bytes, size_t count, uint32_t before) {
  const uint8_t *p = (const uint8_t *)bytes;
#ifdef __x86_64__
  if (count >= stretch && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"))
    return ~by_folding(p, count, ~before);
#endif
  return ~by_tables(p, count, ~before);
}

} // namespace dprof
