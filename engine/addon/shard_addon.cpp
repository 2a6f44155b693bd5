// Stage: replay -> shard. For src/replay/native-engine.ts: the file of a shard, written on a thread of the engine's
// own.
#include "addon/addon.h"
#include "addon/background.h"
#include "replay/shard_replay.h"

namespace dprof {

namespace {

struct AskedShard {
  AskedShard(Napi::Object from, std::string path, std::string header)
      : kept(Napi::Persistent(from)), input(readInput(from)), path(std::move(path)), header(std::move(header)) {}
  Napi::ObjectReference kept; // borrowed by `input`
  Input input;
  const std::string path, header;
};

Napi::Value replayShard(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto asked = std::make_shared<AskedShard>(info[0].As<Napi::Object>(), info[1].As<Napi::String>().Utf8Value(),
                                              info[2].As<Napi::String>().Utf8Value());
    return inBackground(
        info.Env(), [asked] { ShardReplay(asked->input, asked->path, asked->header).run(); },
        [asked](Napi::Env env) { return env.Undefined(); });
  });
}

} // namespace

void addShards(Napi::Env env, Napi::Object exports) {
  exports.Set("replayShard", Napi::Function::New(env, replayShard));
}

} // namespace dprof
