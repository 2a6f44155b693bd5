// Stage: replay. The result of a replay -> the columns of src/contract/result.ts.
#include "addon/addon.h"
#include "addon/addon_columns.h"
#include "objects/object_table.h"

#include <iterator>

namespace dprof {

namespace {

Napi::Object tallyTable(Napi::Env env, const Tallies &tallies) {
  const size_t count = tallies.size();
  Napi::Object table = tableOf<result::Tally>(env, count, [&](size_t i) -> result::Tally {
    const TallyKey &key = tallies.key(i);
    return {.slot = key.slot,
            .rule = key.rule,
            .type = key.type,
            .siteBytes = real(key.siteBytes),
            .leaf = key.leaf,
            .core = key.core};
  });
  F64 counters = F64::New(env, count * COUNTERS);
  for (size_t i = 0; i < count; i++) tallies.counters(i, counters.Data() + i * COUNTERS);
  table.Set("counters", counters);
  return table;
}

/// The objects must have been drained.
Napi::Object sharingTable(Napi::Env env, const SharingPairs &sharing, const ObjectLog &objects) {
  std::vector<std::pair<SharingKey, uint64_t>> rows(sharing.misses.begin(), sharing.misses.end());
  return tableOf<result::Sharing>(env, rows.size(), [&](size_t i) -> result::Sharing {
    const auto &[kind, relation, missSlot, missObject, missLeaf, writeSlot, writeObject, writeLeaf] = rows[i].first;
    return {.class_ = kind,
            .relation = relation,
            .missSlot = missSlot,
            .missObject = objects.rowOf(missObject),
            .missLeaf = missLeaf,
            .writeSlot = writeSlot,
            .writeObject = objects.rowOf(writeObject),
            .writeLeaf = writeLeaf,
            .misses = real(rows[i].second)};
  });
}

/// Makes one of the tables of ObjectColumns.
template <typename Each> Napi::Object columnTable(Napi::Env env, size_t count, Each each) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(count));
  each([&](const char *name, const auto &column) {
    using T = typename std::decay_t<decltype(column)>::value_type;
    table.Set(name, fill<Napi::TypedArrayOf<T>>(env, column.size(), [&](size_t i) { return column[i]; }));
  });
  return table;
}

/// Tells where the columns lie in the file: src/replay/stored-objects.ts reads them, and closes the file.
Napi::Object storedTable(Napi::Env env, StoredObjects stored) {
  Napi::Object table = Napi::Object::New(env);
  Napi::Array objects = Napi::Array::New(env), counters = Napi::Array::New(env);
  auto into = [&](Napi::Array &list) {
    return [&](const char *name, const auto &column) {
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("name", name);
      entry.Set("bytes", static_cast<double>(sizeof column[0]));
      list.Set(list.Length(), entry);
    };
  };
  ObjectColumns().eachOfObjects(into(objects));
  ObjectColumns().eachOfCounters(into(counters));
  table.Set("objectColumns", objects);
  table.Set("counterColumns", counters);
  table.Set("offset", fill<F64>(env, stored.chunks.size(),
                                [&](size_t i) { return static_cast<double>(stored.chunks[i].offset); }));
  table.Set("rows", fill<U32>(env, stored.chunks.size(),
                              [&](size_t i) { return static_cast<uint32_t>(stored.chunks[i].rows); }));
  table.Set("counters", fill<U32>(env, stored.chunks.size(),
                                  [&](size_t i) { return static_cast<uint32_t>(stored.chunks[i].counters); }));
  table.Set("file", stored.file.release());
  return table;
}

void setObjects(Napi::Env env, Napi::Object result, ObjectLog &log, std::optional<StoredObjects> stored) {
  ObjectColumns columns;
  if (stored)
    result.Set("storedObjects", storedTable(env, std::move(*stored)));
  else
    log.drain([&](const ObjectRow &row, const ObjectCount *counts) { columns.add(row, counts); });
  if (log.isSummed()) result.Set("objectsAreSums", true);
  result.Set("objects", columnTable(env, columns.address.size(), [&](auto set) { columns.eachOfObjects(set); }));
  result.Set("objectCounters", columnTable(env, columns.object.size(), [&](auto set) { columns.eachOfCounters(set); }));
}

