// Stage: trace -> placing. A trace, and where its objects lie anew, each way of several -> for each way the trace in
// which they do. src/what-if/placed-trace.ts is the same, of one way.
#pragma once

#include <algorithm>

#include "placing/excerpt_frames.h"
#include "placing/excerpts.h"
#include "placing/iteration_order.h"
#include "placing/loop_numbers.h"
#include "placing/placed_step.h"
#include "placing/steps_file.h"
#include "placing/tracked_walk.h"

namespace dprof {

class PlacedTraces : TrackedWalk {
public:
  /// What is changed.
  struct Changes {
    PlacedObjects placed;
    LoopChanges loops;
  };
  /// The steps of one way.
  struct Way {
    Way(const Input &input, const Plans &plans, TrackedObjects &objects, const Changes &changes,
        const std::string &folder, uint32_t loopCount);
    Variants variants;
    PlacedStep step;
    StepsFile file;
    std::vector<IterationOrder> orders; // by thread; empty: as recorded
    // The slot of what does not go this way, which ends there:
    uint32_t separated = NO_INDEX, scattered = NO_INDEX, outOfOrder = NO_INDEX;
    bool ends() const { return separated != NO_INDEX || scattered != NO_INDEX || outOfOrder != NO_INDEX; }
    uint64_t moved() const;
  };
  /// `folder`: for files without a name. The changes are borrowed.
  PlacedTraces(const Input &input, const std::vector<Changes> &changes, const std::string &folder,
               const Excerpts &excerpts)
      : TrackedWalk(input), clock_(excerpts), loops_(plans_) {
    for (const Changes &one : changes)
      ways.push_back(std::make_unique<Way>(input_, plans_, tracked_, one, folder, loops_.count));
    const bool hasLoops = std::any_of(ways.begin(), ways.end(), [](const auto &way) { return !way->orders.empty(); });
    if (excerpts.kept < excerpts.period && !hasLoops) frames_.resize(input.threads.size());
  }
  void run();

  std::vector<std::unique_ptr<Way>> ways;

private:
  void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) override;
  bool path(uint32_t thread, const PlainPath &path, const uint64_t *words) override;
  bool loop(uint32_t thread, const DecodedLoop &loop, const uint64_t *words) override;
  bool looksUp() const override { return clock_.isIn(); }
  void fetch(uint32_t object) const override {
    for (const std::unique_ptr<Way> &way : ways) way->step.placement.fetch(object);
  }
  void event(uint32_t thread, const Event &event) override;

  template <typename Work> void eachWay(Work work);
  bool findObjects(const DecodedLoop &loop, const uint64_t *words);
  void writeLoop(Way &way, uint32_t thread, const DecodedLoop &loop, const uint64_t *words);

  void catchUp(uint32_t thread);

  ExcerptClock clock_;
  const LoopNumbers loops_;
  // Of the loop at hand.
  std::vector<const LiveObject *> objects_; // by word: that which all iterations access
  std::vector<uint64_t> placed_, loopWords_;
  std::vector<ExcerptFrames> frames_; // by thread; none: all is written, or loops are tried, on what has them all
};

} // namespace dprof
