// Stage: replay. The flow that a replay found, as the tables of src/replay/flow-result.ts.
#include "addon/addon.h"
#include "addon/addon_columns.h"

namespace dprof {

namespace {

Napi::Object tableOf(Napi::Env env, size_t rows) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(rows));
  return table;
}

Napi::Object readingTable(Napi::Env env, const std::vector<Reading> &rows) {
  Napi::Object table = tableOf(env, rows.size());
  table.Set("kind", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].kind; }));
  table.Set("type", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].type; }));
  table.Set("variable", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].variable; }));
  table.Set("allocationSlot", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].allocationSlot; }));
  table.Set("sizeBytes", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].size); }));
  return table;
}

Napi::Object pathTable(Napi::Env env, const std::vector<Paths::Path> &rows) {
  Napi::Object table = tableOf(env, rows.size());
  table.Set("reading", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].reading; }));
  table.Set("allocationSlot", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].allocationSlot; }));
  table.Set("end", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].end; }));
  table.Set("freeSlot", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].freeSlot; }));
  table.Set("flags", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].flags; }));
  table.Set("lives", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].lives); }));
  table.Set("lifetime", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].lifetime); }));
  table.Set("firstStep", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].firstStep; }));
  table.Set("steps", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].steps; }));
  return table;
}

Napi::Object stepTable(Napi::Env env, const std::vector<Paths::Step> &rows) {
  Napi::Object table = tableOf(env, rows.size());
  table.Set("place", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].place; }));
  table.Set("changesCore", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].changesCore; }));
  table.Set("served", fill<F64>(env, rows.size() * SERVERS,
                                [&](size_t i) { return static_cast<double>(rows[i / SERVERS].served[i % SERVERS]); }));
  table.Set("latencyCycles",
            fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].latencyCycles); }));
  table.Set("time", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].time); }));
  table.Set("beginOffset",
            fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].beginOffset); }));
  table.Set("endOffset", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].endOffset); }));
  return table;
}

Napi::Object otherPathTable(Napi::Env env, const Paths &paths) {
  const std::vector<std::pair<uint32_t, Paths::Other>> rows(paths.others.begin(), paths.others.end());
  Napi::Object table = tableOf(env, rows.size());
  table.Set("reading", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].first; }));
  table.Set("lives", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].second.lives); }));
  table.Set("references",
            fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].second.references); }));
  return table;
}

Napi::Object residencyTable(Napi::Env env, const Residency &residency) {
  struct Row {
    uint32_t reading;
    uint8_t level;
  };
  std::vector<Row> rows;
  for (uint32_t reading = 0; reading < residency.rows.size(); reading++)
    for (uint8_t level = 0; level < 3; level++)
      if (residency.rows[reading].lines[level] || residency.rows[reading].freed[level])
        rows.push_back({reading, level});
  auto of = [&](size_t i) { return residency.rows[rows[i].reading]; };
  Napi::Object table = tableOf(env, rows.size());
  table.Set("level", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].level; }));
  table.Set("reading", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].reading; }));
  table.Set("lineTime",
            fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(of(i).lines[rows[i].level]); }));
  table.Set("freedLineTime",
            fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(of(i).freed[rows[i].level]); }));
  return table;
}

Napi::Object objectBinTable(Napi::Env env, const ObjectLines &of) {
  struct Row {
    uint64_t key, objects, lines;
  };
  std::unordered_map<uint64_t, Row> bins; // a line may be of another object that reads the same, and was there first
  of.objects.each([&](uint64_t key, uint64_t count) { bins[key] = {key, count, 0}; });
  of.lines.each([&](uint64_t key, uint64_t count) { bins[key].lines = count; });
  std::vector<Row> rows;
  for (const auto &[key, row] : bins) rows.push_back(row);
  Napi::Object table = tableOf(env, rows.size());
  table.Set("level", fill<U8>(env, rows.size(), [&](size_t i) { return ObjectLines::levelOf(rows[i].key); }));
  table.Set("reading", fill<U32>(env, rows.size(), [&](size_t i) { return ObjectLines::readingOf(rows[i].key); }));
  table.Set("bin", fill<U8>(env, rows.size(), [&](size_t i) { return ObjectLines::binOf(rows[i].key); }));
  table.Set("lines", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].lines); }));
  table.Set("objects", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].objects); }));
  return table;
}

Napi::Object missBinTable(Napi::Env env, const std::vector<MissBins::Row> &rows) {
  Napi::Object table = tableOf(env, rows.size());
  table.Set("level", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].level; }));
  table.Set("label", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].label; }));
  table.Set("bin", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].bin; }));
  table.Set("misses", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].misses); }));
  return table;
}

} // namespace

Napi::Object flowOf(Napi::Env env, Flow &flow) {
  Napi::Object tables = Napi::Object::New(env);
  tables.Set("readings", readingTable(env, flow.readings.rows));
  tables.Set("paths", pathTable(env, flow.paths.paths));
  tables.Set("steps", stepTable(env, flow.paths.steps));
  tables.Set("otherPaths", otherPathTable(env, flow.paths));
  tables.Set("residency", residencyTable(env, flow.residency));
  tables.Set("objectBins", objectBinTable(env, flow.lines));
  tables.Set("missBins", missBinTable(env, flow.missBins.rows()));
  Napi::Array sets = Napi::Array::New(env, 3);
  for (uint32_t level = 0; level < 3; level++) {
    const std::vector<uint64_t> &lines = flow.lines.linesPerSet[level];
    sets.Set(level, fill<F64>(env, lines.size(), [&](size_t i) { return static_cast<double>(lines[i]); }));
  }
  tables.Set("linesPerSet", sets);
  return tables;
}

} // namespace dprof
