// Stage: taker, sampler. Modules of a live process, their units of debug information, and the scopes around an address.
//
// What an allocation call allocates, the first that says so:
//   1. an instrumented module: the SITE slot of its units at the call's line and column
//   2. a variable or parameter, a pointer to a struct, that is where the call's result is or goes first
//   3. the object of a constructor that is inlined behind the call, or called next
//   4. a global variable that it is stored to
//   5. what the function (the innermost inlined one) returns, if that is a pointer to a struct; if it is void *, the call is in a wrapper
#include "debug_info.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "call_result.h"
#include "dwarf_types.h"

namespace dprof {
namespace {

const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, nullptr};

std::vector<uint8_t> section_bytes(Dwfl_Module *module, const char *name) {
  GElf_Addr bias;
  Elf *elf = dwfl_module_getelf(module, &bias);
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0) return {};
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char *found = elf_strptr(elf, names, header.sh_name);
    if (!found || strcmp(found, name) != 0) continue;
    Elf_Data *data = elf_rawdata(section, nullptr);
    return data ? std::vector<uint8_t>((uint8_t *)data->d_buf, (uint8_t *)data->d_buf + data->d_size) : std::vector<uint8_t>();
  }
  return {};
}

bool is_scope(int tag) { return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block; }
bool is_function(int tag) { return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine; }

// Down to the innermost scope. Functions stand in namespaces, and in each other.
bool descend(Dwarf_Die *die, Dwarf_Addr address, std::vector<Dwarf_Die> *scopes) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return false;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
      if (descend(&child, address, scopes)) return true;
      continue;
    }
    if (!is_scope(tag) || dwarf_haspc(&child, address) <= 0) continue;
    scopes->push_back(child);
    descend(&child, address, scopes);
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// Of a function's frame: where offsets of its variables count from, as an offset from rbp (DWARF's register 6).
int64_t frame_base(const std::vector<Dwarf_Die> &scopes) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); scope++) {
    Dwarf_Die function = *scope;
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_tag(&function) != DW_TAG_subprogram || !dwarf_attr(&function, DW_AT_frame_base, &attribute)) continue;
    if (dwarf_getlocation(&attribute, &operations, &count) == 0 && count == 1 && operations[0].atom == DW_OP_call_frame_cfa) return 16;
    return 0;
  }
  return 0;
}

bool is_at(const Dwarf_Op &operation, const ResultPlace &place, int64_t frame) {
  switch (place.kind) {
  case ResultPlace::in_register: return operation.atom == DW_OP_reg0 + place.place || (operation.atom == DW_OP_regx && operation.number == (Dwarf_Word)place.place);
  case ResultPlace::on_frame:
    if (operation.atom == DW_OP_fbreg) return place.place == 6 && (int64_t)operation.number + frame == place.offset;
    return operation.atom == DW_OP_breg0 + place.place && (int64_t)operation.number == place.offset;
  default: return false;
  }
}

constexpr size_t code_bytes = 96;

// What the C library allocates for itself is of no type of the program; its debug information would take long to read.
bool is_c_library(Dwfl_Module *module) {
  const char *path = nullptr;
  const char *name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &path, nullptr);
  const std::string base = base_of_path(path ? path : name ? name : "");
  for (const char *begin : {"libc.so", "libc-2", "ld-linux", "ld-musl", "libdprof_"})
    if (base.compare(0, strlen(begin), begin) == 0) return true;
  return false;
}

} // namespace

DebugInfo::DebugInfo(pid_t process) : process_(process), dwfl_(dwfl_begin(&callbacks)) { refresh(); }
DebugInfo::~DebugInfo() {
  modules_.clear();
  dwfl_end(dwfl_);
}

void DebugInfo::refresh() {
  if (!dwfl_) return;
  dwfl_report_begin_add(dwfl_);
  dwfl_linux_proc_report(dwfl_, process_);
  dwfl_report_end(dwfl_, nullptr, nullptr);
  are_zeroes_known_ = false;
}

