// Stage: stream. For src/stream: the references of a run, some rows at a time, as they are asked for.
#include <cstring>
#include <memory>

#include "addon/addon.h"
#include "addon/addon_columns.h"
#include "addon/background.h"
#include "addon/reader.h"
#include "stream/native_kernel.h"
#include "stream/reference_feed.h"

namespace dprof {

namespace {

constexpr const char *CALLERS[CallersStart::MOST] = {"caller", "caller2", "caller3", "caller4"};

/// A request, and the JavaScript that it borrows: an input, names of columns that JavaScript wants as they are, and
/// packings.
struct AskedReferences {
  AskedReferences(Napi::Object input, Napi::Object raw, Napi::Array packings)
      : kept(Napi::Persistent(input)), keptTables(Napi::Persistent(packings.As<Napi::Object>())),
        input(readInput(input)) {
    const Reader asked(raw);
    auto wants = [&](const char *name) { return asked.number(name) != 0; };
    columns = {.number = wants("number"),
               .address = wants("address"),
               .size = wants("size"),
               .thread = wants("thread"),
               .core = wants("core"),
               .time = wants("time"),
               .object = wants("object"),
               .offset = wants("offset"),
               .site = wants("site"),
               .age = wants("age"),
               .value = wants("value"),
               .outcome = wants("outcome"),
               .invalidated = wants("invalidated")};
    for (size_t i = 0; i < CallersStart::MOST; i++) columns.caller[i] = wants(CALLERS[i]);
    for (size_t level = 0; level < 3; level++) {
      columns.evicted[level] = wants(EVICTED[level]);
      columns.evictedObject[level] = wants(EVICTED_OBJECT[level]);
    }
    this->input.machine.oneByOne = columns.ofCallers();
    slots = wants("slot");
    outcomes = columns.outcome;
    for (uint32_t i = 0; i < packings.Length(); i++) readPacked(Reader(packings.Get(i).As<Napi::Object>()));
  }
  Napi::ObjectReference kept, keptTables;
  Input input;
  ReferenceColumns columns;
  bool slots, outcomes; // JavaScript wants them as they are
  std::vector<PackedColumn> packed;

private:
  void readPacked(const Reader &of) {
    PackedColumn column{of.number("ofOutcome") != 0,
                        static_cast<uint32_t>(of.number("shift")),
                        static_cast<uint32_t>(of.number("mask")),
                        {},
                        static_cast<uint8_t>(of.number("bytes")),
                        of.number("mayLack") != 0};
    of.column("table", column.table);
    columns.outcome |= column.ofOutcome;
    packed.push_back(column);
  }
};

struct OpenedReferences : AskedReferences {
  explicit OpenedReferences(const Napi::CallbackInfo &info)
      : AskedReferences(info[0].As<Napi::Object>(), info[1].As<Napi::Object>(), info[2].As<Napi::Array>()) {
    if (info[3].IsObject()) followLive(info.Env(), Reader(info[3].As<Napi::Object>()));
    feed = std::make_unique<ReferenceFeed>(input, columns, packed);
  }
  std::optional<FedRows> rows; // of the answer under way
  std::shared_ptr<LiveSource> live;
  std::unique_ptr<ReferenceFeed> feed;

private:
  /// From the trace's beginning, with threads as they come.
  void followLive(Napi::Env env, const Reader &of) {
    live = liveSource(env, static_cast<uint32_t>(of.number("id")));
    live->rewind(static_cast<uint64_t>(of.number("knownBytes")), &input.threads,
                 static_cast<uint32_t>(of.number("mostThreads")));
    input.live = live.get();
    input.threads.clear();
  }
};

Napi::Value answer(Napi::Env env, const OpenedReferences &of) {
  if (!of.rows) return env.Null();
  const ReferenceRows &rows = of.rows->rows;
  Napi::Object result = Napi::Object::New(env);
  auto set = [&]<typename Array>(const char *name, const auto &column) {
    if (column.empty()) return;
    using Element = std::remove_pointer_t<decltype(std::declval<Array>().Data())>;
    result.Set(name, fill<Array>(env, column.size(), [&](size_t i) { return static_cast<Element>(column[i]); }));
  };
  result.Set("count", real(rows.count()));
  if (of.slots) set.operator()<U32>("slot", rows.slot);
  set.operator()<F64>("number", rows.number);
  set.operator()<F64>("address", rows.address);
  set.operator()<U32>("size", rows.size);
  set.operator()<U32>("thread", rows.thread);
  set.operator()<U16>("core", rows.core);
  set.operator()<F64>("time", rows.time);
  set.operator()<U32>("object", rows.object);
  set.operator()<F64>("offset", rows.offset);
  set.operator()<U32>("site", rows.site);
  set.operator()<F64>("age", rows.age);
  for (size_t i = 0; i < CallersStart::MOST; i++) set.operator()<U32>(CALLERS[i], rows.caller[i]);
  if (of.outcomes) set.operator()<U32>("outcome", rows.outcome);
  for (size_t level = 0; level < 3; level++) {
    set.operator()<F64>(EVICTED[level], rows.evicted[level]);
    set.operator()<U32>(EVICTED_OBJECT[level], rows.evictedObject[level]);
  }
  set.operator()<U64>("value", rows.value);
  set.operator()<U8>("valueKnown", rows.valueKnown);
  set.operator()<U32>("invalidated", rows.invalidated);
  Napi::Array packed = Napi::Array::New(env, of.packed.size());
  for (uint32_t i = 0; i < of.packed.size(); i++) {
    Napi::Object column = Napi::Object::New(env);
    const PackedRows &made = of.rows->packed[i];
    auto buffer = [&](const RowColumn<uint8_t> &bytes) {
      Napi::ArrayBuffer into = Napi::ArrayBuffer::New(env, bytes.size());
      std::memcpy(into.Data(), bytes.data(), bytes.size());
      return into;
    };
    column.Set("values", buffer(made.values));
    if (!made.validity.empty()) column.Set("validity", buffer(made.validity));
    packed.Set(i, column);
  }
  result.Set("packed", packed);
  return result;
}

Napi::Value openReferences(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&]() -> Napi::Value {
    auto opened = std::make_shared<OpenedReferences>(info);
    Napi::Object stream = Napi::Object::New(info.Env());
    auto next = [opened](const Napi::CallbackInfo &call) {
      return inBackground(
          call.Env(), [opened] { opened->rows = opened->feed->next(); },
          [opened](Napi::Env env) { return answer(env, *opened); });
    };
    // The calling thread waits: for who may not, such as a database that asks for rows.
    auto nextNow = [opened](const Napi::CallbackInfo &call) -> Napi::Value {
      return typed(call.Env(), [&] {
        opened->rows = opened->feed->next();
        return answer(call.Env(), *opened);
      });
    };
    auto close = [opened](const Napi::CallbackInfo &) { opened->feed->close(); };
    // After the last rows: why a live trace has no more.
    auto stop = [opened](const Napi::CallbackInfo &call) -> Napi::Value {
      return opened->live ? Napi::String::New(call.Env(), nameOf(opened->live->stop())) : call.Env().Null();
    };
    stream.Set("stop", Napi::Function::New(info.Env(), stop));
    stream.Set("next", Napi::Function::New(info.Env(), next));
    stream.Set("nextNow", Napi::Function::New(info.Env(), nextNow));
    stream.Set("close", Napi::Function::New(info.Env(), close));
    return stream;
  });
}

