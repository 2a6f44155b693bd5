// Stage: plugin. The parts that every linked object has once. The linker folds the copies of all units into one by
// their comdats.
#include "module_constructor.h"

#include "names.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace dprof {

namespace {

template <typename Symbol> Symbol *onePerObject(Module &M, Symbol *S) {
  S->setLinkage(GlobalValue::LinkOnceODRLinkage);
  S->setVisibility(GlobalValue::HiddenVisibility);
  S->setComdat(M.getOrInsertComdat(S->getName()));
  return S;
}

// Sections that no unit of the object has are bounded by null.
Constant *bound(Module &M, const Twine &Name) {
  auto *Symbol = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), /*isConstant=*/true,
                                    GlobalValue::ExternalWeakLinkage, nullptr, Name);
  Symbol->setVisibility(GlobalValue::HiddenVisibility);
  return Symbol;
}

Function *caller(Module &M, StringRef Name, StringRef Callee, Constant *Argument) {
  LLVMContext &C = M.getContext();
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(C), false), GlobalValue::LinkOnceODRLinkage, Name, M);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> Build(BasicBlock::Create(C, "", onePerObject(M, F)));
  auto *Type = FunctionType::get(Build.getVoidTy(), {Build.getPtrTy()}, false);
  Build.CreateCall(M.getOrInsertFunction(Callee, Type), {Argument});
  Build.CreateRetVoid();
  return F;
}

} // namespace

GlobalVariable *activeByte(Module &M) {
  auto *Byte = Type::getInt8Ty(M.getContext());
  return onePerObject(M, new GlobalVariable(M, Byte, /*isConstant=*/false, GlobalValue::LinkOnceODRLinkage,
                                            ConstantInt::get(Byte, 0), names::Active));
}

void addModuleConstructor(Module &M, GlobalVariable *Active) {
  SmallVector<Constant *, 7> Fields;
  for (StringRef Section : {names::UnitSection, names::GlobalSection, names::ThreadLocalSection}) {
    Fields.push_back(bound(M, "__start_" + Section));
    Fields.push_back(bound(M, "__stop_" + Section));
  }
  Fields.push_back(Active);
  Constant *Description = ConstantStruct::getAnon(Fields);
  auto *Module = onePerObject(M, new GlobalVariable(M, Description->getType(), /*isConstant=*/true,
                                                    GlobalValue::LinkOnceODRLinkage, Description, names::Module));
  // Priority 0: before any constructor of the program, after all its destructors.
  Function *Constructor = caller(M, names::Constructor, names::Register, Module);
  appendToGlobalCtors(M, Constructor, 0, Constructor);
  Function *Destructor = caller(M, names::Destructor, names::Unregister, Module);
  appendToGlobalDtors(M, Destructor, 0, Destructor);
}

} // namespace dprof