// Not by dwfl_module_getelf: libdw reads all of a file to find out that it is none, programs map large ones, and it keeps what it has read.
int DebugInfo::note_zeroes(Dwfl_Module *module, void **, const char *name, Dwarf_Addr begin, void *to) {
  elf_version(EV_CURRENT);
  int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return DWARF_CB_OK;
  struct stat status;
  Elf *elf = fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? elf_begin(file, ELF_C_READ, nullptr) : nullptr;
  size_t count;
  if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0) count = 0;
  bool is_first = true;
  GElf_Addr bias = 0;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD) continue;
    if (is_first) bias = begin - (header.p_vaddr & -(GElf_Addr)sysconf(_SC_PAGESIZE));
    is_first = false;
    if (header.p_memsz > header.p_filesz) ((std::vector<Zeroes> *)to)->push_back({header.p_vaddr + header.p_filesz + bias, header.p_vaddr + header.p_memsz + bias, module});
  }
  elf_end(elf);
  close(file);
  return DWARF_CB_OK;
}

Dwfl_Module *DebugInfo::module_of_data(uint64_t address) {
  if (!dwfl_) return nullptr;
  if (Dwfl_Module *module = dwfl_addrmodule(dwfl_, address)) return module;
  if (!are_zeroes_known_) {
    zeroes_.clear();
    dwfl_getmodules(dwfl_, note_zeroes, &zeroes_, 0);
    are_zeroes_known_ = true;
  }
  for (const Zeroes &zeroes : zeroes_)
    if (zeroes.begin <= address && address < zeroes.end) return zeroes.module;
  return nullptr;
}

Dwfl_Module *DebugInfo::module_at(uint64_t address) {
  if (!dwfl_) return nullptr;
  Dwfl_Module *module = dwfl_addrmodule(dwfl_, address);
  if (module) return module;
  refresh();
  return dwfl_addrmodule(dwfl_, address);
}

DebugInfo::ModuleInfo &DebugInfo::info(Dwfl_Module *module) {
  auto [found, is_new] = modules_.try_emplace(module);
  ModuleInfo &info = found->second;
  if (!is_new) return info;
  Dwarf_Addr bias;
  for (Dwarf_Die *unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias));) {
    Dwarf_Addr base, begin, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;) info.ranges.push_back({begin, end, *unit});
  }
  std::sort(info.ranges.begin(), info.ranges.end(), [](const UnitRange &a, const UnitRange &b) { return a.begin < b.begin; });
  std::vector<uint8_t> units = section_bytes(module, "dprof_units");
  info.is_instrumented = !units.empty();
  info.symbols = std::make_unique<Symbols>(module);
  info.sites = std::make_unique<UnitSites>(units.data(), units.size());
  return info;
}

bool DebugInfo::find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit) {
  const std::vector<UnitRange> &ranges = info(module).ranges;
  auto behind = std::upper_bound(ranges.begin(), ranges.end(), address, [](uint64_t a, const UnitRange &range) { return a < range.begin; });
  if (behind == ranges.begin() || address >= (--behind)->end) return false;
  *unit = behind->unit;
  return true;
}

// `address` as in the file.
bool DebugInfo::find_chain(Dwfl_Module *module, uint64_t address, Chain *chain) {
  return find_unit(module, address, &chain->unit) && descend(&chain->unit, address, &chain->scopes);
}

Place DebugInfo::place(uint64_t address) {
  Place place;
  Dwfl_Module *module = module_at(address);
  if (!module) return place;
  GElf_Addr begin;
  const char *path = nullptr;
  const char *name = dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, &path, nullptr);
  place.module = path ? path : name ? name : "";
  place.offset = address - begin;
  if (const char *found = info(module).symbols->find(address)) place.function = place.linkage_name = place.within = found;
  Dwarf_Addr bias = 0;
  if (!dwfl_module_getdwarf(module, &bias)) return place;
  Chain chain;
  if (!find_unit(module, address - bias, &chain.unit)) return place;
  if (Dwarf_Line *line = dwarf_getsrc_die(&chain.unit, address - bias)) {
    int number = 0, column = 0;
    dwarf_lineno(line, &number);
    dwarf_linecol(line, &column);
    const char *file = dwarf_linesrc(line, nullptr, nullptr);
    place.file = file ? file : "";
    place.line = (uint32_t)number;
    place.column = (uint32_t)column;
  }
  if (!find_chain(module, address - bias, &chain)) return place;
  bool is_outermost = true;
  for (Dwarf_Die &scope : chain.scopes) {
    if (!is_function(dwarf_tag(&scope))) continue;
    place.function = qualified_name(&scope);
    place.linkage_name = linkage_name(&scope);
    if (is_outermost) place.within = place.function;
    is_outermost = false;
  }
  return place;
}

