// Stage: recorder. Strings stay where they are in the unit's bytes; a string that lies outside of them is "".
#include "site_table.h"

#include "unit_view.h"

namespace dprof {
namespace {

class Strings {
public:
  Strings(const uint8_t *unit, const dprof_unit_header &header)
      : at_((const char *)unit + header.strings_offset), bytes_(header.strings_bytes) {
    bool inside =
        header.strings_offset <= header.size_bytes && header.strings_bytes <= header.size_bytes - header.strings_offset;
    if (!inside || !bytes_ || at_[bytes_ - 1] != 0) bytes_ = 0;
  }
  const char *operator[](uint32_t offset) const { return offset < bytes_ ? at_ + offset : ""; }

private:
  const char *at_;
  uint32_t bytes_;
};

template <typename Entry>
Entry entry_at(const uint8_t *unit, const dprof_unit_header &header, uint32_t offset, uint32_t count, uint32_t index) {
  Entry entry = {};
  bool inside = offset <= header.size_bytes && (uint64_t)count * sizeof entry <= header.size_bytes - offset;
  if (inside && index < count) memcpy(&entry, unit + offset + (uint64_t)index * sizeof entry, sizeof entry);
  return entry;
}

} // namespace

const dprof_sink_module *SiteTable::add_module(const std::string &path, const uint8_t *units, size_t bytes) {
  modules_.push_back(std::make_unique<Module>());
  Module &module = *modules_.back();
  module.path = path;
  module.bytes.assign(units, units + bytes);
  struct Begin {
    size_t first_site;
    uint32_t count;
  };
  std::vector<Begin> begins;
  for (size_t at = 0; at + 16 <= bytes;) {
    const uint8_t *unit = module.bytes.data() + at;
    if (!UnitView::plausible(unit, bytes - at)) {
      at += 16;
      continue;
    }
    UnitView view(unit);
    const dprof_unit_header &header = view.header();
    Strings strings(unit, header);
    auto function_at = [&](uint32_t i) {
      return entry_at<dprof_function>(unit, header, header.functions_offset, header.functions_count, i);
    };
    for (uint32_t i = 1; i < header.functions_count && i <= header.size_bytes / sizeof(dprof_function); i++) {
      dprof_function function = function_at(i);
      module.functions.push_back(
          {strings[function.name], strings[function.linkage_name], strings[function.file], function.line});
    }
    begins.push_back({module.sites.size(), header.slots_count});
    for (uint32_t i = 0; i < header.slots_count; i++) {
      dprof_slot slot = view.slot(i);
      dprof_type type = entry_at<dprof_type>(unit, header, header.types_offset, header.types_count, slot.type);
      dprof_variable variable =
          entry_at<dprof_variable>(unit, header, header.variables_offset, header.variables_count, slot.variable);
      module.sites.push_back({strings[type.name], strings[slot.path], strings[variable.name],
                              strings[function_at(slot.function).name], strings[slot.file], slot.line, slot.column});
    }
    at += header.size_bytes;
  }
  for (const Begin &begin : begins) units_.push_back({module.sites.data() + begin.first_site, begin.count});
  module.described = {module.path.c_str(), module.functions.data(),
                      module.sites.data(), (uint32_t)module.functions.size(),
                      site_count_,         (uint32_t)module.sites.size()};
  site_count_ += (uint32_t)module.sites.size();
  return &module.described;
}

} // namespace dprof
