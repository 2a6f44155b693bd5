// Stage: command line. Symbols, code and probes of an ELF file, by libelf; blocks by where its branches lead.
#include "plain_bodies.h"

#include <fcntl.h>
#include <gelf.h>
#include <llvm/Support/MD5.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "instruction.h"

namespace dprof {
namespace {

constexpr const char *cut_short = "cut short";

struct Section {
  uint64_t address = 0, offset = 0;
  const uint8_t *bytes = nullptr;
  size_t size = 0;
};

struct Parts {
  std::vector<Section> code, data;
  Section units;
  Section probes;
  uint64_t active = 0; // address of the byte that chooses between the bodies of functions; 0: not there
  std::map<uint64_t, std::pair<uint64_t, std::string>> functions; // by address: bytes and name
};

// -- probes

// A function's probes as the section has them.
struct ProbeBody {
  uint64_t function = 0;         // the digest of its symbol's name
  std::vector<CodeProbe> probes; // by their distance from its begin
};

// The encoding is that of llvm/MC/MCPseudoProbe.h: bodies one after the other, each the unit, numbers of probes and of
// inlined bodies, and the probes. The first of a body is a sentinel that names the function; each other one has its
// distance from the one before.
class ProbeReader {
public:
  explicit ProbeReader(const Section &section) : at_(section.bytes), end_(section.bytes + section.size) {}

  bool read(std::vector<ProbeBody> *to) {
    while (at_ != end_ && ok_) {
      const uint64_t unit = whole(), probes = number(), inlined = number();
      ok_ &= inlined == 0; // none of ours is
      to->emplace_back();
      for (uint64_t i = 0; i < probes && ok_; i++) probe(unit, &to->back());
    }
    return ok_;
  }

private:
  static constexpr unsigned is_distance = 0x80, has_discriminator = 0x40, is_sentinel = 0x20, begins = 0x10;

  void probe(uint64_t unit, ProbeBody *to) {
    const uint64_t record = number();
    const unsigned kind = byte();
    if (kind & is_sentinel) {
      to->function = whole();
      address_ = 0;
      return;
    }
    if (!(kind & is_distance)) ok_ = false;
    address_ += (uint64_t)distance();
    if (kind & has_discriminator) number();
    to->probes.push_back({address_, unit, kind & begins ? 0 : record});
  }

  unsigned byte() {
    if (at_ == end_) ok_ = false;
    return ok_ ? *at_++ : 0;
  }
  uint64_t whole() {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) value |= (uint64_t)byte() << 8 * i;
    return value;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned part = byte();
      if (shift < 64) value |= (uint64_t)(part & 0x7f) << shift;
      if (!(part & 0x80)) return value;
    }
  }
  int64_t distance() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const unsigned part = byte();
      if (shift < 64) value |= (uint64_t)(part & 0x7f) << shift;
      shift += 7;
      if (part & 0x80) continue;
      if ((part & 0x40) && shift < 64) value |= ~uint64_t{0} << shift;
      return (int64_t)value;
    }
  }

  const uint8_t *at_, *end_;
  uint64_t address_ = 0;
  bool ok_ = true;
};

// -- sections and symbols

