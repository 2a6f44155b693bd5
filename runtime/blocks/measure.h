// Stage: blocks. A block -> its cycles, or the reason that there are none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "block.h"
#include "invariants.h"
#include "method.h"
#include "quiet_core.h"
#include "shared_window.h"
#include "unroll.h"

namespace dprof {

struct Measurement {
  std::string status, reason; // reason: empty if it is measured
  double cycles = 0;          // an execution of the block
  std::vector<double> timings;
  std::optional<double> naive; // nothing if its timings disagree
  Factors factors = {};
  int pages = 0;
  bool has_subnormals = false; // it would have, if they were not flushed to zero
};

class Meter {
public:
  Meter();

  // Of a method without its last step `cycles` is naive: of 100 copies, divided by 100.
  Measurement measure(const Block &block, const Method &method = whole_method);
  bool is_counted() const { return is_counted_; }

  // What the system refused; empty: nothing.
  std::string refusal;

private:
  // Changes `factors` if it crashed and may be measured with fewer copies.
  Measurement measure(const Block &block, const Method &method, Factors *factors);
  const char *read_timings(const Factors &factors, const Method &method, Measurement *to);

  bool is_probed_; // for others on the same core
  QuietCore core_;
  SharedWindow window_;
  bool is_counted_;
  CacheShape cache_;
};

} // namespace dprof
