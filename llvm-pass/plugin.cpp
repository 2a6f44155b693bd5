// Stage: clang -> plugin. Where the plugin hooks into LLVM 19's pass pipeline; everything that depends on LLVM's version is here.
#include "describe.h"
#include "instrument.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

static_assert(LLVM_VERSION_MAJOR == 19, "the plugin is written for LLVM 19");

namespace {

struct DescribePass : PassInfoMixin<DescribePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    dprof::describeModule(M);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return dprof::instrumentModule(M) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void registerPasses(PassBuilder &Builder) {
  Builder.registerPipelineStartEPCallback([](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(DescribePass()); });
  Builder.registerOptimizerLastEPCallback([](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(InstrumentPass()); });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "dprof", "1", registerPasses};
}
