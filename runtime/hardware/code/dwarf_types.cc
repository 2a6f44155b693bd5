// Stage: collectors. DW_TAG_structure_type and its like -> TypeLayout.
#include "dwarf_types.h"

#include <dwarf.h>
#include <stdlib.h>

#include <vector>

namespace dprof {
namespace {

bool is_record_tag(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_cplusplus(Dwarf_Die *die) {
  Dwarf_Die unit;
  if (!dwarf_diecu(die, &unit, nullptr, nullptr)) return false;
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14: return true;
    default:
      return dwarf_srclang(&unit) >
             0x20; // later numbers: C++17 and C++20, Rust, Swift: none of them writes `struct` before a name
  }
}

// Finds the declaration of a definition outside its class or namespace.
bool declaration_of(Dwarf_Die *die, Dwarf_Die *declaration) {
  Dwarf_Attribute attribute;
  *declaration = *die;
  bool moved = false;
  for (int hops = 0; hops < 4; hops++) {
    Dwarf_Attribute *found = dwarf_attr(declaration, DW_AT_abstract_origin, &attribute);
    if (!found) found = dwarf_attr(declaration, DW_AT_specification, &attribute);
    if (!found || !dwarf_formref_die(found, declaration)) return moved;
    moved = true;
  }
  return moved;
}

std::string own_name(Dwarf_Die *die) {
  const char *name = dwarf_diename(die);
  return name ? name : "";
}

// As the plugin spells it: a class without a name is where it is.
std::string anonymous_name(Dwarf_Die *record) {
  const char *file = dwarf_decl_file(record), *keyword = dwarf_tag(record) == DW_TAG_union_type   ? "union"
                                                         : dwarf_tag(record) == DW_TAG_class_type ? "class"
                                                                                                  : "struct";
  int line = 0;
  dwarf_decl_line(record, &line);
  const std::string path = file ? file : "";
  return std::string(keyword) + " (anonymous at " + path.substr(path.rfind('/') + 1) + ":" + std::to_string(line) + ")";
}

// "ns::Class::", from the scopes around it. Inline namespaces are not written.
std::string scope_of(Dwarf_Die *die) {
  Dwarf_Die *scopes = nullptr;
  const int count = dwarf_getscopes_die(die, &scopes);
  std::string prefix;
  for (int i = 1; i < count; i++) {
    const int tag = dwarf_tag(&scopes[i]);
    const std::string name = own_name(&scopes[i]);
    if (tag == DW_TAG_namespace && (name.empty() || !dwarf_hasattr(&scopes[i], DW_AT_export_symbols)))
      prefix = (name.empty() ? "(anonymous namespace)" : name) + "::" + prefix;
    else if (tag == DW_TAG_subprogram)
      prefix = name + "()::" + prefix;
    else if (is_record_tag(tag))
      prefix = (name.empty() ? anonymous_name(&scopes[i]) : name) + "::" + prefix;
    if (tag == DW_TAG_subprogram || (is_record_tag(tag) && name.empty())) break;
  }
  free(scopes);
  return prefix;
}

std::string record_name(Dwarf_Die *record) {
  std::string name = own_name(record);
  if (name.empty()) return "";
  if (is_cplusplus(record)) return scope_of(record) + name;
  return (dwarf_tag(record) == DW_TAG_union_type ? "union " : "struct ") + name;
}

// The innermost typedef names a type without a tag.
std::string typedef_name(Dwarf_Die type) {
  std::string name;
  for (int tag = dwarf_tag(&type); tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type;
       tag = dwarf_tag(&type)) {
    if (tag == DW_TAG_typedef) name = (is_cplusplus(&type) ? scope_of(&type) : "") + own_name(&type);
    Dwarf_Die next;
    if (!type_of(&type, &next)) break;
    type = next;
  }
  return name;
}

uint64_t bytes_of(Dwarf_Die *type) {
  Dwarf_Word bytes = 0;
  return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

void add_fields(Dwarf_Die *record, const std::string &prefix, uint64_t base, int depth, std::vector<Field> *to) {
  Dwarf_Die child;
  if (dwarf_child(record, &child) != 0) return;
  do {
    int tag = dwarf_tag(&child);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || to->size() >= most_fields) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (dwarf_hasattr(&child, DW_AT_external) || dwarf_hasattr(&child, DW_AT_declaration)) continue; // a static member
    if (dwarf_attr(&child, DW_AT_data_member_location, &attribute))
      dwarf_formudata(&attribute, &offset);
    else if (dwarf_attr(&child, DW_AT_data_bit_offset, &attribute) && dwarf_formudata(&attribute, &offset) == 0)
      offset /= 8;
    Dwarf_Die type, inner;
    if (!type_of(&child, &type) || !peel_type(&type, &inner)) continue;
    std::string name = own_name(&child);
    std::string path = name.empty() || tag == DW_TAG_inheritance ? prefix : prefix.empty() ? name : prefix + "." + name;
    if (is_record_tag(dwarf_tag(&inner)) && depth < deepest)
      add_fields(&inner, path, base + offset, depth + 1, to);
    else
      to->push_back({dwarf_tag(&inner) == DW_TAG_array_type ? path + "[]" : path, base + offset, bytes_of(&inner)});
  } while (dwarf_siblingof(&child, &child) == 0);
}

// "int[]", "char *", "struct packet *"; as the plugin spells them.
std::string spell(Dwarf_Die *type, int depth) {
  Dwarf_Die peeled, to;
  if (depth > deepest || !peel_type(type, &peeled)) return "";
  auto spell_target = [&] { return dprof::type_of(&peeled, &to) ? spell(&to, depth + 1) : std::string("void"); };
  auto mark = [](const std::string &name, const char *with) {
    return name + (!name.empty() && name.back() == '*' ? "" : " ") + with;
  };
  switch (dwarf_tag(&peeled)) {
    case DW_TAG_array_type: return spell_target() + "[]";
    case DW_TAG_pointer_type: return mark(spell_target(), "*");
    case DW_TAG_reference_type: return mark(spell_target(), "&");
    case DW_TAG_rvalue_reference_type: return mark(spell_target(), "&&");
    case DW_TAG_subroutine_type: return spell_target() + " ()";
    default: break;
  }
  if (!is_record_tag(dwarf_tag(&peeled))) return own_name(&peeled);
  std::string name = record_name(&peeled);
  return name.empty() ? typedef_name(*type) : name;
}

} // namespace

std::string qualified_name(Dwarf_Die *die) {
  Dwarf_Die declaration;
  declaration_of(die, &declaration);
  std::string name = own_name(die);
  return name.empty() || !is_cplusplus(die) ? name : scope_of(&declaration) + name;
}

std::string linkage_name(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  Dwarf_Attribute *found = dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute);
  const char *name = found ? dwarf_formstring(found) : nullptr;
  return name ? name : own_name(die);
}

bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

bool peel_type(Dwarf_Die *type, Dwarf_Die *peeled) { return dwarf_peel_type(type, peeled) == 0; }

bool is_record(Dwarf_Die *type) { return is_record_tag(dwarf_tag(type)); }

bool is_function(Dwarf_Die *die) {
  return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

bool points_to_record(Dwarf_Die *type, Dwarf_Die *target) {
  Dwarf_Die pointer, record;
  if (!peel_type(type, &pointer)) return false;
  int tag = dwarf_tag(&pointer);
  if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type) return false;
  return type_of(&pointer, target) && peel_type(target, &record) && is_record(&record);
}

bool is_void_pointer(Dwarf_Die *type) {
  Dwarf_Die pointer, target;
  return peel_type(type, &pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type && !type_of(&pointer, &target);
}

TypeLayout layout_of(Dwarf_Die *target) {
  TypeLayout layout;
  Dwarf_Die record;
  if (!peel_type(target, &record)) return layout;
  layout.name = record_name(&record);
  if (layout.name.empty()) layout.name = typedef_name(*target);
  if (dwarf_hasattr(&record, DW_AT_declaration)) return layout;
  layout.bytes = bytes_of(&record);
  add_fields(&record, "", 0, 0, &layout.fields);
  return layout;
}

TypeLayout layout_of_any(Dwarf_Die *type) {
  Dwarf_Die element = *type, peeled;
  while (peel_type(&element, &peeled) && dwarf_tag(&peeled) == DW_TAG_array_type && type_of(&peeled, &element))
    continue;
  if (peel_type(&element, &peeled) && is_record(&peeled)) return layout_of(&element);
  TypeLayout layout;
  layout.name = spell(type, 0);
  if (peel_type(type, &peeled) && dwarf_tag(&peeled) != DW_TAG_array_type) layout.bytes = bytes_of(&peeled);
  return layout;
}

} // namespace dprof