const char *read_parts(Elf *elf, Parts *to) {
  GElf_Ehdr head;
  size_t bytes, sections, names;
  if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64) return "foreign";
  if (!gelf_getehdr(elf, &head) || !elf_rawfile(elf, &bytes) || elf_getshdrnum(elf, &sections) != 0 ||
      elf_getshdrstrndx(elf, &names) != 0)
    return cut_short;
  if (head.e_machine != EM_X86_64) return "foreign";
  if (head.e_shoff > bytes || bytes - head.e_shoff < (uint64_t)head.e_shnum * head.e_shentsize) return cut_short;
  for (size_t i = 1; i < sections; i++) {
    Elf_Scn *section = elf_getscn(elf, i);
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header)) return cut_short;
    if (header.sh_type == SHT_NOBITS) continue;
    const char *name = elf_strptr(elf, names, header.sh_name);
    const bool is_probes = name && strcmp(name, ".pseudo_probe") == 0;
    const bool is_code = header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR);
    const bool is_symbols = header.sh_type == SHT_SYMTAB;
    const bool is_data = header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_ALLOC) && !is_code;
    if (!is_probes && !is_code && !is_symbols && !is_data) continue;
    Elf_Data *data = elf_getdata(section, nullptr);
    if (!data || data->d_size < header.sh_size) return cut_short;
    const Section part{header.sh_addr, header.sh_offset, (const uint8_t *)data->d_buf, data->d_size};
    if (is_code) to->code.push_back(part);
    if (is_data) to->data.push_back(part);
    if (is_data && name && strcmp(name, "dprof_units") == 0) to->units = part;
    if (is_probes) to->probes = part;
    GElf_Sym symbol;
    for (int at = 0; is_symbols && gelf_getsym(data, at, &symbol); at++) {
      const char *called = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (called && symbol.st_shndx != SHN_UNDEF && strcmp(called, "__dprof_active") == 0) to->active = symbol.st_value;
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_size && called)
        to->functions.try_emplace(symbol.st_value, symbol.st_size, called);
    }
  }
  return "";
}

// -- blocks

struct Decoded {
  uint64_t address;
  Instruction instruction;
};

class BlockCutter {
public:
  // A block begins at each probe, too.
  BlockCutter(uint64_t address, const uint8_t *code, size_t size, const std::vector<CodeProbe> &probes,
              const Parts &parts)
      : begin_(address), code_(code), size_(size), units_(parts.units) {
    for (const CodeProbe &probe : probes) probed_.insert(probe.address);
    leaders_ = probed_;
    std::map<uint64_t, uint64_t> named; // by instruction: the address that it names
    for (size_t at = 0; at < size;) {
      std::optional<Instruction> read = decode_instruction(address + at, code + at, size - at);
      if (!read) {
        at++; // data between code: what comes behind begins anew
        leaders_.insert(address + at);
        continue;
      }
      decoded_.push_back({address + at, *read});
      if (read->memory.is_known && read->memory.base == no_register)
        named.emplace(address + at, (uint64_t)read->memory.offset);
      at = read->next - address;
    }
    std::set<uint64_t> begins;
    for (const auto &[reader, table] : named) begins.insert(table);
    for (const auto &[reader, table] : named) {
      const auto next = begins.upper_bound(table);
      read_table(reader, table, next == begins.end() ? ~uint64_t{0} : *next, parts.data);
    }
    if (parts.active) find_choices(parts.active);
  }

  std::vector<CodeBlock> cut() {
    leaders_.insert(begin_);
    leaders_.insert(targets.begin(), targets.end());
    for (const Decoded &one : decoded_) {
      if (!ends_block(one.instruction)) continue;
      leaders_.insert(one.instruction.next);
      if (is_within(one.instruction.target)) leaders_.insert(one.instruction.target);
    }
    std::vector<CodeBlock> blocks;
    uint64_t end = 0; // of the last block
    for (const Decoded &one : decoded_) {
      const bool goes_on = !blocks.empty() && end == one.address;
      if (!goes_on || leaders_.contains(one.address)) {
        if (goes_on && is_open_) {
          blocks.back().next.push_back(one.address);
          blocks.back().ends_in_call = ends_in_call_;
        }
        blocks.emplace_back().address = one.address;
      }
      add(one, &blocks.back());
      end = one.instruction.next;
    }
    if (is_open_ && !blocks.empty()) blocks.back().leaves = true;
    return blocks;
  }

