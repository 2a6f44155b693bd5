// Stage: replay. What both halves of the addon need: JavaScript in, JavaScript out, errors with their parts.
#pragma once

#include <napi.h>

#include <functional>

#include "replay/replay.h"
#include "replay/snapshot.h"

namespace dprof {

/// Borrows the columns: they must live as long as what is made of it.
Input readInput(Napi::Object from);
/// `settled`: the replay's own at its end, or a snapshot's; its objects are taken out of it. `spill`: where they go if
/// they are many.
Napi::Object resultOf(Napi::Env env, const CacheStage &caches, const CountStage &counts, const Settled &settled,
                      const SpillPlace &spill);
/// The tables of src/contract/flow-result.ts.
Napi::Object flowOf(Napi::Env env, Flow &flow);
/// Where the borders of a window were.
Napi::Object windowOf(Napi::Env env, const WindowPosition *positions);
/// The engine's errors as JavaScript's.
Napi::Value typed(Napi::Env env, const std::function<Napi::Value()> &work);
/// Functions for live traces: live_addon.cpp.
void addLive(Napi::Env env, Napi::Object exports);

} // namespace dprof
