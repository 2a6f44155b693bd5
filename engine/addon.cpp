// Stage: replay. JavaScript in and out: src/replay/native-engine.ts calls `replay(input)` with the catalog's numbers as typed arrays and
// gets the result's columns. Runs to the end on the calling thread.
#include <napi.h>

#include "machine_input.h"
#include "process_space.h"
#include "replay.h"

namespace dprof {

namespace {

class Reader {
public:
  explicit Reader(Napi::Object object) : object_(object) {}

  Reader in(const char *name) const { return Reader(object_.Get(name).As<Napi::Object>()); }
  double number(const char *name) const { return object_.Get(name).As<Napi::Number>().DoubleValue(); }
  std::string text(const char *name) const { return object_.Get(name).As<Napi::String>().Utf8Value(); }
  Napi::Value value(const char *name) const { return object_.Get(name); }

  template <typename T> void column(const char *name, Column<T> &into) const {
    Napi::Value value = object_.Get(name);
    if (!value.IsTypedArray()) throw InputError(std::string("input column ") + name + " is missing");
    auto array = value.As<Napi::TypedArray>();
    if (array.ElementSize() != sizeof(T)) throw InputError(std::string("input column ") + name + " has another element size");
    // Not through the array's buffer: the progress column lies in shared memory, which is no ArrayBuffer.
    void *data = nullptr;
    if (napi_get_typedarray_info(array.Env(), array, nullptr, nullptr, &data, nullptr, nullptr) != napi_ok) throw InputError(std::string("input column ") + name);
    into.data = static_cast<const T *>(data);
    into.count = array.ElementLength();
  }

private:
  Napi::Object object_;
};

Schedule readSchedule(const Reader &reader) {
  std::string kind = reader.text("kind");
  if (kind == "logical") return {Schedule::LOGICAL, 0};
  if (kind == "recorded") return {Schedule::RECORDED, 0};
  if (kind == "random") return {Schedule::RANDOM, static_cast<uint32_t>(reader.number("seed"))};
  throw InputError("schedule: kind must be logical, recorded or random");
}

std::shared_ptr<const ProcessSpace> readProcess(const Reader &reader) {
  auto process = std::make_shared<ProcessSpace>();
  process->path = reader.text("path");
  process->file = std::make_shared<TraceFile>(process->path);
  process->paths = {static_cast<uint64_t>(reader.number("firstPath")), static_cast<uint64_t>(reader.number("endPath"))};
  process->firstUnit = static_cast<uint32_t>(reader.number("firstUnit"));
  process->base = static_cast<uint64_t>(reader.number("base"));
  reader.column("threads", process->threads);
  Reader shared = reader.in("shared");
  shared.column("begin", process->shared.begin);
  shared.column("end", process->shared.end);
  shared.column("from", process->shared.from);
  shared.column("to", process->shared.to);
  shared.column("target", process->shared.target);
  shared.column("mappedAt", process->shared.mappedAt);
  shared.column("wholeAt", process->shared.wholeAt);
  shared.column("wholeBytes", process->shared.wholeBytes);
  return process;
}

Input readInput(const Reader &reader) {
  Input input;
  input.path = reader.text("path");
  input.machine = readMachine(reader.value("machine").As<Napi::Object>());
  input.schedule = readSchedule(reader.in("schedule"));
  input.workers = static_cast<uint32_t>(reader.number("workers"));
  input.kernelSlot = static_cast<uint32_t>(reader.number("kernelSlot"));
  Reader slots = reader.in("slots");
  slots.column("kind", input.slots.kind);
  slots.column("hasPath", input.slots.hasPath);
  slots.column("sizeBytes", input.slots.sizeBytes);
  slots.column("type", input.slots.type);
  slots.column("offset", input.slots.offset);
  slots.column("variable", input.slots.variable);
  slots.column("lanes", input.slots.lanes);
  slots.column("base", input.slots.base);
  slots.column("delta", input.slots.delta);
  Reader records = reader.in("records");
  records.column("tag", input.records.tag);
  records.column("flags", input.records.flags);
  records.column("slotCount", input.records.slotCount);
  records.column("words", input.records.words);
  records.column("instructions", input.records.instructions);
  records.column("function", input.records.function);
  records.column("firstSlot", input.records.firstSlot);
  Reader regions = reader.in("regions");
  regions.column("pathCount", input.regions.pathCount);
  regions.column("firstNode", input.regions.firstNode);
  regions.column("nodeCount", input.regions.nodeCount);
  regions.column("back", input.regions.back);
  regions.column("isLoop", input.regions.isLoop);
  Reader nodes = reader.in("nodes");
  nodes.column("firstRecord", input.nodes.firstRecord);
  nodes.column("recordCount", input.nodes.recordCount);
  nodes.column("firstEdge", input.nodes.firstEdge);
  nodes.column("edgeCount", input.nodes.edgeCount);
  nodes.column("ends", input.nodes.ends);
  Reader edges = reader.in("edges");
  edges.column("node", input.edges.node);
  edges.column("before", input.edges.before);
  Reader types = reader.in("types");
  types.column("isStruct", input.types.isStruct);
  types.column("nameRank", input.types.nameRank);
  types.column("declared", input.types.declared);
  types.column("leafBase", input.types.leafBase);
  types.column("leafSpan", input.types.leafSpan);
  types.column("flexibleFrom", input.types.flexibleFrom);
  types.column("flexibleLeaf", input.types.flexibleLeaf);
  types.column("leafAt", input.types.leafAt);
  Reader variables = reader.in("variables");
  variables.column("kind", input.variables.kind);
  variables.column("type", input.variables.type);
  variables.column("sizeBytes", input.variables.sizeBytes);
  Reader globals = reader.in("globals");
  globals.column("address", input.globals.address);
  globals.column("variable", input.globals.variable);
  reader.column("unitFirstVariable", input.unitFirstVariable);
  if (reader.value("processes").IsArray()) {
    auto processes = reader.value("processes").As<Napi::Array>();
    for (uint32_t i = 0; i < processes.Length(); i++) input.processes.push_back(readProcess(Reader(processes.Get(i).As<Napi::Object>())));
  }
  auto threads = reader.value("threads").As<Napi::Array>();
  for (uint32_t i = 0; i < threads.Length(); i++) {
    Reader thread(threads.Get(i).As<Napi::Object>());
    Column<double> offset;
    Column<uint32_t> bytes;
    thread.column("offset", offset);
    thread.column("bytes", bytes);
    ThreadChunks chunks;
    for (size_t k = 0; k < offset.count; k++) {
      chunks.offset.push_back(static_cast<uint64_t>(offset[k]));
      chunks.bytes.push_back(bytes[k]);
    }
    if (thread.value("process").IsNumber()) {
      size_t process = static_cast<size_t>(thread.number("process"));
      if (process >= input.processes.size()) throw InputError("thread " + std::to_string(i) + " is of a process that does not exist");
      chunks.process = input.processes[process].get();
      chunks.first = thread.value("isFirst").ToBoolean();
    }
    input.threads.push_back(std::move(chunks));
  }
  if (reader.value("progress").IsTypedArray()) {
    Column<double> progress;
    reader.column("progress", progress);
    if (progress.count >= 2) input.progress = const_cast<double *>(progress.data);
  }
  return input;
}

template <typename Array, typename Get> Array fill(Napi::Env env, size_t count, Get get) {
  Array array = Array::New(env, count);
  auto *data = array.Data();
  for (size_t i = 0; i < count; i++) data[i] = get(i);
  return array;
}

using U8 = Napi::Uint8Array;
using U16 = Napi::Uint16Array;
using U32 = Napi::Uint32Array;
using F64 = Napi::Float64Array;

Napi::Object tallyTable(Napi::Env env, const Tallies &tallies) {
  Napi::Object table = Napi::Object::New(env);
  size_t count = tallies.size();
  table.Set("count", static_cast<double>(count));
  table.Set("slot", fill<U32>(env, count, [&](size_t i) { return tallies.key(i).slot; }));
  table.Set("rule", fill<U8>(env, count, [&](size_t i) { return tallies.key(i).rule; }));
  table.Set("type", fill<U32>(env, count, [&](size_t i) { return tallies.key(i).type; }));
  table.Set("siteBytes", fill<F64>(env, count, [&](size_t i) { return static_cast<double>(tallies.key(i).siteBytes); }));
  table.Set("leaf", fill<U32>(env, count, [&](size_t i) { return tallies.key(i).leaf; }));
  table.Set("core", fill<U16>(env, count, [&](size_t i) { return tallies.key(i).core; }));
  F64 counters = F64::New(env, count * COUNTERS);
  for (size_t i = 0; i < count; i++) tallies.counters(i, counters.Data() + i * COUNTERS);
  table.Set("counters", counters);
  return table;
}

Napi::Object sharingTable(Napi::Env env, const SharingPairs &sharing) {
  std::vector<std::pair<SharingKey, uint64_t>> rows(sharing.misses.begin(), sharing.misses.end());
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(rows.size()));
  table.Set("class", fill<U8>(env, rows.size(), [&](size_t i) { return std::get<0>(rows[i].first); }));
  table.Set("relation", fill<U8>(env, rows.size(), [&](size_t i) { return std::get<1>(rows[i].first); }));
  table.Set("missSlot", fill<U32>(env, rows.size(), [&](size_t i) { return std::get<2>(rows[i].first); }));
  table.Set("missObject", fill<U32>(env, rows.size(), [&](size_t i) { return std::get<3>(rows[i].first); }));
  table.Set("missLeaf", fill<U32>(env, rows.size(), [&](size_t i) { return std::get<4>(rows[i].first); }));
  table.Set("writeSlot", fill<U32>(env, rows.size(), [&](size_t i) { return std::get<5>(rows[i].first); }));
  table.Set("writeObject", fill<U32>(env, rows.size(), [&](size_t i) { return std::get<6>(rows[i].first); }));
  table.Set("writeLeaf", fill<U32>(env, rows.size(), [&](size_t i) { return std::get<7>(rows[i].first); }));
  table.Set("misses", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].second); }));
  return table;
}

