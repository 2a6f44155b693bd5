// Stage: stream. For src/stream: the references of a run, some rows at a time, as they are asked for.
#include <memory>

#include "addon/addon.h"
#include "addon/addon_columns.h"
#include "addon/background.h"
#include "addon/reader.h"
#include "stream/reference_feed.h"

namespace dprof {

namespace {

/// A feed, and the JavaScript that its input borrows.
struct OpenedReferences {
  explicit OpenedReferences(const Napi::CallbackInfo &info)
      : kept(Napi::Persistent(info[0].As<Napi::Object>())), input(readInput(info[0].As<Napi::Object>())) {
    const Reader asked(info[1].As<Napi::Object>());
    auto wants = [&](const char *name) { return asked.number(name) != 0; };
    columns = {.address = wants("address"),
               .size = wants("size"),
               .thread = wants("thread"),
               .core = wants("core"),
               .time = wants("time"),
               .object = wants("object"),
               .offset = wants("offset"),
               .site = wants("site"),
               .age = wants("age"),
               .outcome = wants("outcome"),
               .evicted = wants("evicted"),
               .invalidated = wants("invalidated")};
    feed = std::make_unique<ReferenceFeed>(input, columns);
  }
  Napi::ObjectReference kept;
  Input input;
  ReferenceColumns columns;
  std::optional<ReferenceRows> rows; // of the answer under way
  std::unique_ptr<ReferenceFeed> feed;
};

Napi::Value answer(Napi::Env env, const std::optional<ReferenceRows> &given) {
  if (!given) return env.Null();
  const ReferenceRows &rows = *given;
  Napi::Object result = Napi::Object::New(env);
  auto set = [&]<typename Array>(const char *name, const auto &column) {
    if (column.empty()) return;
    using Element = std::remove_pointer_t<decltype(std::declval<Array>().Data())>;
    result.Set(name, fill<Array>(env, column.size(), [&](size_t i) { return static_cast<Element>(column[i]); }));
  };
  result.Set("count", real(rows.count()));
  set.operator()<U32>("slot", rows.slot);
  set.operator()<F64>("address", rows.address);
  set.operator()<U32>("size", rows.size);
  set.operator()<U32>("thread", rows.thread);
  set.operator()<U16>("core", rows.core);
  set.operator()<F64>("time", rows.time);
  set.operator()<U32>("object", rows.object);
  set.operator()<F64>("offset", rows.offset);
  set.operator()<U32>("site", rows.site);
  set.operator()<F64>("age", rows.age);
  set.operator()<U32>("outcome", rows.outcome);
  set.operator()<F64>("evicted", rows.evicted);
  set.operator()<U32>("invalidated", rows.invalidated);
  return result;
}

Napi::Value openReferences(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&]() -> Napi::Value {
    auto opened = std::make_shared<OpenedReferences>(info);
    Napi::Object stream = Napi::Object::New(info.Env());
    auto next = [opened](const Napi::CallbackInfo &call) {
      return inBackground(
          call.Env(), [opened] { opened->rows = opened->feed->next(); },
          [opened](Napi::Env env) { return answer(env, opened->rows); });
    };
    // The calling thread waits: for who may not, such as a database that asks for rows.
    auto nextNow = [opened](const Napi::CallbackInfo &call) -> Napi::Value {
      return typed(call.Env(), [&] { return answer(call.Env(), opened->feed->next()); });
    };
    auto close = [opened](const Napi::CallbackInfo &) { opened->feed->close(); };
    stream.Set("next", Napi::Function::New(info.Env(), next));
    stream.Set("nextNow", Napi::Function::New(info.Env(), nextNow));
    stream.Set("close", Napi::Function::New(info.Env(), close));
    return stream;
  });
}

} // namespace

void addStream(Napi::Env env, Napi::Object exports) {
  exports.Set("openReferences", Napi::Function::New(env, openReferences));
}

} // namespace dprof