Napi::Object callPathTable(Napi::Env env, const std::vector<CallStack::Path> &paths) {
  constexpr size_t FRAMES = CallStack::FRAMES;
  auto frame = [&](size_t i) { return paths[i / FRAMES].frames[i % FRAMES]; };
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(paths.size()));
  table.Set("slot", fill<U32>(env, paths.size(), [&](size_t i) { return paths[i].slot; }));
  table.Set("function", fill<U32>(env, paths.size() * FRAMES, [&](size_t i) { return frame(i).function; }));
  table.Set("call", fill<U32>(env, paths.size() * FRAMES, [&](size_t i) { return frame(i).call; }));
  return table;
}

Napi::Object phaseTable(Napi::Env env, const std::vector<Phase> &phases) {
  Napi::Object table = Napi::Object::New(env);
  Napi::Array names = Napi::Array::New(env, phases.size());
  for (uint32_t i = 0; i < phases.size(); i++) names.Set(i, Napi::String::New(env, phases[i].name));
  table.Set("count", static_cast<double>(phases.size()));
  table.Set("name", names);
  table.Set("time", fill<F64>(env, phases.size(), [&](size_t i) { return static_cast<double>(phases[i].time); }));
  return table;
}

Napi::Object markTable(Napi::Env env, const std::vector<Mark> &marks) {
  std::vector<const Mark *> met;
  for (const Mark &mark : marks)
    if (mark.times) met.push_back(&mark);
  Napi::Object table = Napi::Object::New(env);
  Napi::Array names = Napi::Array::New(env, met.size());
  for (uint32_t i = 0; i < met.size(); i++) names.Set(i, Napi::String::New(env, met[i]->name));
  table.Set("count", static_cast<double>(met.size()));
  table.Set("name", names);
  table.Set("times", fill<F64>(env, met.size(), [&](size_t i) { return static_cast<double>(met[i]->times); }));
  return table;
}

Napi::Object labelTable(Napi::Env env, const Labels &labels) {
  const size_t count = labels.noObject + 1 + labels.sites.size();
  return tableOf<result::Label>(env, count, [&](size_t i) -> result::Label {
    if (i > labels.noObject) {
      const auto &site = labels.sites[i - labels.noObject - 1];
      return {.kind = static_cast<uint8_t>(Labels::isOfPools(site) ? 3 : 1),
              .type = labels.named(site),
              .allocationSlot = site.allocationSlot,
              .sizeBytes = real(site.size)};
    }
    const bool isNone = i == labels.noObject;
    return {.kind = static_cast<uint8_t>(isNone ? 2 : 0),
            .type = isNone ? 0 : static_cast<uint32_t>(i),
            .allocationSlot = NO_INDEX,
            .sizeBytes = 0};
  });
}

Napi::Object memoryStructTable(Napi::Env env, const MemoryStructs &structs) {
  const std::vector<std::pair<MemoryStructs::Key, uint64_t>> rows(structs.objects.begin(), structs.objects.end());
  return tableOf<result::MemoryStruct>(env, rows.size(), [&](size_t i) -> result::MemoryStruct {
    const auto &[key, objects] = rows[i];
    const auto &[slot, variable, path, type] = key;
    return {.allocationSlot = slot, .variable = variable, .callPath = path, .type = type, .objects = real(objects)};
  });
}

Napi::Object takerTable(Napi::Env env, const std::vector<Takers::Row> &rows) {
  return tableOf<result::Taker>(env, rows.size(), [&](size_t i) -> result::Taker {
    const Takers::Row &of = rows[i];
    return {.level = of.level, .taker = of.taker, .owner = of.owner, .bin = of.bin, .lines = real(of.lines)};
  });
}

Napi::Object unusedBytesTable(Napi::Env env, const std::vector<UnusedBytes::Row> &rows) {
  return tableOf<result::UnusedBytes>(env, rows.size(), [&](size_t i) -> result::UnusedBytes {
    const UnusedBytes::Row &of = rows[i];
    return {.label = of.label, .leaf = of.leaf, .fetchedBytes = real(of.fetched), .unusedBytes = real(of.unused)};
  });
}

