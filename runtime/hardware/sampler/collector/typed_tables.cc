// Stage: sampler. JSON and columns.
#include "typed_tables.h"

#include <stdio.h>

#include <algorithm>
#include <tuple>

#include "../../code/describe_fields.h"

namespace dprof {
namespace {

constexpr const char *rule_names[] = {"object", "site", "variable", "untyped"};

Json describe_lives(const Lives &lives, double run_ns) {
  auto average = [&](double integral) { return run_ns > 0 ? integral / run_ns : 0; };
  return {{"allocations", lives.allocations},
          {"frees", lives.frees},
          {"peakObjects", lives.peak_objects},
          {"peakBytes", lives.peak_bytes},
          {"averageObjects", average(lives.object_ns)},
          {"averageBytes", average(lives.byte_ns)},
          {"lifetimeNs", lives.object_ns},
          {"sampledObjects", lives.sampled},
          {"bouncedObjects", lives.bounced},
          {"writeSharedObjects", lives.write_shared}};
}

// Leaves ascend by offset; of those of one offset the smaller first.
std::vector<Field> ascending(std::vector<Field> fields) {
  std::sort(fields.begin(), fields.end(), [](const Field &a, const Field &b) {
    return std::tie(a.offset, a.bytes, a.path) < std::tie(b.offset, b.bytes, b.path);
  });
  return fields;
}

} // namespace

Json describe_modules(const CodePlaces &places) {
  return Json::list(places.modules(), [](const CodePlaces::Module &module) -> Json {
    return {{"file", module.file},
            {"buildId", module.build_id},
            {"isInstrumented", module.is_instrumented},
            {"isKernel", module.is_kernel}};
  });
}

Json describe_places(const CodePlaces &places) {
  return Json::list(places.rows(), [](const CodePlaces::Row &row) -> Json {
    char ip[20];
    snprintf(ip, sizeof ip, "%llx", (unsigned long long)row.ip);
    const Place &place = row.place;
    return {{"ip", ip},           {"function", place.function}, {"within", place.within}, {"file", place.file},
            {"line", place.line}, {"column", place.column},     {"module", row.module},   {"offset", place.offset}};
  });
}

Json describe_types(TypeTable &types, double run_ns) {
  Json rows = Json::list();
  for (uint32_t type = 0; type < types.size(); type++) {
    const TypeRow &row = types.at(type);
    rows.append({{"name", row.layout.name},
                 {"rule", rule_names[(int)row.rule]},
                 {"bytes", row.layout.bytes},
                 {"fields", describe_fields(ascending(row.layout.fields))},
                 {"lives", row.has_lives ? describe_lives(row.lives, run_ns) : Json()}});
  }
  return rows;
}

Columns pack_rows(const RowTable &table) {
  const auto rows = table.rows();
  Columns columns(rows.size());
  columns.add<uint32_t>(rows, [](const auto &row) { return row.first.type; });
  columns.add<uint64_t>(rows, [](const auto &row) { return row.first.offset; });
  columns.add<uint32_t>(rows, [](const auto &row) { return row.first.place; });
  columns.add<uint16_t>(rows, [](const auto &row) { return row.first.event; });
  columns.add<uint64_t>(rows, [](const auto &row) { return row.first.data_source; });
  columns.add<uint32_t>(rows, [](const auto &row) { return row.first.cpu; });
  columns.add<uint32_t>(rows, [](const auto &row) { return row.second.samples; });
  columns.add<uint64_t>(rows, [](const auto &row) { return row.second.period; });
  columns.add<double>(rows, [](const auto &row) { return row.second.period_squares; });
  columns.add<uint64_t>(rows, [](const auto &row) { return row.second.weight; });
  columns.add<double>(rows, [](const auto &row) { return row.second.weight_squares; });
  return columns;
}

Columns pack_objects(TypeTable &types) {
  std::vector<std::pair<uint32_t, const DrawnObject *>> objects;
  for (uint32_t type = 0; type < types.size(); type++) {
    const size_t first = objects.size();
    for (const DrawnObject &object : types.at(type).drawn) objects.push_back({type, &object});
    std::sort(objects.begin() + (ptrdiff_t)first, objects.end(), [](const auto &a, const auto &b) {
      return std::tie(a.second->born_ns, a.second->address) < std::tie(b.second->born_ns, b.second->address);
    });
  }
  Columns columns(objects.size());
  columns.add<uint32_t>(objects, [](const auto &row) { return row.first; });
  columns.add<uint64_t>(objects, [](const auto &row) { return row.second->address; });
  columns.add<uint64_t>(objects, [](const auto &row) { return row.second->bytes; });
  columns.add<uint64_t>(objects, [](const auto &row) { return row.second->born_ns; });
  columns.add<uint64_t>(objects, [](const auto &row) { return row.second->died_ns; });
  columns.add<uint32_t>(objects, [](const auto &row) { return row.second->thread; });
  columns.add<uint32_t>(objects, [](const auto &row) { return row.second->cpu; });
  columns.add<uint32_t>(objects, [](const auto &row) { return row.second->allocated_at; });
  columns.add<uint32_t>(objects, [](const auto &row) { return row.second->freed_at; });
  columns.add<uint32_t>(objects, [](const auto &row) { return row.second->samples; });
  return columns;
}

} // namespace dprof