  std::set<uint64_t> targets; // of tables that the code names

private:
  // A table of distances from its begin, as position-independent code has them; another one begins at `end`.
  void read_table(uint64_t reader, uint64_t table, uint64_t end, const std::vector<Section> &data) {
    for (const Section &section : data) {
      if (table < section.address || table - section.address >= section.size || table % 4) continue;
      for (size_t at = table - section.address; section.size - at >= 4 && section.address + at < end; at += 4) {
        int32_t distance;
        memcpy(&distance, section.bytes + at, 4);
        const uint64_t target = table + (uint64_t)(int64_t)distance;
        if (!is_within(target)) return;
        targets.insert(target);
        tables_[reader].insert(target);
      }
    }
  }

  static bool ends_block(const Instruction &one) {
    return one.kind == Instruction::jump || one.kind == Instruction::branch || one.kind == Instruction::leave_function;
  }

  // nop, of any length.
  static bool is_filler(const uint8_t *code, const Instruction &one) {
    while (*code == 0x66 || *code == 0x2e) code++;
    return one.kind == Instruction::other && (*code == 0x90 || (code[0] == 0x0f && code[1] == 0x1f));
  }

  bool is_within(uint64_t address) const { return address >= begin_ && address - begin_ < size_; }

  // cmpb $0, __dprof_active(%rip); jne: taken, it leads to the body that records. The two may stand apart.
  void find_choices(uint64_t active) {
    uint64_t test = 0;
    for (const auto &[address, one] : decoded_) {
      const bool names_it =
          one.memory.is_known && one.memory.base == no_register && (uint64_t)one.memory.offset == active;
      if (names_it && one.writes_flags && !one.writes && !one.writes_memory) {
        test = address;
      } else if (test && (ends_block(one) || one.writes_flags)) {
        if (one.kind == Instruction::branch && one.condition != Instruction::whatever && is_within(one.target)) {
          const bool is_plain = one.condition == Instruction::equal;
          tests_.insert(test);
          choices_[address] = {behind_jump(is_plain ? one.target : one.next), is_plain ? one.next : one.target};
        }
        test = 0;
      }
    }
  }

  // Without optimisation the choice may lead to the plain body by one jump more, which is no part of that.
  uint64_t behind_jump(uint64_t to) const {
    const auto at = std::lower_bound(decoded_.begin(), decoded_.end(), to,
                                     [](const Decoded &one, uint64_t address) { return one.address < address; });
    const bool is_jump = at != decoded_.end() && at->address == to && at->instruction.kind == Instruction::jump;
    return is_jump && is_within(at->instruction.target) && !probed_.contains(to) ? at->instruction.target : to;
  }

  void add(const Decoded &one, CodeBlock *to) {
    if (tests_.contains(one.address)) return;
    if (const auto choice = choices_.find(one.address); choice != choices_.end()) {
      to->next = {choice->second.plain};
      to->other_body = choice->second.records;
      is_open_ = false;
      return;
    }
    const uint8_t *from = code_ + (one.address - begin_);
    to->code.insert(to->code.end(), from, from + (one.instruction.next - one.address));
    to->instructions++;
    const Memory &memory = one.instruction.memory;
    to->logs |= memory.is_known && memory.base == no_register && (uint64_t)memory.offset - units_.address < units_.size;
    const bool is_call = one.instruction.kind == Instruction::call;
    if (!is_call && !ends_block(one.instruction)) {
      if (to->stretches.empty() || is_behind_call_) to->stretches.emplace_back();
      to->stretches.back().insert(to->stretches.back().end(), from, from + (one.instruction.next - one.address));
    }
    is_behind_call_ = is_call;
    ends_in_call_ = is_call || (ends_in_call_ && to->instructions > 1 && is_filler(from, one.instruction));
    is_open_ = one.instruction.kind == Instruction::branch || !ends_block(one.instruction);
    if (!ends_block(one.instruction)) return;
    if (is_within(one.instruction.target))
      to->next.push_back(one.instruction.target);
    else
      to->leaves = true;
    to->returns = one.instruction.kind == Instruction::leave_function;
    to->calls_last = one.instruction.kind != Instruction::leave_function && to->leaves;
    if (one.instruction.kind != Instruction::jump || one.instruction.target) return;
    // A jump by a register leads away, as a call in a tail position does, unless the function has tables. The one that
    // the block itself names is the jump's.
    if (one.instruction.reads && tables_.empty()) return;
    to->calls_last = false;
    const auto own = tables_.lower_bound(to->address);
    to->is_jump =
        own == tables_.end() || own->first >= one.address || std::next(own) != tables_.lower_bound(one.address);
    if (to->is_jump) return;
    to->next.assign(own->second.begin(), own->second.end());
    to->leaves = false;
  }

