// Stage: plugin. A glob that the user wrote, and the names that a function goes by.
#include "name_pattern.h"

#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

namespace {

constexpr size_t MostPatterns = 1024; // that one with braces stands for

// "{a,b}*" -> "a*", "b*". None, if braces are not closed, nested, or have no comma,
// or if a backslash is the last character.
std::vector<std::string> withoutBraces(StringRef Text) {
  std::vector<std::string> Spelled{""};
  std::vector<std::string> Choices; // of the braces that are open
  bool IsOpen = false;
  for (size_t I = 0, Length; I < Text.size() && Spelled.size() <= MostPatterns; I += Length) {
    size_t Closed = Text[I] == '[' ? Text.find(']', I + 2) : StringRef::npos;
    Length = Text[I] == '\\' ? 2 : Closed == StringRef::npos ? 1 : Closed + 1 - I;
    StringRef Piece = Text.substr(I, Length);
    if (Piece == "\\") return {};
    if (Piece == "{") {
      if (IsOpen) return {};
      IsOpen = true;
      Choices = {""};
    } else if (IsOpen && Piece == ",") {
      Choices.emplace_back();
    } else if (IsOpen && Piece == "}") {
      if (Choices.size() < 2) return {};
      std::vector<std::string> Longer;
      for (const std::string &Begin : Spelled)
        for (const std::string &End : Choices) Longer.push_back(Begin + End);
      Spelled = std::move(Longer);
      IsOpen = false;
    } else if (IsOpen) {
      Choices.back() += Piece;
    } else {
      for (std::string &Begin : Spelled) Begin += Piece;
    }
  }
  return IsOpen || Spelled.size() > MostPatterns ? std::vector<std::string>() : Spelled;
}

} // namespace

std::optional<NamePattern> NamePattern::parse(StringRef Text) {
  NamePattern Parsed(std::make_shared<const std::vector<std::string>>(withoutBraces(Text)));
  for (const std::string &Spelled : *Parsed.Texts) {
    Expected<GlobPattern> Glob = GlobPattern::create(Spelled);
    if (!Glob) {
      consumeError(Glob.takeError());
      return std::nullopt;
    }
    Parsed.Globs.push_back(std::move(*Glob));
  }
  if (Parsed.Globs.empty()) return std::nullopt;
  return Parsed;
}

bool NamePattern::matches(StringRef Name) const {
  return any_of(Globs, [&](const GlobPattern &Glob) { return Glob.match(Name); });
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
