// Stage: recorder. Few modules are known, so they are searched one by one.
#include "module_homes.h"

#include <string.h>

#include "checksum.h"

namespace dprof {

const ModuleHome *ModuleHomes::Units::home(const std::shared_ptr<bool> &own) const {
  for (const ModuleHome &home : homes)
    if (*home.stays && home.stays != own) return &home;
  return nullptr;
}

ModuleHomes::Units &ModuleHomes::find(std::shared_ptr<const uint8_t> bytes, size_t size) {
  const uint32_t sum = checksum(bytes.get(), size);
  for (auto &known : known_)
    if (known->size == size && known->checksum == sum && memcmp(known->bytes.get(), bytes.get(), size) == 0)
      return *known;
  known_.push_back(std::make_unique<Units>(Units{std::move(bytes), size, sum, {}}));
  return *known_.back();
}

} // namespace dprof
