// Stage: runtime. How many bytes a string function is about to look at (llvm-pass/string_calls.cpp), from the bytes themselves. Nothing behind
// them is read.
#include <string.h>
#include <strings.h>

#include "dprof/abi.h"
#include "interpose.h"

namespace dprof {
namespace {

constexpr uint64_t no_limit = ~0ull;

// With its end, if that is within the limit.
uint64_t string_bytes(const char *string, uint64_t limit) {
  if (limit == no_limit) return strlen(string) + 1;
  uint64_t length = strnlen(string, limit);
  return length < limit ? length + 1 : limit;
}

uint64_t bytes_until(const char *bytes, int wanted, uint64_t limit) {
  if (limit == no_limit) return (uint64_t)((const char *)rawmemchr(bytes, wanted) - bytes) + 1;
  const char *found = limit ? (const char *)memchr(bytes, wanted, limit) : nullptr;
  return found ? (uint64_t)(found - bytes) + 1 : limit;
}

unsigned char fold(unsigned char c) { return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c; }

uint64_t common_bytes(const unsigned char *a, const unsigned char *b, uint64_t limit, bool folds, bool ends) {
  for (uint64_t i = 0; i < limit; i++) {
    bool differ = folds ? fold(a[i]) != fold(b[i]) : a[i] != b[i];
    if (differ || (ends && !a[i])) return i + 1;
  }
  return limit;
}

uint64_t search_bytes(const char *text, const char *wanted) {
  const char *found = strstr(text, wanted);
  return found ? (uint64_t)(found - text) + strlen(wanted) : strlen(text) + 1;
}

} // namespace
} // namespace dprof

using namespace dprof;

// `b`: the other string, or the wanted character.
DPROF_EXPORT uint64_t __dprof_measure(uint32_t how, const void *a, const void *b, uint64_t limit) {
  if (!recording) return 0;
  const char *text = (const char *)a, *other = (const char *)b;
  int character = (int)(uintptr_t)b;
  switch (how) {
  case DPROF_MEASURE_STRING: return string_bytes(text, limit);
  case DPROF_MEASURE_BEHIND_STRING: return limit - string_bytes(text, limit);
  case DPROF_MEASURE_STRING_AND_END: return (limit < no_limit ? strnlen(text, limit) : strlen(text)) + 1;
  case DPROF_MEASURE_UNTIL: return bytes_until(text, character, limit);
  case DPROF_MEASURE_UNTIL_OR_END: return (uint64_t)(strchrnul(text, character) - text) + 1;
  case DPROF_MEASURE_COMMON: return common_bytes((const unsigned char *)a, (const unsigned char *)b, limit, false, true);
  case DPROF_MEASURE_COMMON_FOLDED: return common_bytes((const unsigned char *)a, (const unsigned char *)b, limit, true, true);
  case DPROF_MEASURE_COMMON_BYTES: return common_bytes((const unsigned char *)a, (const unsigned char *)b, limit, false, false);
  case DPROF_MEASURE_SPAN: return strspn(text, other) + 1;
  case DPROF_MEASURE_OTHER_SPAN: return strcspn(text, other) + 1;
  case DPROF_MEASURE_SEARCH: return search_bytes(text, other);
  default: return 0;
  }
}