Napi::Object objectTable(Napi::Env env, const ObjectColumns &columns) {
  Napi::Object table = Napi::Object::New(env);
  auto set = [&](const char *name, const auto &column) {
    using T = typename std::decay_t<decltype(column)>::value_type;
    table.Set(name, fill<Napi::TypedArrayOf<T>>(env, column.size(), [&](size_t i) { return column[i]; }));
  };
  table.Set("count", static_cast<double>(columns.address.size()));
  set("address", columns.address);
  set("sizeBytes", columns.sizeBytes);
  set("kind", columns.kind);
  set("allocationSlot", columns.allocationSlot);
  set("variable", columns.variable);
  set("freeSlot", columns.freeSlot);
  set("type", columns.type);
  set("thread", columns.thread);
  set("bornAt", columns.bornAt);
  set("diedAt", columns.diedAt);
  set("lives", columns.lives);
  set("lifetime", columns.lifetime);
  set("references", columns.references);
  set("flags", columns.flags);
  set("callPath", columns.callPath);
  return table;
}

Napi::Object callPathTable(Napi::Env env, const std::vector<uint32_t> &functions) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(functions.size() / CallStack::FRAMES));
  table.Set("function", fill<U32>(env, functions.size(), [&](size_t i) { return functions[i]; }));
  return table;
}

