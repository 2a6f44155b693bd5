// Stage: runtime. How many bytes a string function is about to look at (llvm-pass/string_calls.cpp), from the bytes
// themselves. Nothing behind them is read but to the end of an aligned word. Not with the C library's functions: the
// program may have its own by their names, and count their calls.
#include "dprof/abi.h"
#include "interpose.h"

namespace dprof {
namespace {

constexpr uint64_t no_limit = ~0ull, ones = 0x0101010101010101, low_bits = 0x7f * ones;
typedef uint64_t word_of_bytes __attribute__((may_alias));

// The high bit of each of its bytes that is zero.
uint64_t zero_bytes(uint64_t word) { return ~(((word & low_bits) + low_bits) | word | low_bits); }

// Up to the first byte that is `a` or `b`, with it; `limit` if it is not among so many.
uint64_t bytes_until(const char *bytes, unsigned char a, unsigned char b, uint64_t limit) {
  uint64_t before = (uint64_t)bytes & 7;
  const word_of_bytes *words = (const word_of_bytes *)(bytes - before);
  for (uint64_t seen = 0; seen < limit; words++) {
    uint64_t found = zero_bytes(*words ^ a * ones) | zero_bytes(*words ^ b * ones);
    found &= ~0ull << before * 8;
    if (found) {
      uint64_t length = seen + (uint64_t)__builtin_ctzll(found) / 8 - before + 1;
      return length < limit ? length : limit;
    }
    seen += 8 - before;
    before = 0;
  }
  return limit;
}

// Includes the terminating byte, if it is within the limit.
uint64_t string_bytes(const char *string, uint64_t limit) { return bytes_until(string, 0, 0, limit); }

uint64_t string_and_end(const char *string, uint64_t limit) {
  return string_bytes(string, limit < no_limit ? limit + 1 : no_limit);
}

unsigned char fold(unsigned char c) { return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c; }

uint64_t common_bytes(const unsigned char *a, const unsigned char *b, uint64_t limit, bool folds, bool ends) {
  for (uint64_t i = 0; i < limit; i++) {
    bool differ = folds ? fold(a[i]) != fold(b[i]) : a[i] != b[i];
    if (differ || (ends && !a[i])) return i + 1;
  }
  return limit;
}

// Up to the first byte that is in the set, or is not, with it.
uint64_t span_bytes(const char *string, const char *set, bool is_in_set) {
  uint64_t members[4] = {};
  for (const unsigned char *member = (const unsigned char *)set; *member; member++)
    members[*member / 64] |= 1ull << *member % 64;
  for (uint64_t i = 0;; i++) {
    unsigned char c = (unsigned char)string[i];
    if (!c || (members[c / 64] >> c % 64 & 1) != is_in_set) return i + 1;
  }
}

bool are_equal(const char *a, const char *b, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    if (a[i] != b[i]) return false;
  return true;
}

// The method of Rabin and Karp: every stretch as long as `wanted` has a sum that follows from the sum of the one
// before.
uint64_t search_bytes(const char *text, const char *wanted) {
  constexpr uint64_t factor = 0x9e3779b97f4a7c15;
  uint64_t length = string_bytes(wanted, no_limit) - 1, sum = 0, sum_wanted = 0, power = 1;
  for (uint64_t i = 0; i < length; i++) {
    if (!text[i]) return i + 1;
    sum = sum * factor + (unsigned char)text[i];
    sum_wanted = sum_wanted * factor + (unsigned char)wanted[i];
    power *= factor;
  }
  for (uint64_t i = 0;; i++) {
    if (sum == sum_wanted && are_equal(text + i, wanted, length)) return i + length;
    if (!text[i + length]) return i + length + 1;
    sum = sum * factor + (unsigned char)text[i + length] - power * (unsigned char)text[i];
  }
}

} // namespace
} // namespace dprof

using namespace dprof;

// `b`: the other string, or the wanted character.
DPROF_EXPORT uint64_t __dprof_measure(uint32_t how, const void *a, const void *b, uint64_t limit) {
  if (!recording) return 0;
  const char *text = (const char *)a, *other = (const char *)b;
  unsigned char character = (unsigned char)(uintptr_t)b;
  switch (how) {
    case DPROF_MEASURE_STRING: return string_bytes(text, limit);
    case DPROF_MEASURE_BEHIND_STRING: return limit - string_bytes(text, limit);
    case DPROF_MEASURE_STRING_AND_END: return string_and_end(text, limit);
    case DPROF_MEASURE_UNTIL: return bytes_until(text, character, character, limit);
    case DPROF_MEASURE_UNTIL_OR_END: return bytes_until(text, character, 0, no_limit);
    case DPROF_MEASURE_COMMON:
      return common_bytes((const unsigned char *)a, (const unsigned char *)b, limit, false, true);
    case DPROF_MEASURE_COMMON_FOLDED:
      return common_bytes((const unsigned char *)a, (const unsigned char *)b, limit, true, true);
    case DPROF_MEASURE_COMMON_BYTES:
      return common_bytes((const unsigned char *)a, (const unsigned char *)b, limit, false, false);
    case DPROF_MEASURE_SPAN: return span_bytes(text, other, true);
    case DPROF_MEASURE_OTHER_SPAN: return span_bytes(text, other, false);
    case DPROF_MEASURE_SEARCH: return search_bytes(text, other);
    default: return 0;
  }
}
