// Stage: sampler. Samples that have their types -> their file.
// src/hardware/samples/samples-format.ts draws the bytes.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "../../../recorder/bytes.h"
#include "../../../recorder/json.h"
#include "../../records/sample.h"
#include "../../run/incomplete_file.h"

namespace dprof {

struct TypedSample {
  Sample sample;
  uint32_t type;
  uint64_t offset;
  uint32_t place;
};

// Rows of one table, column by column.
class Columns {
public:
  explicit Columns(size_t rows) : rows_(rows) {}
  template <typename Value, typename Rows, typename Get> void add(const Rows &rows, Get get) {
    std::vector<Value> column;
    column.reserve(rows_);
    for (const auto &row : rows) column.push_back((Value)get(row));
    add_packed((const uint8_t *)column.data(), column.size() * sizeof(Value));
  }
  size_t rows() const { return rows_; }
  const Bytes &bytes() const { return bytes_; }
  const std::vector<uint32_t> &stored() const { return stored_; } // bytes of each column

private:
  void add_packed(const uint8_t *bytes, size_t count);

  size_t rows_;
  Bytes bytes_;
  std::vector<uint32_t> stored_;
};

class SamplesFile {
public:
  // 0, or the errno of the failure.
  int create(const std::string &path);
  // Kept until there are enough for a chunk.
  void add(const TypedSample &sample);
  // `directory`: its run, events, mappings, names, threads and lost; `typed`: its `typed` but the blocks.
  int finish(Json directory, Json typed, const Columns &rows, const Columns &objects);
  void remove() { file_.remove(); }

private:
  void flush();
  // The directory's entry of it.
  Json write_columns(const Columns &columns);

  IncompleteFile file_;
  Json chunks_ = Json::list();
  uint8_t header_[16] = {};
  std::vector<TypedSample> waiting_;
};

} // namespace dprof
