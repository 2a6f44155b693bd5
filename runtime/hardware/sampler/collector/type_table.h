// Stage: sampler. Types of samples, and the facts about all objects of each: their lives, and the drawn objects.
#pragma once

#include <stdint.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../code/type_layout.h"
#include "object_map.h"

namespace dprof {

// As in RULES of src/contract/result.ts.
enum class TypingRule { object, site, variable, untyped };

struct DrawnObject {
  uint64_t address, bytes, born_ns, died_ns; // died 0: lived to the end
  uint32_t thread, cpu;
  uint32_t allocated_at, freed_at; // places
  uint32_t samples;
};

struct Lives {
  uint64_t allocations = 0, frees = 0;
  uint64_t objects = 0, bytes = 0; // now
  uint64_t peak_objects = 0, peak_bytes = 0;
  double object_ns = 0, byte_ns = 0; // integrals, up to changed_ns; the first is the sum of lifetimes too
  uint64_t changed_ns = 0;
  uint64_t sampled = 0, bounced = 0, write_shared = 0;

  void go_on_to(uint64_t time_ns);
};

struct TypeRow {
  TypeLayout layout;
  TypingRule rule;
  bool has_lives;
  Lives lives = {};
  std::vector<DrawnObject> drawn = {};
  uint64_t drawn_from = 0; // objects that had the chance
};

class TypeTable {
public:
  TypeTable(uint64_t seed, uint32_t most_objects);

  uint32_t of_layout(const TypeLayout &layout, TypingRule rule);
  // heap-SIZE@function
  uint32_t of_site(const std::string &function, uint64_t bytes);
  TypeRow &at(uint32_t number) { return rows_[number]; }
  uint32_t size() const { return (uint32_t)rows_.size(); }

  void begin(LiveObject *object, uint32_t allocated_at);
  // 0: lives to the end.
  void end(const LiveObject &object, uint64_t died_ns, uint32_t freed_at);
  void go_on_to(uint64_t time_ns);

private:
  uint64_t draw();

  std::vector<TypeRow> rows_;
  std::map<std::pair<std::string, uint64_t>, uint32_t> known_[2]; // of layouts: objects, variables
  std::unordered_map<std::string, uint32_t> known_sites_;
  uint64_t random_;
  const uint32_t most_objects_;
};

} // namespace dprof
