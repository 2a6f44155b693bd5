// Stage: sampler. JSON and columns.
#include "typed_tables.h"

#include <stdio.h>

#include <algorithm>
#include <tuple>

#include "../../run/json_list.h"

namespace dprof {
namespace {

std::string real(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.17g", value);
  return text;
}

constexpr const char *rule_names[] = {"object", "site", "variable", "untyped"};

std::string describe_lives(const Lives &lives, double run_ns) {
  auto average = [&](double integral) { return real(run_ns > 0 ? integral / run_ns : 0); };
  return "{\"allocations\":" + number(lives.allocations) + ",\"frees\":" + number(lives.frees) +
         ",\"peakObjects\":" + number(lives.peak_objects) + ",\"peakBytes\":" + number(lives.peak_bytes) +
         ",\"averageObjects\":" + average(lives.object_ns) + ",\"averageBytes\":" + average(lives.byte_ns) +
         ",\"lifetimeNs\":" + real(lives.object_ns) + ",\"sampledObjects\":" + number(lives.sampled) +
         ",\"bouncedObjects\":" + number(lives.bounced) + ",\"writeSharedObjects\":" + number(lives.write_shared) + "}";
}

// Leaves ascend by offset; of those of one offset the smaller first.
std::vector<Field> ascending(std::vector<Field> fields) {
  std::sort(fields.begin(), fields.end(), [](const Field &a, const Field &b) {
    return std::tie(a.offset, a.bytes, a.path) < std::tie(b.offset, b.bytes, b.path);
  });
  return fields;
}

} // namespace

std::string describe_modules(const CodePlaces &places) {
  return json_list(places.modules(), [](const CodePlaces::Module &module) {
    return "{\"file\":" + json_string(module.file) + ",\"buildId\":\"" + module.build_id +
           "\",\"isInstrumented\":" + (module.is_instrumented ? "true" : "false") +
           ",\"isKernel\":" + (module.is_kernel ? "true" : "false") + "}";
  });
}

std::string describe_places(const CodePlaces &places) {
  return json_list(places.rows(), [](const CodePlaces::Row &row) {
    char ip[20];
    snprintf(ip, sizeof ip, "%llx", (unsigned long long)row.ip);
    const Place &place = row.place;
    return std::string("{\"ip\":\"") + ip + "\",\"function\":" + json_string(place.function) +
           ",\"within\":" + json_string(place.within) + ",\"file\":" + json_string(place.file) +
           ",\"line\":" + number(place.line) + ",\"column\":" + number(place.column) +
           ",\"module\":" + std::to_string(row.module) + ",\"offset\":" + number(place.offset) + "}";
  });
}

std::string describe_types(TypeTable &types, double run_ns) {
  std::vector<TypeRow *> rows;
  for (uint32_t type = 0; type < types.size(); type++) rows.push_back(&types.at(type));
  return json_list(rows, [&](const TypeRow *row) {
    const std::string fields = json_list(ascending(row->layout.fields), [](const Field &field) {
      return "{\"path\":" + json_string(field.path) + ",\"offset\":" + number(field.offset) +
             ",\"bytes\":" + number(field.bytes) + "}";
    });
    return "{\"name\":" + json_string(row->layout.name) + ",\"rule\":\"" + rule_names[(int)row->rule] +
           "\",\"bytes\":" + number(row->layout.bytes) + ",\"fields\":" + fields +
           ",\"lives\":" + (row->has_lives ? describe_lives(row->lives, run_ns) : "null") + "}";
  });
}

std::string describe_counts(const std::map<std::string, uint64_t> &counts) {
  std::string text = "{";
  for (const auto &[name, count] : counts)
    text += (text.size() > 1 ? "," : "") + json_string(name) + ":" + number(count);
  return text + "}";
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
