// Stage: plugin. Names of C++ templates as people write them.
#include "template_names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace dprof {

namespace {

bool isIdentifier(char C) { return isAlnum(C) || C == '_' || C == '$' || C == '~'; }

// The '>' of the '<' at `Open`; npos if it has none. Fills in where the arguments begin and end.
size_t closeOf(StringRef Text, size_t Open, SmallVectorImpl<StringRef> &Arguments) {
  unsigned Angles = 0, Others = 0;
  size_t Begin = Open + 1;
  auto argument = [&](size_t End) {
    StringRef Own = Text.slice(Begin, End).trim();
    if (!Own.empty() || !Arguments.empty()) Arguments.push_back(Own);
    Begin = End + 1;
  };
  for (size_t I = Open; I < Text.size(); ++I) {
    switch (Text[I]) {
      case '(':
      case '[':
      case '{': ++Others; break;
      case ')':
      case ']':
      case '}':
        if (!Others--) return StringRef::npos;
        break;
      case '\'': // a character as an argument
        for (++I; I < Text.size() && Text[I] != '\''; ++I)
          if (Text[I] == '\\') ++I;
        break;
      case '<': ++Angles; break;
      case '>':
        if (Text[I - 1] == '-') break;
        if (--Angles) break;
        argument(I);
        return I;
      case ',':
        if (Angles == 1 && !Others) argument(I);
        break;
      default: break;
    }
  }
  return StringRef::npos;
}

// Where the qualified name that ends the text begins: behind "const ", a comma, a bracket.
size_t beginOfName(StringRef Text) {
  size_t Begin = Text.size();
  while (Begin && (isIdentifier(Text[Begin - 1]) || Text[Begin - 1] == ':')) --Begin;
  return Begin;
}

// Inline namespaces, in which the standard libraries keep their versions.
bool isVersion(StringRef Name) { return Name == "__cxx11" || Name == "__1" || Name == "__ndk1"; }

// The library's templates whose last arguments are mostly left to the default, for types that this module does not
// define.
bool isContainer(StringRef Qualified) {
  if (!Qualified.consume_front("std::")) return false;
  return Qualified.starts_with("basic_") ||
         StringSwitch<bool>(Qualified)
             .Cases("vector", "deque", "list", "forward_list", "set", "multiset", "map", "multimap", true)
             .Cases("unordered_map", "unordered_set", "unordered_multimap", "unordered_multiset", "unique_ptr", true)
             .Default(false);
}

bool isUsualDefault(StringRef Argument, StringRef First) {
  for (StringRef Name : {"allocator", "char_traits", "less", "hash", "equal_to", "default_delete"}) {
    StringRef Rest = Argument;
    if (!Rest.consume_front("std::") || !Rest.consume_front(Name) || !Rest.consume_front("<")) continue;
    Rest = Rest.drop_back().trim();
    return Rest == First || (Name == "allocator" && Rest.starts_with("std::pair<const " + First.str() + ","));
  }
  return false;
}

// "std::basic_string" of char -> "std::string".
std::string shortName(StringRef Qualified, ArrayRef<std::string> Arguments) {
  StringRef Name = Qualified;
  if (Arguments.size() != 1 || !Name.consume_front("std::basic_")) return "";
  bool IsText = Name == "string" || Name == "string_view";
  bool IsStream = StringSwitch<bool>(Name)
                      .Cases("ios", "streambuf", "istream", "ostream", "iostream", true)
                      .Cases("stringbuf", "istringstream", "ostringstream", "stringstream", true)
                      .Cases("filebuf", "ifstream", "ofstream", "fstream", "regex", true)
                      .Default(false);
  if (!IsText && !IsStream) return "";
  StringRef Letter = StringSwitch<StringRef>(Arguments[0])
                         .Case("char", "-")
                         .Case("wchar_t", "w")
                         .Case("char8_t", IsText ? "u8" : "")
                         .Case("char16_t", IsText ? "u16" : "")
                         .Case("char32_t", IsText ? "u32" : "")
                         .Default("");
  if (Letter.empty()) return "";
  return ("std::" + (Letter == "-" ? "" : Letter) + Name).str();
}

} // namespace

void TemplateNames::learn(StringRef Name, DITemplateParameterArray Parameters) {
  if (Name.empty() || !Parameters) return;
  unsigned Last = 0;
  for (DITemplateParameter *Parameter : Parameters) Last = Parameter && Parameter->isDefault() ? Last + 1 : 0;
  // Where templates of two scopes have one name, no argument is left off that one of them needs.
  auto [Known, New] = Defaults.try_emplace(Name, Last);
  if (!New) Known->second = std::min(Known->second, Last);
}

void TemplateNames::learn(const DebugInfoFinder &Finder) {
  for (DIType *T : Finder.types())
    if (auto *Composite = dyn_cast<DICompositeType>(T); Composite && !Composite->isForwardDecl())
      learn(Composite->getName(), Composite->getTemplateParams());
  for (DISubprogram *Function : Finder.subprograms()) learn(Function->getName(), Function->getTemplateParams());
}

unsigned TemplateNames::defaults(StringRef Qualified, StringRef Instance, ArrayRef<StringRef> Given) const {
  auto Known = Defaults.find(Instance);
  if (Known != Defaults.end()) return Known->second;
  unsigned Count = 0;
  if (isContainer(Qualified))
    while (Count + 1 < Given.size() && isUsualDefault(Given[Given.size() - 1 - Count], Given[0])) ++Count;
  return Count;
}

std::string TemplateNames::shorten(StringRef Text) const {
  std::string Out;
  for (size_t I = 0; I < Text.size(); ++I) {
    StringRef Before = Text.take_front(I);
    if (Text[I] == ':' && Text.substr(I).starts_with("::")) {
      size_t Name = beginOfName(Out);
      size_t Scope = StringRef(Out).rfind("::");
      if (Scope != std::string::npos && Scope >= Name && isVersion(StringRef(Out).substr(Scope + 2))) Out.resize(Scope);
      Out += "::";
      ++I;
      continue;
    }
    if (Before.ends_with("operator") && (Text[I] == '<' || Text[I] == '>' || Text[I] == '-')) {
      while (I < Text.size() && StringRef("<>=-").contains(Text[I])) Out += Text[I++];
      --I;
      continue;
    }
    bool IsTemplate = Text[I] == '<' && I && isIdentifier(Text[I - 1]);
    SmallVector<StringRef, 4> Given;
    size_t Close = IsTemplate ? closeOf(Text, I, Given) : StringRef::npos;
    if (Close == StringRef::npos) {
      Out += Text[I];
      continue;
    }
    size_t Begin = beginOfName(Out);
    StringRef Own = Before.substr(beginOfName(Before));
    size_t Scope = Own.rfind("::");
    size_t Unscoped = I - (Scope == StringRef::npos ? Own.size() : Own.size() - Scope - 2);
    std::string Qualified = Out.substr(Begin);
    unsigned Kept =
        Given.size() - std::min<size_t>(Given.size(), defaults(Qualified, Text.slice(Unscoped, Close + 1), Given));
    SmallVector<std::string, 4> Arguments;
    for (StringRef One : ArrayRef(Given).take_front(Kept)) Arguments.push_back(shorten(One));
    std::string Short = shortName(Qualified, Arguments);
    if (Short.empty())
      Out += "<" + join(Arguments, ", ") + ">";
    else
      Out.replace(Begin, std::string::npos, Short);
    I = Close;
  }
  return Out;
}

} // namespace dprof