struct OpenedKernel {
  explicit OpenedKernel(const Napi::CallbackInfo &info)
      : asked(info[1].As<Napi::Object>(), info[2].As<Napi::Object>(), info[3].As<Napi::Array>()) {
    Napi::Array all = info[4].As<Napi::Array>();
    for (uint32_t i = 0; i < all.Length(); i++) {
      const Reader of(all.Get(i).As<Napi::Object>());
      KernelColumn column{of.text("name"), std::nullopt, {}};
      if (const double packed = of.number("packed"); packed >= 0) column.packed = static_cast<size_t>(packed);
      if (of.value("words").IsArray()) {
        Napi::Array words = of.value("words").As<Napi::Array>();
        column.words.emplace();
        for (uint32_t k = 0; k < words.Length(); k++)
          column.words->push_back(words.Get(k).As<Napi::String>().Utf8Value());
      }
      columns.push_back(std::move(column));
    }
  }
  AskedReferences asked;
  std::vector<KernelColumn> columns;
  KernelAnswer answer;
};

/// The names of its columns, and whether it takes Arrow's.
Napi::Value openKernel(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&]() -> Napi::Value {
    const NativeKernel kernel(info[0].As<Napi::String>().Utf8Value());
    const std::vector<std::string> names = kernel.columnNames();
    Napi::Array all = Napi::Array::New(info.Env(), names.size());
    for (uint32_t i = 0; i < names.size(); i++) all.Set(i, names[i]);
    Napi::Object said = Napi::Object::New(info.Env());
    said.Set("columns", all);
    said.Set("isArrow", kernel.isArrow());
    return said;
  });
}

Napi::Value runKernel(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&]() -> Napi::Value {
    auto kernel = std::make_shared<NativeKernel>(info[0].As<Napi::String>().Utf8Value());
    auto opened = std::make_shared<OpenedKernel>(info);
    return inBackground(
        info.Env(),
        [kernel, opened] {
          const AskedReferences &asked = opened->asked;
          opened->answer = kernel->run(asked.input, asked.columns, asked.packed, opened->columns);
        },
        [opened](Napi::Env env) -> Napi::Value {
          Napi::Object said = Napi::Object::New(env);
          said.Set("text", opened->answer.text);
          said.Set("failed", opened->answer.failed);
          return said;
        });
  });
}

} // namespace

void addStream(Napi::Env env, Napi::Object exports) {
  exports.Set("openReferences", Napi::Function::New(env, openReferences));
  exports.Set("openKernel", Napi::Function::New(env, openKernel));
  exports.Set("runKernel", Napi::Function::New(env, runKernel));
}

} // namespace dprof
