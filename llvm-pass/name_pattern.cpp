// Stage: plugin. A glob that the user wrote, and the names that a function goes by.
#include "name_pattern.h"

#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

std::optional<NamePattern> NamePattern::parse(StringRef Text) {
  auto Kept = std::make_shared<const std::string>(Text);
  Expected<GlobPattern> Glob = GlobPattern::create(*Kept, /*MaxSubPatterns=*/1024);
  if (Glob) return NamePattern(std::move(Kept), std::move(*Glob));
  consumeError(Glob.takeError());
  return std::nullopt;
}

bool NamePattern::matchesAny(ArrayRef<std::string> Names) const {
  return any_of(Names, [&](const std::string &Name) { return matches(Name); });
}

std::string withoutTemplateArguments(StringRef Name) {
  std::string Out;
  unsigned Depth = 0;
  for (char C : Name) {
    if (C == '<')
      ++Depth;
    else if (C == '>' && Depth)
      --Depth;
    else if (!Depth)
      Out += C;
  }
  return Out;
}

namespace {

// The demangler's buffer is malloc's.
std::string takeText(char *Text) {
  std::string Taken = Text ? Text : "";
  std::free(Text);
  return Taken;
}

} // namespace

SmallVector<std::string, 3> namesOf(StringRef LinkageName) {
  SmallVector<std::string, 3> Names{LinkageName.str()};
  ItaniumPartialDemangler Demangler;
  bool IsPlain =
      !LinkageName.starts_with("_Z") || Demangler.partialDemangle(Names[0].c_str()) || !Demangler.isFunction();
  if (IsPlain) return Names;
  std::string Context = takeText(Demangler.getFunctionDeclContextName(nullptr, nullptr));
  std::string Qualified =
      (Context.empty() ? "" : Context + "::") + takeText(Demangler.getFunctionBaseName(nullptr, nullptr));
  Names.push_back(Qualified);
  if (std::string Plain = withoutTemplateArguments(Qualified); Plain != Qualified) Names.push_back(Plain);
  return Names;
}

} // namespace dprof
