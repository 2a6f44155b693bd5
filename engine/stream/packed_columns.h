// Stage: replay -> stream. Columns of small numbers that a slot or an outcome says by a table: places in a dictionary,
// lines, latencies. src/stream/packed-column.ts makes the tables.
#pragma once

#include "stream/reference_rows.h"
#include "trace/input.h"

namespace dprof {

/// A row's number is table[(its slot or outcome) >> shift & mask].
struct PackedColumn {
  static constexpr uint32_t NONE = 0xffffffff; // in the table: no value
  bool ofOutcome;
  uint32_t shift, mask;
  Column<uint32_t> table; // has mask + 1 entries; of slots, one for each
  uint8_t bytes;          // of a number: 1, 2 or 4
  bool mayLack;           // the table has NONE
};

struct PackedRows {
  RowColumn<uint8_t> values;   // little-endian; 0 where there is none
  RowColumn<uint8_t> validity; // a bit for each row, in words of 64; empty: all have a value
};

PackedRows packRows(const ReferenceRows &rows, const PackedColumn &column);

} // namespace dprof