const Variables &DebugInfo::variables(Dwfl_Module *module) {
  ModuleInfo &known = info(module);
  if (!known.variables) known.variables = std::make_unique<Variables>(module);
  return *known.variables;
}

DebugInfo::FoundVariable DebugInfo::variable_at(uint64_t address) {
  Dwfl_Module *module = module_of_data(address);
  Dwarf_Addr bias = 0;
  if (!module || is_c_library(module) || !dwfl_module_getdwarf(module, &bias)) return {};
  const Variables &known = variables(module);
  const Variable *found = known.find(address - bias);
  if (!found) return {};
  return {found, &known.type_of(*found), address - bias - found->begin};
}

DebugInfo::FoundVariable DebugInfo::local_variable(uint64_t in_module, uint64_t offset) {
  Dwfl_Module *module = module_at(in_module);
  if (!module || is_c_library(module)) return {};
  const Variables &known = variables(module);
  const Variable *found = known.find_local(offset);
  if (!found) return {};
  return {found, &known.type_of(*found), offset - found->begin};
}

bool DebugInfo::has_module(uint64_t begin, uint64_t end) {
  Dwfl_Module *module = dwfl_ ? dwfl_addrmodule(dwfl_, begin) : nullptr;
  Dwarf_Addr from, to;
  return module && dwfl_module_info(module, nullptr, &from, &to, nullptr, nullptr, nullptr, nullptr) && from <= begin && end <= to;
}

DebugInfo::Module DebugInfo::module_of(uint64_t address) {
  Module found;
  Dwfl_Module *module = module_at(address);
  if (!module) return found;
  const char *path = nullptr;
  GElf_Addr build_id_at;
  const unsigned char *build_id;
  const char *name = dwfl_module_info(module, nullptr, &found.begin, &found.end, nullptr, nullptr, &path, nullptr);
  found.file = path ? path : name ? name : "";
  GElf_Addr bias;
  dwfl_module_getelf(module, &bias); // the build id is looked for with it
  for (int i = 0, bytes = dwfl_module_build_id(module, &build_id, &build_id_at); i < bytes; i++) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", build_id[i]);
    found.build_id += digits;
  }
  found.is_instrumented = info(module).is_instrumented;
  return found;
}

std::vector<uint8_t> DebugInfo::code_at(uint64_t address) {
  std::vector<uint8_t> code(code_bytes);
  const iovec here = {code.data(), code.size()}, there = {(void *)address, code.size()};
  ssize_t got = process_vm_readv(process_, &here, 1, &there, 1, 0);
  code.resize(got > 0 ? (size_t)got : 0);
  return code;
}

