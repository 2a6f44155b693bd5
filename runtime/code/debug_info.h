// Stage: taker, sampler. Addresses in the program -> functions and lines; allocation calls -> types. elfutils' libdw reads the debug information.
#pragma once

#include <elfutils/libdwfl.h>
#include <stdint.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "call_result.h"
#include "unit_sites.h"
#include "type_layout.h"

namespace dprof {

struct Place {
  std::string function; // whose source line it is: an inlined function is itself
  std::string linkage_name;
  std::string within;   // the function whose code it is
  std::string file;
  uint32_t line = 0, column = 0;
  std::string module;
  uint64_t offset = 0; // in the module
};

// What an allocation call allocates.
struct CallType {
  bool is_wrapper = false; // its function hands out untyped memory: its caller knows
  TypeLayout layout;       // no name: nobody knows
};

class DebugInfo {
public:
  explicit DebugInfo(pid_t process);
  // Of one file that nobody runs: `code_in_file` is all that can be asked for.
  explicit DebugInfo(const std::string &file);
  ~DebugInfo();
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;

  // Of the instruction that holds the byte at `address`.
  Place place(uint64_t address);
  // Of the instruction at an offset of the file. Nothing but the offset: no code is there.
  Place code_in_file(uint64_t offset);
  // Of the file.
  std::string build_id();
  bool has_lines();
  bool has_units();
  // `bytes`: of one allocation.
  CallType type_at_call(uint64_t return_address, uint64_t bytes);

private:
  struct UnitRange {
    uint64_t begin, end;
    Dwarf_Die unit;
  };
  struct ModuleInfo {
    std::vector<UnitRange> ranges; // by begin; addresses as in the file
    std::unique_ptr<UnitSites> sites;
  };
  struct Chain {
    Dwarf_Die unit;
    std::vector<Dwarf_Die> scopes; // outermost first: functions, inlined functions, blocks
  };

  void refresh();
  Dwfl_Module *module_at(uint64_t address);
  ModuleInfo &info(Dwfl_Module *module);
  bool find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit);
  bool find_chain(Dwfl_Module *module, uint64_t address, Chain *chain);
  CallType find_call_type(uint64_t return_address);
  std::vector<uint8_t> code_at(uint64_t address);
  // Of addresses as in the file.
  bool find_variable(Dwfl_Module *module, uint64_t from, const std::vector<ResultPlace> &places, Dwarf_Die *type);
  bool find_pointee(Dwfl_Module *module, uint64_t address, Dwarf_Die *type);
  bool find_constructed(Dwfl_Module *module, uint64_t address, Dwarf_Die *type);

  pid_t process_ = 0;
  Dwfl *dwfl_;
  Dwfl_Module *file_ = nullptr;
  std::map<Dwfl_Module *, ModuleInfo> modules_;
};

} // namespace dprof