Napi::Object phaseTable(Napi::Env env, const std::vector<Phase> &phases) {
  Napi::Object table = Napi::Object::New(env);
  Napi::Array names = Napi::Array::New(env, phases.size());
  for (uint32_t i = 0; i < phases.size(); i++) names.Set(i, Napi::String::New(env, phases[i].name));
  table.Set("count", static_cast<double>(phases.size()));
  table.Set("name", names);
  table.Set("time", fill<F64>(env, phases.size(), [&](size_t i) { return static_cast<double>(phases[i].time); }));
  return table;
}

Napi::Object objectCounterTable(Napi::Env env, const ObjectCounters &of) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(of.object.size()));
  table.Set("object", fill<U32>(env, of.object.size(), [&](size_t i) { return of.object[i]; }));
  table.Set("counter", fill<U8>(env, of.counter.size(), [&](size_t i) { return of.counter[i]; }));
  table.Set("value", fill<F64>(env, of.value.size(), [&](size_t i) { return of.value[i]; }));
  return table;
}

Napi::Object labelTable(Napi::Env env, const Labels &labels) {
  Napi::Object table = Napi::Object::New(env);
  size_t count = labels.noObject + 1 + labels.sites.size();
  auto site = [&](size_t i) { return i > labels.noObject ? &labels.sites[i - labels.noObject - 1] : nullptr; };
  table.Set("count", static_cast<double>(count));
  table.Set("kind", fill<U8>(env, count, [&](size_t i) { return static_cast<uint8_t>(site(i) ? 1 : i == labels.noObject ? 2 : 0); }));
  table.Set("type", fill<U32>(env, count, [&](size_t i) { return site(i) ? labels.named(*site(i)) : i == labels.noObject ? 0 : static_cast<uint32_t>(i); }));
  table.Set("allocationSlot", fill<U32>(env, count, [&](size_t i) { return site(i) ? site(i)->allocationSlot : NO_INDEX; }));
  table.Set("sizeBytes", fill<F64>(env, count, [&](size_t i) { return site(i) ? static_cast<double>(site(i)->size) : 0; }));
  return table;
}

