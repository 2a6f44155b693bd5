// Stage: replay -> stream.
#include "stream/packed_columns.h"

#include <cstring>

namespace dprof {

template <typename Number> static void packAs(const ReferenceRows &rows, const PackedColumn &column, PackedRows &into) {
  const uint32_t *const raw = column.ofOutcome ? rows.outcome.data() : rows.slot.data();
  const uint32_t shift = column.shift, mask = column.mask, entries = static_cast<uint32_t>(column.table.count);
  const uint32_t *const table = column.table.data;
  const size_t count = rows.count();
  into.values.resize(count * sizeof(Number));
  Number *const values = reinterpret_cast<Number *>(into.values.data());
  auto numberOf = [&](size_t row) {
    const uint32_t entry = raw[row] >> shift & mask;
    return entry < entries ? table[entry] : PackedColumn::NONE;
  };
  if (!column.mayLack) {
    for (size_t row = 0; row < count; row++) values[row] = static_cast<Number>(numberOf(row));
    return;
  }
  into.validity.resize((count + 63) / 64 * 8);
  bool any = false;
  for (size_t row = 0; row < count;) {
    uint8_t bits = 0;
    for (unsigned bit = 0; bit < 8 && row < count; bit++, row++) {
      const uint32_t number = numberOf(row);
      const bool has = number != PackedColumn::NONE;
      values[row] = has ? static_cast<Number>(number) : Number{0};
      bits |= static_cast<uint8_t>(has << bit);
      any |= !has;
    }
    into.validity[(row - 1) / 8] = bits;
  }
  if (any)
    std::memset(into.validity.data() + (count + 7) / 8, 0, into.validity.size() - (count + 7) / 8);
  else
    into.validity.clear();
}

PackedRows packRows(const ReferenceRows &rows, const PackedColumn &column) {
  PackedRows packed;
  switch (column.bytes) {
    case 1: packAs<uint8_t>(rows, column, packed); break;
    case 2: packAs<uint16_t>(rows, column, packed); break;
    default: packAs<uint32_t>(rows, column, packed);
  }
  return packed;
}

} // namespace dprof
