// Stage: trace -> placing. All objects of a run, the blocks in the order of their allocations and frees, and what
// accesses say of blocks whose allocation says no type. src/what-if/survey.ts is the same.
#pragma once

#include <map>
#include <unordered_map>

#include "placing/excerpts.h"
#include "placing/said_types.h"
#include "placing/slot_accesses.h"
#include "placing/tracked_walk.h"

namespace dprof {

/// As runtime/allocations/main.c has them.
enum class OperationKind : uint8_t { NONE, MALLOC, CALLOC, REALLOC, ALIGNED, FREE, THREAD_END };

struct Operation {
  OperationKind kind;
  uint32_t thread, block;
  uint64_t size, other; // alignment, or the block that realloc moves
};

struct SurveyedObject {
  enum Flag : uint8_t { PART = 1, MAPPING = 2, FROM_RECORD = 4 };
  uint64_t address, size;
  uint32_t declared, slot, variable;
  SaidType said;
  uint32_t whole = NO_INDEX; // of a part: the object that it is cut out of
  uint8_t kind, flags;
  bool block = false; // handed out by an allocator that can be asked again
};

/// Distances between an access to a large object and the thread's one before, of a line or more: those that come most
/// often, by Misra and Gries (Finding repeated elements, 1982).
struct Strides {
  static constexpr unsigned MOST = 6;
  static constexpr uint64_t LEAST_OBJECT = 1024, LEAST = 64; // bytes
  uint64_t last = 0;
  uint32_t thread = NO_INDEX;
  uint64_t bytes[MOST] = {}, times[MOST] = {};
  void access(uint32_t by, uint64_t address);
};

class Survey : TrackedWalk, LifeWatcher {
public:
  /// `strides`: whose accesses tell distances.
  Survey(const Input &input, const SurveyFacts &facts, const Excerpts &strides);
  void survey();

  // For eachAccess: what begins in an object is told of it.
  void access(uint32_t slot, uint64_t address, uint64_t size);
  void block(uint32_t slot, uint64_t address, uint64_t size) { access(slot, address, size); }
  void copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size);

  std::vector<SurveyedObject> objects; // by number
  std::vector<Operation> operations;
  uint64_t slots = 0;                  // of all records
  std::map<uint32_t, Strides> strides; // by object number

private:
  void before(uint32_t thread, const Event *event) override;
  void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) override;
  bool path(uint32_t thread, const PlainPath &path, const uint64_t *words) override;
  bool loop(uint32_t thread, const DecodedLoop &loop, const uint64_t *words) override;
  bool looksUp() const override { return unsaid_ || clock_.isIn(); }
  void event(uint32_t thread, const Event &event) override;
  void begun(uint32_t live, const LiveObject &object, uint32_t core) override;
  void ended(uint32_t live, const LiveObject &object, bool isLast, uint32_t freeSlot, uint32_t core,
             uint64_t now) override;
  SurveyedObject &of(const LiveObject &object);
  void settle(const LiveObject &object);
  static bool isUnsaid(const LiveObject &object) {
    return object.kind == HEAP && !object.declared && !object.mapped && !object.fromRecord;
  }
  void handOut(const LiveObject &object, OperationKind kind);
  void say(const LiveObject &object, uint32_t slot, uint64_t address);

  const SurveyFacts facts_;
  const SaidTypes said_;
  ExcerptClock clock_;
  uint64_t unsaid_ = 0; // blocks whose type only accesses can tell
  // Of the step at hand.
  uint32_t thread_ = 0, newest_ = 0 /* live object that began last; 0: none */, whole_ = NO_INDEX;
  bool reallocs_ = false, isIn_ = true;
  // The object whose strides were written last.
  uint32_t stridesOf_ = NO_INDEX;
  Strides *strides_ = nullptr;
  std::unordered_map<uint32_t, size_t> moved_; // by thread: the operation of the block that realloc is about to move
};

} // namespace dprof
