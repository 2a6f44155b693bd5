// Stage: replay. Work of the engine on a thread of its own, while JavaScript goes on; a promise says what came of it.
#pragma once

#include <napi.h>

#include <functional>

namespace dprof {

/// `work` runs there and touches nothing of JavaScript's; then `answer` runs here, and the promise has what it returns.
/// An error of either one, typed as by `typed`, is what the promise is rejected with.
Napi::Value inBackground(Napi::Env env, std::function<void()> work, std::function<Napi::Value(Napi::Env)> answer);

} // namespace dprof
