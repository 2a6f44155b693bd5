// Stage: replay. Live traces, for src/replay/live-trace.ts: each has a number, for it is read on a worker thread and
// told from the main thread to pause or to end.
#include <map>
#include <memory>
#include <mutex>

#include "addon/addon.h"
#include "trace/live_source.h"

namespace dprof {

namespace {

struct Live {
  explicit Live(uint64_t capacity) : source(capacity) {}
  LiveSource source;
  // These belong to the replay that is under way; only the worker thread touches them.
  Napi::ObjectReference columns; // borrowed by `input`
  std::unique_ptr<Input> input;
  std::unique_ptr<Replay> replay;
};

std::mutex mutex;
std::map<uint32_t, std::shared_ptr<Live>> &lives() {
  static auto &all = *new std::map<uint32_t, std::shared_ptr<Live>>; // entries that remain at the end of the process
                                                                     // are never destroyed
  return all;
}

std::shared_ptr<Live> liveOf(const Napi::CallbackInfo &info) {
  std::lock_guard lock(mutex);
  auto found = lives().find(info[0].As<Napi::Number>().Uint32Value());
  if (found == lives().end()) throw Napi::Error::New(info.Env(), "no such live trace");
  return found->second;
}

Napi::Value create(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  return typed(env, [&] {
    static uint32_t last = 0;
    auto live = std::make_shared<Live>(static_cast<uint64_t>(info[0].As<Napi::Number>().DoubleValue()));
    std::lock_guard lock(mutex);
    lives()[++last] = live;
    Napi::Object made = Napi::Object::New(env);
    made.Set("id", last);
    made.Set("data", live->source.data());
    made.Set("control", live->source.control());
    return made;
  });
}

const char *nameOf(LiveSource::Stop stop) {
  switch (stop) {
    case LiveSource::Stop::NONE: return "events";
    case LiveSource::Stop::PAUSED: return "paused";
    case LiveSource::Stop::MODULE: return "module";
    case LiveSource::Stop::THREAD: return "thread";
    case LiveSource::Stop::CORES: return "cores";
    case LiveSource::Stop::AGAIN: return "again";
    case LiveSource::Stop::END: return "end";
    case LiveSource::Stop::CUT: return "cut";
  }
  return "";
}

/// One request to pause gets one answer.
Napi::Value stopped(Napi::Env env, LiveSource &source, LiveSource::Stop stop) {
  if (stop == LiveSource::Stop::PAUSED) source.resume();
  return Napi::String::New(env, nameOf(stop));
}

template <LiveSource::Stop (LiveSource::*Wait)()> Napi::Value waitFor(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto live = liveOf(info);
    LiveSource::Stop stop = (live->source.*Wait)();
    if (stop == LiveSource::Stop::END && live->source.isNothing())
      return Napi::Value(Napi::String::New(info.Env(), "nothing"));
    return stopped(info.Env(), live->source, stop);
  });
}

void forget(Live &live) {
  live.replay.reset();
  live.input.reset();
  live.columns.Reset();
}

/// With an input: starts a replay from the trace's beginning. The input says how far its catalog reaches, and how many
/// threads there may be. Without an input: the replay goes on.
Napi::Value replayLive(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  auto live = liveOf(info);
  try {
    return typed(env, [&] {
      if (info[1].IsObject()) {
        forget(*live);
        live->columns = Napi::Persistent(info[1].As<Napi::Object>());
        live->input = std::make_unique<Input>(readInput(info[1].As<Napi::Object>()));
        live->input->live = &live->source;
        const uint32_t most = info[3].As<Napi::Number>().Uint32Value();
        const bool isTogether = most > 1;
        live->source.rewind(static_cast<uint64_t>(info[2].As<Napi::Number>().DoubleValue()),
                            isTogether ? &live->input->threads : nullptr, most);
        live->input->threads.clear();
        if (!isTogether) live->input->threads.push_back({{}, {}, {}, &live->source});
        live->replay = std::make_unique<Replay>(*live->input, std::vector<Machine>{});
      }
      Replay &replay = *live->replay;
      Replay::OnMachine &on = *replay.machines[0];
      replay.advance();
      LiveSource::Stop stop = live->source.stop();
      if (live->source.isPaused()) stop = LiveSource::Stop::PAUSED;
      Napi::Object answer = Napi::Object::New(env);
      answer.Set("stop", stopped(env, live->source, stop));
      answer.Set("offset", static_cast<double>(live->source.position()));
      answer.Set("threads", static_cast<double>(live->input->threads.size()));
      if (stop == LiveSource::Stop::PAUSED) {
        Snapshot snapshot = replay.snapshot();
        answer.Set("result", resultOf(env, on.caches, on.counts, snapshot.settled(), live->input->spill));
      } else if (stop == LiveSource::Stop::END || stop == LiveSource::Stop::CUT) {
        replay.finish();
        Napi::Object result = resultOf(env, on.caches, on.counts, Settled(on.counts), live->input->spill);
        addParallelism(env, result, replay);
        answer.Set("result", result);
        std::string json(live->source.end.bytes, '\0');
        live->source.read(live->source.end.offset, json.data(), json.size());
        answer.Set("end", json);
        forget(*live);
      } else {
        forget(*live);
      }
      return Napi::Value(answer);
    });
  } catch (...) {
    forget(*live);
    throw;
  }
}

Napi::Value whole(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] { return Napi::Value(Napi::Number::New(info.Env(), liveOf(info)->source.whole())); });
}

template <void (LiveSource::*Tell)()> Napi::Value tell(const Napi::CallbackInfo &info) {
  (liveOf(info)->source.*Tell)();
  return info.Env().Undefined();
}

Napi::Value written(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(liveOf(info)->source.written()));
}

Napi::Value destroy(const Napi::CallbackInfo &info) {
  auto live = liveOf(info);
  live->source.dismiss();
  if (!live->columns.IsEmpty())
    return info.Env().Undefined(); // a replay that nobody wanted to the end: the worker's to forget
  std::lock_guard lock(mutex);
  lives().erase(info[0].As<Napi::Number>().Uint32Value());
  return info.Env().Undefined();
}

} // namespace

void addLive(Napi::Env env, Napi::Object exports) {
  exports.Set("createLive", Napi::Function::New(env, create));
  exports.Set("awaitLive", Napi::Function::New(env, waitFor<&LiveSource::awaitEvents>));
  exports.Set("collectLive", Napi::Function::New(env, waitFor<&LiveSource::collect>));
  exports.Set("replayLive", Napi::Function::New(env, replayLive));
  exports.Set("wholeLive", Napi::Function::New(env, whole));
  exports.Set("settleLive", Napi::Function::New(env, tell<&LiveSource::settle>));
  exports.Set("pauseLive", Napi::Function::New(env, tell<&LiveSource::pause>));
  exports.Set("endLive", Napi::Function::New(env, tell<&LiveSource::endOfStream>));
  exports.Set("dismissLive", Napi::Function::New(env, tell<&LiveSource::dismiss>));
  exports.Set("writtenLive", Napi::Function::New(env, written));
  exports.Set("destroyLive", Napi::Function::New(env, destroy));
}

} // namespace dprof
