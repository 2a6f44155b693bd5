// Stage: sampler. One look-up in the debug information for each distinct instruction.
#include "code_places.h"

namespace dprof {

CodePlaces::CodePlaces() { rows_.push_back({0, {}, -1}); }

int32_t CodePlaces::module_row(const Module &module) {
  for (size_t i = 0; i < modules_.size(); i++)
    if (modules_[i].file == module.file && modules_[i].build_id == module.build_id) return (int32_t)i;
  modules_.push_back(module);
  return (int32_t)modules_.size() - 1;
}

uint32_t CodePlaces::place(DebugInfo *debug_info, uint64_t ip) {
  if (ip == 0 || !debug_info) return 0;
  auto [known, is_new] = known_[debug_info].try_emplace(ip, (uint32_t)rows_.size());
  if (!is_new) return known->second;
  Row row = {ip, debug_info->place(ip), -1};
  const DebugInfo::Module module = debug_info->module_of(ip);
  if (module.end) row.module = module_row({module.file, module.build_id, module.is_instrumented, false});
  if (row.module == -1 && row.place.function.empty()) return known->second = 0;
  rows_.push_back(row);
  return known->second;
}

uint32_t CodePlaces::kernel_place(uint64_t ip) {
  auto [known, is_new] = known_[nullptr].try_emplace(ip, (uint32_t)rows_.size());
  if (!is_new) return known->second;
  Row row = {ip, {}, module_row({"[kernel]", "", false, true})};
  row.place.function = row.place.within = "[kernel]";
  row.place.module = "[kernel]";
  rows_.push_back(row);
  return known->second;
}

} // namespace dprof
