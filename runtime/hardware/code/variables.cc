// Stage: sampler. Reads each DW_TAG_variable whose location is an address, or a place in a thread's block.
#include "variables.h"

#include <dwarf.h>

#include <algorithm>
#include <tuple>

#include "dwarf_types.h"

namespace dprof {
namespace {

bool holds_variables(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_structure_type:
    case DW_TAG_class_type: return true;
    default: return false;
  }
}

struct Location {
  uint64_t at;
  bool is_local;
};

// Constants of indexed forms have been resolved: DW_OP_addrx and DW_OP_constx refer to a table of the unit.
bool find_location(Dwarf_Die *die, Location *location) {
  Dwarf_Attribute attribute;
  Dwarf_Op *operations;
  size_t count;
  if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &operations, &count) != 0 ||
      count < 1)
    return false;
  const bool is_local =
      count == 2 && (operations[1].atom == DW_OP_GNU_push_tls_address || operations[1].atom == DW_OP_form_tls_address);
  if (count != 1 && !is_local) return false;
  location->is_local = is_local;
  location->at = operations[0].number;
  switch (operations[0].atom) {
    case DW_OP_addr: return true;
    case DW_OP_const4u:
    case DW_OP_const8u: return is_local;
    case DW_OP_addrx:
    case DW_OP_constx:
    case DW_OP_GNU_addr_index:
    case DW_OP_GNU_const_index: {
      Dwarf_Attribute indexed;
      Dwarf_Addr value;
      if (dwarf_getlocation_attr(&attribute, operations, &indexed) != 0 || dwarf_formaddr(&indexed, &value) != 0)
        return false;
      location->at = value;
      return true;
    }
    default: return false;
  }
}

// If several variables have one place (several units declare it, or the linker folded them), the smallest name stays.
void arrange(std::vector<Variable> *variables) {
  std::sort(variables->begin(), variables->end(), [](const Variable &a, const Variable &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  auto same = [](const Variable &a, const Variable &b) { return a.begin == b.begin && a.end == b.end; };
  variables->erase(std::unique(variables->begin(), variables->end(), same), variables->end());
}

const Variable *find_in(const std::vector<Variable> &variables, uint64_t at) {
  auto behind = std::upper_bound(variables.begin(), variables.end(), at,
                                 [](uint64_t address, const Variable &variable) { return address < variable.begin; });
  return behind == variables.begin() || at >= (--behind)->end ? nullptr : &*behind;
}

} // namespace

Variables::Variables(Dwfl_Module *module) {
  Dwarf_Addr bias;
  for (Dwarf_Die *unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias));) add_scope(unit);
  arrange(&at_addresses_);
  arrange(&in_threads_);
  known_types_.clear();
}

void Variables::add_scope(Dwarf_Die *scope) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable)
      add(&child);
    else if (holds_variables(tag))
      add_scope(&child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void Variables::add(Dwarf_Die *die) {
  Location location;
  Dwarf_Die type;
  Dwarf_Word bytes;
  if (!find_location(die, &location) || !dprof::type_of(die, &type) || dwarf_aggregate_size(&type, &bytes) != 0 ||
      bytes == 0)
    return;
  std::vector<Variable> &to = location.is_local ? in_threads_ : at_addresses_;
  to.push_back({location.at, location.at + bytes, qualified_name(die), type_number(&type)});
}

uint32_t Variables::type_number(Dwarf_Die *type) {
  auto [known, is_new] = known_types_.try_emplace(dwarf_dieoffset(type), (uint32_t)types_.size());
  if (is_new) types_.push_back(layout_of_any(type));
  return known->second;
}

const Variable *Variables::find(uint64_t address_in_file) const { return find_in(at_addresses_, address_in_file); }
const Variable *Variables::find_local(uint64_t offset) const { return find_in(in_threads_, offset); }

} // namespace dprof
