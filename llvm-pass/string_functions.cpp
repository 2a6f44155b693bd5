// Stage: plugin, "decide". The names of libc's string functions -> what each reads and stores.
#include "string_functions.h"

#include "seen_library.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace dprof {

namespace {

const StringMap<StringFunction> &knownFunctions() {
  static const StringMap<StringFunction> Table = {
      {"strlen", {"P", Reads::String}},
      {"strnlen", {"PN", Reads::Bounded}},
      {"strrchr", {"PC", Reads::String}},
      {"rindex", {"PC", Reads::String}},
      {"strchr", {"PC", Reads::UntilOrEnd}},
      {"index", {"PC", Reads::UntilOrEnd}},
      {"strchrnul", {"PC", Reads::UntilOrEnd}},
      {"rawmemchr", {"PC", Reads::UntilForever}},
      {"__rawmemchr", {"PC", Reads::UntilForever}},
      {"memchr", {"PCN", Reads::Until}},
      {"memrchr", {"PCN", Reads::FromLast}},
      {"memccpy", {"PPCN", Reads::CopyUntil}},
      {"strcpy", {"PP", Reads::Copy}},
      {"stpcpy", {"PP", Reads::Copy}},
      {"__stpcpy", {"PP", Reads::Copy}},
      {"__strcpy_chk", {"PPN", Reads::Copy}},
      {"__stpcpy_chk", {"PPN", Reads::Copy}},
      {"strncpy", {"PPN", Reads::BoundedCopy}},
      {"stpncpy", {"PPN", Reads::BoundedCopy}},
      {"__strncpy_chk", {"PPN", Reads::BoundedCopy}},
      {"__stpncpy_chk", {"PPN", Reads::BoundedCopy}},
      {"strcat", {"PP", Reads::Append}},
      {"__strcat_chk", {"PPN", Reads::Append}},
      {"strncat", {"PPN", Reads::BoundedAppend}},
      {"__strncat_chk", {"PPN", Reads::BoundedAppend}},
      {"strcmp", {"PP", Reads::Compare}},
      {"strncmp", {"PPN", Reads::BoundedCompare}},
      {"strcasecmp", {"PP", Reads::CompareFolded}},
      {"strncasecmp", {"PPN", Reads::BoundedCompareFolded}},
      {"memcmp", {"PPN", Reads::CompareBytes}},
      {"bcmp", {"PPN", Reads::CompareBytes}},
      {"strspn", {"PP", Reads::Span}},
      {"strcspn", {"PP", Reads::OtherSpan}},
      {"strpbrk", {"PP", Reads::OtherSpan}},
      {"strstr", {"PP", Reads::Search}},
      {"strcasestr", {"PP", Reads::SearchFolded}},
      {"memmem", {"PNPN", Reads::SearchBytes}},
      {"strtok", {"PP", Reads::Token}},
      {"strtok_r", {"PPP", Reads::TokenOfRest}},
      {"__strtok_r", {"PPP", Reads::TokenOfRest}},
      {"strsep", {"PP", Reads::Separated}},
      {"__strsep", {"PP", Reads::Separated}},
      {"strdup", {"P", Reads::Duplicate}},
      {"__strdup", {"P", Reads::Duplicate}},
      {"strndup", {"PN", Reads::BoundedDuplicate}},
      {"__strndup", {"PN", Reads::BoundedDuplicate}},
      {"swab", {"PPN", Reads::SwapPairs}},
      {"wcslen", {"P", Reads::String, true}},
      {"wcsnlen", {"PN", Reads::Bounded, true}},
      {"wcsrchr", {"PC", Reads::String, true}},
      {"wcschr", {"PC", Reads::UntilOrEnd, true}},
      {"wcschrnul", {"PC", Reads::UntilOrEnd, true}},
      {"wmemchr", {"PCN", Reads::Until, true}},
      {"wcscpy", {"PP", Reads::Copy, true}},
      {"wcpcpy", {"PP", Reads::Copy, true}},
      {"__wcscpy_chk", {"PPN", Reads::Copy, true}},
      {"__wcpcpy_chk", {"PPN", Reads::Copy, true}},
      {"wcsncpy", {"PPN", Reads::BoundedCopy, true}},
      {"wcpncpy", {"PPN", Reads::BoundedCopy, true}},
      {"__wcsncpy_chk", {"PPN", Reads::BoundedCopy, true}},
      {"__wcpncpy_chk", {"PPN", Reads::BoundedCopy, true}},
      {"wcscat", {"PP", Reads::Append, true}},
      {"__wcscat_chk", {"PPN", Reads::Append, true}},
      {"wcsncat", {"PPN", Reads::BoundedAppend, true}},
      {"__wcsncat_chk", {"PPN", Reads::BoundedAppend, true}},
      {"wcscmp", {"PP", Reads::Compare, true}},
      {"wcsncmp", {"PPN", Reads::BoundedCompare, true}},
      {"wcscasecmp", {"PP", Reads::CompareFolded, true}},
      {"wcsncasecmp", {"PPN", Reads::BoundedCompareFolded, true}},
      {"wmemcmp", {"PPN", Reads::CompareBytes, true}},
      {"wcsspn", {"PP", Reads::Span, true}},
      {"wcscspn", {"PP", Reads::OtherSpan, true}},
      {"wcspbrk", {"PP", Reads::OtherSpan, true}},
      {"wcsstr", {"PP", Reads::Search, true}},
      {"wcswcs", {"PP", Reads::Search, true}},
      {"wcstok", {"PPP", Reads::TokenOfRest, true}},
      {"wcsdup", {"P", Reads::Duplicate, true}},
      {"wmemcpy", {"PPN", Reads::CopyBytes, true}},
      {"wmemmove", {"PPN", Reads::CopyBytes, true}},
      {"wmempcpy", {"PPN", Reads::CopyBytes, true}},
      {"__wmemcpy_chk", {"PPN", Reads::CopyBytes, true}},
      {"__wmemmove_chk", {"PPN", Reads::CopyBytes, true}},
      {"__wmempcpy_chk", {"PPN", Reads::CopyBytes, true}},
      {"wmemset", {"PCN", Reads::Fill, true}},
      {"__wmemset_chk", {"PCN", Reads::Fill, true}},
  };
  return Table;
}

bool fits(const FunctionType &Type, StringRef Arguments, bool IsChecked) {
  unsigned Further = IsChecked && Type.getNumParams() == Arguments.size() + 1; // the size of the destination
  if (Type.isVarArg() || Type.getNumParams() != Arguments.size() + Further) return false;
  for (auto [Index, Letter] : enumerate(Arguments)) {
    llvm::Type *Parameter = Type.getParamType(Index);
    bool Matches = Letter == 'P' ? Parameter->isPointerTy() && Parameter->getPointerAddressSpace() == 0
                                 : Parameter->isIntegerTy(Letter == 'C' ? 32 : 64);
    if (!Matches) return false;
  }
  return true;
}

} // namespace

bool isStringFunctionName(StringRef Name) { return knownFunctions().count(Name) != 0; }

const StringFunction *asStringFunction(const Function &F) {
  StringRef Name = F.getName();
  auto Found = knownFunctions().find(Name);
  // musl's own names for some of them: __strchrnul.
  if (Found == knownFunctions().end() && cLibrary() == CLibrary::Itself && Name.consume_front("__"))
    Found = knownFunctions().find(Name);
  bool Fits = Found != knownFunctions().end() &&
              fits(*F.getFunctionType(), Found->second.Arguments, F.getName().ends_with("_chk"));
  return Fits ? &Found->second : nullptr;
}

} // namespace dprof
