// Stage: replay -> stream. Columns that rows have as they are, by name.
#pragma once

#include <string>

#include "base/trace_error.h"
#include "stream/reference_rows.h"

namespace dprof {

/// What rows without a value have.
enum class Absent { NEVER, NO_INDEX, ZERO, BIT };

/// Calls `use` with the column. InputError: a kernel in C cannot have it.
template <typename Rows, typename Use> auto withRawColumn(const std::string &name, Rows &rows, Use use) {
  if (name == "number") return use(rows.number, Absent::NEVER);
  if (name == "time") return use(rows.time, Absent::NEVER);
  if (name == "address") return use(rows.address, Absent::NEVER);
  if (name == "size") return use(rows.size, Absent::NEVER);
  if (name == "thread") return use(rows.thread, Absent::NEVER);
  if (name == "core") return use(rows.core, Absent::NEVER);
  if (name == "object") return use(rows.object, Absent::NO_INDEX);
  if (name == "objectOffset") return use(rows.offset, Absent::NEVER);
  if (name == "age") return use(rows.age, Absent::NEVER);
  if (name == "value") return use(rows.value, Absent::BIT);
  for (size_t level = 0; level < 3; level++) {
    if (name == EVICTED[level]) return use(rows.evicted[level], Absent::ZERO);
    if (name == EVICTED_OBJECT[level]) return use(rows.evictedObject[level], Absent::NO_INDEX);
  }
  if (name == "invalidated") return use(rows.invalidated, Absent::NEVER);
  throw InputError("a kernel in C cannot have the column '" + name + "'");
}

} // namespace dprof
