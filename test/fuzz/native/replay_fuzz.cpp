// Stage: test. A libFuzzer target: bytes as the EVENTS chunks of a trace of one fixed program, decoded and replayed.
// Nothing but the engine's typed errors may come out. An input is two bytes (options, machine), then chunks, each with
// a head of twelve bytes: thread (bit 7: the rest of the input is one payload as it would lie in the file), 0, steps,
// events, and the lengths of the three columns behind it (u16 each, little endian). Columns are packed here, so that
// mutations need not get past LZ4.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lz4.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/replay.h"
#include "trace/decoder.h"

using namespace dprof;

namespace {

/// Columns in the order in which native.ts writes them; borrowed for ever.
class Catalog {
public:
  explicit Catalog(const char *path) {
    FILE *file = path ? std::fopen(path, "rb") : nullptr;
    if (!file) {
      std::fprintf(stderr, "DPROF_FUZZ_CATALOG names no catalog: run npm run fuzz:native\n");
      std::exit(1);
    }
    uint32_t head[2];
    while (std::fread(head, sizeof head, 1, file) == 1) {
      auto *data = static_cast<char *>(std::calloc(head[1] + 1, head[0]));
      if (std::fread(data, head[0], head[1], file) != head[1]) std::abort();
      columns_.push_back({data, head[0], head[1]});
    }
    std::fclose(file);
  }

  Input input() const {
    Input in;
    size_t at = 0;
    auto take = [&](auto &column) {
      using T = std::remove_cvref_t<decltype(*column.data)>;
      const Raw &raw = columns_.at(at++);
      if (raw.bytes != sizeof(T)) std::abort();
      column.data = reinterpret_cast<const T *>(raw.data);
      column.count = raw.count;
    };
    auto &s = in.slots;
    take(s.kind), take(s.hasPath), take(s.sizeBytes), take(s.type), take(s.offset), take(s.variable), take(s.lanes),
        take(s.base), take(s.delta);
    auto &r = in.records;
    take(r.tag), take(r.flags), take(r.slotCount), take(r.words), take(r.instructions), take(r.function),
        take(r.firstSlot), take(r.call);
    take(in.regions.pathCount), take(in.regions.firstNode), take(in.regions.nodeCount), take(in.regions.back),
        take(in.regions.isLoop);
    take(in.nodes.firstRecord), take(in.nodes.recordCount), take(in.nodes.firstEdge), take(in.nodes.edgeCount),
        take(in.nodes.ends);
    take(in.edges.node), take(in.edges.before);
    auto &t = in.types;
    take(t.isStruct), take(t.memory), take(t.nameRank), take(t.declared), take(t.leafBase), take(t.leafSpan),
        take(t.flexibleFrom), take(t.flexibleLeaf), take(t.leafAt);
    take(in.variables.kind), take(in.variables.type), take(in.variables.sizeBytes), take(in.globals.address),
        take(in.globals.variable), take(in.unitFirstVariable);
    return in;
  }

private:
  struct Raw {
    char *data;
    uint32_t bytes, count;
  };
  std::vector<Raw> columns_;
};

void append(std::vector<uint8_t> &to, uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) to.push_back(static_cast<uint8_t>(number >> shift));
}

void appendColumn(std::vector<uint8_t> &to, const uint8_t *data, size_t bytes) {
  std::vector<char> packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(bytes))));
  int size = bytes ? LZ4_compress_default(reinterpret_cast<const char *>(data), packed.data(), static_cast<int>(bytes),
                                          static_cast<int>(packed.size()))
                   : 0;
  append(to, static_cast<uint32_t>(size) + 4);
  append(to, static_cast<uint32_t>(bytes));
  to.insert(to.end(), packed.begin(), packed.begin() + size);
}

constexpr unsigned MOST_THREADS = 5;
constexpr size_t HEAD = 12;

/// The file, and where each thread's chunks lie in it.
std::vector<uint8_t> layOut(const uint8_t *data, size_t size, Input &in) {
  std::vector<uint8_t> file(64, 0); // a header that nobody reads
  in.threads.resize(MOST_THREADS);
  auto finish = [&](unsigned thread, unsigned begin, size_t from) {
    in.threads[thread].offset.push_back(from);
    in.threads[thread].begins.push_back(static_cast<ChunkBegin>(begin));
    in.threads[thread].bytes.push_back(static_cast<uint32_t>(file.size() - from));
  };
  for (size_t at = 2; at + HEAD <= size;) {
    size_t from = file.size();
    unsigned thread = (data[at] & 0x7f) % MOST_THREADS, begin = (data[at] & 0x7f) / MOST_THREADS % 3;
    if (data[at] & 0x80) {
      file.insert(file.end(), data + at + 1, data + size);
      finish(thread, begin, from);
      break;
    }
    auto word = [&](size_t index) { return static_cast<uint32_t>(data[at + index] | data[at + index + 1] << 8); };
    append(file, word(2));
    append(file, word(4));
    size_t lengths[3] = {word(6), word(8), word(10)};
    at += HEAD;
    for (size_t &length : lengths) {
      length = std::min(length, size - at);
      appendColumn(file, data + at, length);
      at += length;
    }
    finish(thread, begin, from);
  }
  return file;
}

