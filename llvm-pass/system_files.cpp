// Stage: plugin. Which source files are the system's.
#include "system_files.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

namespace {

constexpr char NotedFolders[] = "dprof.system";
// The compiler's own search: the C library, the C++ library, the compiler's headers; those of another processor in
// Debian's packages; the standard library of Rust.
constexpr StringRef OfSystem[] = {"/usr/include",
                                  "/usr/lib",
                                  "/usr/lib64",
                                  "/usr/local/include",
                                  "/usr/aarch64-linux-gnu/include",
                                  "/usr/x86_64-linux-gnu/include",
                                  "/rustc"};

std::string normal(StringRef Name, StringRef Folder) {
  SmallString<256> Path(Name);
  if (!sys::path::is_absolute(Path) && !Folder.empty()) {
    Path = Folder;
    sys::path::append(Path, Name);
  }
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return std::string(Path);
}

bool isInside(StringRef Path, StringRef Folder) {
  return Path.consume_front(Folder) && (Folder.ends_with("/") || Path.starts_with("/"));
}

// .../lib/clang/19/include/emmintrin.h
bool isOfCompiler(StringRef Path) {
  size_t At = Path.find("/lib/clang/");
  return At != StringRef::npos && Path.substr(At).contains("/include/");
}

} // namespace

void SystemFiles::note(Module &M) {
  // -isystem and its like, by the wrapper; the variables are clang's own.
  const std::pair<const char *, char> Said[] = {
      {"DPROF_SYSTEM_FOLDERS", '\n'}, {"C_INCLUDE_PATH", ':'}, {"CPLUS_INCLUDE_PATH", ':'}};
  LLVMContext &C = M.getContext();
  SmallString<128> Here;
  if (sys::fs::current_path(Here)) Here.clear(); // a folder that was removed: absolute names only
  for (auto [Variable, Between] : Said) {
    const char *Value = std::getenv(Variable);
    SmallVector<StringRef, 4> Folders;
    StringRef(Value ? Value : "").split(Folders, Between, -1, /*KeepEmpty=*/false);
    for (StringRef Folder : Folders)
      M.getOrInsertNamedMetadata(NotedFolders)->addOperand(MDNode::get(C, MDString::get(C, normal(Folder, Here))));
  }
}

SystemFiles::SystemFiles(const Module &M) : Folders(std::begin(OfSystem), std::end(OfSystem)) {
  if (NamedMDNode *Notes = M.getNamedMetadata(NotedFolders))
    for (const MDNode *Note : Notes->operands())
      Folders.push_back(cast<MDString>(Note->getOperand(0))->getString().str());
}

bool SystemFiles::has(const DIScope &Of) const {
  std::string Path = normal(Of.getFilename(), Of.getDirectory());
  return isOfCompiler(Path) || any_of(Folders, [&](const std::string &Folder) { return isInside(Path, Folder); });
}

} // namespace dprof
