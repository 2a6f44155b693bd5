// Stage: replay. JavaScript in and out: src/replay/native-engine.ts calls `replay(input)` with the catalog's numbers as typed arrays and
// gets the result's columns. Runs to the end on the calling thread.
#include "addon.h"

#include <bit>

namespace dprof {

namespace {

class Reader {
public:
  explicit Reader(Napi::Object object) : object_(object) {}

  Reader in(const char *name) const { return Reader(object_.Get(name).As<Napi::Object>()); }
  double number(const char *name) const { return object_.Get(name).As<Napi::Number>().DoubleValue(); }
  std::string text(const char *name) const { return object_.Get(name).As<Napi::String>().Utf8Value(); }
  bool flag(const char *name) const { return object_.Get(name).As<Napi::Boolean>().Value(); }
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

uint32_t whole(double value, const char *name, double most) {
  if (!(value >= 0 && value <= most) || value != static_cast<double>(static_cast<uint64_t>(value)))
    throw InputError(std::string("machine: ") + name + " must be a whole number up to " + std::to_string(static_cast<uint64_t>(most)));
  return static_cast<uint32_t>(value);
}

Machine readMachine(const Reader &reader) {
  Machine machine{};
  machine.cores = whole(reader.number("cores"), "cores", 64);
  uint32_t lineBytes = whole(reader.number("lineBytes"), "lineBytes", 4096);
  if (machine.cores == 0) throw InputError("machine: at least one core");
  if (!std::has_single_bit(lineBytes) || lineBytes < 8) throw InputError("machine: lineBytes must be a power of two from 8 on");
  machine.lineShift = static_cast<uint32_t>(std::countr_zero(lineBytes));
  machine.coresPerLlc = static_cast<uint32_t>(std::min(reader.number("coresPerLlc"), 65536.0));
  if (machine.coresPerLlc == 0) throw InputError("machine: at least one core per LLC");
  const char *const names[3] = {"l1", "l2", "llc"};
  for (unsigned i = 0; i < 3; i++) {
    Reader level = reader.in(names[i]);
    double bytes = level.number("sizeBytes");
    uint32_t ways = whole(level.number("ways"), "ways", 1 << 24);
    double sets = ways ? bytes / lineBytes / ways : 0;
    if (sets != static_cast<double>(static_cast<uint32_t>(sets)) || !std::has_single_bit(static_cast<uint32_t>(sets)) || sets * ways > 1 << 28)
      throw InputError(std::string("machine: ") + names[i] + " must have a power of two of sets, and at most 2^28 lines");
    machine.level[i] = {static_cast<uint32_t>(sets), ways, whole(level.number("latencyCycles"), "latencyCycles", 1e9)};
  }
  machine.memoryLatency = whole(reader.number("memoryLatencyCycles"), "memoryLatencyCycles", 1e9);
  machine.cacheToCacheLatency = whole(reader.number("cacheToCacheLatencyCycles"), "cacheToCacheLatencyCycles", 1e9);
  machine.remoteMemoryLatency = machine.memoryLatency;
  machine.remoteCacheLatency = machine.cacheToCacheLatency;
  return machine;
}

} // namespace

Input readInput(Napi::Object from) {
  Reader reader(from);
  Input input;
  input.path = reader.text("path");
  input.machine = readMachine(reader.in("machine"));
  input.recorded = reader.flag("recorded");
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
    input.threads.push_back(std::move(chunks));
  }
  if (reader.value("progress").IsTypedArray()) {
    Column<double> progress;
    reader.column("progress", progress);
    if (progress.count >= 2) input.progress = const_cast<double *>(progress.data);
    if (progress.count >= 4) {
      input.topTypes = input.progress + 2;
      input.topTypeCount = (progress.count - 2) / 2;
    }
  }
  return input;
}

namespace {

template <typename Array, typename Get> Array fill(Napi::Env env, size_t count, Get get) {
  Array array = Array::New(env, count);
  auto *data = array.Data();
  for (size_t i = 0; i < count; i++) data[i] = get(i);
  return array;
}

using U8 = Napi::Uint8Array;
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
  F64 counters = F64::New(env, count * COUNTERS);
  for (size_t i = 0; i < count; i++) tallies.counters(i, counters.Data() + i * COUNTERS);
  table.Set("counters", counters);
  return table;
}

Napi::Object sharingTable(Napi::Env env, const Sharing &sharing) {
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

Napi::Object totalsOf(Napi::Env env, const Replay &replay, const Tallies &tallies) {
  double loads = 0, stores = 0, counters[COUNTERS];
  for (size_t i = 0; i < tallies.size(); i++) {
    tallies.counters(i, counters);
    loads += counters[0];
    stores += counters[1];
  }
  const ReplayTotals &of = replay.totals;
  const CacheTotals &caches = replay.hierarchy.totals;
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
  return totals;
}

} // namespace

Napi::Object resultOf(Napi::Env env, const Replay &replay, const Tallies &tallies, const ObjectColumns &objects) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("totals", totalsOf(env, replay, tallies));
  result.Set("tallies", tallyTable(env, tallies));
  result.Set("sharing", sharingTable(env, replay.hierarchy.sharing));
  result.Set("objects", objectTable(env, objects));
  result.Set("callPaths", callPathTable(env, replay.callPaths.functions));
  result.Set("phases", phaseTable(env, replay.phases));
  return result;
}

Napi::Value typed(Napi::Env env, const std::function<Napi::Value()> &work) {
  try {
    return work();
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
  } catch (const RoomError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "room");
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

namespace {

Napi::Value replay(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  return typed(env, [&] {
    Input input = readInput(info[0].As<Napi::Object>());
    Replay replay(input);
    replay.run();
    Napi::Object result = resultOf(env, replay, replay.tallies, replay.objects.columns);
    if (input.progress) input.progress[0] = input.progress[1] = result.Get("totals").As<Napi::Object>().Get("references").As<Napi::Number>().DoubleValue();
    return result;
  });
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("replay", Napi::Function::New(env, replay));
  addLive(env, exports);
  return exports;
}

} // namespace

} // namespace dprof

static Napi::Object initialiseModule(Napi::Env env, Napi::Object exports) { return dprof::initialise(env, exports); }

NODE_API_MODULE(dprof_engine, initialiseModule)
