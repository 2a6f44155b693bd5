// Stage: replay. JavaScript in and out: src/replay/native-engine.ts hands over the catalog's numbers as typed arrays
// and gets the result's columns, for each machine. `replay` runs to the end on the calling thread, `replayInBackground`
// on another.
#include "addon/addon.h"

#include <malloc.h>

#include "addon/background.h"
#include "addon/machine_input.h"

namespace dprof {

namespace {

/// A replay, and what it borrows.
struct Whole {
  explicit Whole(Napi::Object from) : columns(Napi::Persistent(from)), input(readInput(from)) {
    auto machines = from.Get("otherMachines").As<Napi::Array>();
    for (uint32_t i = 0; i < machines.Length(); i++) others.push_back(readMachine(machines.Get(i).As<Napi::Object>()));
  }

  void run() {
    replay = std::make_unique<Replay>(input, others);
    replay->run();
    for (const std::unique_ptr<Replay::OnMachine> &on : replay->machines)
      stored.push_back(storeSpilled(Settled(on->counts), input.spill));
  }

  Napi::Value results(Napi::Env env) {
    Napi::Array all = Napi::Array::New(env);
    double references = 0;
    for (uint32_t i = 0; i < replay->machines.size(); i++) {
      std::unique_ptr<Replay::OnMachine> on = std::move(replay->machines[i]);
      Napi::Object result = resultOf(env, on->caches, on->counts, Settled(on->counts), std::move(stored[i]));
      if (input.window.asked) result.Set("window", windowOf(env, replay->window));
      addParallelism(env, result, *replay);
      references += result.Get("totals").As<Napi::Object>().Get("references").As<Napi::Number>().DoubleValue();
      all.Set(i, result);
    }
    if (input.progress) input.progress[0] = input.progress[1] = references;
    replay.reset();
    malloc_trim(0); // the state of a replay; nobody here will want as much again
    return all;
  }

  Napi::ObjectReference columns; // borrowed by `input`
  Input input;
  std::vector<Machine> others;
  std::unique_ptr<Replay> replay;
  std::vector<std::optional<StoredObjects>> stored; // by machine
};

Napi::Value replay(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    Whole whole(info[0].As<Napi::Object>());
    whole.run();
    return whole.results(info.Env());
  });
}

Napi::Value replayInBackground(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto whole = std::make_shared<Whole>(info[0].As<Napi::Object>());
    return inBackground(info.Env(), [whole] { whole->run(); }, [whole](Napi::Env env) { return whole->results(env); });
  });
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("replay", Napi::Function::New(env, replay));
  exports.Set("replayInBackground", Napi::Function::New(env, replayInBackground));
  addLive(env, exports);
  addShards(env, exports);
  addPlacing(env, exports);
  addBlocks(env, exports);
  addStream(env, exports);
  return exports;
}

} // namespace

} // namespace dprof

static Napi::Object initialiseModule(Napi::Env env, Napi::Object exports) { return dprof::initialise(env, exports); }

NODE_API_MODULE(dprof_engine, initialiseModule)
