// Stage: blocks. LLVM's parser, into a streamer that encodes each instruction at once: no object file is made.
#include "assembler.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include "instruction_set.h"

namespace dprof {
namespace {

class Encoder : public llvm::MCStreamer {
public:
  Encoder(llvm::MCContext &context, const llvm::MCCodeEmitter &emitter) : MCStreamer(context), emitter_(emitter) {}

  void emitInstruction(const llvm::MCInst &instruction, const llvm::MCSubtargetInfo &processor) override {
    llvm::SmallVector<char, 16> bytes;
    llvm::SmallVector<llvm::MCFixup, 4> open;
    emitter_.encodeInstruction(instruction, bytes, open, processor);
    for (const llvm::MCFixup &fixup : open) put_constant(fixup, &bytes);
    code.insert(code.end(), bytes.begin(), bytes.end());
  }
  void emitBytes(llvm::StringRef bytes) override { code.insert(code.end(), bytes.begin(), bytes.end()); }
  bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection *, llvm::MCSymbol *, uint64_t, llvm::Align, llvm::SMLoc) override {}

  Bytes code;
  bool names_symbol = false;

private:
  // Of a jump to a constant.
  void put_constant(const llvm::MCFixup &fixup, llvm::SmallVectorImpl<char> *bytes) {
    int64_t value;
    if (!fixup.getValue()->evaluateAsAbsolute(value) || fixup.getOffset() + 4 > bytes->size()) {
      names_symbol = true;
      return;
    }
    for (unsigned i = 0; i < 4; i++) (*bytes)[fixup.getOffset() + i] = (char)(value >> 8 * i);
  }

  const llvm::MCCodeEmitter &emitter_;
};

struct Diagnosis {
  std::string first;

  static void note(const llvm::SMDiagnostic &said, void *to) {
    Diagnosis &diagnosis = *(Diagnosis *)to;
    if (said.getKind() != llvm::SourceMgr::DK_Error || !diagnosis.first.empty()) return;
    diagnosis.first = "line " + std::to_string(said.getLineNo()) + ": " + said.getMessage().str();
  }
};

} // namespace

Assembled assemble(const std::string &text, bool is_intel) {
  InstructionSet &of = instruction_set();
  llvm::SourceMgr sources;
  Diagnosis diagnosis;
  sources.setDiagHandler(Diagnosis::note, &diagnosis);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "block"), llvm::SMLoc());
  llvm::MCContext context(of.triple, of.assembly.get(), of.registers.get(), of.processor.get(), &sources);
  const std::unique_ptr<llvm::MCObjectFileInfo> file(of.target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(file.get());
  const std::unique_ptr<llvm::MCCodeEmitter> emitter(of.target->createMCCodeEmitter(*of.instructions, context));
  Encoder encoder(context, *emitter);
  encoder.initSections(true, *of.processor);
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, encoder, *of.assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target(
      of.target->createMCAsmParser(*of.processor, *parser, *of.instructions, of.options));
  parser->setAssemblerDialect(is_intel ? 1 : 0);
  parser->setTargetParser(*target);
  const bool failed = parser->Run(true) || context.hadError();
  Assembled assembled;
  assembled.code = std::move(encoder.code);
  if (failed)
    assembled.problem = diagnosis.first.empty() ? "it cannot be assembled" : diagnosis.first;
  else if (encoder.names_symbol)
    assembled.problem = "an operand names a symbol or a label";
  return assembled;
}

} // namespace dprof
