// Stage: replay. A thread for each piece of work, and the way back to JavaScript's.
#include "addon/background.h"

#include <exception>
#include <memory>
#include <thread>

#include "addon/addon.h"

namespace dprof {

namespace {

struct Background {
  std::function<void()> work;
  std::function<Napi::Value(Napi::Env)> answer;
  Napi::Promise::Deferred promise;
  std::exception_ptr failure;
  std::thread thread;
};

void settle(Napi::Env env, Napi::Function, Background *job) {
  const std::unique_ptr<Background> own(job);
  own->thread.join();
  try {
    own->promise.Resolve(typed(env, [&] {
      if (own->failure) std::rethrow_exception(own->failure);
      return own->answer(env);
    }));
  } catch (const Napi::Error &error) {
    own->promise.Reject(error.Value());
  } catch (const std::exception &error) {
    own->promise.Reject(Napi::Error::New(env, error.what()).Value());
  }
}

} // namespace

Napi::Value inBackground(Napi::Env env, std::function<void()> work, std::function<Napi::Value(Napi::Env)> answer) {
  auto own = std::make_unique<Background>(
      Background{std::move(work), std::move(answer), Napi::Promise::Deferred::New(env), nullptr, {}});
  Napi::Value promise = own->promise.Promise();
  Napi::ThreadSafeFunction back =
      Napi::ThreadSafeFunction::New(env, Napi::Function::New(env, [](const Napi::CallbackInfo &) {}), "dprof", 1, 1);
  Background *job = own.release(); // settle's
  job->thread = std::thread([job, back] {
    try {
      job->work();
    } catch (...) {
      job->failure = std::current_exception();
    }
    back.BlockingCall(job, settle);
    back.Release();
  });
  return promise;
}

} // namespace dprof
