// Stage: command line. A 64-bit ELF file's symbol tables, by libelf.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

namespace dprof {

struct ElfSymbol {
  std::string name;
  bool is_function, is_undefined; // undefined: another file has it
  bool is_dynamic;                // of the table that the dynamic linker goes by
  uint64_t value, bytes;
};

struct ElfSymbols {
  const char *problem = ""; // "unreadable", "foreign" (no 64-bit ELF file), "cut short"
  std::vector<ElfSymbol> symbols;
};

ElfSymbols read_elf_symbols(const char *path);

// The bytes that the file has for these addresses; none if it has not all of them, or they are more than these.
constexpr uint64_t most_code_of_function = 1 << 24;
std::vector<uint8_t> read_elf_code(const char *path, uint64_t address, uint64_t bytes);

} // namespace dprof