  const uint64_t begin_;
  const uint8_t *const code_;
  const size_t size_;
  const Section &units_;
  std::vector<Decoded> decoded_;
  std::set<uint64_t> probed_, leaders_;
  struct Choice {
    uint64_t plain, records; // where the bodies begin
  };
  std::set<uint64_t> tests_;                      // instructions, as are the keys of
  std::map<uint64_t, Choice> choices_;            // the branches behind them
  std::map<uint64_t, std::set<uint64_t>> tables_; // by the instruction that names one: where its entries lead
  bool is_open_ = false;                          // the last block goes on into what follows it
  bool ends_in_call_ = false;                     // nothing but filler stands behind its last call
  bool is_behind_call_ = false;                   // what is added next
};

void add_function(const Parts &parts, uint64_t address, std::vector<CodeProbe> &probes, CodeFunctions *to) {
  const auto &[bytes, name] = parts.functions.at(address);
  for (CodeProbe &probe : probes) {
    if (probe.address >= bytes) return; // of another function of that name
    probe.address += address;
  }
  std::sort(probes.begin(), probes.end(),
            [](auto &a, auto &b) { return std::pair(a.address, a.record) < std::pair(b.address, b.record); });
  for (const Section &section : parts.code) {
    if (address < section.address || address - section.address > section.size) continue;
    const size_t at = address - section.address;
    if (section.size - at < bytes) continue;
    BlockCutter cutter(address, section.bytes + at, bytes, probes, parts);
    std::vector<CodeBlock> blocks = cutter.cut();
    to->functions.push_back({name,
                             address,
                             section.offset + at,
                             std::move(blocks),
                             probes,
                             {cutter.targets.begin(), cutter.targets.end()}});
    return;
  }
}

const char *read_functions(Elf *elf, CodeFunctions *to) {
  Parts parts;
  if (const char *problem = read_parts(elf, &parts); *problem) return problem;
  to->has_probes = parts.probes.size > 0;
  std::vector<ProbeBody> bodies;
  if (!ProbeReader(parts.probes).read(&bodies)) return cut_short;
  // Functions of one name, local to their files, lie in the order in which their files were linked, as their probes do.
  std::map<uint64_t, std::vector<uint64_t>> named; // addresses, ascending
  for (const auto &[address, symbol] : parts.functions) named[llvm::MD5Hash(symbol.second)].push_back(address);
  std::map<uint64_t, std::vector<ProbeBody *>> of_name;
  for (ProbeBody &body : bodies) of_name[body.function].push_back(&body);
  for (auto &[name, same] : of_name) {
    const auto found = named.find(name);
    if (found == named.end() || found->second.size() != same.size()) continue;
    for (size_t i = 0; i < same.size(); i++) add_function(parts, found->second[i], same[i]->probes, to);
  }
  std::sort(to->functions.begin(), to->functions.end(), [](auto &a, auto &b) { return a.address < b.address; });
  return "";
}

} // namespace

CodeFunctions read_functions(const char *path) {
  CodeFunctions found;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {"unreadable", false, {}};
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ, nullptr);
  found.problem = elf ? read_functions(elf, &found) : "foreign";
  elf_end(elf);
  close(file);
  return found;
}

} // namespace dprof
