// Stage: collectors. SITE slots by their place in the source.
#include "unit_sites.h"

#include "../../recorder/unit_view.h"

namespace dprof {
namespace {

// The tables that UnitView does not give out.
class UnitNames {
public:
  explicit UnitNames(const uint8_t *bytes) : bytes_(bytes) { memcpy(&header_, bytes, sizeof header_); }

  std::string string(uint32_t offset) const {
    if (offset >= header_.strings_bytes ||
        (uint64_t)header_.strings_offset + header_.strings_bytes > header_.size_bytes)
      return "";
    const char *at = (const char *)bytes_ + header_.strings_offset + offset;
    return {at, strnlen(at, header_.strings_bytes - offset)};
  }
  dprof_type type(uint32_t i) const { return entry<dprof_type>(header_.types_offset, header_.types_count, i); }
  dprof_member member(uint32_t i) const {
    return entry<dprof_member>(header_.members_offset, header_.members_count, i);
  }
  dprof_function function(uint32_t i) const {
    return entry<dprof_function>(header_.functions_offset, header_.functions_count, i);
  }

private:
  template <typename Entry> Entry entry(uint32_t offset, uint32_t count, uint32_t i) const {
    Entry copy = {};
    if (i < count && (uint64_t)offset + (uint64_t)count * sizeof copy <= header_.size_bytes)
      memcpy(&copy, bytes_ + offset + (size_t)i * sizeof copy, sizeof copy);
    return copy;
  }
  const uint8_t *bytes_;
  dprof_unit_header header_;
};

bool is_record(const dprof_type &type) {
  return type.kind == DPROF_TYPE_STRUCT || type.kind == DPROF_TYPE_UNION || type.kind == DPROF_TYPE_CLASS;
}

void add_fields(const UnitNames &names, const dprof_type &type, const std::string &prefix, uint64_t base, int depth,
                std::vector<Field> *to) {
  for (uint32_t i = 0; i < type.member_count && to->size() < most_fields; i++) {
    dprof_member member = names.member(type.first_member + i);
    dprof_type inner = names.type(member.type);
    std::string name = names.string(member.name);
    std::string path = name.empty() || member.flags & DPROF_MEMBER_BASE_CLASS ? prefix
                       : prefix.empty()                                       ? name
                                                                              : prefix + "." + name;
    if (is_record(inner) && depth < deepest) {
      add_fields(names, inner, path, base + member.offset_bytes, depth + 1, to);
      continue;
    }
    to->push_back({inner.kind == DPROF_TYPE_ARRAY ? path + "[]" : path, base + member.offset_bytes, inner.size_bytes});
  }
}

TypeLayout layout_of(const UnitNames &names, uint32_t index) {
  TypeLayout layout;
  dprof_type type = names.type(index);
  if (type.kind == DPROF_TYPE_ARRAY) type = names.type(type.element);
  if (!is_record(type)) return layout;
  layout.name = names.string(type.name);
  layout.bytes = type.size_bytes;
  add_fields(names, type, "", 0, 0, &layout.fields);
  return layout;
}

} // namespace

std::string base_of_path(const std::string &path) { return path.substr(path.rfind('/') + 1); }

UnitSites::UnitSites(const uint8_t *bytes, size_t count) {
  for (size_t at = 0; at + sizeof(dprof_unit_header) <= count;) {
    if (!UnitView::plausible(bytes + at, count - at)) {
      at += 16;
      continue;
    }
    add_unit(bytes + at);
    at += UnitView(bytes + at).header().size_bytes;
  }
}

void UnitSites::add_unit(const uint8_t *bytes) {
  UnitView unit(bytes);
  UnitNames names(bytes);
  for (uint32_t i = 0; i < unit.header().records_count; i++) {
    dprof_record record = unit.record(i);
    if (record.tag != DPROF_RECORD_ALLOCATION || record.first_slot >= unit.header().slots_count) continue;
    dprof_slot slot = unit.slot(record.first_slot);
    dprof_function function = names.function(slot.function);
    sites_[{base_of_path(names.string(slot.file)), slot.line, slot.column}].push_back(
        {names.string(function.name), names.string(function.linkage_name), layout_of(names, slot.type),
         slot.offset == DPROF_OFFSET_UNKNOWN ? 0 : slot.offset, names.type(slot.type).kind == DPROF_TYPE_ARRAY});
  }
}

const UnitSites::Site *UnitSites::find(const std::string &file, uint32_t line, uint32_t column,
                                       const std::string &function) const {
  auto found = sites_.find({base_of_path(file), line, column});
  if (found == sites_.end()) return nullptr;
  // Inlined functions of a template share one place; the function around the call tells which is meant. If it is not
  // there, all must agree.
  const Site *best = nullptr;
  bool is_one = true;
  for (const Site &site : found->second) {
    if (site.linkage_name == function || site.function == function) return site.layout.name.empty() ? nullptr : &site;
    is_one &= !best || (site.layout.name == best->layout.name && site.offset == best->offset);
    best = &site;
  }
  return is_one && !best->layout.name.empty() ? best : nullptr;
}

} // namespace dprof
