// Stage: recorder. The units of a module -> functions and sites with their names, for sinks that take decoded records.
#pragma once

#include <stdint.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bytes.h"
#include "dprof/sink.h"

namespace dprof {

class SiteTable {
public:
  // The bytes of a module's units, which PathTable has accepted. The answer lives as long as the table.
  const dprof_sink_module *add_module(const std::string &path, const uint8_t *units, size_t bytes);
  // Null: there is no such slot. Units by their number in order of registration.
  const dprof_sink_site *site(uint32_t unit, uint32_t slot) const {
    if (unit >= units_.size() || slot >= units_[unit].count) return nullptr;
    return units_[unit].sites + slot;
  }

private:
  struct Module {
    std::string path;
    std::vector<uint8_t> bytes;
    std::vector<dprof_sink_function> functions;
    std::vector<dprof_sink_site> sites;
    dprof_sink_module described;
  };
  struct Unit {
    const dprof_sink_site *sites;
    uint32_t count;
  };
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<Unit> units_;
  uint32_t site_count_ = 0;
};

} // namespace dprof
