// Stage: trace -> replay. The input that addon.cpp gives the engine: the catalog's numbers as borrowed columns, the
// places of the events, the machine.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/no_index.h"
#include "machine/machine.h"
#include "machine/shard.h"

namespace dprof {

template <typename T> struct Column {
  const T *data = nullptr;
  size_t count = 0;
  T operator[](size_t index) const { return data[index]; }
};

/// How a chunk of a thread begins: with the predictions of the chunk before it, or anew; behind a GAP, chunks between
/// the two could not be decoded. A RAW chunk (dprof/live_trace.h) needs no predictions.
enum class ChunkBegin : uint8_t { GOES_ON, RESTART, GAP, RAW };

struct ChunkPlace {
  uint64_t offset; // of the payload in the file
  uint32_t bytes;
  ChunkBegin begin = ChunkBegin::GOES_ON;
};

/// Chunks of a trace that is being written.
class ChunkFeed {
public:
  virtual ~ChunkFeed() = default;
  /// Waits for the next chunk; null: there is none now. Chunks are asked for in order, and earlier ones are not read
  /// any more.
  virtual std::optional<ChunkPlace> next() = 0;
};

struct ProcessSpace;

/// For a thread of a trace that is still being written: what is known of its steps behind the chunks that came.
struct Outlook {
  enum Next : uint8_t { ANYTHING, ACQUIRE, BLOCKED, NO_MORE }; // as dprof_live_next
  bool isOpen = false;                                         // there may be more chunks
  Next next = ANYTHING;
  uint8_t detail = 0;
  uint64_t stamp = 0; // below all stamps to come
  uint64_t object = 0;
};

struct ThreadChunks {
  std::vector<uint64_t> offset; // of the payload in the file
  std::vector<uint32_t> bytes;
  std::vector<ChunkBegin> begins;
  ChunkFeed *feed = nullptr; // instead
  Outlook outlook = {};

  bool isEmpty() const { return offset.empty() && !feed; }
  std::optional<ChunkPlace> at(size_t index) const {
    if (feed) return feed->next();
    if (index == offset.size()) return std::nullopt;
    return ChunkPlace{offset[index], bytes[index], begins[index]};
  }
  const ProcessSpace *process = nullptr; // its process, if there are several (process_space); null: the only one
  bool first = false;                    // this thread began its process
};

struct Regions {
  Column<uint32_t> pathCount, firstNode, nodeCount,
      back; // by entry; path count 0: a filler, `back` entries behind its region
  Column<uint8_t> isLoop;
};
struct Nodes {
  Column<uint32_t> firstRecord, recordCount, firstEdge, edgeCount;
  Column<uint8_t> ends;
};
struct Edges {
  Column<uint32_t> node, before; // node: counted from the region's first
};

/// The cores of threads that go by their recorded CPUs. If empty, a thread is on the core of its number, modulo cores.
struct CpuPlacement {
  Column<uint16_t> coreOf; // by CPU
  Column<uint16_t> first;  // by thread: its core until it reports another CPU

  uint16_t begin(uint32_t thread, uint32_t cores) const {
    return static_cast<uint16_t>(thread < first.count ? first[thread] : thread % cores);
  }
  /// The core of a thread on `core` that reports this CPU.
  uint16_t on(uint32_t cpu, uint16_t core) const { return cpu < coreOf.count ? coreOf[cpu] : core; }
};

class LiveSource;
struct Schedule {
  enum Kind : uint8_t { LOGICAL, RECORDED, RANDOM } kind = LOGICAL;
  uint32_t seed = 0; // of a random one
};

/// A border of a window; it lies behind a step. src/contract/window.ts has the same.
struct Border {
  enum Kind : uint8_t { NONE, REFERENCE, STAMP, MARK } kind = NONE;
  uint64_t value = 0; // a number of references, a stamp, or which of the marks of that name
  std::string name;
};

struct ReplayWindow {
  enum { WARM_UP, FROM, TO, BORDERS };
  bool asked = false;
  Border border[BORDERS];
};

struct WindowPosition {
  bool reached = false;
  uint64_t references = 0, time = 0;
};

/// The memory that rows of ended objects may take, and the folder for the rest; without a folder all rows stay in
/// memory.
struct SpillPlace {
  std::string folder;
  size_t memoryBytes = 0;
};

/// Working set and data flow, as src/contract/flow-result.ts asks for them.
struct FlowRequest {
  bool asked = false;
  Column<uint32_t> placeOf; // by slot
  uint64_t mostPaths = 100'000;
  static constexpr uint32_t MOST_STEPS = 250; // LifeStep::number is a byte
  uint32_t mostSteps = 64, mostOpenSteps = 1 << 20;
};

struct Input {
  std::string path;
  LiveSource *live = nullptr;                                 // instead of the path
  std::vector<std::shared_ptr<const ProcessSpace>> processes; // several, replayed together
  std::deque<ThreadChunks> threads;                           // a deque: readers keep references while more come
  Machine machine;
  Shard shard;                         // only these lines are looked up, and nothing is counted (replay/shard_replay.h)
  std::vector<std::string> shardFiles; // in the place of caches: of all shards
  Schedule schedule;
  ReplayWindow window;
  FlowRequest flow;
  CpuPlacement cpus;
  uint32_t kernelSlot = NO_INDEX; // slot of the kernel's stores; NO_INDEX: they are only counted
  uint64_t mostSharedCounts = 0;  // of shared variables (shared_addresses.h); 0: they are not asked for
  uint32_t workers = 1;           // threads to use at most
  double *progress = nullptr;     // references done (less than 0: seen by a pass ahead of the replay), estimate of all
  SpillPlace spill;               // of objects that have ended
  uint64_t mostObjects = 0;       // with more of them they are summed up (object_sums.h); 0: never
  double *topTypes = nullptr;     // pairs: type, or -1 - the allocation's slot; L1 misses
  size_t topTypeCount = 0;        // pairs

  struct {
    Column<uint8_t> kind, hasPath;
    Column<uint32_t> sizeBytes, type, offset, variable, base; // base: 1 + the slot it derives from, or 0
    Column<int32_t> delta;
    Column<uint16_t> lanes;
  } slots;
  struct {
    Column<uint8_t> tag, flags;
    Column<uint16_t> slotCount;
    Column<uint32_t> words, instructions, function, firstSlot, call;
  } records;
  Regions regions;
  Nodes nodes;
  Edges edges;
  struct {
    Column<uint8_t> isStruct;            // struct, union or class
    Column<uint8_t> memory;              // bits, as objects/memory.h has them
    Column<uint32_t> nameRank, declared; // nameRank: smaller name, smaller rank
    Column<uint32_t> leafBase, leafSpan, flexibleFrom, flexibleLeaf;
    Column<uint16_t> leafAt;
  } types;
  struct {
    Column<uint8_t> kind;
    Column<uint32_t> type;
    Column<double> sizeBytes;
  } variables;
  struct {
    Column<uint64_t> address;
    Column<uint32_t> variable;
  } globals;
  Column<uint32_t> unitFirstVariable;
  /// Bytes of all chunks that are known, for progress.
  uint64_t chunkBytes() const {
    uint64_t sum = 0;
    for (const ThreadChunks &thread : threads)
      for (uint32_t bytes : thread.bytes) sum += bytes;
    return sum;
  }
  /// Their numbers, in order.
  std::vector<uint32_t> threadsWithSteps() const {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < threads.size(); i++)
      if (!threads[i].isEmpty()) numbers.push_back(i);
    return numbers;
  }
};

} // namespace dprof