Napi::Object takerTable(Napi::Env env, const std::vector<Takers::Row> &rows) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(rows.size()));
  table.Set("level", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].level; }));
  table.Set("taker", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].taker; }));
  table.Set("owner", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].owner; }));
  table.Set("bin", fill<U8>(env, rows.size(), [&](size_t i) { return rows[i].bin; }));
  table.Set("lines", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].lines); }));
  return table;
}

Napi::Object unusedBytesTable(Napi::Env env, const std::vector<UnusedBytes::Row> &rows) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(rows.size()));
  table.Set("label", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].label; }));
  table.Set("leaf", fill<U32>(env, rows.size(), [&](size_t i) { return rows[i].leaf; }));
  table.Set("fetchedBytes", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].fetched); }));
  table.Set("unusedBytes", fill<F64>(env, rows.size(), [&](size_t i) { return static_cast<double>(rows[i].unused); }));
  return table;
}

void setWholeTotals(Napi::Object totals, const WholeHierarchy &whole) {
  auto pair = [&](const char *name, uint64_t first, uint64_t second) {
    Napi::Array array = Napi::Array::New(totals.Env(), 2);
    array.Set(0u, static_cast<double>(first));
    array.Set(1u, static_cast<double>(second));
    totals.Set(name, array);
  };
  WholeHierarchy::Prefetched l1 = whole.prefetched(0), l2 = whole.prefetched(1);
  totals.Set("backInvalidations", static_cast<double>(whole.totals.backInvalidations));
  pair("prefetchIssued", l1.issued, l2.issued);
  pair("prefetchUseful", l1.useful, l2.useful);
  pair("prefetchUseless", l1.useless, l2.useless);
  pair("tlbMisses", whole.totals.tlbMisses[0], whole.totals.tlbMisses[1]);
}

