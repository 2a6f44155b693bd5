// Stage: trace -> replay. What addon.cpp hands the engine: the catalog's numbers as borrowed columns, where the events lie, the machine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "whole_machine.h"

namespace dprof {

constexpr uint32_t NO_INDEX = 0xffffffff;

template <typename T> struct Column {
  const T *data = nullptr;
  size_t count = 0;
  T operator[](size_t index) const { return data[index]; }
};

struct ProcessSpace;

struct ThreadChunks {
  std::vector<uint64_t> offset; // of the payload in the file
  std::vector<uint32_t> bytes;
  const ProcessSpace *process = nullptr; // of several (process_space); null: the only one
  bool first = false;                    // it began its process
};

struct LevelShape {
  uint32_t sets, ways, latency;
  uint64_t lines() const { return uint64_t{sets} * ways; }
};

struct Machine {
  uint32_t cores, lineShift, coresPerLlc;
  LevelShape level[3];
  uint32_t memoryLatency, cacheToCacheLatency, remoteMemoryLatency, remoteCacheLatency;
  WholeOptions whole;
  bool onePlainCore() const { return cores == 1 && whole.plain; }
};

/// By server, then what the TLB adds: a hit, a miss of its first level, a walk.
inline std::array<uint32_t, 10> latenciesOf(const Machine &m) {
  return {m.level[0].latency, m.level[1].latency, m.level[2].latency, m.cacheToCacheLatency, m.memoryLatency, m.remoteCacheLatency, m.remoteMemoryLatency,
          0, m.whole.tlbLatency[0], m.whole.tlbLatency[1]};
}

struct Regions {
  Column<uint32_t> pathCount, firstNode, nodeCount, back; // by entry; path count 0: a filler, `back` entries behind its region
  Column<uint8_t> isLoop;
};
struct Nodes {
  Column<uint32_t> firstRecord, recordCount, firstEdge, edgeCount;
  Column<uint8_t> ends;
};
struct Edges {
  Column<uint32_t> node, before; // node: counted from the region's first
};

struct Schedule {
  enum Kind : uint8_t { LOGICAL, RECORDED, RANDOM } kind = LOGICAL;
  uint32_t seed = 0; // of a random one
};

struct Input {
  std::string path;
  std::vector<std::shared_ptr<const ProcessSpace>> processes; // several, replayed together
  std::vector<ThreadChunks> threads;
  Machine machine;
  Schedule schedule;
  uint32_t kernelSlot = NO_INDEX; // of the kernel's stores; NO_INDEX: they are only counted
  uint32_t workers = 1; // threads to use at most
  double *progress = nullptr; // references done, estimate of all

  struct {
    Column<uint8_t> kind, hasPath;
    Column<uint32_t> sizeBytes, type, offset, variable, base; // base: 1 + the slot it derives from, or 0
    Column<int32_t> delta;
    Column<uint16_t> lanes;
  } slots;
  struct {
    Column<uint8_t> tag, flags;
    Column<uint16_t> slotCount;
    Column<uint32_t> words, instructions, function, firstSlot;
  } records;
  Regions regions;
  Nodes nodes;
  Edges edges;
  struct {
    Column<uint8_t> isStruct;                 // struct, union or class
    Column<uint32_t> nameRank, declared;      // nameRank: smaller name, smaller rank
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
};

} // namespace dprof