/// A trace may say, in a few bytes, that a program ran for months: such inputs are decoded as far as this, and not
/// replayed. Of a thread that the decoder refuses, what comes before counts.
bool isShort(const Input &in, const Plans &plans, const TraceFile &file) {
  constexpr size_t MOST_STEPS = 1 << 14;
  constexpr uint64_t MOST_BYTES = 1 << 18;
  size_t steps = 0;
  uint64_t bytes = 0;
  auto add = [&](uint64_t size) { bytes += std::min(size, MOST_BYTES - std::min(bytes, MOST_BYTES) + 1); };
  auto count = [&](const Batch &batch) {
    steps += batch.stepCount;
    for (size_t i = 0; i < batch.eventCount; i++)
      if (isKernelRange(batch.events[i])) add(batch.events[i].size);
    const uint64_t *words = batch.words.data();
    for (size_t i = 0; i < batch.stepCount; i++) {
      if (batch.steps[i] == EVENT_STEP) continue;
      const RecordPlan &record = plans.records[batch.steps[i]];
      const uint64_t *word = words;
      for (uint32_t k = 0; k < record.slotCount; k++) {
        const SlotPlan &slot = plans.slots[record.firstSlot + k];
        uint64_t count = wordsOfSlot(slot);
        bool isBlock =
            slot.kind == DPROF_SLOT_COPY_STORE || slot.kind == DPROF_SLOT_FILL || slot.kind == DPROF_SLOT_SCAN;
        if (isBlock && count == 2) add(word[1]);
        word += count;
      }
      words += record.codedWords;
    }
    return steps <= MOST_STEPS && bytes <= MOST_BYTES;
  };
  for (const ThreadChunks &chunks : in.threads) {
    try {
      Decoder decoder(file, plans, chunks);
      Batch batch;
      while (decoder.next(batch))
        if (!count(batch)) return false;
    } catch (const TraceError &error) {
      if (error.expected.empty() || error.actual.empty()) std::abort();
    }
  }
  return true;
}

/// Four slots are a place.
Column<uint32_t> places(size_t slots) {
  static std::vector<uint32_t> &places = *new std::vector<uint32_t>();
  while (places.size() < slots) places.push_back(static_cast<uint32_t>(places.size() & ~size_t{3}));
  return {places.data(), slots};
}

LevelShape shape(unsigned bits) { return {1u << (bits & 1), 1 + (bits >> 1 & 1), 4}; }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Catalog &catalog =
      *new Catalog(std::getenv("DPROF_FUZZ_CATALOG")); // never destroyed: its columns are borrowed
  static const int descriptor = memfd_create("trace", 0);
  if (size < 2) return 0;
  Input in = catalog.input();
  in.schedule = {data[0] & 1 ? Schedule::RECORDED : Schedule::LOGICAL, 0};
  in.workers = data[0] & 2 ? 2 : 1;
  unsigned cores = 1 + (data[1] & 3);
  in.machine = {cores,
                data[0] & 4 ? 6u : 4u,
                data[0] & 8 ? 1 : cores,
                {shape(data[1] >> 2), shape(data[1] >> 4), shape(data[1] >> 6)},
                200,
                170,
                200,
                170};
  in.machine.whole.coresPerL1 = in.machine.whole.coresPerL2 = 1;
  in.machine.whole.coresPerSocket = cores;
  in.machine.whole.pageShift = 12;
  if (data[0] & 16)
    in.flow = {true, places(in.slots.kind.count), data[0] & 32 ? 3u : 1000u, data[0] & 64 ? 2u : 64u,
               data[0] & 128 ? 5u : 1u << 20};
  in.mostSharedCounts = (data[0] ^ data[1]) & 1 ? 20 : 0;
  std::vector<uint8_t> file = layOut(data, size, in);
  if (ftruncate(descriptor, 0) || pwrite(descriptor, file.data(), file.size(), 0) != static_cast<ssize_t>(file.size()))
    std::abort();
  in.path = "/proc/self/fd/" + std::to_string(descriptor);
  try {
    if (!isShort(in, makePlans(in), TraceFile(in.path))) return 0;
  } catch (const TraceError &error) { // of the file or the catalog
    if (error.expected.empty() || error.actual.empty()) std::abort();
  }
  // Also what the decoder refuses: other threads' steps come before.
  try {
    Replay replay(in, {});
    replay.run();
  } catch (const TraceError &error) {
    if (error.expected.empty() || error.actual.empty()) std::abort();
  } catch (const InputError &) {}
  return 0;
}
