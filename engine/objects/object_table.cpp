// Stage: replay. Columns of objects, in memory and in a file.
#include "objects/object_table.h"

namespace dprof {

void ObjectColumns::add(const ObjectRow &row, const ObjectCount *counts) {
  address.push_back(static_cast<double>(row.address));
  sizeBytes.push_back(static_cast<double>(row.sizeBytes));
  bornAt.push_back(static_cast<double>(row.bornAt));
  diedAt.push_back(row.diedAt == ObjectRow::NEVER ? -1 : static_cast<double>(row.diedAt));
  lives.push_back(static_cast<double>(row.lives));
  lifetime.push_back(static_cast<double>(row.lifetime));
  references.push_back(static_cast<double>(row.references));
  allocationSlot.push_back(row.allocationSlot);
  variable.push_back(row.variable);
  freeSlot.push_back(row.freeSlot);
  type.push_back(row.type);
  thread.push_back(row.thread);
  callPath.push_back(row.callPath);
  core.push_back(row.core);
  kind.push_back(row.kind);
  flags.push_back(row.flags);
  for (size_t i = 0; i < row.counters; i++) {
    object.push_back(row.number);
    counter.push_back(static_cast<uint8_t>(counts[i].counter));
    value.push_back(static_cast<double>(counts[i].value));
  }
}

void ObjectColumns::clear() {
  auto clear = [](const char *, const auto &column) { const_cast<std::decay_t<decltype(column)> &>(column).clear(); };
  eachOfObjects(clear);
  eachOfCounters(clear);
}

StoredObjects storeObjects(ObjectLog &log, const std::string &folder) {
  StoredObjects stored{TemporaryFile(folder), {}};
  ObjectColumns columns;
  uint64_t end = 0;
  auto flush = [&] {
    if (columns.address.empty()) return;
    stored.chunks.push_back({end, columns.address.size(), columns.object.size()});
    auto write = [&](const char *, const auto &column) {
      size_t bytes = column.size() * sizeof column[0];
      stored.file.write(end, column.data(), bytes);
      end += bytes;
    };
    auto align = [&] {
      static constexpr char ZEROS[8] = {};
      size_t gap = -end & 7;
      stored.file.write(end, ZEROS, gap); // the file's last table may be an empty one
      end += gap;
    };
    columns.eachOfObjects(write);
    align();
    columns.eachOfCounters(write);
    align();
    columns.clear();
  };
  log.drain([&](const ObjectRow &row, const ObjectCount *counts) {
    columns.add(row, counts);
    if (columns.address.size() == StoredObjects::ROWS) flush();
  });
  flush();
  return stored;
}

} // namespace dprof
