// Stage: collectors. The units in an instrumented file -> what its allocation calls allocate.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "type_layout.h"

namespace dprof {

class UnitSites {
public:
  // Reads the bytes of the section dprof_units. Bytes that do not look like units are passed over.
  UnitSites(const uint8_t *bytes, size_t count);

  struct Site {
    std::string function, linkage_name;
    TypeLayout layout; // no name: unknown
    uint64_t offset;   // of the layout from the allocation's begin: behind the cookie of an array
    bool is_array;
  };

  // Null if no site is there, or one without a struct, union or class. `function`: its linkage name, or its own.
  const Site *find(const std::string &file, uint32_t line, uint32_t column, const std::string &function) const;

private:
  using Place = std::tuple<std::string, uint32_t, uint32_t>; // name of the file without its folder, line, column

  void add_unit(const uint8_t *bytes);

  std::map<Place, std::vector<Site>> sites_;
};

std::string base_of_path(const std::string &path);

} // namespace dprof
