// Stage: plugin. One translation unit: decides per function, describes its accesses, emits their records.
#include "instrument.h"

#include "description.h"
#include "function_instrumenter.h"
#include "globals.h"
#include "module_constructor.h"
#include "names.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

namespace {

StringRef reasonToSkip(const Function &F) {
  if (F.hasFnAttribute(Attribute::Naked))
    return "naked function";
  if (F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return "function that opted out";
  if (F.hasAvailableExternallyLinkage())
    return "function emitted elsewhere";
  for (const GlobalIFunc &Indirect : F.getParent()->ifuncs())
    if (Indirect.getResolverFunction() == &F)
      return "ifunc resolver";
  return "";
}

} // namespace

bool instrumentModule(Module &M) {
  Triple Target(M.getTargetTriple());
  bool IsSupported = (Target.getArch() == Triple::x86_64 || Target.getArch() == Triple::aarch64) && Target.isOSLinux() &&
                     M.getDataLayout().getPointerSizeInBits() == 64;
  if (!IsSupported || M.getNamedMetadata("dprof.instrumented"))
    return false;
  Statistics Counts;
  DebugTypes Types(M);
  UnitWriter Unit(M, Types);
  SmallVector<Function *, 64> Functions;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.getName().starts_with(names::Prefix))
      Functions.push_back(&F);
  describeGlobals(M, Unit, Counts);
  RuntimeSymbols Runtime(M);
  GlobalVariable *Active = activeByte(M);
  InstrumentationContext Context{Runtime, Unit, Types, Counts, Active};
  for (Function *F : Functions) {
    StringRef Reason = reasonToSkip(*F);
    if (!Reason.empty()) {
      ++Counts.Skipped[Reason];
      removeDescriptions(*F);
      continue;
    }
    if (!instrumentFunction(*F, Context))
      removeDescriptions(*F);
  }
  bool HasAny = !Unit.isEmpty();
  Unit.finish();
  if (HasAny)
    addModuleConstructor(M, Active);
  M.getOrInsertNamedMetadata("dprof.instrumented");
  Counts.print(M.getSourceFileName());
  bool WantsCheck = std::getenv("DPROF_VERIFY");
  if (WantsCheck && verifyModule(M, &errs()))
    report_fatal_error("dprof: the instrumented module is not valid");
  return true;
}

} // namespace dprof