/// The costs of locks. The paths of their callers are numbered behind the paths to allocations.
void setLocks(Napi::Env env, Napi::Object result, const LockAccounts &of, CallPaths &paths) {
  using Lock = LockAccounts::Lock;
  struct ByThread {
    uint32_t lock, thread;
    uint64_t acquisitions;
  };
  struct ByPath {
    uint32_t lock, path;
    uint64_t acquisitions;
  };
  const size_t count = of.count();
  const std::vector<uint64_t> unreleased = of.unreleased();
  const std::vector<LockAccounts::Data> data = of.data();
  std::vector<ByThread> byThread;
  std::vector<ByPath> byPath;
  for (uint32_t lock = 0; lock < count; lock++) {
    for (auto [thread, acquisitions] : of[lock].byThread) byThread.push_back({lock, thread, acquisitions});
    for (const LockAccounts::Caller &caller : of[lock].callers)
      byPath.push_back({lock, paths.number(caller.path), caller.acquisitions});
  }
  result.Set("locks", tableOf<result::Lock>(env, count, [&](size_t i) -> result::Lock {
               const Lock &lock = of[i];
               return {.kind = lock.kind,
                       .label = lock.label,
                       .leaf = lock.leaf,
                       .variable = lock.variable,
                       .locks = real(lock.locks),
                       .acquisitions = real(lock.acquisitions),
                       .waits = real(lock.waits),
                       .wait = real(lock.wait),
                       .longestWait = real(lock.longestWait),
                       .holds = real(lock.holds),
                       .hold = real(lock.hold),
                       .longestHold = real(lock.longestHold),
                       .unreleased = real(unreleased[i])};
             }));
  result.Set(
      "lockThreads", tableOf<result::LockThread>(env, byThread.size(), [&](size_t i) -> result::LockThread {
        return {.lock = byThread[i].lock, .thread = byThread[i].thread, .acquisitions = real(byThread[i].acquisitions)};
      }));
  result.Set("lockCallers", tableOf<result::LockCaller>(env, byPath.size(), [&](size_t i) -> result::LockCaller {
               return {.lock = byPath[i].lock, .path = byPath[i].path, .acquisitions = real(byPath[i].acquisitions)};
             }));
  result.Set("lockData", tableOf<result::LockData>(env, data.size(), [&](size_t i) -> result::LockData {
               return {.lock = data[i].lock,
                       .label = data[i].label,
                       .references = real(data[i].references),
                       .misses = real(data[i].misses),
                       .trueSharing = real(data[i].trueSharing),
                       .falseSharing = real(data[i].falseSharing)};
             }));
}

/// Shared variables.
void setShared(Napi::Env env, Napi::Object result, const SharedAddresses &of) {
  const std::vector<SharedAddresses::Row> &rows = of.rows;
  Napi::Object table = tableOf<result::SharedVariable>(env, rows.size(), [&](size_t i) -> result::SharedVariable {
    return {.slot = rows[i].slot,
            .label = rows[i].label,
            .leaf = rows[i].leaf,
            .variable = rows[i].variable,
            .thread = rows[i].thread,
            .accesses = real(rows[i].accesses)};
  });
  Napi::Object addresses = Napi::Object::New(env);
  addresses.Set("shared", static_cast<double>(of.shared));
  addresses.Set("kept", static_cast<double>(of.kept));
  addresses.Set("isFull", of.isFull);
  addresses.Set("uncounted", static_cast<double>(of.uncounted));
  result.Set("sharedVariables", table);
  result.Set("sharedAddresses", addresses);
}

/// Sets each total: one number, or an array of them.
template <typename Totals> void setTotals(Napi::Object into, const Totals &totals) {
  totals.each([&](const char *name, const auto &total) {
    if constexpr (std::is_array_v<std::remove_reference_t<decltype(total)>>) {
      Napi::Array numbers = Napi::Array::New(into.Env(), std::size(total));
      for (uint32_t i = 0; i < std::size(total); i++) numbers.Set(i, total[i]);
      into.Set(name, numbers);
    } else
      into.Set(name, total);
  });
}

result::WholeTotals wholeTotalsOf(const WholeHierarchy &whole) {
  WholeHierarchy::Prefetched l1 = whole.prefetched(0), l2 = whole.prefetched(1);
  return {.backInvalidations = real(whole.totals.backInvalidations),
          .prefetchIssued = {real(l1.issued), real(l2.issued)},
          .prefetchUseful = {real(l1.useful), real(l2.useful)},
          .prefetchUseless = {real(l1.useless), real(l2.useless)},
          .tlbMisses = {real(whole.totals.tlbMisses[0]), real(whole.totals.tlbMisses[1])}};
}

