// Stage: clang -> plugin. Hooks the plugin into LLVM's pass pipeline.
#include "describe.h"
#include "instrument.h"
#include "link_time.h"
#include "version.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace {

struct DescribePass : PassInfoMixin<DescribePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (dprof::hasTypedPointers(M))
      M.getContext().emitError("dprof: can not instrument with -no-opaque-pointers; leave it out");
    else
      dprof::describeModule(M);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return !dprof::hasTypedPointers(M) && dprof::instrumentModule(M) ? PreservedAnalyses::none()
                                                                     : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// The last of the compiler's own passes. A module that is left for the link is only described.
struct CompileTimePass : PassInfoMixin<CompileTimePass> {
  OptimizationLevel Level;
  explicit CompileTimePass(OptimizationLevel Level) : Level(Level) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    switch (dprof::whenToInstrument(M, Level == OptimizationLevel::O0)) {
      case dprof::When::AtLink: dprof::leaveForLink(M); return PreservedAnalyses::all();
      case dprof::When::NowBeforeLink: dprof::noteEarlyInstrumentation(M); [[fallthrough]];
      case dprof::When::Now: return InstrumentPass().run(M, Analyses);
    }
    llvm_unreachable("every case returns");
  }
  static bool isRequired() { return true; }
};

void registerPasses(PassBuilder &Builder) {
  if (dprof::isLinker()) {
    Builder.registerFullLinkTimeOptimizationLastEPCallback(
        [](ModulePassManager &Passes, OptimizationLevel, auto...) { Passes.addPass(InstrumentPass()); });
    Builder.registerOptimizerLastEPCallback(
        [](ModulePassManager &Passes, OptimizationLevel, auto...) { Passes.addPass(InstrumentPass()); });
    return;
  }
  Builder.registerPipelineStartEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(DescribePass()); });
  Builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel Level, auto...) { Passes.addPass(CompileTimePass(Level)); });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "dprof", "1", registerPasses};
}
