// Stage: replay. The parts that both halves of the addon need: JavaScript in, JavaScript out, errors with their parts.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <optional>

#include "objects/object_table.h"
#include "replay/replay.h"
#include "replay/snapshot.h"
#include "trace/live_source.h"

namespace dprof {

/// Borrows the columns: they must live as long as the input and everything made from it.
Input readInput(Napi::Object from);
/// Puts the objects where `spill` says, if there are too many for memory.
std::optional<StoredObjects> storeSpilled(const Settled &settled, const SpillPlace &spill);
/// `settled` comes from the end of the replay or from a snapshot; its objects are taken out of it, unless they are
/// `stored`.
Napi::Object resultOf(Napi::Env env, const CacheStage &caches, const CountStage &counts, const Settled &settled,
                      std::optional<StoredObjects> stored);
/// The tables of src/contract/flow-result.ts.
Napi::Object flowOf(Napi::Env env, Flow &flow, const Takers &takers);
/// The positions at which the borders of a window lay.
Napi::Object windowOf(Napi::Env env, const WindowPosition *positions);
/// If there is something to say about it.
void addParallelism(Napi::Env env, Napi::Object result, const Replay &replay);
/// Runs `work`; an error of the engine becomes a JavaScript error.
Napi::Value typed(Napi::Env env, const std::function<Napi::Value()> &work);
/// The live trace with that number.
std::shared_ptr<LiveSource> liveSource(Napi::Env env, uint32_t id);
/// As JavaScript knows it.
const char *nameOf(LiveSource::Stop stop);
/// Functions for live traces: live_addon.cpp.
void addLive(Napi::Env env, Napi::Object exports);
/// For `dprof replay --shard`: shard_addon.cpp.
void addShards(Napi::Env env, Napi::Object exports);
/// Functions for src/what-if: placing_addon.cpp.
void addPlacing(Napi::Env env, Napi::Object exports);
/// For src/blocks: blocks_addon.cpp.
void addBlocks(Napi::Env env, Napi::Object exports);
void addStream(Napi::Env env, Napi::Object exports);

} // namespace dprof
