// Stage: collectors. STT_FUNC and its like; one without a size, as assembly has them, reaches to the next.
#include "symbols.h"

#include <gelf.h>
#include <string.h>

#include <algorithm>

namespace dprof {
namespace {

int preference_of(const GElf_Sym &symbol) {
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL: return 0;
    case STB_WEAK: return 1;
    default: return 2;
  }
}

} // namespace

Symbols::Symbols(Dwfl_Module *module) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
    const int kind = GELF_ST_TYPE(symbol.st_info);
    if (!name || !*name || section == SHN_UNDEF || (kind != STT_FUNC && kind != STT_GNU_IFUNC)) continue;
    symbols_.push_back({address, address + symbol.st_size, name, preference_of(symbol)});
  }
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol &a, const Symbol &b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    if (a.preference != b.preference) return a.preference < b.preference;
    return strcmp(a.name, b.name) < 0;
  });
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(),
                             [](const Symbol &a, const Symbol &b) { return a.begin == b.begin; }),
                 symbols_.end());
  for (size_t i = 0; i < symbols_.size(); i++)
    if (symbols_[i].end == symbols_[i].begin)
      symbols_[i].end = i + 1 < symbols_.size() ? symbols_[i + 1].begin : symbols_[i].begin + 1;
}

const char *Symbols::find(uint64_t address) const {
  auto behind = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                 [](uint64_t at, const Symbol &symbol) { return at < symbol.begin; });
  return behind == symbols_.begin() || address >= (--behind)->end ? nullptr : behind->name;
}

} // namespace dprof
