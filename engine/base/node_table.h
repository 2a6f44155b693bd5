// Stage: replay. Nodes by their keys, with numbers that stay while they live: open addressing, linear probing.
#pragma once

#include <cstdint>

#include "base/huge_vector.h"

namespace dprof {

/// A Node has a Key, `key()`, and a link `next` that is the table's while the node is unused.
template <typename Node> class NodeTable {
public:
  using Key = typename Node::Key;
  static constexpr uint32_t NONE = 0; // number 0 is no node

  Node &operator[](uint32_t number) { return nodes_[number]; }
  const Node &operator[](uint32_t number) const { return nodes_[number]; }
  uint64_t size() const { return size_; }
  /// All numbers are below.
  uint32_t end() const { return static_cast<uint32_t>(nodes_.size()); }

  uint32_t find(const Key &key) const {
    for (size_t at = homeOf(key);; at = (at + 1) & mask_) {
      uint32_t number = table_[at];
      if (number == NONE || nodes_[number].key() == key) return number;
    }
  }
  /// Adds a node whose key has no node yet.
  uint32_t add(const Node &node) {
    if ((size_ + 1) * 2 > table_.size()) grow();
    uint32_t number = unused_;
    if (number != NONE) {
      unused_ = nodes_[number].next;
      nodes_[number] = node;
    } else {
      number = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back(node);
    }
    put(number);
    size_++;
    return number;
  }
  void remove(uint32_t number) {
    size_t hole = homeOf(nodes_[number].key());
    while (table_[hole] != number) hole = (hole + 1) & mask_;
    for (size_t at = (hole + 1) & mask_; table_[at] != NONE; at = (at + 1) & mask_) {
      size_t home = homeOf(nodes_[table_[at]].key());
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue; // it would stand before its home
      table_[hole] = table_[at];
      hole = at;
    }
    table_[hole] = NONE;
    nodes_[number].next = unused_;
    unused_ = number;
    size_--;
  }
  void clear() { *this = {}; }

private:
  static constexpr size_t FIRST_SIZE = 1024;
  size_t homeOf(const Key &key) const { return key.hash() >> 20 & mask_; }
  void put(uint32_t number) {
    size_t at = homeOf(nodes_[number].key());
    while (table_[at] != NONE) at = (at + 1) & mask_;
    table_[at] = number;
  }
  void grow() {
    HugeVector<uint32_t> old(table_.size() * 2);
    old.swap(table_);
    mask_ = table_.size() - 1;
    for (uint32_t number : old)
      if (number != NONE) put(number);
  }

  HugeVector<Node> nodes_ = HugeVector<Node>(1);
  HugeVector<uint32_t> table_ = HugeVector<uint32_t>(FIRST_SIZE);
  size_t mask_ = FIRST_SIZE - 1, size_ = 0;
  uint32_t unused_ = NONE;
};

} // namespace dprof