Napi::Object totalsOf(Napi::Env env, const Replay &replay) {
  double loads = 0, stores = 0, counters[COUNTERS];
  for (size_t i = 0; i < replay.counts.tallies.size(); i++) {
    replay.counts.tallies.counters(i, counters);
    loads += counters[0];
    stores += counters[1];
  }
  const ReplayTotals &of = replay.counts.totals;
  const WholeHierarchy *whole = replay.caches.whole.get();
  CacheTotals caches = replay.caches.hierarchy.totals;
  if (whole) caches = {whole->totals.invalidations, whole->totals.upgrades, whole->totals.writeBacks, {whole->totals.misses[0], whole->totals.misses[1], whole->totals.misses[2]}};
  Napi::Object totals = Napi::Object::New(env);
  auto set = [&](const char *name, uint64_t value) { totals.Set(name, static_cast<double>(value)); };
  totals.Set("accesses", loads + stores - static_cast<double>(of.continuations));
  totals.Set("references", loads + stores);
  totals.Set("loads", loads);
  totals.Set("stores", stores);
  set("invalidations", caches.invalidations);
  set("upgrades", caches.upgrades);
  set("writeBacks", caches.writeBacks);
  set("segments", of.segments);
  set("segmentsThatWaited", of.waited);
  set("instructions", of.time);
  set("outsideLife", of.outsideLife);
  set("unseenBytes", of.unseenBytes);
  set("lostSegments", of.lostSegments);
  set("windowsClosed", of.windowsClosed);
  set("closedStamps", of.closedStamps + (of.windowsClosed > of.windowsOpened ? of.lastStamp : 0));
  set("droppedWords", of.droppedWords);
  Napi::Array hits = Napi::Array::New(env, 3), misses = Napi::Array::New(env, 3);
  for (uint32_t i = 0; i < 3; i++) {
    double lookups = i ? static_cast<double>(caches.misses[i - 1]) : loads + stores;
    hits.Set(i, lookups - static_cast<double>(caches.misses[i]));
    misses.Set(i, static_cast<double>(caches.misses[i]));
  }
  totals.Set("hits", hits);
  totals.Set("misses", misses);
  Napi::Array fills = Napi::Array::New(env, 3), evictions = Napi::Array::New(env, 3);
  for (uint32_t i = 0; i < 3; i++) {
    fills.Set(i, static_cast<double>(replay.counts.takers.fills[i]));
    evictions.Set(i, static_cast<double>(replay.counts.takers.evicted[i]));
  }
  totals.Set("fills", fills);
  totals.Set("evictions", evictions);
  if (whole) setWholeTotals(totals, *whole);
  return totals;
}

Napi::Value replay(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  try {
    Input input = readInput(Reader(info[0].As<Napi::Object>()));
    Replay replay(input);
    replay.run();
    Napi::Object result = Napi::Object::New(env);
    Napi::Object totals = totalsOf(env, replay);
    if (input.progress) input.progress[0] = input.progress[1] = totals.Get("references").As<Napi::Number>().DoubleValue();
    result.Set("totals", totals);
    const CountStage &counts = replay.counts;
    result.Set("tallies", tallyTable(env, counts.tallies));
    result.Set("sharing", sharingTable(env, counts.sharing));
    result.Set("objects", objectTable(env, counts.objects.columns));
    result.Set("objectCounters", objectCounterTable(env, counts.objectCounters));
    result.Set("labels", labelTable(env, counts.labels));
    result.Set("evictions", takerTable(env, counts.takers.evictions()));
    result.Set("invalidations", takerTable(env, counts.takers.invalidations()));
    result.Set("unusedBytes", unusedBytesTable(env, counts.unusedBytes.rows));
    result.Set("callPaths", callPathTable(env, counts.callPaths.functions));
    result.Set("phases", phaseTable(env, counts.phases));
    return result;
  } catch (const TraceError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "trace");
    thrown.Set("offset", static_cast<double>(error.offset));
    thrown.Set("expected", error.expected);
    thrown.Set("actual", error.actual);
    throw thrown;
  } catch (const InputError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "input");
    throw thrown;
  } catch (const FileError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "file");
    throw thrown;
  } catch (const std::bad_alloc &) {
    Napi::Error thrown = Napi::Error::New(env, "not enough memory for the state of the simulated caches");
    thrown.Set("code", "input");
    throw thrown;
  }
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("replay", Napi::Function::New(env, replay));
  return exports;
}

} // namespace

} // namespace dprof

static Napi::Object initialiseModule(Napi::Env env, Napi::Object exports) { return dprof::initialise(env, exports); }

NODE_API_MODULE(dprof_engine, initialiseModule)
