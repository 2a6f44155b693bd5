// Stage: collectors. Addresses in the program -> functions and lines; allocation calls -> types. elfutils' libdw
// reads the debug information.
#pragma once

#include <elfutils/libdwfl.h>
#include <stdint.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dprof/place_in_allocation.h"
#include "result_flow.h"
#include "symbols.h"
#include "type_layout.h"
#include "unit_sites.h"
#include "variables.h"

namespace dprof {

struct Place {
  std::string function; // whose source line it is: an inlined function is itself
  std::string linkage_name;
  std::string within; // the function whose code it is
  std::string file;
  uint32_t line = 0, column = 0;
  std::string module;
  uint64_t offset = 0; // in the module
};

// What an allocation call allocates.
struct CallType {
  bool is_wrapper = false; // its function hands out untyped memory: its caller knows
  TypeLayout layout;       // no name: nobody knows
  // From the pointer that the call returns to the layout's first byte; of a wrapper to what its function returns. So
  // the first byte of an object is as far from what malloc returned as all offsets from call to call together, or
  // unknown_offset if one of them is: `place_in_allocation` says what follows.
  int64_t offset = 0;
  bool is_array = false; // of the layout, from there to the end: otherwise what lies behind one may be anything
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
  // `bytes`: of one allocation; what is larger than it is not what is allocated.
  CallType type_at_call(uint64_t return_address, uint64_t bytes);

  // The modules as they are mapped now, so that they are known when they no longer are. Those that were known stay what
  // they are.
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
    std::map<uint64_t, CallEffect>
        effects; // of functions that are known by name: where the module's tables have their addresses, as in the file
    std::unique_ptr<Symbols> symbols;
    bool is_instrumented = false;
    std::unique_ptr<Variables> variables; // when they are asked for
  };
  struct Chain {
    Dwarf_Die unit;
    std::vector<Dwarf_Die> scopes; // outermost first: functions, inlined functions, blocks
  };

  // What the C library allocates for itself is of no type of the program; its debug information would take long to
  // read.
  static bool is_c_library(Dwfl_Module *module);
  Dwfl_Module *module_at(uint64_t address);
  Dwfl_Module *module_of_data(uint64_t address);
  static int note_extents(Dwfl_Module *module, void **, const char *, Dwarf_Addr, void *to);
  ModuleInfo &info(Dwfl_Module *module);
  const Variables &variables(Dwfl_Module *module);
  bool find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit);
  bool find_chain(Dwfl_Module *module, uint64_t address, Chain *chain);
  // Of the function that `of` is in: sooner found.
  static Chain chain_within(const Chain &of, uint64_t address);

  // call_type.cc; of addresses as in the file.
  struct Found {
    Dwarf_Die type;
    int64_t offset;
  };
  CallType find_call_type(uint64_t return_address);
  size_t read_code(uint64_t address, uint8_t *to, size_t bytes) const;
  CallEffect effect_of(Dwfl_Module *module, const Instruction &call);
  CodeToFollow code_of(Dwfl_Module *module, uint64_t address, Chain *chain);
  std::optional<Found> find_variable(const Chain &chain, const ResultFlow &flow, bool behind);
  std::optional<Found> find_constructed(Dwfl_Module *module, const Chain &chain, const ResultFlow &flow);
  std::optional<Found> find_global(Dwfl_Module *module, const ResultFlow &flow);
  CallType type_of_function(const Chain &chain, const ResultFlow &flow);

  // Where a module has data, as its program headers say. What libdw makes of /proc/PID/maps is wrong for data: it lacks
  // .bss, it calls any mapped file a module, and it keeps what the loader maps for a moment: /etc/ld.so.cache, and all
  // of a library's file at the place of its segments.
  struct Extent {
    uint64_t begin, end;
    Dwfl_Module *module;
  };

  pid_t process_ = 0;
  Dwfl *dwfl_;
  Dwfl_Module *file_ = nullptr;
  std::vector<Extent> extents_;
  bool are_extents_known_ = false; // of the modules of the last refresh
  std::map<Dwfl_Module *, ModuleInfo> modules_;
};

} // namespace dprof
