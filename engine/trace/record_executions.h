// Stage: trace -> blocks. How often each record was made, and which one came next in its function:
// docs/program-blocks.md, "How often". The same numbers as src/blocks/record-executions.ts.
#pragma once

#include <unordered_map>

#include "trace/input.h"

namespace dprof {

/// By record of the catalog, over all threads.
class RecordExecutions {
public:
  explicit RecordExecutions(const Input &input);
  /// All that the trace has.
  void countAll();
  /// The thread makes the record so often, each time behind the one before it.
  void pass(uint32_t thread, uint32_t record, const struct RecordPlan &plan, uint64_t times = 1);

  /// A record and the one that the same call of their function made next.
  struct Next {
    uint32_t record, next;
    uint64_t times;
  };
  std::vector<Next> nexts() const;

  std::vector<uint64_t> made;

private:
  void count(uint32_t thread, const struct Batch &batch, const struct Plans &plans);
  void pair(uint32_t record, uint32_t next, uint64_t times);

  struct Frame {
    uint32_t function, last;
  };
  const Input &input_;
  std::vector<std::vector<Frame>> frames_; // by thread, outermost first
  // Most records have one that is next most often: `likely_` by record, all others in `others_`.
  struct Likely {
    uint32_t next;
    uint64_t times = 0;
  };
  std::vector<Likely> likely_;
  std::unordered_map<uint64_t, uint64_t> others_;
};

} // namespace dprof
