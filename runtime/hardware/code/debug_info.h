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
  std::string function; // the function to which the source line belongs; an inlined function counts as itself
  std::string linkage_name;
  std::string within; // the function to which the code belongs
  std::string file;
  uint32_t line = 0, column = 0;
  std::string module;
  uint64_t offset = 0; // in the module
};

// The type of the memory that an allocation call returns.
struct CallType {
  bool is_wrapper = false; // its function hands out untyped memory: the caller knows the type
  TypeLayout layout;       // no name: unknown
  // Offset from the pointer that the call returns to the layout's first byte; for a wrapper, to the pointer that its
  // function returns. So the offset from malloc's result to the first byte of an object is the sum of the offsets from
  // call to call, or unknown_offset if one of them is unknown. `place_in_allocation` turns it into a place.
  int64_t offset = 0;
  bool is_array = false; // an array of the layout, from there to the end; otherwise anything may lie behind one
};

class DebugInfo {
public:
  explicit DebugInfo(pid_t process);
  // Opens one file that no process runs; only `code_in_file` and the questions about the file may be asked.
  explicit DebugInfo(const std::string &file);
  ~DebugInfo();
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;

  // The place of the instruction that holds the byte at `address`.
  Place place(uint64_t address);
  // The place of the instruction at an offset of the file. Only the offset is set if no code is there.
  Place code_in_file(uint64_t offset);
  // Facts about the file.
  std::string build_id();
  bool has_lines();
  bool has_units();
  // `bytes`: size of one allocation; a larger type is not the allocated one.
  CallType type_at_call(uint64_t return_address, uint64_t bytes);

  // Notes the modules as they are mapped now, so that they stay known when they are unmapped. Modules that were known
  // before do not change.
  void refresh();
  // Whether a known module has the address, of code or data.
  bool has_module(uint64_t address) { return module_of_data(address) != nullptr; }
  // Whether one known module has the whole range.
  bool has_module(uint64_t begin, uint64_t end);
  struct FoundVariable {
    const Variable *variable = nullptr; // null: none is there
    const TypeLayout *type = nullptr;
    uint64_t offset = 0; // in the variable
  };
  FoundVariable variable_at(uint64_t address);
  // `in_module`: any address of the module; `offset`: in the block of a thread.
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

  // True for the C library. The program has no types for its own allocations, and its debug information takes long to
  // read.
  static bool is_c_library(Dwfl_Module *module);
  Dwfl_Module *module_at(uint64_t address);
  Dwfl_Module *module_of_data(uint64_t address);
  static int note_extents(Dwfl_Module *module, void **, const char *, Dwarf_Addr, void *to);
  ModuleInfo &info(Dwfl_Module *module);
  const Variables &variables(Dwfl_Module *module);
  bool find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit);
  bool find_chain(Dwfl_Module *module, uint64_t address, Chain *chain);
  // The chain at an address in the function around `of`; this is faster than a search of the module.
  static Chain chain_within(const Chain &of, uint64_t address);

  // Functions of call_type.cc; they take addresses as in the file.
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

  // The places of a module's data, from its program headers. What libdw makes of /proc/PID/maps is wrong for data: it
  // lacks .bss, it calls any mapped file a module, and it keeps short-lived mappings of the loader: /etc/ld.so.cache,
  // and all of a library's file at the place of its segments.
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
