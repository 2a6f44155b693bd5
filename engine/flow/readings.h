// Stage: replay. The readings of objects, numbered in the order in which they are met. docs/data-flow.md, "Distinct
// paths".
#pragma once

#include <vector>

#include "objects/memory.h"

namespace dprof {

struct Reading {
  static constexpr uint8_t NO_OBJECT = 4, ANY = 5; // kinds, beside those of ObjectKind
  uint8_t kind;
  uint32_t type, variable, allocationSlot;
  uint64_t size;
  uint8_t isPool; // of pools the site is
  bool operator==(const Reading &) const = default;
};

class Readings {
public:
  explicit Readings(const Input &input) : input_(input) {}

  /// The reading of an object. Nobody refers to the object any more in its present life.
  uint32_t of(const LiveObject &object) {
    const bool isHeap = object.kind == HEAP, pool = isPool(input_, object);
    uint32_t type = pool                         ? 0
                    : object.declared || !isHeap ? object.declared
                                                 : object.votes.winner(input_.types.nameRank.data);
    bool isSite = isHeap && !type;
    return number(
        {object.kind, type, object.variable, isSite ? object.slot : NO_INDEX, isSite ? object.size : 0, pool});
  }
  /// The same as a row of types, whatever the object's kind and variable.
  uint32_t asRow(uint32_t reading) {
    if (reading >= rowOf_.size()) rowOf_.resize(rows.size() * 2, NO_INDEX);
    if (rowOf_[reading] == NO_INDEX) {
      Reading of = rows[reading];
      rowOf_[reading] = number({Reading::ANY, of.type, 0, of.allocationSlot, of.size, of.isPool});
    }
    return rowOf_[reading];
  }
  uint32_t none() { return number({Reading::NO_OBJECT, 0, 0, NO_INDEX, 0, 0}); }

  std::vector<Reading> rows;

private:
  uint32_t number(const Reading &reading);

  const Input &input_;
  std::vector<uint32_t> rowOf_;                              // by reading; NO_INDEX: nobody asked yet
  std::vector<uint32_t> table_ = std::vector<uint32_t>(256); // row + 1; at most half full
};

} // namespace dprof
