// Stage: replay -> stream. Stages on as many threads as are allowed.
#include "stream/reference_walk.h"

#include "layout/reference_stream.h"
#include "layout/window_borders.h"
#include "order/ordered_stream.h"
#include "replay/pipeline.h"

namespace dprof {

constexpr size_t BATCHES = 12; // under way; all of them fit into a host's L2

static Plans plansFor(const Input &input, const ReferenceColumns &columns) {
  Plans plans = makePlans(input);
  plans.timed = columns.timed();
  return plans;
}

ReferenceWalk::ReferenceWalk(const Input &input, const ReferenceColumns &columns)
    : input_(input), columns_(columns), plans_(plansFor(input, columns)), file_(input.path) {}

void ReferenceWalk::run(const std::function<void(ReferenceRows &)> &take) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < input_.threads.size(); i++)
    if (!input_.threads[i].isEmpty()) numbers.push_back(i);
  if (numbers.empty()) return;
  RowStage rows(input_, plans_, columns_, numbers[0], take);
  if (WindowBorders(input_.window).isAhead(ReplayWindow::FROM)) rows.waitForWindow();
  std::optional<CacheStage> caches;
  if (columns_.ofCaches()) caches.emplace(input_, plans_);
  try {
    if (numbers.size() == 1 && input_.processes.empty()) {
      Lookups *const lookups =
          caches ? caches->lookups() : nullptr; // then references are looked up as they are laid out
      ReferenceStream stream(file_, plans_, input_, numbers[0], lookups);
      runStages(stream, caches && !lookups ? &*caches : nullptr, rows, [&] { return stream.decodeAhead(); });
    } else {
      OrderedStream stream(file_, plans_, input_, numbers);
      runStages(stream, caches ? &*caches : nullptr, rows, {});
    }
  } catch (...) {
    rows.finish(); // what comes before it is there
    throw;
  }
  rows.finish();
}

template <typename Stream>
void ReferenceWalk::runStages(Stream &stream, CacheStage *caches, RowStage &rows, std::function<bool()> ahead) {
  std::exception_ptr error;
  auto layOut = [&](ReferenceBatch &batch) {
    if (error) std::rethrow_exception(error);
    try {
      return stream.next(batch);
    } catch (...) {
      error = std::current_exception(); // rows that come before it are there
      return true;
    }
  };
  std::vector<Pipeline<ReferenceBatch>::Work> stages{layOut};
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
