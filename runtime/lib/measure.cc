// Stage: runtime. How many bytes a string function is about to look at (llvm-pass/string_calls.cpp), from the bytes
// themselves. Nothing behind them is read but to the end of an aligned word. Not with the C library's functions: the
// program may have its own by their names, and count their calls.
#include "dprof/abi.h"
#include "interpose.h"

namespace dprof {
namespace {

constexpr uint64_t no_limit = ~0ull, ones = 0x0101010101010101, low_bits = 0x7f * ones;
typedef uint64_t word_of_bytes __attribute__((may_alias));
using wide = uint32_t; // wchar_t

// The high bit of each of its bytes that is zero.
uint64_t zero_bytes(uint64_t word) { return ~(((word & low_bits) + low_bits) | word | low_bits); }

// All lengths of these functions are numbers of characters. Up to the first that is `a` or `b`, with it; `limit` if it
// is not among so many.
uint64_t length_until(const unsigned char *bytes, unsigned char a, unsigned char b, uint64_t limit) {
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

uint64_t length_until(const wide *text, uint32_t a, uint32_t b, uint64_t limit) {
  for (uint64_t i = 0; i < limit; i++)
    if (text[i] == a || text[i] == b) return i + 1;
  return limit;
}

// Includes the terminating character, if it is within the limit.
template <typename Char> uint64_t string_length(const Char *string, uint64_t limit = no_limit) {
  return string ? length_until(string, 0, 0, limit) : 0;
}

template <typename Char> Char fold(Char c) { return c >= 'A' && c <= 'Z' ? (Char)(c + 32) : c; }

template <typename Char> uint64_t common_length(const Char *a, const Char *b, uint64_t limit, bool folds, bool ends) {
  for (uint64_t i = 0; i < limit; i++) {
    bool differ = folds ? fold(a[i]) != fold(b[i]) : a[i] != b[i];
    if (differ || (ends && !a[i])) return i + 1;
  }
  return limit;
}

// Of the characters of a string.
template <typename Char> class Set;

template <> class Set<unsigned char> {
public:
  explicit Set(const unsigned char *members) {
    for (; *members; members++) bits_[*members / 64] |= 1ull << *members % 64;
  }
  bool has(unsigned char c) const { return bits_[c / 64] >> c % 64 & 1; }

private:
  uint64_t bits_[4] = {};
};

template <> class Set<wide> {
public:
  explicit Set(const wide *members) : members_(members) {}
  bool has(uint32_t c) const {
    const wide *member = members_;
    while (*member && *member != c) member++;
    return *member;
  }

private:
  const wide *members_;
};

// Up to the first character that is in the set, or is not, with it.
template <typename Char> uint64_t span_length(const Char *string, const Set<Char> &set, bool is_in_set) {
  for (uint64_t i = 0;; i++)
    if (!string[i] || set.has(string[i]) != is_in_set) return i + 1;
}

// The method of Rabin and Karp: every stretch as long as `wanted` has a sum that follows from the sum of the one
// before. `length`: of the text, if no 0 ends it.
template <typename Char>
uint64_t search_length(const Char *text, uint64_t length, const Char *wanted, uint64_t wanted_length, bool folds) {
  constexpr uint64_t factor = 0x9e3779b97f4a7c15;
  const bool ends = length == no_limit;
  uint64_t sum = 0, sum_wanted = 0, power = 1;
  auto as_compared = [&](Char c) -> uint64_t { return folds ? fold(c) : c; };
  for (uint64_t i = 0; i < wanted_length; i++) {
    if (ends && !text[i]) return i + 1;
    sum = sum * factor + as_compared(text[i]);
    sum_wanted = sum_wanted * factor + as_compared(wanted[i]);
    power *= factor;
  }
  for (uint64_t i = 0;; i++) {
    bool found = sum == sum_wanted;
    for (uint64_t k = wanted_length; found && k-- > 0;) found = as_compared(text[i + k]) == as_compared(wanted[k]);
    if (found) return i + wanted_length;
    const uint64_t next = i + wanted_length;
    if (next == length) return length;
    if (ends && !text[next]) return next + 1;
    sum = sum * factor + as_compared(text[next]) - power * as_compared(text[i]);
  }
}

const void *strtok_keeps = nullptr;

// What strtok and its kin do with a text.
template <typename Char> struct Token {
  const Char *text, *cut = nullptr; // the separator behind the token, or the text's end

  Token(const Char *given, const Char *separators, uint64_t rest, bool is_skipping) : text(given) {
    if (!text) text = rest == no_limit ? (const Char *)strtok_keeps : *(const Char *const *)rest;
    if (!text) return;
    Set<Char> set(separators);
    const Char *begin = is_skipping ? text + span_length(text, set, true) - 1 : text;
    cut = begin + span_length(begin, set, false) - 1;
  }
  uint64_t length() const { return text ? (uint64_t)(cut - text) + 1 : 0; }
  bool cuts() const { return cut && *cut; }
};

template <typename Char>
uint64_t token_bytes(uint32_t how, const Char *given, const Char *separators, uint64_t rest, bool is_skipping) {
  const Token<Char> token(given, separators, rest, is_skipping);
  switch (how) {
    case DPROF_MEASURE_TOKEN_BEGIN: return (uint64_t)token.text - (uint64_t)given;
    case DPROF_MEASURE_TOKEN: return token.length() * sizeof(Char);
    case DPROF_MEASURE_TOKEN_CUT: return (uint64_t)token.cut - (uint64_t)given;
    case DPROF_MEASURE_TOKEN_CUTS: return token.cuts() ? sizeof(Char) : 0;
    case DPROF_MEASURE_TOKEN_SET: return token.text ? string_length(separators) * sizeof(Char) : 0;
    case DPROF_MEASURE_TOKEN_LOADS: return given ? 0 : sizeof(void *);
    default: return token.text ? sizeof(void *) : 0;
  }
}

template <typename Char> uint64_t last_length(const Char *bytes, Char wanted, uint64_t length, bool before) {
  uint64_t i = length;
  while (i > 0 && bytes[i - 1] != wanted) i--;
  uint64_t at = i ? i - 1 : 0;
  return before ? at : length - at;
}

// Of functions that know a number of characters, or a 0 behind the last one.
template <typename Char> uint64_t length(uint32_t how, const Char *a, const void *b, uint64_t limit, uint64_t wanted) {
  const Char *other = (const Char *)b;
  const Char character = (Char)(uintptr_t)b;
  switch (how) {
    case DPROF_MEASURE_STRING: return string_length(a, limit);
    case DPROF_MEASURE_BEHIND_STRING: return limit - string_length(a, limit);
    case DPROF_MEASURE_STRING_AND_END: return string_length(a, limit < no_limit ? limit + 1 : no_limit);
    case DPROF_MEASURE_UNTIL: return length_until(a, character, character, limit);
    case DPROF_MEASURE_UNTIL_OR_END: return length_until(a, character, 0, no_limit);
    case DPROF_MEASURE_COMMON: return common_length(a, other, limit, false, true);
    case DPROF_MEASURE_COMMON_FOLDED: return common_length(a, other, limit, true, true);
    case DPROF_MEASURE_COMMON_BYTES: return common_length(a, other, limit, false, false);
    case DPROF_MEASURE_SPAN: return span_length(a, Set<Char>(other), true);
    case DPROF_MEASURE_OTHER_SPAN: return span_length(a, Set<Char>(other), false);
    case DPROF_MEASURE_SEARCH: return search_length(a, no_limit, other, string_length(other) - 1, false);
    case DPROF_MEASURE_SEARCH_FOLDED: return search_length(a, no_limit, other, string_length(other) - 1, true);
    case DPROF_MEASURE_SEARCH_BYTES: return wanted <= limit ? search_length(a, limit, other, wanted, false) : 0;
    case DPROF_MEASURE_WANTED_BYTES: return wanted <= limit ? wanted : 0;
    case DPROF_MEASURE_BEFORE_LAST: return last_length(a, character, limit, true);
    case DPROF_MEASURE_FROM_LAST: return last_length(a, character, limit, false);
    case DPROF_MEASURE_LIMIT: return limit;
    case DPROF_MEASURE_PAIRS: return (int64_t)limit > 0 ? limit & ~1ull : 0;
    default: return 0;
  }
}

template <typename Char>
uint64_t measure(uint32_t how, const void *a, const void *b, uint64_t limit, uint64_t wanted, bool is_skipping) {
  if (how >= DPROF_MEASURE_TOKEN_BEGIN) return token_bytes(how, (const Char *)a, (const Char *)b, limit, is_skipping);
  return length(how, (const Char *)a, b, limit, wanted) * sizeof(Char);
}

} // namespace

void note_strtok(const char *text, const char *separators) {
  const Token<unsigned char> token((const unsigned char *)text, (const unsigned char *)separators, no_limit, true);
  strtok_keeps = token.cuts() ? token.cut + 1 : token.cut;
}

} // namespace dprof

using namespace dprof;

// `b`: the other string, or the wanted character.
DPROF_EXPORT uint64_t __dprof_measure(uint32_t how, const void *a, const void *b, uint64_t limit, uint64_t wanted) {
  if (!recording) return 0;
  const bool is_skipping = !(how & DPROF_MEASURE_SEPARATED);
  const uint32_t what = how & ~(DPROF_MEASURE_WIDE | DPROF_MEASURE_SEPARATED);
  return how & DPROF_MEASURE_WIDE ? measure<wide>(what, a, b, limit, wanted, is_skipping)
                                  : measure<unsigned char>(what, a, b, limit, wanted, is_skipping);
}
