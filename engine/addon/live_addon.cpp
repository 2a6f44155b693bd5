// Stage: replay. Live traces, for src/replay/live-trace.ts: each has a number. Each step of one runs on a thread of its
// own, and is told from JavaScript's thread to pause or to end.
#include <map>
#include <memory>
#include <mutex>

#include "addon/addon.h"
#include "addon/background.h"
#include "trace/live_feed.h"

namespace dprof {

namespace {

struct Live {
  explicit Live(uint64_t capacity) : source(capacity) {}
  LiveSource source;
  LiveFeed feed{source}; // where no recorder writes
  // These belong to the replay that is under way, and to the step that runs in the background while one does.
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

std::shared_ptr<Live> liveCalled(Napi::Env env, uint32_t id) {
  std::lock_guard lock(mutex);
  auto found = lives().find(id);
  if (found == lives().end()) throw Napi::Error::New(env, "no such live trace");
  return found->second;
}

std::shared_ptr<Live> liveOf(const Napi::CallbackInfo &info) {
  return liveCalled(info.Env(), info[0].As<Napi::Number>().Uint32Value());
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

} // namespace

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

std::shared_ptr<LiveSource> liveSource(Napi::Env env, uint32_t id) {
  std::shared_ptr<Live> live = liveCalled(env, id);
  return {live, &live->source};
}

namespace {

/// One request to pause gets one answer.
const char *answerTo(LiveSource &source, LiveSource::Stop stop) {
  if (stop == LiveSource::Stop::PAUSED) source.resume();
  return nameOf(stop);
}

template <LiveSource::Stop (LiveSource::*Wait)()> Napi::Value waitFor(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto live = liveOf(info);
    auto said = std::make_shared<const char *>("");
    return inBackground(
        info.Env(),
        [live, said] {
          LiveSource::Stop stop = (live->source.*Wait)();
          *said = stop == LiveSource::Stop::END && live->source.isNothing() ? "nothing" : answerTo(live->source, stop);
        },
        [said](Napi::Env env) { return Napi::Value(Napi::String::New(env, *said)); });
  });
}

void forget(Live &live) {
  live.replay.reset();
  live.input.reset();
}

/// A step of a replay, from where the last one stopped to where it stops.
struct Step {
  std::shared_ptr<Live> live;
  const char *stop = "";
  uint64_t offset = 0;
  size_t threads = 0;
  std::unique_ptr<Snapshot> snapshot; // of a pause
  std::optional<StoredObjects> stored;
  bool isEnd = false;
  std::string end;

  void run() {
    try {
      if (!live->replay) live->replay = std::make_unique<Replay>(*live->input, std::vector<Machine>{});
      Replay &replay = *live->replay;
      replay.advance();
      LiveSource &source = live->source;
      LiveSource::Stop why = source.stop();
      if (source.isPaused()) why = LiveSource::Stop::PAUSED;
      stop = answerTo(source, why);
      offset = source.position();
      threads = live->input->threads.size();
      if (why == LiveSource::Stop::PAUSED) {
        snapshot.reset(new Snapshot(replay.snapshot())); // it cannot be moved
        stored = storeSpilled(snapshot->settled(), live->input->spill);
      } else if (why == LiveSource::Stop::END || why == LiveSource::Stop::CUT) {
        isEnd = true;
        replay.finish();
        stored = storeSpilled(Settled(replay.machines[0]->counts), live->input->spill);
        end.resize(source.end.bytes);
        source.read(source.end.offset, end.data(), end.size());
      } else {
        forget(*live);
      }
    } catch (...) {
      forget(*live);
      throw;
    }
  }

  Napi::Value answer(Napi::Env env) {
    Napi::Object answer = Napi::Object::New(env);
    answer.Set("stop", stop);
    answer.Set("offset", static_cast<double>(offset));
    answer.Set("threads", static_cast<double>(threads));
    if (!snapshot && !isEnd) return answer;
    Replay &replay = *live->replay;
    Replay::OnMachine &on = *replay.machines[0];
    const Settled settled = snapshot ? snapshot->settled() : Settled(on.counts);
    Napi::Object result = resultOf(env, on.caches, on.counts, settled, std::move(stored));
    answer.Set("result", result);
    if (!isEnd) return answer;
    addParallelism(env, result, replay);
    answer.Set("end", end);
    forget(*live);
    return answer;
  }
};

/// With an input: starts a replay from the trace's beginning. The input says how far its catalog reaches, and how many
/// threads there may be. Without an input: the replay goes on.
Napi::Value replayLive(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  return typed(env, [&] {
    auto live = liveOf(info);
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
    }
    auto step = std::make_shared<Step>();
    step->live = live;
    return inBackground(env, [step] { step->run(); }, [step](Napi::Env env) { return step->answer(env); });
  });
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

/// The next bytes of a trace that no recorder writes here; waits for room. False: the reader wants no more.
Napi::Value feedLive(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto live = liveOf(info);
    auto bytes = info[1].As<Napi::Uint8Array>();
    auto part = std::make_shared<std::string>(reinterpret_cast<const char *>(bytes.Data()), bytes.ByteLength());
    auto isWanted = std::make_shared<bool>(false);
    return inBackground(
        info.Env(), [live, part, isWanted] { *isWanted = live->feed.put(part->data(), part->size()); },
        [isWanted](Napi::Env env) -> Napi::Value { return Napi::Boolean::New(env, *isWanted); });
  });
}

/// When no step is under way.
Napi::Value destroy(const Napi::CallbackInfo &info) {
  auto live = liveOf(info);
  live->source.dismiss();
  forget(*live);
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
  exports.Set("feedLive", Napi::Function::New(env, feedLive));
  exports.Set("wholeLive", Napi::Function::New(env, whole));
  exports.Set("settleLive", Napi::Function::New(env, tell<&LiveSource::settle>));
  exports.Set("pauseLive", Napi::Function::New(env, tell<&LiveSource::pause>));
  exports.Set("endLive", Napi::Function::New(env, tell<&LiveSource::endOfStream>));
  exports.Set("dismissLive", Napi::Function::New(env, tell<&LiveSource::dismiss>));
  exports.Set("writtenLive", Napi::Function::New(env, written));
  exports.Set("destroyLive", Napi::Function::New(env, destroy));
}

} // namespace dprof
