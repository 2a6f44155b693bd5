// Stage: plugin. The program's own allocators and locks: a description file -> which functions hand out memory or take
// it back, which acquire or release a lock, by which arguments.
#ifndef DPROF_PASS_ALLOCATORS_H
#define DPROF_PASS_ALLOCATORS_H

#include "allocation_site.h"
#include "argument_path.h"
#include "name_pattern.h"
#include <set>
#include <vector>

namespace dprof {

// Arguments count from 0, as they are passed (`this` is the first); -1: there is none.
struct Allocator {
  explicit Allocator(NamePattern Name) : Name(std::move(Name)) {}
  NamePattern Name;
  enum Role { Allocate, Reallocate, Free, FreePool, Acquire, Release } What = Allocate;
  int Alignment = -1;
  ArgumentPath Size, Count, Pool;
  ArgumentPath Out;     // the address is stored where this argument points, or in the field; else it is the result
  int Shift = -1;       // the size is `Bytes` << this argument
  int Each = -1;        // so many addresses stand at `Out`, or of a Free at `Pointer`
  int Pointer = -1;     // the pointer that is freed or reallocated, or the lock; of a FreePool it is `Pool`
  uint64_t Bytes = 0;   // where no argument says the size
  std::string Type;     // of the memory that it hands out
  ArgumentPath NamedBy; // a string that tells the type, as `Named` has it
  std::vector<std::pair<std::string, std::string>> Named; // name, type
  // The pointer is an element of the array at which the global variable `Table` points. The i-th stands for the i-th
  // `Unit` bytes from the address in the global variable `Memory` on. Empty: it is the memory itself.
  std::string Table, Memory;
  uint64_t Unit = 0;
  bool AtEntry = false; // the memory is there when the function is called; only the function itself notes it
  std::string GivenBy;  // another entry's function notes what this one returns; a caller adds what receives it
  std::string File;     // and line, of the description
  enum Success {
    NotNull,
    Zero,
    NonZero
  } Succeeds = NotNull; // what the result must be, where `Out` has the address; of Acquire NotNull: anything
  unsigned Lock = 0;    // of Acquire and Release: enum dprof_sync

  bool gives() const { return What == Allocate || What == Reallocate; }
  bool readsFields() const { return Size.isField() || Count.isField() || Pool.isField() || NamedBy.isField(); }
  bool saysSize() const { return Size.isGiven() || Bytes; }
};

class Allocators {
public:
  // Reads what DPROF_ALLOCATORS and DPROF_LOCKS name, files and ready descriptions with commas between them; errors are
  // the compiler's. Without the variables there are none.
  explicit Allocators(llvm::Module &M);

  bool isEmpty() const { return All.empty(); }
  // The first allocator whose name and arguments fit; null for none.
  const Allocator *find(const llvm::CallBase &Call);
  // The same for the function itself.
  const Allocator *find(const llvm::Function &Defined);
  // The compiler's error about a path of the entry that can not be followed; once for each line.
  void refuse(const Allocator &What, const ArgumentPath &Path, llvm::StringRef Why, llvm::LLVMContext &C);

private:
  const Allocator *named(const llvm::Function &F);
  void addAll(const char *Paths, llvm::LLVMContext &C);
  void add(llvm::StringRef Path, llvm::LLVMContext &C);

  std::vector<Allocator> All;
  llvm::DenseMap<const llvm::Function *, const Allocator *> Known;
  std::set<std::string> Refused;
};

// The YAML of a description that comes with dprof; empty if none has this name.
llvm::StringRef readyAllocators(llvm::StringRef Name);

// `Text`: YAML of the file of that name, or lines of DINAMITE's alloc.in. Sets `Error` to "LINE: what is wrong" if it
// can not be read.
std::vector<Allocator> parseAllocators(llvm::StringRef Text, llvm::StringRef File, std::string &Error);

} // namespace dprof

#endif
