// Stage: placing. For src/what-if: the objects of a run, what CachePerf's rule counts, and traces in which objects lie
// elsewhere. Each runs on a thread of its own.
#include <memory>

#include "addon/addon.h"
#include "addon/addon_columns.h"
#include "addon/background.h"
#include "addon/reader.h"
#include "placing/cacheperf_walk.h"
#include "placing/placed_trace.h"
#include "placing/survey.h"

namespace dprof {

namespace {

/// An input, and the JavaScript that it borrows.
struct Borrowed {
  explicit Borrowed(const Napi::CallbackInfo &info) : input(readInput(info[0].As<Napi::Object>())) {
    for (size_t i = 0; i < 2; i++) kept.push_back(Napi::Persistent(info[i].As<Napi::Object>()));
  }
  std::vector<Napi::ObjectReference> kept;
  Input input;
};

Excerpts readExcerpts(const Reader &reader) {
  const Excerpts read{static_cast<uint64_t>(reader.number("kept")), static_cast<uint64_t>(reader.number("period"))};
  if (read.kept == 0 || read.period < read.kept) throw InputError("excerpts are a part of their period");
  return read;
}

// -- survey

struct SurveyJob : Borrowed {
  explicit SurveyJob(const Napi::CallbackInfo &info) : Borrowed(info) {
    const Reader reader(info[1].As<Napi::Object>());
    reader.column("elementOffset", facts.elementOffset);
    reader.column("typeBytes", facts.typeBytes);
    reader.column("isUnion", facts.isUnion);
    reader.column("kinWhole", facts.kinWhole);
    reader.column("kinPart", facts.kinPart);
    reader.column("kinAt", facts.kinAt);
    strides = readExcerpts(Reader(info[2].As<Napi::Object>()));
  }
  void run() {
    survey = std::make_unique<Survey>(input, facts, strides);
    survey->survey();
  }
  Napi::Value result(Napi::Env env) const {
    const std::vector<SurveyedObject> &rows = survey->objects;
    Napi::Object objects = Napi::Object::New(env);
    auto set = [&]<typename Array>(const char *name, auto get) {
      objects.Set(name, fill<Array>(env, rows.size(), [&](size_t i) { return get(rows[i]); }));
    };
    using Row = const SurveyedObject &;
    objects.Set("count", real(rows.size()));
    set.template operator()<F64>("address", [](Row row) { return real(row.address); });
    set.template operator()<F64>("sizeBytes", [](Row row) { return real(row.size); });
    set.template operator()<U32>("declared", [](Row row) { return row.declared; });
    set.template operator()<U32>("allocationSlot", [](Row row) { return row.slot; });
    set.template operator()<U32>("variable", [](Row row) { return row.variable; });
    set.template operator()<Napi::Int32Array>("said", [](Row row) { return row.said.type; });
    set.template operator()<U32>("whole", [](Row row) { return row.whole; });
    set.template operator()<U8>("kind", [](Row row) { return row.kind; });
    set.template operator()<U8>("flags", [](Row row) { return row.flags; });
    std::vector<std::pair<uint32_t, Strides>> strides;
    for (const auto &[object, own] : survey->strides) strides.emplace_back(object, own);
    Napi::Object distances = Napi::Object::New(env);
    const size_t cells = strides.size() * Strides::MOST;
    auto cell = [&](size_t i) -> const Strides & { return strides[i / Strides::MOST].second; };
    distances.Set("object", fill<U32>(env, strides.size(), [&](size_t i) { return strides[i].first; }));
    distances.Set("bytes", fill<F64>(env, cells, [&](size_t i) { return real(cell(i).bytes[i % Strides::MOST]); }));
    distances.Set("times", fill<F64>(env, cells, [&](size_t i) { return real(cell(i).times[i % Strides::MOST]); }));
    const std::vector<Operation> &made = survey->operations;
    Napi::Object operations = Napi::Object::New(env);
    operations.Set("count", real(made.size()));
    operations.Set("kind", fill<U8>(env, made.size(), [&](size_t i) { return static_cast<uint8_t>(made[i].kind); }));
    operations.Set("thread", fill<U32>(env, made.size(), [&](size_t i) { return made[i].thread; }));
    operations.Set("block", fill<U32>(env, made.size(), [&](size_t i) { return made[i].block; }));
    operations.Set("size", fill<F64>(env, made.size(), [&](size_t i) { return real(made[i].size); }));
    operations.Set("other", fill<F64>(env, made.size(), [&](size_t i) { return real(made[i].other); }));
    Napi::Object result = Napi::Object::New(env);
    result.Set("objects", objects);
    result.Set("operations", operations);
    result.Set("strides", distances);
    result.Set("slots", real(survey->slots));
    return result;
  }
  SurveyFacts facts;
  Excerpts strides;
  std::unique_ptr<Survey> survey;
};

// -- CachePerf's rule

struct CacheperfJob : Borrowed {
  explicit CacheperfJob(const Napi::CallbackInfo &info) : Borrowed(info) {
    const Reader reader(info[1].As<Napi::Object>());
    auto number = [&](const char *name) { return static_cast<uint32_t>(reader.number(name)); };
    reader.column("rowOfSlot", request.rowOfSlot);
    reader.column("rowOfVariable", request.rowOfVariable);
    request.rows = number("rows");
    request.lineShift = input.machine.lineShift;
    request.sets = number("sets");
    request.ways = number("ways");
    request.window = number("window");
    request.crowd = number("crowd");
    for (const Column<uint32_t> &rows : {request.rowOfSlot, request.rowOfVariable})
      for (size_t i = 0; i < rows.count; i++)
        if (rows[i] > request.rows) throw InputError("a slot or variable of a row that does not exist");
    if (request.sets == 0 || request.ways == 0) throw InputError("CachePerf's rule without an L1");
  }
  void run() {
    walk = std::make_unique<CacheperfWalk>(input, request);
    walk->run();
  }
  Napi::Value result(Napi::Env env) const {
    const std::vector<CacheperfCounts> &rows = walk->counts;
    Napi::Object columns = Napi::Object::New(env);
    CacheperfCounts::each([&](const char *name, auto count) {
      columns.Set(name, fill<F64>(env, rows.size(), [&](size_t i) { return real(rows[i].*count); }));
    });
    return columns;
  }
  CacheperfRequest request;
  std::unique_ptr<CacheperfWalk> walk;
};

// -- placing

TypeLayout readType(const Reader &reader) {
  TypeLayout type{};
  type.oldBytes = static_cast<uint64_t>(reader.number("oldBytes"));
  type.newBytes = static_cast<uint64_t>(reader.number("newBytes"));
  type.coldBytes = static_cast<uint64_t>(reader.number("coldBytes"));
  type.pointerAt = static_cast<int64_t>(reader.number("pointerAt"));
  type.isPerThread = reader.number("isPerThread") != 0;
  reader.column("at", type.at);
  reader.column("until", type.until);
  reader.column("partBegin", type.partBegin);
  reader.column("partBytes", type.partBytes);
  reader.column("partAt", type.partAt);
  reader.column("partNewBytes", type.partNewBytes);
  if (type.oldBytes == 0 || type.at.count != type.oldBytes || type.until.count != type.oldBytes)
    throw InputError("a type that is laid out anew must say where each of its bytes lies");
  return type;
}

void readPlaced(const Reader &reader, PlacedObjects &placed) {
  reader.column("address", placed.address);
  reader.column("layout", placed.layout);
  reader.column("cold", placed.cold);
  placed.threadStride = static_cast<uint64_t>(reader.number("threadStride"));
  auto types = reader.value("types").As<Napi::Array>();
  for (uint32_t i = 0; i < types.Length(); i++)
    placed.types.push_back(readType(Reader(types.Get(i).As<Napi::Object>())));
  auto layouts = reader.value("layouts").As<Napi::Array>();
  for (uint32_t i = 0; i < layouts.Length(); i++) {
    const Reader layout(layouts.Get(i).As<Napi::Object>());
    auto number = [&](const char *name) { return static_cast<uint64_t>(layout.number(name)); };
    if (number("type") >= placed.types.size()) throw InputError("a layout of a type that does not exist");
    placed.layouts.push_back(
        {&placed.types[number("type")], number("head"), number("end"), number("newEnd"), number("newSize")});
  }
  for (size_t i = 0; i < placed.layout.count; i++)
    if (placed.layout[i] > placed.layouts.size()) throw InputError("an object of a layout that does not exist");
  if (placed.layout.count != placed.address.count || placed.cold.count != placed.address.count)
    throw InputError("each object needs an address and a layout");
}

LoopChanges readLoops(const Reader &reader) {
  LoopChanges loops;
  reader.column("tileOf", loops.tileOf);
  reader.column("rows", loops.rows);
  reader.column("columns", loops.columns);
  for (size_t i = 0; i < loops.rows.count; i++)
    if (loops.rows[i] == 0 || loops.columns[i] == 0) throw InputError("a tile without iterations");
  return loops;
}

struct PlacingJob : Borrowed {
  explicit PlacingJob(const Napi::CallbackInfo &info) : Borrowed(info), folder(info[2].As<Napi::String>()) {
    excerpts = readExcerpts(Reader(info[3].As<Napi::Object>()));
    auto given = info[1].As<Napi::Array>();
    ways.resize(given.Length());
    for (uint32_t i = 0; i < given.Length(); i++) readWay(Reader(given.Get(i).As<Napi::Object>()), ways[i]);
  }
  void readWay(const Reader &reader, PlacedTraces::Changes &way) const {
    readPlaced(reader, way.placed);
    way.loops = readLoops(reader);
    const LoopChanges &loops = way.loops;
    if (loops.tileOf.count != 0 && loops.tileOf.count != input.records.tag.count)
      throw InputError("each record is of a loop or not");
    if (loops.rows.count != loops.columns.count) throw InputError("each tile has rows and columns");
    for (size_t i = 0; i < loops.tileOf.count; i++)
      if (loops.tileOf[i] < LoopChanges::FIXED || loops.tileOf[i] >= static_cast<int64_t>(loops.rows.count))
        throw InputError("a record of a tile that does not exist");
  }
  void run() {
    traces = std::make_unique<PlacedTraces>(input, ways, folder, excerpts);
    traces->run();
  }
  Napi::Value result(Napi::Env env) {
    Napi::Array all = Napi::Array::New(env);
    for (uint32_t i = 0; i < traces->ways.size(); i++) all.Set(i, wayOf(env, *traces->ways[i]));
    traces.reset();
    return all;
  }
  static Napi::Object wayOf(Napi::Env env, PlacedTraces::Way &way) {
    Napi::Object result = Napi::Object::New(env);
    if (way.separated != NO_INDEX) result.Set("separated", way.separated);
    if (way.scattered != NO_INDEX) result.Set("scattered", way.scattered);
    if (way.outOfOrder != NO_INDEX) result.Set("outOfOrder", way.outOfOrder);
    if (way.ends()) return result;
    result.Set("moved", real(way.moved()));
    result.Set("descriptor", way.file.finish());
    result.Set("split", real(way.step.split));
    result.Set("pointerLoads", real(way.step.pointerLoads));
    Napi::Array threads = Napi::Array::New(env);
    for (uint32_t i = 0; i < way.file.threads(); i++) {
      const StepsFile::Thread &chunks = way.file.chunks(i);
      Napi::Object thread = Napi::Object::New(env);
      thread.Set("offset", fill<F64>(env, chunks.offset.size(), [&](size_t k) { return chunks.offset[k]; }));
      thread.Set("bytes", fill<U32>(env, chunks.bytes.size(), [&](size_t k) { return chunks.bytes[k]; }));
      thread.Set("begins", fill<U8>(env, chunks.bytes.size(), [](size_t) { return uint8_t{0}; })); // each goes on
      threads.Set(i, thread);
    }
    result.Set("threads", threads);
    const auto &[slots, records] = std::tie(way.variants.slots, way.variants.records);
    Napi::Object variants = Napi::Object::New(env);
    variants.Set("slot", fill<U32>(env, slots.size(), [&](size_t k) { return slots[k].slot; }));
    variants.Set("sizeBytes", fill<U32>(env, slots.size(), [&](size_t k) { return slots[k].sizeBytes; }));
    variants.Set("further", fill<U32>(env, slots.size(), [&](size_t k) { return slots[k].further; }));
    result.Set("slots", variants);
    Napi::Array rows = Napi::Array::New(env);
    for (uint32_t i = 0; i < records.size(); i++) {
      const RecordVariant &variant = records[i];
      Napi::Object row = Napi::Object::New(env);
      row.Set("record", variant.record);
      row.Set("part", static_cast<uint32_t>(variant.part));
      row.Set("slots", fill<U32>(env, variant.slots.size(), [&](size_t k) { return variant.slots[k]; }));
      if (const auto &[function, flags, call] = variant.move; function != NO_INDEX) {
        Napi::Object move = Napi::Object::New(env);
        move.Set("functionId", function);
        move.Set("flags", flags);
        move.Set("call", call);
        row.Set("move", move);
      }
      rows.Set(i, row);
    }
    result.Set("records", rows);
    return result;
  }

  std::vector<PlacedTraces::Changes> ways;
  const std::string folder;
  Excerpts excerpts;
  std::unique_ptr<PlacedTraces> traces;
};

template <typename Job> Napi::Value start(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto job = std::make_shared<Job>(info);
    return inBackground(info.Env(), [job] { job->run(); }, [job](Napi::Env env) { return job->result(env); });
  });
}

} // namespace

void addPlacing(Napi::Env env, Napi::Object exports) {
  exports.Set("survey", Napi::Function::New(env, start<SurveyJob>));
  exports.Set("cacheperf", Napi::Function::New(env, start<CacheperfJob>));
  exports.Set("placeTraces", Napi::Function::New(env, start<PlacingJob>));
}

} // namespace dprof
