// Stage: sampler, validation, command line. dprof-code: files and offsets of instructions in them -> functions and
// lines; ELF files -> what their symbol tables say.
//
// Lines in: `file PATH`, then for each instruction of it its offset in the file, hexadecimal. Lines out, in that order,
// each a JSON object: of a file
// {"found","buildId","hasLines","isInstrumented"}, of an offset {"function","within","file","line","column"}, empty
// where nobody knows.
//
// Or `elf PATH`, answered with {"problem"}: "", "unreadable", "foreign" (no 64-bit ELF file) or "cut short"; then
// `function NAME`, answered with {"address","bytes"}, decimal, or null; `code NAME`, answered with {"address","code"},
// the function's bytes in hexadecimal, or null; and `needs`, answered with the list of names that the dynamic linker
// looks for elsewhere.
//
// Or `blocks PATH`, answered with {"problem","hasProbes"}, then, where there is no problem, with a line for each
// function that has probes, {"name","address","offset","blocks","probes","targets"}, and an empty list behind them:
// blocks are [address, code, stretches, instructions, next, leaves, isJump, otherBody, logs, returns, callsLast,
// endsInCall], with code in hexadecimal, probes [address, unit, record]; plain_bodies.h says what they are. Status 0; 2
// for another line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "../../recorder/json.h"
#include "debug_info.h"
#include "elf_symbols.h"
#include "plain_bodies.h"

using namespace dprof;

namespace {

// What a samples file calls a file may be a pipe that nobody writes to.
bool is_readable_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

void print(const Json &answer) { puts(answer.text().c_str()); }

void print_file(DebugInfo &code, bool is_found) {
  print({{"found", is_found},
         {"buildId", code.build_id()},
         {"hasLines", code.has_lines()},
         {"isInstrumented", code.has_units()}});
}

void print_place(DebugInfo &code, uint64_t offset) {
  const Place place = code.code_in_file(offset);
  print({{"function", place.function},
         {"within", place.within},
         {"file", place.file},
         {"line", place.line},
         {"column", place.column}});
}

const ElfSymbol *find_function(const ElfSymbols &elf, const std::string &name) {
  for (const ElfSymbol &symbol : elf.symbols)
    if (symbol.is_function && symbol.bytes > 0 && symbol.name == name) return &symbol;
  return nullptr;
}

void print_function(const ElfSymbols &elf, const std::string &name) {
  const ElfSymbol *found = find_function(elf, name);
  print(found ? Json({{"address", Json::decimal(found->value)}, {"bytes", Json::decimal(found->bytes)}})
              : Json(nullptr));
}

void print_code(const ElfSymbols &elf, const std::string &path, const std::string &name) {
  constexpr char digits[] = "0123456789abcdef";
  const ElfSymbol *found = find_function(elf, name);
  std::string code;
  if (found)
    for (const uint8_t byte : read_elf_code(path.c_str(), found->value, found->bytes)) {
      code += digits[byte >> 4];
      code += digits[byte & 15];
    }
  print(found ? Json({{"address", Json::decimal(found->value)}, {"code", code}}) : Json(nullptr));
}

void print_needs(const ElfSymbols &elf) {
  Json names = Json::list();
  for (const ElfSymbol &symbol : elf.symbols)
    if (symbol.is_dynamic && symbol.is_undefined && !symbol.name.empty()) names.append(symbol.name);
  print(names);
}

Json hexadecimal(const std::vector<uint8_t> &bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  return text;
}

void print_blocks(const char *path) {
  const CodeFunctions code = read_functions(path);
  print({{"problem", code.problem}, {"hasProbes", code.has_probes}});
  if (*code.problem) return;
  const auto row = [](auto... parts) {
    Json made = Json::list();
    (made.append(Json(parts)), ...);
    return made;
  };
  for (const CodeFunction &function : code.functions) {
    const Json blocks = Json::list(function.blocks, [&](const CodeBlock &block) {
      return row(block.address, hexadecimal(block.code), Json::list(block.stretches, hexadecimal), block.instructions,
                 Json::list(block.next), block.leaves, block.is_jump, block.other_body, block.logs, block.returns,
                 block.calls_last, block.ends_in_call);
    });
    const Json probes = Json::list(function.probes, [&](const CodeProbe &probe) {
      return row(probe.address, Json::hexadecimal(probe.unit), probe.record);
    });
    print({{"name", function.name},
           {"address", function.address},
           {"offset", function.offset},
           {"blocks", blocks},
           {"probes", probes},
           {"targets", Json::list(function.targets)}});
  }
  print(Json::list());
}

// Whether `line` asks for symbols.
bool answer_symbols(const char *line, ElfSymbols *elf, std::string *path) {
  if (strncmp(line, "elf ", 4) == 0) {
    *path = line + 4;
    *elf = read_elf_symbols(path->c_str());
    print({{"problem", elf->problem}});
  } else if (strncmp(line, "function ", 9) == 0) {
    print_function(*elf, line + 9);
  } else if (strncmp(line, "blocks ", 7) == 0) {
    print_blocks(line + 7);
  } else if (strncmp(line, "code ", 5) == 0) {
    print_code(*elf, *path, line + 5);
  } else if (strcmp(line, "needs") == 0) {
    print_needs(*elf);
  } else {
    return false;
  }
  return true;
}

} // namespace

int main() {
  unsetenv("DEBUGINFOD_URLS"); // what is not on this machine is not asked for elsewhere
  std::unique_ptr<DebugInfo> code;
  ElfSymbols elf;
  std::string path; // of `elf`
  char *line = nullptr;
  size_t room = 0;
  for (ssize_t bytes; (bytes = getline(&line, &room, stdin)) > 0;) {
    if (line[bytes - 1] == '\n') line[bytes - 1] = 0;
    if (answer_symbols(line, &elf, &path)) continue;
    if (strncmp(line, "file ", 5) == 0) {
      code.reset();
      const bool is_found = is_readable_file(line + 5);
      code = std::make_unique<DebugInfo>(is_found ? std::string(line + 5) : std::string("/dev/null"));
      print_file(*code, is_found);
      continue;
    }
    char *end;
    const uint64_t offset = strtoull(line, &end, 16);
    if (!code || end == line || *end) {
      fprintf(stderr, "dprof-code: neither a file nor an offset in one: %s\n", line);
      return 2;
    }
    print_place(*code, offset);
  }
  free(line);
  return 0;
}
