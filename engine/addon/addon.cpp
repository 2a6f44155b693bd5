// Stage: replay. JavaScript in and out: src/replay/native-engine.ts calls `replay(input)` with the catalog's numbers as
// typed arrays and gets the result's columns, for each machine. Runs to the end on the calling thread.
#include "addon/addon.h"

#include <malloc.h>

#include "addon/machine_input.h"

namespace dprof {

namespace {

Napi::Value replayAll(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  return typed(env, [&] {
    Napi::Object from = info[0].As<Napi::Object>();
    Input input = readInput(from);
    std::vector<Machine> others;
    auto machines = from.Get("otherMachines").As<Napi::Array>();
    for (uint32_t i = 0; i < machines.Length(); i++) others.push_back(readMachine(machines.Get(i).As<Napi::Object>()));
    Replay replay(input, others);
    replay.run();
    Napi::Array results = Napi::Array::New(env);
    double references = 0;
    for (std::unique_ptr<Replay::OnMachine> &on : replay.machines) {
      Napi::Object result = resultOf(env, on->caches, on->counts, Settled(on->counts), input.spill);
      if (input.window.asked) result.Set("window", windowOf(env, replay.window));
      addParallelism(env, result, replay);
      references += result.Get("totals").As<Napi::Object>().Get("references").As<Napi::Number>().DoubleValue();
      results.Set(results.Length(), result);
      on.reset();
    }
    if (input.progress) input.progress[0] = input.progress[1] = references;
    return Napi::Value(results);
  });
}

Napi::Value replay(const Napi::CallbackInfo &info) {
  Napi::Value result = replayAll(info);
  malloc_trim(0); // the state of a replay; nobody here will want as much again
  return result;
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
