// Stage: plugin. One translation unit: decides per function, describes its accesses, emits their records.
#include "instrument.h"

#include "access.h"
#include "blocks.h"
#include "description.h"
#include "function_instrumenter.h"
#include "globals.h"
#include "link_time.h"
#include "module_constructor.h"
#include "names.h"
#include "seen_library.h"
#include "string_calls.h"
#include "string_functions.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

namespace {

bool movesMemory(const Function &F) {
  FunctionType *Type = F.getFunctionType();
  return Type->getNumParams() == 3 && Type->getReturnType()->isPointerTy() && Type->getParamType(0)->isPointerTy() &&
         StringSwitch<bool>(F.getName()).Cases("memcpy", "memmove", "memset", true).Default(false);
}

// compiler-rt: __udivti3, __extendsftf2, __mulsc3 ... , by their operands' mode.
bool computesInRuntime(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("__") || !(Name.consume_back("2") || Name.consume_back("3")) || Name.size() < 3) return false;
  bool HasMode = StringSwitch<bool>(Name.take_back(2))
                     .Cases("qi", "hi", "si", "di", "ti", true)
                     .Cases("hf", "bf", "sf", "df", "xf", "tf", true)
                     .Cases("hc", "sc", "dc", "xc", "tc", true)
                     .Default(false);
  return HasMode && none_of(F.getFunctionType()->params(), [](Type *T) { return T->isPointerTy(); });
}

bool computesLikeLibm(const Function &F) {
  FunctionType *Type = F.getFunctionType();
  bool Returns = Type->getReturnType()->isFloatingPointTy() || Type->getReturnType()->isIntegerTy();
  if (!Returns || !Type->getNumParams() || !Type->getParamType(0)->isFloatingPointTy()) return false;
  StringRef Name = F.getName();
  if (Name.ends_with("f") || Name.ends_with("l")) Name = Name.drop_back();
  return StringSwitch<bool>(Name)
      .Cases("sqrt", "sin", "cos", "tan", "exp", "exp2", "exp10", "log", "log2", "log10", true)
      .Cases("pow", "fma", "fmod", "ldexp", "frexp", "fmin", "fmax", "copysign", true)
      .Cases("floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", true)
      .Cases("lrint", "llrint", "lround", "llround", true)
      .Default(false);
}

// Functions that the code generator calls for a single IR instruction. If the program's own body recorded, it would do
// so in the middle of its caller's segment. The caller's slot describes the memory that a block operation touches.
bool standsForInstruction(const Function &F) {
  // Where the C library records, calls of libm end a segment.
  bool IsLibmSeen = cLibrary() == CLibrary::Itself;
  return movesMemory(F) || isStringFunction(F) || computesInRuntime(F) || (!IsLibmSeen && computesLikeLibm(F)) ||
         (cLibrary() == CLibrary::Itself && isBlockFunction(F));
}

// musl's strchrnul is another name of its __strchrnul.
bool isAnInstructionByAnotherName(const Function &F) {
  return any_of(F.users(), [](const User *U) {
    auto *Alias = dyn_cast<GlobalAlias>(U);
    return Alias && isStringFunctionName(Alias->getName());
  });
}

StringRef reasonToSkip(const Function &F) {
  if (!F.hasLocalLinkage() && standsForInstruction(F)) return "function that stands for an instruction";
  if (cLibrary() == CLibrary::Itself && isAnInstructionByAnotherName(F))
    return "function that stands for an instruction";
  if (F.hasFnAttribute(Attribute::Naked)) return "naked function";
  if (F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation)) return "function that opted out";
  if (F.hasAvailableExternallyLinkage()) return "function emitted elsewhere";
  for (const GlobalIFunc &Indirect : F.getParent()->ifuncs())
    if (Indirect.getResolverFunction() == &F) return "ifunc resolver";
  return "";
}

// The accesses of a function that is skipped, unless somebody else records them: another unit, or the caller's slot.
void countRefused(Function &F, StringRef Reason, Statistics &Counts) {
  if (F.hasAvailableExternallyLinkage() || movesMemory(F) || isStringFunction(F) || isBlockFunction(F)) return;
  for (Instruction &I : instructions(F)) {
    Decision Decided = decide(I, F.getParent()->getDataLayout());
    if (!Decided.Slots.empty() || !Decided.Refusal.empty()) ++Counts.Skipped[Reason];
  }
}

} // namespace

bool instrumentModule(Module &M) {
  Triple Target(M.getTargetTriple());
  bool IsSupported = (Target.getArch() == Triple::x86_64 || Target.getArch() == Triple::aarch64) &&
                     Target.isOSLinux() && M.getDataLayout().getPointerSizeInBits() == 64;
  if (!IsSupported) return false;
  // A link must merge either only instrumented modules or none: with both, it fails (leaveForLink).
  if (M.getNamedMetadata("dprof.instrumented")) return false;
  takeBackFromLink(M);
  Statistics Counts;
  if (cLibrary() != CLibrary::Unseen) giveAddressesOfSeen(M);
  DebugTypes Types(M);
  UnitWriter Unit(M, Types);
  SmallVector<Function *, 64> Functions;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.getName().starts_with(names::Prefix)) Functions.push_back(&F);
  describeGlobals(M, Unit, Counts);
  markDuplicates(M);
  RuntimeSymbols Runtime(M);
  GlobalVariable *Active = activeByte(M);
  Selection Chosen(M);
  Probes Placed(M);
  InstrumentationContext Context{Runtime, Unit, Types, Counts, Chosen, Active, wantsBlocks() ? &Placed : nullptr};
  for (Function *F : Functions) {
    StringRef Reason = reasonToSkip(*F);
    if (!Reason.empty()) {
      ++Counts.SkippedFunctions[Reason];
      countRefused(*F, Reason, Counts);
      removeDescriptions(*F);
      continue;
    }
    if (!instrumentFunction(*F, Context)) removeDescriptions(*F);
  }
  removeDuplicateMarks(M);
  forgetPurity(M);
  if (wasInstrumentedEarly(M)) Counts.Skipped[InstrumentedEarly] = Counts.Accesses;
  for (const auto &[Reason, Count] : Counts.Skipped) Unit.refusal(Reason, Count);
  // Done even if nothing is recorded: the unit distinguishes such a program from one that was not instrumented.
  Placed.finish(Unit.finish());
  addModuleConstructor(M, Active);
  M.getOrInsertNamedMetadata("dprof.instrumented");
  Counts.print(M.getSourceFileName());
  bool WantsCheck = std::getenv("DPROF_VERIFY");
  if (WantsCheck && verifyModule(M, &errs())) report_fatal_error("dprof: the instrumented module is not valid");
  return true;
}

} // namespace dprof
