// Stage: plugin. Special-case lists, for LLVM 16, which takes the patterns in them for regular expressions: reads them
// as the globs that they are for later versions.
#ifndef DPROF_PASS_GLOB_LISTS_H
#define DPROF_PASS_GLOB_LISTS_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace dprof {

// The regular expression that matches the same text. A list itself gives `*` the meaning that it has in globs.
inline std::string expressionOf(llvm::StringRef Glob) {
  std::string Expression;
  bool IsOpen = false, IsOptional = false; // {one,other}, of which one may be empty
  size_t Choice = 0;                       // where one of them begins
  for (size_t I = 0; I < Glob.size(); ++I) {
    llvm::StringRef Rest = Glob.substr(I);
    if (size_t End = Rest.find(']', 2); Rest.startswith("[") && End != llvm::StringRef::npos) {
      Expression += (Rest[1] == '!' ? "[^" + Rest.slice(2, End + 1) : Rest.take_front(End + 1)).str();
      I += End;
    } else if (Rest.startswith("\\*")) {
      Expression += "[)-+]"; // a star, between its neighbours: there it has no meaning
      ++I;
    } else if (Rest.startswith("\\")) {
      Expression += Rest.take_front(2);
      ++I;
    } else if (Rest[0] == '?') {
      Expression += '.';
    } else if (Rest[0] == '{' && !IsOpen) {
      Expression += '(';
      Choice = Expression.size();
      IsOpen = true;
      IsOptional = false;
    } else if (IsOpen && (Rest[0] == ',' || Rest[0] == '}')) {
      if (Expression.size() > Choice)
        Expression += '|';
      else
        IsOptional = true;
      Choice = Expression.size();
      if (Rest[0] == ',') continue;
      Expression.back() = ')'; // the last one ends too
      if (IsOptional) Expression += '?';
      IsOpen = false;
    } else {
      if (llvm::StringRef(".+()^$|}").contains(Rest[0])) Expression += '\\';
      Expression += Rest[0];
    }
  }
  return Expression;
}

inline std::string lineOfExpressions(llvm::StringRef Line) {
  Line = Line.trim();
  if (Line.startswith("[") && Line.endswith("]")) return "[" + expressionOf(Line.slice(1, Line.size() - 1)) + "]";
  auto [Kind, Entry] = Line.split(':');
  if (Line.startswith("#") || Kind == Line) return Line.str();
  auto [Pattern, Category] = Entry.split('=');
  return (Kind + ":" + expressionOf(Pattern) + (Pattern == Entry ? "" : "=") + Category).str();
}

inline std::unique_ptr<llvm::SpecialCaseList> readLists(const std::vector<std::string> &Paths, std::string &Error) {
  llvm::vfs::InMemoryFileSystem Files;
  for (const std::string &Path : Paths) {
    auto Text = llvm::MemoryBuffer::getFile(Path);
    if (!Text) {
      Error = "can't open file '" + Path + "': " + Text.getError().message();
      return nullptr;
    }
    llvm::StringRef Given = (*Text)->getBuffer();
    llvm::SmallVector<llvm::StringRef, 32> Lines;
    Given.split(Lines, '\n');
    std::vector<std::string> Read;
    for (llvm::StringRef Line : Lines) Read.push_back(lineOfExpressions(Line));
    // By this heading later versions know a list of regular expressions.
    bool HasExpressions = Given.startswith("#!special-case-list-v1\n");
    Files.addFile(Path, 0,
                  llvm::MemoryBuffer::getMemBufferCopy(HasExpressions ? Given.str() : llvm::join(Read, "\n"), Path));
  }
  return llvm::SpecialCaseList::create(Paths, Files, Error);
}

} // namespace dprof

#endif
