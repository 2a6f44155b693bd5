// Stage: collectors. Modules of a live process, their units of debug information, and the scopes around an address.
#include "debug_info.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "dwarf_types.h"

namespace dprof {
namespace {

const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, nullptr};

const Dwfl_Callbacks file_callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                       dwfl_offline_section_address, nullptr};

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
    return data ? std::vector<uint8_t>((uint8_t *)data->d_buf, (uint8_t *)data->d_buf + data->d_size)
                : std::vector<uint8_t>();
  }
  return {};
}

// The recorder's are called without a thought for registers.
constexpr std::pair<const char *, CallEffect> known_calls[] = {
    {"memset", CallEffect::returns_first_argument},       {"memcpy", CallEffect::returns_first_argument},
    {"memmove", CallEffect::returns_first_argument},      {"__memset_chk", CallEffect::returns_first_argument},
    {"__memcpy_chk", CallEffect::returns_first_argument}, {"__memmove_chk", CallEffect::returns_first_argument},
    {"__dprof_refill", CallEffect::keeps_registers},      {"__dprof_stamp", CallEffect::keeps_registers}};

// The effects of the known functions among those that are called through a table.
std::map<uint64_t, CallEffect> find_effects(Dwfl_Module *module) {
  std::map<uint64_t, CallEffect> found;
  GElf_Addr bias;
  Elf *elf = dwfl_module_getelf(module, &bias);
  if (!elf) return found;
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header, symbols_header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_entsize == 0) continue;
    Elf_Scn *symbols = elf_getscn(elf, header.sh_link);
    Elf_Data *data = elf_getdata(section, nullptr), *symbol_data = symbols ? elf_getdata(symbols, nullptr) : nullptr;
    if (!data || !symbol_data || !gelf_getshdr(symbols, &symbols_header)) continue;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
      GElf_Rela relocation;
      GElf_Sym symbol;
      if (!gelf_getrela(data, (int)i, &relocation) ||
          !gelf_getsym(symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol))
        continue;
      const char *name = elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
      for (const auto &[known, effect] : known_calls)
        if (name && strcmp(name, known) == 0) found[relocation.r_offset] = effect;
    }
  }
  return found;
}

bool is_scope(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
         tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

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

} // namespace

DebugInfo::DebugInfo(pid_t process) : process_(process), dwfl_(dwfl_begin(&callbacks)) { refresh(); }

DebugInfo::DebugInfo(const std::string &file) : dwfl_(dwfl_begin(&file_callbacks)) {
  if (!dwfl_) return;
  dwfl_report_begin(dwfl_);
  file_ = dwfl_report_offline(dwfl_, file.c_str(), file.c_str(), -1);
  dwfl_report_end(dwfl_, nullptr, nullptr);
}

DebugInfo::~DebugInfo() {
  modules_.clear();
  dwfl_end(dwfl_);
}

void DebugInfo::refresh() {
  if (!dwfl_) return;
  dwfl_report_begin_add(dwfl_);
  dwfl_linux_proc_report(dwfl_, process_);
  dwfl_report_end(dwfl_, nullptr, nullptr);
  are_extents_known_ = false;
}

// Does not use dwfl_module_getelf: libdw reads a whole file to find out that it is no ELF file, programs map large
// ones, and libdw keeps what it has read.
int DebugInfo::note_extents(Dwfl_Module *module, void **, const char *name, Dwarf_Addr begin, void *to) {
  std::vector<Extent> &extents = *(std::vector<Extent> *)to;
  elf_version(EV_CURRENT);
  int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) { // removed meanwhile
    Dwarf_Addr end = begin;
    dwfl_module_info(module, nullptr, nullptr, &end, nullptr, nullptr, nullptr, nullptr);
    extents.push_back({begin, end, module});
    return DWARF_CB_OK;
  }
  struct stat status;
  Elf *elf = fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? elf_begin(file, ELF_C_READ, nullptr) : nullptr;
  size_t count;
  if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0) count = 0;
  bool is_first = true;
  GElf_Addr bias = 0;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD) continue;
    const GElf_Addr page = (GElf_Addr)sysconf(_SC_PAGESIZE), from = header.p_vaddr & -page;
    const GElf_Addr file_end = header.p_vaddr + header.p_filesz;
    if (is_first) bias = begin - from;
    is_first = false;
    extents.push_back({from + bias, ((file_end + page - 1) & -page) + bias, module});
    if (header.p_memsz > header.p_filesz)
      extents.push_back({file_end + bias, header.p_vaddr + header.p_memsz + bias, module}); // .bss
  }
  elf_end(elf);
  close(file);
  return DWARF_CB_OK;
}

