// Stage: collectors. A type as debug information has it -> its name as its language spells it, and its layout.
#pragma once

#include <elfutils/libdw.h>

#include <string>

#include "type_layout.h"

namespace dprof {

// Of a function: "ns::f".
std::string qualified_name(Dwarf_Die *die);
std::string linkage_name(Dwarf_Die *die);
// Without typedef, const and volatile.
bool peel_type(Dwarf_Die *type, Dwarf_Die *peeled);
// The type attribute, an abstract origin's too.
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
// Whether `type` is a pointer (or reference) to a struct, union or class; and to what, typedefs and all.
bool points_to_record(Dwarf_Die *type, Dwarf_Die *target);
bool is_void_pointer(Dwarf_Die *type);
// 0 bytes: it is only declared here.
TypeLayout layout_of(Dwarf_Die *target);
// Of any type: a struct's layout, of an array of structs the struct's; of anything else its name and bytes, of another
// array 0 bytes.
TypeLayout layout_of_any(Dwarf_Die *type);
bool is_record(Dwarf_Die *type);
// An inlined one too.
bool is_function(Dwarf_Die *die);

} // namespace dprof
