// Stage: blocks. dprof-blocks: what `dprof block` asks of blocks.
//
//   measure [CPU]            a block a line, hexadecimal -> a JSON object a line: docs/blocks.md
//   ablate [CPU]             a block a line -> {"hex","assembly","unit","steps"}: what each step of the method brings
//   disassemble              a block a line -> {"refusal","assembly"}, AT&T's syntax
//   assemble att|intel       text -> {"hex","problem"}
//   cut                      a function a line, hexadecimal -> [{"offset","hex"}]: its basic blocks
//
// Status 0; 2 for other words; 3 if the system does not let blocks be run, which one line on standard error says.
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <iostream>
#include <iterator>

#include "../recorder/json.h"
#include "assembler.h"
#include "function_blocks.h"
#include "measure.h"

using namespace dprof;

namespace {

void print(const Json &answer) {
  puts(answer.text().c_str());
  fflush(stdout);
}

Json assembly_of(const Block &block) {
  return Json::list(block.instructions, [](const BlockInstruction &instruction) { return Json(instruction.att); });
}

Block block_of(const std::string &line) {
  const std::optional<Bytes> bytes = parse_hex(line);
  if (bytes) return read_block(*bytes);
  Block none;
  none.refusal = "not-hexadecimal";
  return none;
}

Json answer_of(Meter &meter, const Block &block, const std::string &line) {
  const Measurement measured = meter.measure(block);
  const bool is_measured = measured.status == "measured";
  const auto if_measured = [&](Json value) { return is_measured ? std::move(value) : Json(nullptr); };
  return {{"hex", line},
          {"status", measured.status},
          {"reason", measured.reason.empty() ? Json(nullptr) : Json(measured.reason)},
          {"cycles", if_measured(measured.cycles)},
          {"unit", meter.is_counted() ? "core-cycles" : "calibrated"},
          {"timings", if_measured(Json::list(measured.timings))},
          {"naive", measured.naive ? if_measured(*measured.naive) : Json(nullptr)},
          {"copies", if_measured(Json::list(std::vector<size_t>{measured.factors.fewer, measured.factors.more}))},
          {"pages", measured.pages},
          {"subnormals", measured.has_subnormals},
          {"assembly", assembly_of(block)}};
}

Json step_of(const Method &method, const Measurement &measured) {
  return {{"step", method.name},
          {"status", measured.status},
          {"reason", measured.reason.empty() ? Json(nullptr) : Json(measured.reason)},
          {"cycles", measured.status == "measured" ? Json(measured.cycles) : Json(nullptr)},
          {"pages", measured.pages}};
}

Json ablation_of(Meter &meter, const Block &block, const std::string &line) {
  Json all = Json::list(steps, [&](const Method &method) { return step_of(method, meter.measure(block, method)); });
  const char *const unit = meter.is_counted() ? "core-cycles" : "calibrated";
  return {{"hex", line}, {"assembly", assembly_of(block)}, {"unit", unit}, {"steps", std::move(all)}};
}

// An answer for each line.
template <typename Answer> int measure(const char *processor, Answer answer) {
  if (processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)atoi(processor), &one);
    sched_setaffinity(0, sizeof one, &one); // if it is refused, the scheduler chooses
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Meter meter;
  for (std::string line; std::getline(std::cin, line);) {
    const Json said = answer(meter, block_of(line), line);
    if (!meter.refusal.empty()) {
      fprintf(stderr, "%s\n", meter.refusal.c_str());
      return 3;
    }
    print(said);
  }
  return 0;
}

int disassemble() {
  for (std::string line; std::getline(std::cin, line);) {
    const Block block = block_of(line);
    print({{"refusal", block.refusal}, {"assembly", assembly_of(block)}});
  }
  return 0;
}

int assemble_text(bool is_intel) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const Assembled assembled = assemble(text, is_intel);
  print({{"hex", spell_hex(assembled.code.data(), assembled.code.size())}, {"problem", assembled.problem}});
  return 0;
}

int cut() {
  for (std::string line; std::getline(std::cin, line);)
    print(Json::list(cut_blocks(parse_hex(line).value_or(Bytes())), [](const FunctionBlock &block) {
      return Json({{"offset", block.offset}, {"hex", spell_hex(block.code.data(), block.code.size())}});
    }));
  return 0;
}

} // namespace

int main(int count, char **words) {
  const std::string_view what = count > 1 ? words[1] : "", how = count > 2 ? words[2] : "";
  const char *const processor = count > 2 ? words[2] : nullptr;
  if (what == "measure" && count <= 3) return measure(processor, answer_of);
  if (what == "ablate" && count <= 3) return measure(processor, ablation_of);
  if (what == "disassemble" && count == 2) return disassemble();
  if (what == "assemble" && (how == "att" || how == "intel")) return assemble_text(how == "intel");
  if (what == "cut" && count == 2) return cut();
  fprintf(stderr, "dprof-blocks: measure [CPU], ablate [CPU], disassemble, assemble att|intel, or cut\n");
  return 2;
}
