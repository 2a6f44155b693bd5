// Stage: recorder. Units of registered modules -> the paths that header words name, in the order of their first use.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <vector>

#include "dprof/abi.h"
#include "dprof/trace_format.h"
#include "mapped_array.h"

namespace dprof {

constexpr uint32_t no_positions = 0xffffffff;

// The offset of a path's state (path_loop.h) in every thread's states, in bytes. Place 0 is no path: it stands for the
// path before a thread's first.
using PathPlace = uint32_t;
constexpr uint32_t place_step = 64;

struct PathInfo {
  PathPlace place;
  uint32_t number; // over the whole trace
  uint32_t words;  // words behind the header word, gaps and stamp included
  uint32_t coded_words;
  uint32_t first_position; // of where its coded words stand, in `positions`; no_positions: one after the other, right
                           // behind the header
  uint32_t segments;
  uint32_t atomic_word; // with atomic_delta: the address of the stamp's atomic
  uint64_t atomic_delta;
  uint8_t stamp_event; // 0: the last word is no stamp
};

// The place at which the path of a header word is described.
struct PathSource {
  const uint8_t *unit; // its bytes
  uint32_t unit_number, entry, number;
};

struct AddressRange {
  uint64_t begin, end;
};

struct VariableName {
  uint32_t unit, variable;
};

class PathTable {
public:
  PathTable();
  ~PathTable();

  // False: the bytes are not units that a plugin wrote; nothing of them is added.
  bool add_module(std::shared_ptr<const uint8_t> units, size_t bytes, uint64_t address);
  // Forgets modules that have any of these addresses: others will be there.
  void remove(AddressRange range);
  bool find_variable(uint64_t address, VariableName *name) const;

  // The places of the module that has `header`, by offset from `*begin`, below `*bytes`; 0: not seen yet. Null if no
  // module has it.
  const PathPlace *places_at(uint64_t header, uint64_t *begin, uint64_t *bytes) const;
  // The path of a header word; 0: there is none.
  PathPlace find(uint64_t header);
  // The same, but also 0 if `find` has not met it yet.
  PathPlace known(uint64_t header) const;

  // False: there is none.
  bool find_source(uint64_t header, PathSource *source) const;

  const PathInfo &path(PathPlace place) const { return paths_[index_of_place_[place / place_step]]; }
  const uint32_t *positions() const { return positions_.data(); }
  // All paths in the order of their first use.
  const std::vector<PathInfo> &paths() const { return paths_; }
  // Address ranges of modules that others replaced.
  const std::vector<AddressRange> &replaced() const { return replaced_; }
  // All places given out so far are below this.
  uint32_t end_of_places() const { return (uint32_t)(index_of_place_.size() * place_step); }
  uint32_t units() const { return unit_count_; }

private:
  struct Unit {
    uint64_t begin; // in the program
    size_t offset;  // in its module's bytes
    uint32_t first_region;
    uint32_t number;
  };
  struct Module {
    uint64_t begin;
    std::shared_ptr<const uint8_t> bytes;
    size_t size;
    std::vector<Unit> units;       // by address
    MappedArray<PathPlace> places; // by address, counted from `begin`
  };
  const Module *module_at(uint64_t address) const;
  static const Unit *unit_at(const Module &module, uint64_t address);
  PathPlace add_path(const Module &module, const Unit &unit, uint64_t offset);

  std::vector<std::unique_ptr<Module>>
      modules_; // the loaded modules; if one took the place of another one, this list has only the newer
  std::vector<AddressRange> replaced_;
  std::vector<PathInfo> paths_;
  std::vector<uint32_t> positions_;
  std::vector<uint32_t> index_of_place_;
  uint32_t unit_count_ = 0;
  uint32_t region_count_ = 0;
};

} // namespace dprof
