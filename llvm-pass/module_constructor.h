// Stage: plugin. The parts that every linked object has once: the byte that says whether this process records, and the
// constructor that tells the runtime about its sections.
#ifndef DPROF_PASS_MODULE_CONSTRUCTOR_H
#define DPROF_PASS_MODULE_CONSTRUCTOR_H

#include "llvm/IR/Module.h"

namespace dprof {

llvm::GlobalVariable *activeByte(llvm::Module &M);
void addModuleConstructor(llvm::Module &M, llvm::GlobalVariable *Active);

} // namespace dprof

#endif