Dwfl_Module *DebugInfo::module_of_data(uint64_t address) {
  if (!dwfl_) return nullptr;
  if (!are_extents_known_) {
    extents_.clear();
    dwfl_getmodules(dwfl_, note_extents, &extents_, 0);
    are_extents_known_ = true;
  }
  Dwfl_Module *found = nullptr, *preferred = dwfl_addrmodule(dwfl_, address);
  for (const Extent &extent : extents_) {
    if (address < extent.begin || extent.end <= address) continue;
    if (extent.module == preferred) return preferred;
    found = extent.module;
  }
  return found;
}

Dwfl_Module *DebugInfo::module_at(uint64_t address) {
  if (!dwfl_) return nullptr;
  Dwfl_Module *module = dwfl_addrmodule(dwfl_, address);
  if (module || file_) return module;
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
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;)
      info.ranges.push_back({begin, end, *unit});
  }
  std::sort(info.ranges.begin(), info.ranges.end(),
            [](const UnitRange &a, const UnitRange &b) { return a.begin < b.begin; });
  info.effects = find_effects(module);
  std::vector<uint8_t> units = section_bytes(module, "dprof_units");
  info.is_instrumented = !units.empty();
  info.symbols = std::make_unique<Symbols>(module);
  info.sites = std::make_unique<UnitSites>(units.data(), units.size());
  return info;
}

bool DebugInfo::find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit) {
  const std::vector<UnitRange> &ranges = info(module).ranges;
  auto behind = std::upper_bound(ranges.begin(), ranges.end(), address,
                                 [](uint64_t a, const UnitRange &range) { return a < range.begin; });
  if (behind == ranges.begin() || address >= (--behind)->end) return false;
  *unit = behind->unit;
  return true;
}

// `address` as in the file.
bool DebugInfo::find_chain(Dwfl_Module *module, uint64_t address, Chain *chain) {
  return find_unit(module, address, &chain->unit) && descend(&chain->unit, address, &chain->scopes);
}

DebugInfo::Chain DebugInfo::chain_within(const Chain &of, uint64_t address) {
  Chain chain = {of.unit, {of.scopes.front()}};
  descend(&chain.scopes.front(), address, &chain.scopes);
  return chain;
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
  if (const char *found = info(module).symbols->find(address))
    place.function = place.linkage_name = place.within = found;
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
    if (!is_function(&scope)) continue;
    place.function = qualified_name(&scope);
    place.linkage_name = linkage_name(&scope);
    if (is_outermost) place.within = place.function;
    is_outermost = false;
  }
  return place;
}

bool DebugInfo::is_c_library(Dwfl_Module *module) {
  const char *path = nullptr;
  const char *name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &path, nullptr);
  const std::string base = base_of_path(path ? path : name ? name : "");
  for (const char *begin : {"libc.so", "libc-2", "ld-linux", "ld-musl", "libdprof_"})
    if (base.compare(0, strlen(begin), begin) == 0) return true;
  return false;
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
  return module && dwfl_module_info(module, nullptr, &from, &to, nullptr, nullptr, nullptr, nullptr) && from <= begin &&
         end <= to;
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

Place DebugInfo::code_in_file(uint64_t offset) {
  Place place;
  GElf_Addr bias;
  Elf *elf = file_ ? dwfl_module_getelf(file_, &bias) : nullptr;
  size_t headers = 0;
  if (elf) elf_getphdrnum(elf, &headers);
  for (size_t i = 0; i < headers; i++) {
    GElf_Phdr part;
    if (!gelf_getphdr(elf, (int)i, &part) || part.p_type != PT_LOAD || offset < part.p_offset ||
        offset - part.p_offset >= part.p_filesz)
      continue;
    place = this->place(part.p_vaddr + (offset - part.p_offset) + bias);
    break;
  }
  place.offset = offset;
  return place;
}

std::string DebugInfo::build_id() {
  const unsigned char *bytes;
  GElf_Addr address;
  GElf_Addr bias;
  if (!file_ || !dwfl_module_getelf(file_, &bias)) return "";
  const int count = dwfl_module_build_id(file_, &bytes, &address);
  std::string text;
  for (int i = 0; i < count; i++) {
    char pair[3];
    snprintf(pair, sizeof pair, "%02x", bytes[i]);
    text += pair;
  }
  return text;
}

bool DebugInfo::has_lines() {
  Dwarf_Addr bias;
  return file_ && dwfl_module_getdwarf(file_, &bias) && !info(file_).ranges.empty();
}

bool DebugInfo::has_units() { return file_ && !section_bytes(file_, "dprof_units").empty(); }

} // namespace dprof
