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
#include "symbols.h"
#include "unit_sites.h"
#include "type_layout.h"
#include "variables.h"

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
  ~DebugInfo();
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;

  // Of the instruction that holds the byte at `address`.
  Place place(uint64_t address);
  // `bytes`: of one allocation.
  CallType type_at_call(uint64_t return_address, uint64_t bytes);

  // The modules as they are mapped now, so that they are known when they no longer are. Those that were known stay what they are.
  void refresh();
  // Whether a module that is known has the address, of code or data.
  bool has_module(uint64_t address) { return module_of_data(address) != nullptr; }
  // Of one that is known, all of it.
  bool has_module(uint64_t begin, uint64_t end);
  struct FoundVariable {
    const Variable *variable = nullptr; // null: none is there
    const TypeLayout *type = nullptr;
    uint64_t offset = 0; // in the variable
  };
  FoundVariable variable_at(uint64_t address);
  // `in_module`: any address of it; `offset`: in the block of a thread.
  FoundVariable local_variable(uint64_t in_module, uint64_t offset);

  struct Module {
    uint64_t begin = 0, end = 0; // 0: none
    std::string file, build_id;  // hexadecimal; empty: it has none
    bool is_instrumented = false;
  };
  Module module_of(uint64_t address);

private:
  struct UnitRange {
    uint64_t begin, end;
    Dwarf_Die unit;
  };
  struct ModuleInfo {
    std::vector<UnitRange> ranges; // by begin; addresses as in the file
    std::unique_ptr<UnitSites> sites;
    std::unique_ptr<Symbols> symbols;
    bool is_instrumented = false;
    std::unique_ptr<Variables> variables; // when they are asked for
  };
  struct Chain {
    Dwarf_Die unit;
    std::vector<Dwarf_Die> scopes; // outermost first: functions, inlined functions, blocks
  };

  Dwfl_Module *module_at(uint64_t address);
  Dwfl_Module *module_of_data(uint64_t address);
  static int note_zeroes(Dwfl_Module *module, void **, const char *, Dwarf_Addr, void *to);
  ModuleInfo &info(Dwfl_Module *module);
  const Variables &variables(Dwfl_Module *module);
  bool find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit);
  bool find_chain(Dwfl_Module *module, uint64_t address, Chain *chain);
  CallType find_call_type(uint64_t return_address);
  std::vector<uint8_t> code_at(uint64_t address);
  // Of addresses as in the file.
  bool find_variable(Dwfl_Module *module, uint64_t from, const std::vector<ResultPlace> &places, Dwarf_Die *type);
  bool find_pointee(Dwfl_Module *module, uint64_t address, Dwarf_Die *type);
  bool find_constructed(Dwfl_Module *module, uint64_t address, Dwarf_Die *type);

  // What a module has in memory behind what it has in its file (.bss): libdw does not know it from /proc/PID/maps.
  struct Zeroes {
    uint64_t begin, end;
    Dwfl_Module *module;
  };

  pid_t process_;
  Dwfl *dwfl_;
  std::vector<Zeroes> zeroes_;
  bool are_zeroes_known_ = false; // of the modules of the last refresh
  std::map<Dwfl_Module *, ModuleInfo> modules_;
};

} // namespace dprof
