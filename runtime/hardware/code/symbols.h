// Stage: collectors. A module's symbols of functions, by address: libdwfl itself goes through all of them for each.
#pragma once

#include <elfutils/libdwfl.h>
#include <stdint.h>

#include <vector>

namespace dprof {

class Symbols {
public:
  explicit Symbols(Dwfl_Module *module);

  // Name of the function that holds the address, as the process has it; null: none. The module keeps the text.
  const char *find(uint64_t address) const;

private:
  struct Symbol {
    uint64_t begin, end;
    const char *name;
    int preference; // of several symbols at one address the one with the smallest value counts
  };
  std::vector<Symbol> symbols_; // by begin; one for each
};

} // namespace dprof