// A variable of the scopes around `from` that is at one of the places there.
bool DebugInfo::find_variable(Dwfl_Module *module, uint64_t from, const std::vector<ResultPlace> &places, Dwarf_Die *type) {
  Chain chain;
  if (!find_chain(module, from, &chain)) return false;
  const int64_t frame = frame_base(chain.scopes);
  for (auto scope = chain.scopes.rbegin(); scope != chain.scopes.rend(); scope++) {
    Dwarf_Die child, found;
    if (dwarf_child(&*scope, &child) != 0) continue;
    do {
      int tag = dwarf_tag(&child);
      Dwarf_Attribute attribute;
      if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !dwarf_attr(&child, DW_AT_location, &attribute)) continue;
      Dwarf_Op *operations;
      size_t count;
      if (dwarf_getlocation_addr(&attribute, from, &operations, &count, 1) != 1 || count < 1) continue;
      for (const ResultPlace &place : places)
        if (from >= place.from && is_at(operations[0], place, frame) && type_of(&child, &found) && points_to_record(&found, type)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  return false;
}

// Until the next call nothing else is in the result register, as a rule.
bool DebugInfo::find_pointee(Dwfl_Module *module, uint64_t address, Dwarf_Die *type) {
  Dwarf_Addr bias = 0;
  dwfl_module_getdwarf(module, &bias);
  const std::vector<uint8_t> code = code_at(address + bias);
  const std::vector<ResultPlace> places = places_of_result(address, code.data(), code.size());
  for (uint64_t from = address; from <= address + bytes_to_call(address, code.data(), code.size()); from++)
    if (find_variable(module, from, places, type)) return true;
  Dwarf_Die unit, child, found;
  if (!find_unit(module, address - 1, &unit) || dwarf_child(&unit, &child) != 0) return false;
  do {
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_tag(&child) != DW_TAG_variable || !dwarf_attr(&child, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) continue;
    for (const ResultPlace &place : places)
      if (place.kind == ResultPlace::in_memory && operations[0].number == place.address && type_of(&child, &found) && points_to_record(&found, type)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// `new T(...)`: the first thing done with the memory is to construct a T in it.
bool DebugInfo::find_constructed(Dwfl_Module *module, uint64_t address, Dwarf_Die *type) {
  Dwarf_Addr bias = 0;
  dwfl_module_getdwarf(module, &bias);
  const std::vector<uint8_t> code = code_at(address + bias);
  auto this_of = [&](Dwarf_Die function) {
    Dwarf_Die child, found, target, record;
    if (dwarf_child(&function, &child) != 0 || dwarf_tag(&child) != DW_TAG_formal_parameter) return false;
    if (!type_of(&child, &found) || !points_to_record(&found, &target) || !peel_type(&target, &record)) return false;
    const char *name = dwarf_diename(&function), *of = dwarf_diename(&record);
    if (!name || !of || std::string(of).compare(0, strlen(name), name) != 0) return false;
    *type = target;
    return true;
  };
  constexpr uint64_t soon = 32;
  for (uint64_t at = address; at < address + soon; at++) {
    Chain inner;
    if (find_chain(module, at, &inner))
      for (auto found = inner.scopes.rbegin(); found != inner.scopes.rend(); found++)
        if (dwarf_tag(&*found) == DW_TAG_inlined_subroutine && this_of(*found)) return true;
  }
  Chain called;
  uint64_t target = next_call(address, code.data(), code.size());
  return target && find_chain(module, target, &called) && dwarf_tag(&called.scopes.back()) == DW_TAG_subprogram && this_of(called.scopes.front());
}

CallType DebugInfo::type_at_call(uint64_t return_address, uint64_t bytes) {
  CallType answer = find_call_type(return_address);
  if (answer.layout.bytes > bytes) answer.layout = {}; // it is not what is allocated
  return answer;
}

CallType DebugInfo::find_call_type(uint64_t return_address) {
  CallType answer;
  Dwfl_Module *module = module_at(return_address - 1);
  if (!module || is_c_library(module)) return answer;
  Place call = place(return_address - 1);
  const UnitSites &sites = *info(module).sites;
  if (const TypeLayout *layout = sites.find(call.file, call.line, call.column, call.linkage_name)) {
    answer.layout = *layout;
    return answer;
  }
  Dwarf_Addr bias = 0;
  Chain chain;
  if (!dwfl_module_getdwarf(module, &bias) || !find_chain(module, return_address - 1 - bias, &chain)) return answer;
  Dwarf_Die type, found;
  if (find_pointee(module, return_address - bias, &type) || find_constructed(module, return_address - bias, &type)) {
    answer.layout = layout_of(&type);
    return answer;
  }
  for (auto scope = chain.scopes.rbegin(); scope != chain.scopes.rend(); scope++) {
    if (!is_function(dwarf_tag(&*scope))) continue;
    if (!type_of(&*scope, &found)) break;
    if (points_to_record(&found, &type)) answer.layout = layout_of(&type);
    else if (is_void_pointer(&found) && dwarf_tag(&*scope) == DW_TAG_inlined_subroutine) continue; // its caller is here too
    else answer.is_wrapper = is_void_pointer(&found);
    break;
  }
  return answer;
}

} // namespace dprof