Napi::Object totalsOf(Napi::Env env, const CacheStage &looked, const CountStage &counts, const Tallies &tallies) {
  double loads = 0, stores = 0, counters[COUNTERS];
  for (size_t i = 0; i < tallies.size(); i++) {
    tallies.counters(i, counters);
    loads += counters[counter::LOADS];
    stores += counters[counter::STORES];
  }
  const ReplayTotals of = counts.inWindow();
  const CacheTotals caches = looked.totals();
  result::Totals totals = {.accesses = loads + stores - real(of.continuations),
                           .references = loads + stores,
                           .loads = loads,
                           .stores = stores,
                           .invalidations = real(caches.invalidations),
                           .upgrades = real(caches.upgrades),
                           .writeBacks = real(caches.writeBacks),
                           .segments = real(of.segments),
                           .segmentsThatWaited = real(of.waited),
                           .instructions = real(of.time),
                           .outsideLife = real(of.outsideLife),
                           .unseenBytes = real(of.unseenBytes),
                           .lostSegments = real(of.lostPaths),
                           .windowsClosed = real(of.windowsClosed),
                           .closedStamps = real(of.closedStamps),
                           .droppedWords = real(of.droppedWords),
                           .hits = {},
                           .misses = {},
                           .fills = {},
                           .evictions = {}};
  const Takers::Totals takers = counts.takers.totals();
  for (uint32_t i = 0; i < 3; i++) {
    const double lookups = i ? real(caches.misses[i - 1]) : loads + stores;
    totals.misses[i] = real(caches.misses[i]);
    totals.hits[i] = lookups - totals.misses[i];
    totals.fills[i] = real(takers.fills[i]);
    totals.evictions[i] = real(takers.evictions[i]);
  }
  Napi::Object set = Napi::Object::New(env);
  setTotals(set, totals);
  if (looked.whole) setTotals(set, wholeTotalsOf(*looked.whole));
  return set;
}

} // namespace

Napi::Object windowOf(Napi::Env env, const WindowPosition *positions) {
  Napi::Object window = Napi::Object::New(env);
  constexpr const char *names[] = {"warmUp", "from", "to"};
  for (unsigned i = 0; i < ReplayWindow::BORDERS; i++) {
    Napi::Object position = Napi::Object::New(env);
    position.Set("references", static_cast<double>(positions[i].references));
    position.Set("time", static_cast<double>(positions[i].time));
    window.Set(names[i], positions[i].reached ? Napi::Value(position) : env.Null());
  }
  return window;
}

void addParallelism(Napi::Env env, Napi::Object result, const Replay &replay) {
  if (!replay.parallelism || !replay.parallelism->isOfSeveralThreads) return;
  const ParallelismTable &of = *replay.parallelism;
  auto list = [&](const auto &numbers) {
    Napi::Array array = Napi::Array::New(env);
    for (uint64_t number : numbers) array.Set(array.Length(), static_cast<double>(number));
    return array;
  };
  Napi::Object table = Napi::Object::New(env);
  table.Set("running", list(of.running));
  table.Set("waits", list(of.waits));
  table.Set("waited", list(of.waited));
  table.Set("renamedBlocks", static_cast<double>(of.renamedBlocks));
  table.Set("renamedStacks", static_cast<double>(of.renamedStacks));
  result.Set("parallelism", table);
}

std::optional<StoredObjects> storeSpilled(const Settled &settled, const SpillPlace &spill) {
  if (!settled.objects.isSpilled()) return std::nullopt;
  return storeObjects(settled.objects, spill.folder);
}

Napi::Object resultOf(Napi::Env env, const CacheStage &caches, const CountStage &counts, const Settled &settled,
                      std::optional<StoredObjects> stored) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("totals", totalsOf(env, caches, counts, settled.tallies));
  result.Set("tallies", tallyTable(env, settled.tallies));
  setObjects(env, result, settled.objects, std::move(stored));
  result.Set("sharing", sharingTable(env, counts.sharing, settled.objects));
  result.Set("labels", labelTable(env, settled.labels));
  result.Set("memoryStructs", memoryStructTable(env, settled.memoryStructs));
  result.Set("evictions", takerTable(env, counts.takers.evictions()));
  result.Set("invalidations", takerTable(env, counts.takers.invalidations()));
  result.Set("unusedBytes", unusedBytesTable(env, settled.unusedBytes.rows));
  CallPaths callPaths = counts.callPaths;
  setLocks(env, result, counts.locks, callPaths);
  if (counts.sharedAddresses) setShared(env, result, *counts.sharedAddresses);
  result.Set("callPaths", callPathTable(env, callPaths.all));
  result.Set("phases", phaseTable(env, counts.phases));
  result.Set("marks", markTable(env, counts.marks));
  if (settled.flow) result.Set("flow", flowOf(env, *settled.flow, counts.takers));
  return result;
}

} // namespace dprof
