// Stage: command line. The machine code of functions that have probes (llvm-pass/probes.h), as basic blocks.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

namespace dprof {

// An entry of the section .pseudo_probe: where a record's place came to lie.
struct CodeProbe {
  uint64_t address;
  uint64_t unit;   // the digest of the unit's bytes
  uint64_t record; // 1 + its number in the unit; 0: the plain body begins here
};

struct CodeBlock {
  uint64_t address;
  std::vector<uint8_t> code;
  // The same in stretches, without calls and what ends the block.
  std::vector<std::vector<uint8_t>> stretches;
  unsigned instructions = 0;
  std::vector<uint64_t> next; // addresses of blocks of the function that may follow
  bool leaves = false;        // it may go on somewhere that is not in `next`: a return, a jump of unknown target
  bool is_jump = false;       // to an address that nobody knows
  bool returns = false;
  bool calls_last = false;   // it jumps out of the function, or may: a call in a tail position
  bool ends_in_call = false; // what is in `next` follows only if that call returns
  // It ends in the test that chooses between the two bodies, which `code` and `instructions` are without: `next` is the
  // plain body, this is where the one that records begins. 0: it does not.
  uint64_t other_body = 0;
  bool logs = false; // it names a path of the unit: it is of the body that records
};

struct CodeFunction {
  std::string name;
  uint64_t address, offset;      // the latter in the file
  std::vector<CodeBlock> blocks; // ascending; without what is no instruction
  std::vector<CodeProbe> probes; // ascending
  // Where jumps lead whose targets are in tables, ascending: all of them, as far as tables were found.
  std::vector<uint64_t> targets;
};

struct CodeFunctions {
  const char *problem = ""; // "unreadable", "foreign" (no 64-bit ELF file of x86-64), "cut short"
  bool has_probes = false;
  std::vector<CodeFunction> functions; // those with probes, ascending
};

CodeFunctions read_functions(const char *path);

} // namespace dprof
