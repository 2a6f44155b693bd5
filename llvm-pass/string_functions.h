// Stage: plugin, "decide". The names of libc's string functions -> what each reads and stores.
#ifndef DPROF_PASS_STRING_FUNCTIONS_H
#define DPROF_PASS_STRING_FUNCTIONS_H

#include "llvm/IR/Function.h"

namespace dprof {

enum class Reads {
  String,      // strlen
  Bounded,     // strnlen
  Copy,        // strcpy: and stores as much
  BoundedCopy, // strncpy: and stores that, and zeros up to N
  Append,      // strcat: both strings, and stores the second behind the first
  BoundedAppend,
  Compare, // strcmp
  BoundedCompare,
  CompareFolded, // strcasecmp
  BoundedCompareFolded,
  CompareBytes, // memcmp
  UntilOrEnd,   // strchr
  Until,        // memchr
  UntilForever, // rawmemchr
  FromLast,     // memrchr
  CopyUntil,    // memccpy
  Span,         // strspn, with its set
  OtherSpan,    // strcspn
  Search,       // strstr
  SearchFolded, // strcasestr
  SearchBytes,  // memmem
  Token,        // strtok, with its set: and stores a 0 behind the token
  TokenOfRest,  // strtok_r: and stores the rest, which it loads if it is given no text
  Separated,    // strsep: the same, of a text that it loads always
  Duplicate,    // strdup: and stores as much into a new object
  BoundedDuplicate,
  CopyBytes, // wmemcpy
  Fill,      // wmemset
  SwapPairs, // swab
};

struct StringFunction {
  llvm::StringLiteral Arguments; // a letter each: P pointer, C character, N size. Results do not matter.
  Reads What;
  bool IsWide = false;
};

// Recognises it by name and type; null: it is none.
const StringFunction *asStringFunction(const llvm::Function &F);
bool isStringFunctionName(llvm::StringRef Name);

} // namespace dprof

#endif
