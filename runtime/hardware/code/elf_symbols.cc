// Stage: command line. SHT_SYMTAB and SHT_DYNSYM, in the file's order.
#include "elf_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

namespace dprof {
namespace {

const char *read_symbols(Elf *elf, std::vector<ElfSymbol> *to) {
  if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64) return "foreign";
  GElf_Ehdr header_of_file;
  size_t bytes, sections;
  if (!gelf_getehdr(elf, &header_of_file) || !elf_rawfile(elf, &bytes) || elf_getshdrnum(elf, &sections) != 0)
    return "cut short";
  // libelf takes a file that ends before its table of sections does for one without sections
  const uint64_t first = header_of_file.e_shoff, table = (uint64_t)header_of_file.e_shnum * header_of_file.e_shentsize;
  if (first > bytes || bytes - first < table) return "cut short";
  for (size_t i = 1; i < sections; i++) {
    Elf_Scn *section = elf_getscn(elf, i);
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header)) return "cut short";
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    Elf_Data *data = elf_getdata(section, nullptr);
    if (!data || data->d_size < header.sh_size) return "cut short";
    GElf_Sym symbol;
    for (int at = 0; gelf_getsym(data, at, &symbol); at++) {
      const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
      to->push_back({name ? name : "", GELF_ST_TYPE(symbol.st_info) == STT_FUNC, symbol.st_shndx == SHN_UNDEF,
                     header.sh_type == SHT_DYNSYM, symbol.st_value, symbol.st_size});
    }
  }
  return "";
}

} // namespace

ElfSymbols read_elf_symbols(const char *path) {
  ElfSymbols found;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {"unreadable", {}};
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ, nullptr);
  found.problem = elf ? read_symbols(elf, &found.symbols) : "foreign";
  elf_end(elf);
  close(file);
  return found;
}

std::vector<uint8_t> read_elf_code(const char *path, uint64_t address, uint64_t bytes) {
  std::vector<uint8_t> code;
  if (bytes > most_code_of_function) return code;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return code;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ, nullptr);
  size_t segments = 0;
  if (elf) elf_getphdrnum(elf, &segments);
  for (size_t i = 0; i < segments; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t within = address - segment.p_vaddr;
    if (within > segment.p_filesz || segment.p_filesz - within < bytes) continue;
    code.resize(bytes);
    if (pread(file, code.data(), bytes, (off_t)(segment.p_offset + within)) != (ssize_t)bytes) code.clear();
    break;
  }
  elf_end(elf);
  close(file);
  return code;
}

} // namespace dprof
