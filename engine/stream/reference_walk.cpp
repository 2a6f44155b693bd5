// Stage: replay -> stream. Stages on as many threads as are allowed.
#include "stream/reference_walk.h"

#include "layout/reference_stream.h"
#include "layout/window_borders.h"
#include "order/ordered_stream.h"
#include "replay/pipeline.h"
#include "trace/live_source.h"

namespace dprof {

static Plans plansFor(const Input &input, const ReferenceColumns &columns) {
  Plans plans = makePlans(input);
  plans.timed = columns.timed();
  plans.callers = columns.ofCallers();
  plans.values = columns.value;
  return plans;
}

ReferenceWalk::ReferenceWalk(const Input &input, const ReferenceColumns &columns)
    : input_(input), columns_(columns), plans_(plansFor(input, columns)),
      file_(input.live ? TraceFile(*input.live) : TraceFile(input.path)) {}

void ReferenceWalk::run(const std::function<void(ReferenceRows &)> &take) {
  const std::vector<uint32_t> numbers = input_.threadsWithSteps();
  if (numbers.empty() && !input_.live) return;
  RowStage rows(input_, plans_, columns_, numbers.empty() ? 0 : numbers[0], take);
  if (WindowBorders(input_.window).isAhead(ReplayWindow::FROM)) rows.waitForWindow();
  std::optional<CacheStage> caches;
  if (columns_.ofCaches()) caches.emplace(input_, plans_, columns_.evicts());
  try {
    if (numbers.size() == 1 && input_.processes.empty() && !columns_.ofCallers()) {
      // If there is one, references are looked up as they are laid out.
      Lookups *const lookups = caches ? caches->lookups() : nullptr;
      ReferenceStream stream(file_, plans_, input_, numbers[0], lookups);
      runStages(stream, caches && !lookups ? &*caches : nullptr, rows, [&] { return stream.decodeAhead(); });
    } else {
      OrderedStream stream(file_, plans_, input_, numbers); // threads of a live trace come as they are made
      do {
        runStages(stream, caches ? &*caches : nullptr, rows, {});
        if (input_.live) rows.finish(); // whoever paused wants what there is
      } while (input_.live && goesOn());
    }
  } catch (...) {
    rows.finish(); // what comes before it is there
    throw;
  }
  rows.finish();
}

/// After a pause.
bool ReferenceWalk::goesOn() const {
  if (!input_.live->isPaused()) return false;
  input_.live->resume();
  return true;
}

template <typename Stream>
void ReferenceWalk::runStages(Stream &stream, CacheStage *caches, RowStage &rows, std::function<bool()> ahead) {
  std::vector<Pipeline<ReferenceBatch>::Work> stages{Pipeline<ReferenceBatch>::holdErrors(
      [&](ReferenceBatch &batch) { return !(input_.live && input_.live->isPaused()) && stream.next(batch); })};
  if (caches)
    stages.push_back([&](ReferenceBatch &batch) {
      caches->lookUp(batch);
      return true;
    });
  stages.push_back([&](ReferenceBatch &batch) {
    rows.add(batch);
    return true;
  });
  Pipeline<ReferenceBatch>(std::move(stages), input_.workers < 2 ? 1 : BATCHES, std::move(ahead)).run(input_.workers);
}

} // namespace dprof
