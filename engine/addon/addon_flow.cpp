// Stage: replay. The flow that a replay found, as the tables of src/contract/flow-result.ts.
#include "addon/addon.h"
#include "addon/addon_columns.h"

namespace dprof {

namespace {

Napi::Object readingTable(Napi::Env env, const std::vector<Reading> &rows) {
  return tableOf<result::Reading>(env, rows.size(), [&](size_t i) -> result::Reading {
    const Reading &of = rows[i];
    return {.kind = of.kind,
            .type = of.type,
            .variable = of.variable,
            .allocationSlot = of.allocationSlot,
            .sizeBytes = real(of.size),
            .isPool = of.isPool};
  });
}

Napi::Object pathTable(Napi::Env env, const std::vector<LifePaths::Path> &rows) {
  return tableOf<result::Path>(env, rows.size(), [&](size_t i) -> result::Path {
    const LifePaths::Path &of = rows[i];
    return {.reading = of.reading,
            .allocationSlot = of.allocationSlot,
            .callPath = of.callPath,
            .end = of.end,
            .freeSlot = of.freeSlot,
            .flags = of.flags,
            .lives = real(of.lives),
            .lifetime = real(of.lifetime),
            .firstStep = of.firstStep,
            .steps = of.steps};
  });
}

Napi::Object stepTable(Napi::Env env, const std::vector<LifePaths::Step> &rows) {
  Napi::Object table = tableOf<result::Step>(env, rows.size(), [&](size_t i) -> result::Step {
    const LifePaths::Step &of = rows[i];
    return {.place = of.place,
            .changesCore = of.changesCore,
            .latencyCycles = real(of.latencyCycles),
            .time = real(of.time),
            .beginOffset = real(of.beginOffset),
            .endOffset = real(of.endOffset)};
  });
  table.Set("served", fill<F64>(env, rows.size() * SERVERS,
                                [&](size_t i) { return real(rows[i / SERVERS].served[i % SERVERS]); }));
  return table;
}

Napi::Object otherPathTable(Napi::Env env, const LifePaths &paths) {
  const std::vector<std::pair<uint32_t, LifePaths::Other>> rows(paths.others.begin(), paths.others.end());
  return tableOf<result::OtherPath>(env, rows.size(), [&](size_t i) -> result::OtherPath {
    const auto &[reading, of] = rows[i];
    return {.reading = reading, .lives = real(of.lives), .references = real(of.references)};
  });
}

Napi::Object residencyTable(Napi::Env env, const Residency &residency) {
  std::vector<result::Residency> rows;
  for (uint32_t reading = 0; reading < residency.rows.size(); reading++)
    for (uint8_t level = 0; level < 3; level++) {
      const auto &of = residency.rows[reading];
      if (of.lines[level] || of.freed[level])
        rows.push_back({.level = level,
                        .reading = reading,
                        .lineTime = real(of.lines[level]),
                        .freedLineTime = real(of.freed[level])});
    }
  return tableOf<result::Residency>(env, rows.size(), [&](size_t i) { return rows[i]; });
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
  return tableOf<result::ObjectBin>(env, rows.size(), [&](size_t i) -> result::ObjectBin {
    return {.level = static_cast<uint8_t>(ObjectLines::levelOf(rows[i].key)),
            .reading = static_cast<uint32_t>(ObjectLines::readingOf(rows[i].key)),
            .bin = static_cast<uint8_t>(ObjectLines::binOf(rows[i].key)),
            .lines = real(rows[i].lines),
            .objects = real(rows[i].objects)};
  });
}

Napi::Object missBinTable(Napi::Env env, const std::vector<Takers::Row> &rows) {
  return tableOf<result::MissBin>(env, rows.size(), [&](size_t i) -> result::MissBin {
    return {.level = rows[i].level, .label = rows[i].taker, .bin = rows[i].bin, .misses = real(rows[i].lines)};
  });
}

} // namespace

Napi::Object flowOf(Napi::Env env, Flow &flow, const Takers &takers) {
  Napi::Object tables = Napi::Object::New(env);
  tables.Set("readings", readingTable(env, flow.readings.rows));
  tables.Set("paths", pathTable(env, flow.paths.paths));
  tables.Set("steps", stepTable(env, flow.paths.steps));
  tables.Set("otherPaths", otherPathTable(env, flow.paths));
  tables.Set("residency", residencyTable(env, flow.residency));
  tables.Set("objectBins", objectBinTable(env, flow.lines));
  tables.Set("missBins", missBinTable(env, takers.fills()));
  Napi::Array sets = Napi::Array::New(env, 3);
  for (uint32_t level = 0; level < 3; level++) {
    const std::vector<uint64_t> &lines = flow.lines.linesPerSet[level];
    sets.Set(level, fill<F64>(env, lines.size(), [&](size_t i) { return static_cast<double>(lines[i]); }));
  }
  tables.Set("linesPerSet", sets);
  return tables;
}

} // namespace dprof
