// Stage: sampler. The variables of a module that live as long as it: globals, statics, members and locals that are
// static, and thread-locals.
#pragma once

#include <elfutils/libdwfl.h>
#include <stdint.h>

#include <map>
#include <string>
#include <vector>

#include "type_layout.h"

namespace dprof {

struct Variable {
  uint64_t begin, end; // addresses as in the file; of a thread-local in its module's block
  std::string name;
  uint32_t type; // in `types`
};

class Variables {
public:
  // Reads all debug information of the module.
  explicit Variables(Dwfl_Module *module);

  // Null: none is there.
  const Variable *find(uint64_t address_in_file) const;
  const Variable *find_local(uint64_t offset) const;
  // The layout of the variable's type. A struct and an array of structs have the struct's layout. Any other array has 0
  // bytes. Other types have only a name and bytes.
  const TypeLayout &type_of(const Variable &variable) const { return types_[variable.type]; }

private:
  void add_scope(Dwarf_Die *scope);
  void add(Dwarf_Die *die);
  uint32_t type_number(Dwarf_Die *type);

  std::vector<Variable> at_addresses_, in_threads_; // by begin
  std::vector<TypeLayout> types_;
  std::map<uint64_t, uint32_t> known_types_; // by offset of the DIE
};

} // namespace dprof
