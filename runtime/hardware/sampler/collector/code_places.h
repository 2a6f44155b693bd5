// Stage: sampler. Instructions -> rows of places and modules. Each instruction is looked up once, while its module is
// mapped.
#pragma once

#include <stdint.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../code/debug_info.h"

namespace dprof {

class CodePlaces {
public:
  struct Row {
    uint64_t ip;
    Place place;
    int32_t module; // -1: none
  };
  struct Module {
    std::string file, build_id;
    bool is_instrumented, is_kernel;
  };
  CodePlaces();

  // The place of the instruction that holds the byte at `ip`. `debug_info` must stay alive; null: nothing is known.
  uint32_t place(DebugInfo *debug_info, uint64_t ip);
  uint32_t kernel_place(uint64_t ip);
  const std::vector<Row> &rows() const { return rows_; }
  const std::vector<Module> &modules() const { return modules_; }

private:
  int32_t module_row(const Module &module);

  std::vector<Row> rows_;
  std::vector<Module> modules_;
  std::unordered_map<const DebugInfo *, std::unordered_map<uint64_t, uint32_t>> known_; // null: the kernel
};

} // namespace dprof
