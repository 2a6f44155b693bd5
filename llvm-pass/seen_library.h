// Stage: plugin, "decide". Whether the program's C library records itself (--libc=musl): then what it does is seen
// there, and what it does in assembler files is described where it is called.
#ifndef DPROF_PASS_SEEN_LIBRARY_H
#define DPROF_PASS_SEEN_LIBRARY_H

#include "access.h"

#include "llvm/IR/Instructions.h"

namespace dprof {

enum class CLibrary {
  Unseen, // of another compiler
  Seen,   // linked with the program, and instrumented
  Itself  // what is compiled is that library
};
/// As DPROF_LIBC says.
CLibrary cLibrary();

/// Not a call yet, but the code generator makes one of it, of a function of the C library that records.
bool becomesLibraryCall(const llvm::Instruction &I);

/// Bytes of a jump buffer that setjmp (a store) and longjmp (a load) access; 0: another function.
unsigned jumpBufferBytes(llvm::StringRef Callee, bool &IsStore);

/// Functions that stand for an instruction where a pointer to them is taken: the call by it is of a function that
/// records what they access, one for each of them in a program.
void giveAddressesOfSeen(llvm::Module &M);

} // namespace dprof

#endif
