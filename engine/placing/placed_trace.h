// Stage: trace -> placing. A trace, and where its objects lie anew, each way of several -> for each way the trace in
// which they do. src/what-if/placed-trace.ts is the same, of one way.
#pragma once

#include "placing/excerpts.h"
#include "placing/placed_step.h"
#include "placing/steps_file.h"
#include "placing/tracked_walk.h"

namespace dprof {

class PlacedTraces : TrackedWalk {
public:
  /// The steps of one way.
  struct Way {
    Way(const Input &input, const Plans &plans, TrackedObjects &objects, const PlacedObjects &placed,
        const std::string &folder)
        : variants(input), step(plans, objects, placed, variants), file(folder, input.threads.size()) {}
    Variants variants;
    PlacedStep step;
    StepsFile file;
  };
  /// `folder`: for files without a name. The ways of `placed` are borrowed.
  PlacedTraces(const Input &input, const std::vector<PlacedObjects> &placed, const std::string &folder,
               const Excerpts &excerpts)
      : TrackedWalk(input), clock_(excerpts) {
    for (const PlacedObjects &one : placed)
      ways.push_back(std::make_unique<Way>(input_, plans_, tracked_, one, folder));
  }
  using TrackedWalk::run;

  std::vector<std::unique_ptr<Way>> ways;

private:
  void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) override;
  void event(uint32_t thread, const Event &event) override;

  ExcerptClock clock_;
};

} // namespace dprof
