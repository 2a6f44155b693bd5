// Stage: trace -> replay. JavaScript's arguments -> `Input`: the catalog's numbers as borrowed columns, each checked
// for its element size.
#include "addon/addon.h"
#include "addon/machine_input.h"
#include "addon/reader.h"
#include "flow/life.h"
#include "trace/process_space.h"

#include <algorithm>

namespace dprof {

namespace {

Schedule readSchedule(const Reader &reader) {
  std::string kind = reader.text("kind");
  if (kind == "logical") return {Schedule::LOGICAL, 0};
  if (kind == "recorded") return {Schedule::RECORDED, 0};
  if (kind == "random") return {Schedule::RANDOM, static_cast<uint32_t>(reader.number("seed"))};
  throw InputError("schedule: kind must be logical, recorded or random");
}

Border readBorder(Napi::Value value) {
  if (!value.IsObject()) return {};
  Reader reader(value.As<Napi::Object>());
  std::string kind = reader.text("kind");
  if (kind == "reference") return {Border::REFERENCE, static_cast<uint64_t>(reader.number("references")), ""};
  if (kind == "mark") return {Border::MARK, static_cast<uint64_t>(reader.number("occurrence")), reader.text("name")};
  bool lossless = false;
  if (kind == "stamp" && reader.value("stamp").IsBigInt())
    return {Border::STAMP, reader.value("stamp").As<Napi::BigInt>().Uint64Value(&lossless), ""};
  throw InputError("window: a border must be a reference, a stamp or a mark");
}

ReplayWindow readWindow(Napi::Value value) {
  if (!value.IsObject()) return {};
  Reader reader(value.As<Napi::Object>());
  return {true, {readBorder(reader.value("warmUp")), readBorder(reader.value("from")), readBorder(reader.value("to"))}};
}

FlowRequest readFlow(Napi::Value value, size_t slots) {
  FlowRequest flow;
  if (!value.IsObject()) return flow;
  Reader reader(value.As<Napi::Object>());
  flow.asked = true;
  reader.column("placeOf", flow.placeOf);
  auto isPlace = [&](uint32_t place) { return place < slots && place < NO_PLACE; };
  if (flow.placeOf.count != slots || !std::all_of(flow.placeOf.data, flow.placeOf.data + slots, isPlace))
    throw InputError("flow: every slot must have a place, which is a slot");
  auto limit = [&](const char *name, double most, double none) {
    if (!reader.value(name).IsNumber()) return none;
    double asked = reader.number(name);
    if (!(asked >= 0 && asked <= most))
      throw InputError(std::string("flow: ") + name + " must be from 0 to " +
                       std::to_string(static_cast<uint64_t>(most)));
    return asked;
  };
  flow.mostPaths = static_cast<uint64_t>(limit("mostPaths", 1 << 30, flow.mostPaths));
  flow.mostSteps = static_cast<uint32_t>(limit("mostSteps", FlowRequest::MOST_STEPS, flow.mostSteps));
  flow.mostOpenSteps = static_cast<uint32_t>(limit("mostOpenSteps", 1 << 20, flow.mostOpenSteps));
  return flow;
}

CpuPlacement readCpus(Napi::Value value, size_t threads, uint32_t cores) {
  CpuPlacement cpus;
  if (!value.IsObject()) return cpus;
  Reader reader(value.As<Napi::Object>());
  reader.column("coreOf", cpus.coreOf);
  reader.column("first", cpus.first);
  auto isCore = [&](uint16_t core) { return core < cores; };
  if (cpus.first.count != threads || !std::all_of(cpus.first.data, cpus.first.data + threads, isCore) ||
      !std::all_of(cpus.coreOf.data, cpus.coreOf.data + cpus.coreOf.count, isCore))
    throw InputError("cpus: every thread, and every CPU, must be on a core of the machine");
  return cpus;
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

/// One shard's number and count, or the files of all of them.
void readShards(const Reader &reader, Input &input) {
  if (Napi::Value shard = reader.value("shard"); shard.IsObject()) {
    const Reader of(shard.As<Napi::Object>());
    input.shard = {static_cast<uint32_t>(of.number("index")), static_cast<uint32_t>(of.number("count"))};
    if (input.shard.index >= input.shard.count) throw InputError("a shard's index lies below their count");
  }
  if (Napi::Value files = reader.value("shardFiles"); files.IsArray())
    for (uint32_t i = 0; i < files.As<Napi::Array>().Length(); i++)
      input.shardFiles.push_back(files.As<Napi::Array>().Get(i).As<Napi::String>().Utf8Value());
  const bool isSharded = input.shard.count > 0 || !input.shardFiles.empty();
  input.machine.oneByOne = isSharded;
  if (isSharded && !input.machine.whole.plain)
    throw InputError("shards are of machines whose lines depend on no others");
}

} // namespace

Input readInput(Napi::Object from) {
  Reader reader(from);
  Input input;
  input.path = reader.text("path");
  input.machine = readMachine(reader.value("machine").As<Napi::Object>());
  input.schedule = readSchedule(reader.in("schedule"));
  input.window = readWindow(reader.value("window"));
  if (reader.value("sharedVariables").IsObject())
    input.mostSharedCounts = static_cast<uint64_t>(reader.in("sharedVariables").number("mostCounts"));
  input.workers = static_cast<uint32_t>(reader.number("workers"));
  readShards(reader, input);
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
  records.column("call", input.records.call);
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
  types.column("memory", input.types.memory);
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
  input.flow = readFlow(reader.value("flow"), input.slots.kind.count);
  if (reader.value("processes").IsArray()) {
    auto processes = reader.value("processes").As<Napi::Array>();
    for (uint32_t i = 0; i < processes.Length(); i++)
      input.processes.push_back(readProcess(Reader(processes.Get(i).As<Napi::Object>())));
  }
  auto threads = reader.value("threads").As<Napi::Array>();
  for (uint32_t i = 0; i < threads.Length(); i++) {
    Reader thread(threads.Get(i).As<Napi::Object>());
    Column<double> offset;
    Column<uint32_t> bytes;
    thread.column("offset", offset);
    thread.column("bytes", bytes);
    Column<uint8_t> begins;
    thread.column("begins", begins);
    ThreadChunks chunks;
    for (size_t k = 0; k < offset.count; k++) {
      chunks.offset.push_back(static_cast<uint64_t>(offset[k]));
      chunks.bytes.push_back(bytes[k]);
      chunks.begins.push_back(static_cast<ChunkBegin>(begins[k]));
    }
    if (thread.value("process").IsNumber()) {
      size_t process = static_cast<size_t>(thread.number("process"));
      if (process >= input.processes.size())
        throw InputError("thread " + std::to_string(i) + " is of a process that does not exist");
      chunks.process = input.processes[process].get();
      chunks.first = thread.value("isFirst").ToBoolean();
    }
    input.threads.push_back(std::move(chunks));
  }
  input.cpus = readCpus(reader.value("cpus"), input.threads.size(), input.machine.cores);
  if (Napi::Value spill = reader.value("spill"); spill.IsObject()) {
    Reader place(spill.As<Napi::Object>());
    input.spill = {place.text("folder"), static_cast<size_t>(place.number("memoryBytes"))};
  }
  if (reader.value("mostObjects").IsNumber()) input.mostObjects = static_cast<uint64_t>(reader.number("mostObjects"));
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

} // namespace dprof
