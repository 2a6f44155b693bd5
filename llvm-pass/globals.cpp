// Stage: plugin. Global and thread-local variables -> the sections that tell the runtime where they are.
#include "globals.h"

#include "names.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace dprof {

namespace {

DIGlobalVariable *sourceVariable(const GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> Expressions;
  G.getDebugInfo(Expressions);
  for (auto *Expression : Expressions)
    if (Expression->getExpression()->getNumElements() == 0 && !Expression->getVariable()->getName().empty())
      return Expression->getVariable();
  return nullptr;
}

// Of a global that sourceVariable does not find. A string literal has debug information too, but no name in it.
const char *whyUnnamed(const GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> Expressions;
  G.getDebugInfo(Expressions);
  bool HasName = any_of(Expressions, [](auto *Expression) { return !Expression->getVariable()->getName().empty(); });
  return HasName ? "global that the optimiser split or shrank" : "global without a name in the source";
}

// "vtable for Shape", "VTT for Square", "typeinfo for Shape"; "" for anything that the source declares.
std::string vtableName(const GlobalVariable &G) {
  StringRef Name = G.getName();
  bool IsTable = any_of(ArrayRef<StringRef>{"_ZTV", "_ZTT", "_ZTC", "_ZTI"},
                        [&](StringRef Prefix) { return Name.starts_with(Prefix); });
  return IsTable ? demangle(Name.str()) : "";
}

// The lock of `#pragma omp critical (NAME)`, or of all without a name.
std::string criticalName(const GlobalVariable &G) {
  StringRef Name = G.getName();
  if (!Name.consume_front(".gomp_critical_user_") || !Name.consume_back(".var")) return "";
  return Name.empty() ? "critical" : Name.starts_with(".") ? "reduction" : ("critical(" + Name + ")").str();
}

// The linker may put it into one place with a constant of another file that has its bytes, whatever both are called:
// the rule by which TargetLoweringObjectFile::getKindForGlobal chooses a section that is merged.
bool mayBeMerged(const GlobalVariable &G) { return G.isConstant() && G.hasGlobalUnnamedAddr(); }

// {address, variable}: lives and dies with its global, when sections are collected and when comdats are folded. If the
// global may be merged, the entry is kept, and keeps the global: lld refuses to bind its life to a section of pieces.
void addEntry(Module &M, GlobalVariable &G, Constant *Variable) {
  Constant *Entry = ConstantStruct::getAnon({&G, Variable});
  auto *Table = new GlobalVariable(M, Entry->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Entry,
                                   "__dprof_global");
  Table->setSection(names::GlobalSection);
  Table->setAlignment(Align(16));
  Table->setComdat(G.getComdat());
  if (mayBeMerged(G)) return appendToUsed(M, {Table});
  Table->setMetadata(LLVMContext::MD_associated, MDNode::get(M.getContext(), ValueAsMetadata::get(&G)));
  appendToCompilerUsed(M, {Table});
}

// void visit_thread_locals(void (*visit)(const struct dprof_variable *, void *))
void addVisitor(Module &M, ArrayRef<std::pair<GlobalVariable *, Constant *>> ThreadLocals) {
  LLVMContext &C = M.getContext();
  auto *Pointer = PointerType::getUnqual(C);
  auto *Visit = FunctionType::get(Type::getVoidTy(C), {Pointer, Pointer}, false);
  auto *Visitor = Function::Create(FunctionType::get(Type::getVoidTy(C), {Pointer}, false),
                                   GlobalValue::InternalLinkage, names::ThreadLocals, M);
  IRBuilder<> Build(BasicBlock::Create(C, "", Visitor));
  for (auto [Global, Variable] : ThreadLocals)
    Build.CreateCall(Visit, Visitor->getArg(0), {Variable, Build.CreateThreadLocalAddress(Global)});
  Build.CreateRetVoid();
  auto *Entry = new GlobalVariable(M, Pointer, /*isConstant=*/true, GlobalValue::PrivateLinkage, Visitor,
                                   "__dprof_thread_locals");
  Entry->setSection(names::ThreadLocalSection);
  Entry->setAlignment(Align(8));
  appendToUsed(M, {Entry});
}

} // namespace

void describeGlobals(Module &M, UnitWriter &Unit, Statistics &Counts) {
  SmallVector<GlobalVariable *, 64> Globals;
  for (GlobalVariable &G : M.globals()) // entries make llvm.used and its like anew
    if (!G.getName().starts_with("llvm.")) Globals.push_back(&G);
  SmallVector<std::pair<GlobalVariable *, Constant *>, 4> ThreadLocals;
  for (GlobalVariable *G : Globals) {
    if (G->isDeclarationForLinker() || G->getName().starts_with(names::Prefix)) continue;
    if (std::string Table = vtableName(*G); !Table.empty()) {
      addEntry(M, *G, Unit.variableAddress(Unit.variable(*G, Table, "")));
      ++Counts.Globals;
      continue;
    }
    if (std::string Critical = criticalName(*G); !Critical.empty()) {
      addEntry(M, *G, Unit.variableAddress(Unit.variable(*G, Critical, Critical)));
      continue;
    }
    DIGlobalVariable *Source = sourceVariable(*G);
    if (!Source) {
      ++Counts.SkippedGlobals[whyUnnamed(*G)];
      continue;
    }
    bool IsPlaced = G->hasSection() && !G->getSection().starts_with(".");
    if (IsPlaced) {
      ++Counts.SkippedGlobals["global in a section of its own"];
      continue;
    }
    uint32_t Variable = Unit.variable(Source, G->isThreadLocal());
    Unit.setAlignment(Variable, *G);
    ++Counts.Globals;
    if (G->isThreadLocal())
      ThreadLocals.emplace_back(G, Unit.variableAddress(Variable));
    else
      addEntry(M, *G, Unit.variableAddress(Variable));
  }
  if (!ThreadLocals.empty()) addVisitor(M, ThreadLocals);
}

} // namespace dprof
