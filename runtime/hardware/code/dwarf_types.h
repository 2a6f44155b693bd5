// Stage: collectors. A type as debug information has it -> its name as its language spells it, and its layout.
#pragma once

#include <elfutils/libdw.h>

#include <string>

#include "type_layout.h"

namespace dprof {

// The name of a function: "ns::f".
std::string qualified_name(Dwarf_Die *die);
std::string linkage_name(Dwarf_Die *die);
// Without typedef, const and volatile.
bool peel_type(Dwarf_Die *type, Dwarf_Die *peeled);
// The type attribute, an abstract origin's too.
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
// Whether `type` is a pointer (or reference) to a struct, union or class. `target` becomes that type, typedefs and all.
bool points_to_record(Dwarf_Die *type, Dwarf_Die *target);
bool is_void_pointer(Dwarf_Die *type);
// The layout has 0 bytes if the type is only declared here.
TypeLayout layout_of(Dwarf_Die *target);
// The layout of any type. A struct and an array of structs have the struct's layout. Any other array has 0 bytes. Other
// types have only a name and bytes.
TypeLayout layout_of_any(Dwarf_Die *type);
bool is_record(Dwarf_Die *type);
// True for an inlined function too.
bool is_function(Dwarf_Die *die);

} // namespace dprof
